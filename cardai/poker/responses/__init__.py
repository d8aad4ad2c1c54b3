"""Bounds on players of large games: what responders that know the player win from it.

``measure`` is the one way to find it: samples in pieces, their file, processes and clusters. ``street_samples`` has best
responses from a street on, over boards, played hands or classes of flops; ``local_samples`` has local best responses, over
hands or boards. Below them: ``street_response`` (ranges through the streets), ``river_forest`` (the river's subtrees side by
side), ``blind_response`` (a player that does not look at its cards), ``local_response`` and ``board_response`` (one action
ahead, by hands and on whole boards), ``board_sample`` (boards in strata and intervals over them), ``device_walk``
(whole turn boards on a GPU) and ``dense_showdowns`` (there, ends of hands alone). What a player does with all its hands is asked by :mod:`cardai.poker.range_policy`.
"""
