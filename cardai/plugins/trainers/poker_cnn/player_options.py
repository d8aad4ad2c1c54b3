"""What the spec of a trained betting player takes (runs/x:noise=0)."""

PLAYER_OPTIONS = {
    "generation": "the generation to play (default: the newest)",
    "policy_mix": "chance to act by the policy head (default: as trained)",
    "noise": "noise on values (default: as trained)",
    "repair": "clip impossible values (default: as trained)",
    "boost": "bet more after keeping more cards (default: as trained)",
    "refold": "reconsider a fold before the first draw, once (default: as trained)",
    "draw_shares": "chance that the betting network says how many cards, with 1, 2, 3 draws left (default: as trained)",
    "draw_noise": "bonus and malus on numbers of cards (default: as trained)",
    "mix": "how many of the newest generations play, one drawn for each decision (default 1)",
}
