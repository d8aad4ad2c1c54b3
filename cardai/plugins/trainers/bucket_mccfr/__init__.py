"""Hold'em solved over buckets of hands: :mod:`mccfr` for the whole game, :mod:`cfr_br` for a better river.

layout      which games are taken, and where an information set's numbers lie
mccfr       the trainer bucket_mccfr; training: its loop; _kernels: an iteration; actors: several who walk for one table
cfr_br      the trainer bucket_cfr_br and its loop; river: ranges, subtrees and buckets there; _river_kernels: a board
whole       the same over a whole hand; trunk: the streets before the river, and the river's numbers packed; textures: boards
            by what everybody sees; _whole_kernels: ranges down, values up; _reply_kernels: best replies on the river
agent       the players; _agent_kernels
"""
