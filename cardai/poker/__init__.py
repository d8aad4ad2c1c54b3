"""The house of betting games, from what all need to what stands on the rest: ``contract`` and ``fields``, ``rules``,
``hands``, ``buckets``, ``ranges`` (public trees, the engine over ranges), ``aivat``, ``values``, ``resolving``, ``responses``.

A board game declares deck, hole cards, board, ranking and betting; whoever needs one kind of game compares the declaration."""
