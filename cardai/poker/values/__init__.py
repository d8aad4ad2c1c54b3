"""Solved situations, and networks that learn what hands are worth in them."""
