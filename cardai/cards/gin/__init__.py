"""The gin family: actions and melds."""
