"""The house of gin rummy: what a game declares (``contract``), its fields and actions, melds, belief, styles, values.

Here belongs what players and learners of gin share; the game's own rules are its plugin."""
