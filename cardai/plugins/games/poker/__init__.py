"""Poker with hole cards and a shared board: Leduc, limit and no-limit hold'em, on one set of kernels."""
