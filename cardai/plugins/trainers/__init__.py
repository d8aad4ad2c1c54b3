"""Algorithms that learn or solve. A module offers ``cardai_trainer``; its ``train`` reads like the paper's pseudocode."""
