"""Grading of hold'em by solving: a pot for two after the flop as a spot, walked as it was played, each decision against the best."""
