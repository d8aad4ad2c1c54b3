"""Trained players, each a finished run in a folder of its own with a card: how it was trained, and how strong it is."""
