"""The rules of board games: betting, and the kernels that deal, bet and compare."""
