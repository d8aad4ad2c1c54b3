"""AIVAT where a game cannot be enumerated: all hands that a player could hold, and the value functions that it takes.

The measure itself is any game's (:mod:`cardai.solve.aivat`); a board game offers its estimator from here."""
