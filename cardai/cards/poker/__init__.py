"""The poker family: betting, ranking, equity, hands as numbers."""
