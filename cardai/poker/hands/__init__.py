"""Hands of cards: as numbers, ranked, and what they are worth against others."""
