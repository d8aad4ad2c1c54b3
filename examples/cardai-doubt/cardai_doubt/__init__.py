"""Doubt, a card game of claims, for cardai."""
