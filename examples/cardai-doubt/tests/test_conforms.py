"""The game and its players pass cardai's conformance kit."""

from cardai import testing
from cardai.testing import Case


@testing.parametrize_checks("game", "doubt", "doubt:ranks=2,copies=1")
def test_the_game_conforms(check: Case) -> None:
    check()


@testing.parametrize_checks("agent", "honest", "bold", "honest:bluff=0.5", game="doubt")
def test_the_players_conform(check: Case) -> None:
    check()
