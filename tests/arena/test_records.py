"""Records: kept as they were until a new one is whole, and read as far as they are what a record is."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest

from cardai import make
from cardai.arena import match, records
from cardai.arena.table import replay
from cardai.core.agent import ScalarAgent
from cardai.core.errors import AgentError, CardaiError, DamagedFileError


class Stops(ScalarAgent):
    """Raises ``how`` when it is asked for the ``after``-th time."""

    how: ClassVar[type[BaseException]]
    after: ClassVar[int]

    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Random) -> int:
        Stops.after -= 1
        if Stops.after < 0:
            raise Stops.how
        return 0


@pytest.mark.parametrize(
    ("how", "after", "kept"),
    [
        (ValueError, 40, False),
        (ValueError, 0, False),
        (KeyboardInterrupt, 40, True),  # what was finished takes the older record's place
        (KeyboardInterrupt, 0, False),  # there is nothing that could
    ],
)
def test_a_match_that_fails_leaves_the_older_record_and_one_that_is_stopped_keeps_what_was_finished(
    how: type[BaseException], after: int, kept: bool, tmp_path: Path
) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text("older")
    Stops.how, Stops.after = how, after
    try:
        result = match.play("kuhn", [Stops(), "random"], games=400, seed=1, batch=4, record=file)
    except AgentError:
        assert how is ValueError
    else:
        assert result.interrupted
        assert (len(result.hands) > 0) == kept
    if kept:
        assert len(records.read(file).hands) == len(result.hands)
    else:
        assert file.read_text() == "older"
    left = {path.name for path in tmp_path.iterdir()} - {"r.jsonl"}
    assert not left or (
        how is ValueError and after > 0 and left == {"r.jsonl.open"}
    )  # a slow machine had finished some


def test_a_record_to_minus_is_the_record_on_standard_output(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for place in ("-", tmp_path / "r.jsonl"):
        match.play("kuhn", ["random", "random"], games=4, seed=1, record=place)
    assert capsys.readouterr().out == (tmp_path / "r.jsonl").read_text()


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The header and two hands of a record."""
    file = tmp_path_factory.mktemp("record") / "r.jsonl"
    match.play("leduc", ["random", "always_call"], games=2, seed=1, record=file)
    return [json.loads(line) for line in file.read_text().splitlines()]


def text(values: list[Any]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


WRONG = [None, True, "x", 0.5, -1, 2**64, 10**30, [None], [[]], [-1], ["x"], [0.5], {}, {"a": 1}, float("nan")]


@pytest.mark.parametrize(
    "key", ["seats", "seed", "setup", "deck", "actions", "returns", "group", "game_number", "hand"]
)
def test_a_value_of_another_kind_costs_its_line_and_is_named(key: str, lines: list[dict[str, Any]]) -> None:
    game = make.game("leduc")
    refused = 0
    for value in WRONG:
        changed = copy.deepcopy(lines)
        changed[1][key] = value
        file = records.read(io.StringIO(text(changed)))
        assert file.hands[-1] == lines[2]
        if file.damaged:
            assert file.damaged[0].startswith("the input, line 2 is damaged or foreign: ")
            refused += 1
        else:  # of the right kind, and not what was dealt or played
            with pytest.raises(DamagedFileError):
                for _ in replay(game, file.hands[0]):
                    pass
    assert refused >= len(WRONG) - 1 - (key in ("seed", "group", "game_number", "hand"))


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("setup", "starter"), 7, "its starter"),
        (("setup", "score"), [0.0], "its score"),
        (("setup", "stacks"), [5, 5, 5], "its stacks"),
        (("seats",), [0], "its seats"),
        (("deck", 0), 6, "its deck"),
        (("actions", 0), 2**31, "cannot be replayed"),
        (("outcome", "pot"), [1, 2], "its pot"),
    ],
)
def test_a_hand_that_is_not_of_its_game_is_refused_when_it_is_replayed(
    place: tuple[Any, ...], value: Any, said: str, lines: list[dict[str, Any]]
) -> None:
    changed: Any = copy.deepcopy(lines[1])
    holder = changed
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = value
    if place == ("seats",):
        changed["returns"] = [0.0]
    file = records.read(io.StringIO(text([lines[0], changed])))
    assert not file.damaged
    with pytest.raises(DamagedFileError, match=f"The record of game 0, hand 0 .*{said}"):
        for _ in replay(make.game("leduc"), file.hands[0]):
            pass


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"game": 5}, "line 1 is damaged or foreign: game must be a text. Got 5"),
        ({"game": None}, "game must be a text"),
        ({"agents": "random"}, "agents must be a list"),
        ({"agents": [1]}, r"agents\[0\] must be a text"),
        ({"format": 2}, "has record format 2; this version reads 1"),
        ({"cardai": "run"}, "is no record of cardai"),
    ],
)
def test_a_header_of_wrong_values_is_refused_by_name(
    change: dict[str, Any], said: str, lines: list[dict[str, Any]]
) -> None:
    with pytest.raises(DamagedFileError, match=said):
        records.read(io.StringIO(text([{**lines[0], **change}, *lines[1:]])))


def test_a_hand_that_seats_a_player_whom_the_header_does_not_name_is_left_out(lines: list[dict[str, Any]]) -> None:
    file = records.read(io.StringIO(text([lines[0], {**lines[1], "seats": [0, 2]}, lines[2]])))
    assert len(file.hands) == 1
    assert "line 2: it seats a player whom the header does not name" in file.damaged[0]


def test_lines_that_are_deep_or_endless_or_no_json_cost_themselves(
    lines: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = [
        "[" * 99_999 + "\n",
        '{"a":' * 5000 + "\n",
        "x" * 2_000_000 + "\n",
        "\x00\n",
        '{"seed": 1' + "0" * 5000 + "}\n",
    ]
    file = records.read(io.StringIO(text(lines[:2]) + "".join(odd) + text(lines[2:])))
    assert len(file.hands) == 2
    assert [message.split(":")[0] for message in file.damaged] == [f"the input, line {n}" for n in range(3, 8)]


def test_what_is_kept_beside_the_known_keys_is_kept(lines: list[dict[str, Any]]) -> None:
    more = [{**lines[0], "mine": [1]}, {**lines[1], "mine": {"x": 2}}]
    file = records.read(io.StringIO(text(more)))
    assert not file.damaged
    assert (file.header["mine"], file.hands[0]["mine"]) == ([1], {"x": 2})


def test_no_error_of_reading_is_without_words(lines: list[dict[str, Any]]) -> None:
    for header in ("", "{}\n", "null\n", '{"cardai": "record"}\n', '{"cardai": "record", "format": []}\n'):
        with pytest.raises(CardaiError) as error:
            records.read(io.StringIO(header))
        assert str(error.value).endswith(".")


@pytest.mark.parametrize("depth", [40, 480, 900])
def test_a_header_that_is_nested_deeper_than_any_of_ours_is_refused(depth: int) -> None:
    nested = "[" * depth + "]" * depth
    text = f'{{"cardai":"record","format":1,"game":"kuhn","agents":["random"],"more":{nested}}}\n'
    with pytest.raises(DamagedFileError, match="is no record of cardai"):
        records.read(io.StringIO(text))


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-1e300"])
def test_a_return_that_no_game_gives_costs_its_line(value: str, lines: list[dict[str, Any]]) -> None:
    header, *hands = map(json.dumps, lines)
    hand = json.dumps({**lines[1], "returns": [12345.5, 0.0]}).replace("12345.5", value)
    held = records.read(io.StringIO("\n".join([header, hand, *hands[1:]]) + "\n"))
    assert len(held.hands) == len(hands) - 1
    assert "line 2 is damaged or foreign: it holds a return that no game gives" in held.damaged[0]


def test_the_places_of_a_hand_that_does_not_say_them_are_the_first(lines: list[dict[str, Any]]) -> None:
    hand = {key: value for key, value in lines[1].items() if key not in ("group", "game_number", "hand")}
    (read,) = records.read(io.StringIO("".join(json.dumps(line) + "\n" for line in (lines[0], hand)))).hands
    assert (read["group"], read["game_number"], read["hand"]) == (0, 0, 0)


def test_a_hand_of_no_room_is_one_also_where_it_says_so(lines: list[dict[str, Any]]) -> None:
    (read,) = records.read(
        io.StringIO("".join(json.dumps(x) + "\n" for x in (lines[0], {**lines[1], "room": None})))
    ).hands
    assert (records.unseen(read), records.watched_seat(read), "room" in read) == (
        frozenset(),
        read["seats"].index(0),
        False,
    )


def test_a_hand_s_game_of_broken_letters_is_refused_in_words(lines: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(line) + "\n" for line in (lines[0], {**lines[1], "game": "leduc:\udcff"}))
    (read,) = records.read(io.StringIO(text)).hands
    with pytest.raises(CardaiError, match=r"\\udcff"):
        records.game_of(make.game("leduc"), read)
