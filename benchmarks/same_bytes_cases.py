"""What ``same_bytes.py`` has both sides do: matches, measurements and trainings, all of them small."""

from __future__ import annotations

from attrs import frozen

# The players of a game and its presets; the seats take them in turn.
PLAYERS = {
    "gin": ("heisenbot", "simple"),
    "kuhn": ("best_response", "random"),
    "leduc": ("acpc_mix", "always_raise"),
    "holdem_limit": ("threshold", "holdem_heuristic"),
    "holdem_nolimit": ("threshold", "acpc_mix"),
    "triple_draw": ("draw_heuristic", "random_refold"),
    "video_poker": ("video_heuristic", "video_perfect"),
    "holdem_spot": ("random", "acpc_mix"),
    "openspiel": ("random", "random"),
}
MORE_MATCHES = (
    ("gin", "greedy gin-only"),
    ("gin", "always-draw rule-based"),
    ("gin:melds=choose,layoffs=best,wall_turn=true,repeated_discard_draw=true,tie=push", "heisenbot random"),
    (
        "gin:starter=random,up_card_phase=false,discard_ban=false,max_turns=20",
        "gin_rules:discard=safety,draw=random greedy",
    ),
    ("leduc", "best_response:to=always_raise random"),
    ("leduc:players=3", "acpc_mix always_call random"),
    ("acpc_limit_3p", "threshold always_call random_refold"),
    ("holdem_limit:players=3,stack=55,hands=4", "holdem_heuristic always_raise random"),
    ("acpc_nolimit_6p", "threshold random acpc_mix always_call holdem_heuristic always_fold"),
    ("holdem_nolimit:bets=0.5+1+allin,stack=2000,hands=5", "mix:fold=0.1 holdem_heuristic"),
    (
        "triple_draw:players=6",
        "draw_heuristic draw_caller random random_refold always_call draw_heuristic:baseline=0.3",
    ),
    ("video_poker:hands=5,pay_table=800-9-6", "video_perfect"),
)
EVALUATIONS = (
    "exploitability --game kuhn --agent random",
    "exploitability --game kuhn --agent best_response",
    "exploitability --game leduc --agent acpc_mix",
    "exploitability --game leduc:suits=false,second_round=next --agent random_refold",
    "exploitability --game leduc_thesis --agent always_raise",
    "exploitability --game leduc_rlcard --agent random",
    "exploitability --game leduc_deepstack --agent random",
    "value --game kuhn --agent best_response --vs random",
    "value --game leduc --agent acpc_mix --vs always_raise",
    "value --game leduc_deepstack --agent always_call --vs random",
    "video-poker --agent video_heuristic --symmetric",  # what the command chooses by itself since
    "video-poker --agent random --symmetric",
    "video-poker --agent video_perfect --game video_poker:pay_table=800-9-6 --symmetric",
)
_RANGES = "--range 22+,A2s+,KTo+:0.5 --range random --bets 0.5+1+allin"
COMMANDS = (
    f"solve --board KsTh7s4d2c --pot 200 --stack 900 {_RANGES} --iterations 60 --out spot",
    "solve --board KsTh7s4d --pot 200 --stack 300 --range 22+,AK --range 99+,AQ+ --bets 1+allin --iterations 20 --out spot",
    "evaluate best-response --game acpc_limit_2p --agent threshold --from river --boards 2",
    "evaluate best-response --game acpc_limit_2p --agent threshold --from river --hands 2",
    "evaluate lbr --game holdem_fcpa --agent threshold --hands 40",
    "evaluate lbr --game holdem_fcpa --agent acpc_mix --hands 20 --aivat",
    "evaluate lbr --game acpc_limit_2p --agent threshold --boards 1 --branches 4",
    "run --game leduc --agent acpc_mix --vs random --games 200 --seed 1 --aivat acpc_mix",
    "run --game acpc_limit_2p --agent threshold --vs always_call --games 24 --seed 1 --aivat threshold",
    "run --game leduc_deepstack --agent resolving:iterations=60 --vs always_call --games 12 --seed 1 --record hands.jsonl",
    "run --game acpc_nolimit_2p --agent resolving:iterations=4 --vs always_call --games 4 --seed 1 --record hands.jsonl",
    "run --game gin --agent champion --vs heisenbot --games 4 --seed 1 --record hands.jsonl",
    "situations data --street river --count 250 --iterations 20+15+10+8+5",
)
"""What else the command line is asked for; ``--json`` is added to each."""
_NFSP = "hidden=16,tables=32,batch=32,rl_capacity=500,sl_capacity=500,min_data=50,eval_every=20"
_VALUES = "examples=500,batch=64,every=5,threads=1,measure=false,validation=100"
_BETTING = "hands=40,batch=32,epochs=1,threads=1"


@frozen
class Training:
    """A small training: specs, steps in all, what the player meets, and a run that is made first, as ``first``."""

    trainer: str
    game: str
    steps: int
    encoder: str = ""
    vs: str = "random"
    measured: bool = False
    first: Training | None = None


_DRAWS = Training(f"poker_cnn_ours:{_VALUES}", "triple_draw", 10, "poker_cnn_triple_draw:size=4x13")
_DRAWN = "teachers=draw_heuristic,league=always_call,draws_by=./first,warm_start=./first"
TRAININGS = (
    Training("cfr:updates=simultaneous", "leduc", 60, measured=True),
    Training("cfr_plus:delay=5", "kuhn", 60, measured=True),
    Training("dcfr", "leduc_deepstack", 40, measured=True),
    Training("pdcfr_plus", "leduc", 60, measured=True),
    Training("mccfr", "leduc", 400, measured=True),
    Training("outcome_mccfr", "leduc_thesis", 400, measured=True),
    Training("xfp", "leduc", 20, measured=True),
    Training(f"nfsp:{_NFSP}", "kuhn", 60, "flat", measured=True),
    Training(f"nfsp_leduc_best:{_NFSP}", "leduc", 60, "leduc_30", measured=True),
    Training(f"poker_cnn_video_ours:{_VALUES}", "video_poker", 10, "grid_4x13:fields=hand", ""),
    Training(
        "poker_cnn_paper:network=cnn_16,examples=500,redraws=20,every=5,threads=1,measure=false,validation=100",
        "video_poker",
        10,
        "poker_cnn_video",
        "",
    ),
    Training(f"poker_cnn_ours:redraws=20,{_VALUES}", "poker_cnn_limit", 10, "poker_cnn_limit:size=4x13"),
    Training(f"poker_cnn_betting:network=dense,unit=2,{_BETTING}", "leduc", 120, "double_row_8x13:fields=hole+board"),
    Training(f"poker_cnn_betting:network=cnn_16,{_BETTING}", "holdem_limit", 120, "cnn_valuation", "threshold"),
    Training(
        f"poker_cnn_betting_ours:teachers=holdem_heuristic,league=threshold+random,{_BETTING}",
        "poker_cnn_limit",
        120,
        "poker_cnn_limit:size=4x13",
    ),
    Training(
        f"poker_cnn_betting_paper:network=cnn_16,teachers=draw_heuristic,{_BETTING}",
        "triple_draw",
        120,
        "poker_cnn_triple_draw",
        "draw_heuristic",
    ),
    Training(
        f"poker_cnn_betting_ours:{_DRAWN},{_BETTING}",
        "triple_draw",
        120,
        "poker_cnn_triple_draw:size=4x13",
        "draw_heuristic",
        first=_DRAWS,
    ),
    Training("gin_values:hands=64,belief_hands=256,taught=1,batch=16,hidden=8", "gin", 4, "", "simple"),
)
