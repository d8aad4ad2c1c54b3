"""The house of draw games: what they declare (``contract``), their fields and actions, holds and their exact values.

Five cards of which any are exchanged: video poker for one, draw poker with betting (which it takes from the poker house)."""
