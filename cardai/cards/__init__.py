"""Cards for any game: as ints, sets and text, and hands up to the names of suits.

What only one family's games know (how poker hands rank, which cards meld) lies in the family's house."""
