"""The Annual Computer Poker Competition's files and wire: games, match states, logs, dealer, client.

Nothing here imports numba or torch: the dealer and a client of a simple agent run the game's kernels as plain Python.
"""
