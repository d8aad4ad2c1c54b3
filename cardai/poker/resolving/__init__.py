"""Continual re-solving: players that solve the game anew from where they are."""
