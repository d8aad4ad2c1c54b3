"""The options of betting by self-play: hands, targets, events, learning and acting, beside those of the network."""

from __future__ import annotations

from typing import Literal

from attrs import frozen, validators

from cardai.core.spec import option
from cardai.learn.bounds import LEARNING_RATE
from cardai.plugins.trainers.poker_cnn.networks import NetworkOptions

_share = [validators.ge(0), validators.le(1)]


@frozen(slots=False)
class LearningOptions(NetworkOptions):
    """The network, the hands that are played, what their events teach, and how the network learns from them."""

    heads: Literal["choices", "published"] = option(
        "choices", help="outputs: a value and a policy each choice, or the publication's 32"
    )
    hands: int = option(100_000, help="hands of a generation", validator=validators.gt(0))
    actors: int = option(
        1,
        help="who play: hands are cut into so many pieces (any number plays the same hands, but on a GPU with one)",
        validator=[validators.ge(1), validators.le(4096)],
    )
    teachers: tuple[str, ...] = option(
        (), holds="training agent", help="who plays generation 0, joined with +; none: random players"
    )
    earlier: int = option(2, help="how many earlier generations are among the opponents", validator=validators.ge(0))
    league: tuple[str, ...] = option(
        (), holds="training agent", help="other opponents of every generation, joined with +"
    )
    league_share: float = option(0.5, help="share of hands against the league", validator=_share)
    branches: int = option(
        1,
        help="decisions in a hand at which other choices are played out too, with the same cards (the paper: none)",
        validator=validators.ge(0),
    )
    explore: float = option(
        0.02, help="chance of a random action while learning", validator=[validators.ge(0), validators.lt(1)]
    )
    draws_by: str = option(
        "exact",
        holds="starting path",
        help="draw games: which cards are kept, given how many: exact (dynamic programming), or a poker_cnn run's directory",
    )
    unit: float = option(100.0, help="chips that count 1 in values", validator=validators.gt(0))
    discount: float = option(
        1.0, help="weight of what is won or lost beyond pot and bet (the paper: 0.9)", validator=_share
    )
    counterfactuals: Literal["published", "all"] = option(
        "all", help="choices not taken that teach what they would have brought: all that end, or Poker-CNN's"
    )
    teach_illegal: bool = option(False, help="illegal actions are taught to be worse than any loss (the paper)")
    keep_share: float = option(
        1.0, help="share of events kept (the paper: 0.3, and always the important ones)", validator=_share
    )
    memory: int = option(3, help="generations whose events are learned from, newest first", validator=validators.gt(0))
    keep_teachers: bool = option(True, help="the teachers' events count among those generations; false: only at first")
    max_events: int = option(1_500_000, help="events learned from at most, newest first", validator=validators.gt(0))
    epochs: float = option(1.5, help="passes over the events of a generation", validator=validators.gt(0))
    policy: Literal["mirror", "weights"] = option(
        "mirror", help="mirror: old policy moved along the advantages; weights: the publication's normalised weights"
    )
    step_size: float = option(
        6.0,
        help="mirror: how far the policy moves a generation, per unit of value",
        validator=[validators.ge(0), validators.le(1e6)],
    )
    optimizer: Literal["sgd", "adam"] = option("adam", help="sgd: Nesterov momentum 0.9 (the paper)")
    learning_rate: float = option(0.001, help="learning rate", validator=LEARNING_RATE)
    batch: int = option(512, help="events in a minibatch", validator=[validators.gt(0), validators.lt(2**20)])
    warm_start: str = option(
        "", holds="starting path", help="a poker_cnn run whose network the first generation begins with"
    )
    freeze_trunk: bool = option(False, help="network=suits: keep the warm-started card layers as they are")


@frozen(slots=False)
class ActingOptions:
    """How the networks play, in training and afterwards; amounts are in the unit of values. All but the defaults are Poker-CNN's.

    Noise is Gumbel's, with a mean of half its scale, on every value but folding's; bets get no negative one. A boost
    raises a bet's value by the noise's scale for who kept more cards than the opponent, by twice that for who stood pat
    (the size is ours: Poker-CNN's is not published). What was repaired, boosted, or drawn with a bonus is played by value.
    Bonus and malus on draws are uniform, from 0 to twice their mean (that, their size, and that "late" means after the
    first draw, are ours).
    """

    noise: float = option(
        0.0, help="scale of the Gumbel noise on values (the paper: 0.2 bets)", validator=[validators.ge(0), validators.le(1e6)]
    )  # fmt: skip
    policy_mix: float = option(
        1.0, help="chance to act by the policy head, else by the best value (the paper: 0.5)", validator=_share
    )
    repair: bool = option(False, help="clip values of impossible size when acting (the paper)")
    boost: bool = option(False, help="bet more after keeping more cards than the opponent (the paper)")
    refold: bool = option(False, help="reconsider a fold before the first draw, once (the paper)")
    draw_shares: tuple[float, ...] = option(
        (1.0, 1.0, 1.0),
        help="draw games: chance that the betting network says how many cards, with 1, 2, 3 draws left (the paper: "
        "1+0.6+0.2), else the best hold",
        validator=[validators.min_len(1), validators.deep_iterable(validators.and_(*_share))],
    )
    draw_noise: float = option(
        0.0,
        help="draw games: mean of a random bonus on the best hold's number of cards, and of a random malus on standing pat "
        "and on late draws of two cards or more (the paper; the size is ours)",
        validator=validators.ge(0),
    )
