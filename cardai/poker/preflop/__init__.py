"""Play before the flop for two to nine players over the 169 classes of hands: its tree, how it is solved, what is kept and read."""
