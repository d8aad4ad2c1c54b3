"""Spec strings: what is written is what is read, and every mistake is named."""

from __future__ import annotations

import json
import time
from typing import Literal

import pytest
from attrs import frozen, validators
from hypothesis import given
from hypothesis import strategies as st

from cardai.core import registry
from cardai.core.errors import OptionError, SpecError
from cardai.core.spec import Spec, brief, build, convert, option, parse, type_name, write_value

names = st.from_regex(r"[A-Za-z0-9_.\-]+(/[A-Za-z0-9_.\-]+)*", fullmatch=True)
keys = st.from_regex(r"[a-z_]+", fullmatch=True)
bare = st.text(st.characters(exclude_characters=',:+="', exclude_categories=("Cs",)), max_size=8)
items = st.one_of(bare, st.text(st.characters(exclude_categories=("Cs",)), max_size=8).map(json.dumps))
values = st.lists(items, min_size=1, max_size=3).map("+".join)


@st.composite
def spec_texts(draw: st.DrawFn) -> str:
    options = draw(st.dictionaries(keys, values, max_size=3))
    text = ",".join(f"{key}={value}" for key, value in options.items())
    return draw(names) + (f":{text}" if options else "")


@given(spec_texts())
def test_a_spec_is_written_as_it_was_read(text: str) -> None:
    assert str(parse(text)) == text


@given(
    st.one_of(
        st.integers(1 - 2**63, 2**63 - 1), st.booleans(), st.text(min_size=1).filter(lambda t: t.lower() != "none")
    )
)
def test_a_value_that_is_written_reads_back(value: object) -> None:
    written = parse(f"x:key={write_value(value)}").values()["key"]
    assert convert(written, type(value), "it") == value


@given(st.lists(st.text(), min_size=2, max_size=4))
def test_a_list_that_is_written_reads_back(value: list[str]) -> None:
    assert parse(f"x:key={write_value(value)}").values()["key"] == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no name"),
        (":a=1", "no name"),
        (" kuhn", "no name"),
        ("kuhn:", "no key=value at ''"),
        ("kuhn:a", "no key=value at 'a'"),
        ("kuhn:a=1,", "no key=value at ''"),
        ("kuhn:=1", "no key=value"),
        ("kuhn:a=1,a=2", "gives the option 'a' twice"),
        ("kuhn:a=b=c", "unexpected '='"),
        ("kuhn:a=b:c", "unexpected ':'"),
        ('kuhn:a="b', "broken quoted value"),
    ],
)
def test_a_mistake_is_quoted_with_its_place(text: str, said: str) -> None:
    with pytest.raises(SpecError) as error:
        parse(text)
    assert said in str(error.value)
    assert repr(text) in str(error.value)


def test_a_spec_of_many_options_is_read_in_time_that_grows_as_they_do() -> None:
    began = time.process_time()
    spec = parse("kuhn:" + ",".join(f"a{n}=1" for n in range(30_000)))  # of a third of a record's longest line
    assert len(spec.options) == 30_000
    assert time.process_time() - began < 5  # with a look through all for each: minutes


def test_options_given_twice_alike_are_one_and_otherwise_an_error() -> None:
    spec = parse("x:a=1")
    assert spec.with_options({"a": "1", "b": "2"}) == Spec("x", (("a", "1"), ("b", "2")))
    with pytest.raises(OptionError, match="given twice: 1 and 2"):
        spec.with_options({"a": "2"})


def test_a_directory_is_a_run_and_takes_options() -> None:
    spec = parse("runs/x:policy=best_response,step=50000")
    assert spec.is_run
    assert spec.values() == {"policy": "best_response", "step": "50000"}
    assert not parse("kuhn").is_run


@frozen
class Plugin:
    """Options of every type."""

    count: int = option(1, help="a number", validator=validators.ge(0))
    rate: float = option(0.5, help="a rate")
    on: bool = option(True, help="a switch")
    word: str = option("a", help="a word")
    choice: Literal["low", "high"] = option("low", help="one of two")
    limit: int | None = option(None, help="a limit or none")
    bets: tuple[float, ...] = option((1.0,), help="a list")


def test_texts_become_typed_options() -> None:
    text = "x:count=3,rate=1e-2,on=no,word=b,choice=high,limit=7,bets=0.5+2"
    assert build(Plugin, parse(text).values(), "x") == Plugin(3, 0.01, False, "b", "high", 7, (0.5, 2.0))
    assert build(Plugin, {"limit": "none", "bets": "3"}, "x") == Plugin(bets=(3.0,))
    assert build(Plugin, {"count": 2.0, "limit": None}, "x") == Plugin(count=2)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"cuont": "1"}, "no option 'cuont'. Did you mean 'count'? Its options: bets, choice, count"),
        ({"count": "many"}, "'count' of the agent 'x' must be a whole number. Got 'many'"),
        ({"count": "1.5"}, "must be a whole number. Got '1.5'"),
        ({"count": 2.5}, "'count' of the agent 'x' must be a whole number. Got 2.5 instead."),
        ({"count": float("inf")}, "must be a whole number. Got inf instead."),
        ({"count": str(2**63)}, f"must be a whole number of less than 64 bits. Got '{2**63}' instead."),
        ({"limit": 10**30}, "must be a whole number or none of less than 64 bits."),
        ({"limit": 7.5}, "must be a whole number or none. Got 7.5 instead."),
        ({"count": "-1"}, "refuses its options count=-1: "),
        ({"rate": "fast"}, "must be a number"),
        ({"rate": "inf"}, "'rate' of the agent 'x' must be a finite number. Got inf instead."),
        ({"bets": ["1", "nan"]}, "must be a finite number. Got nan instead."),
        ({"on": "perhaps"}, "must be true or false. Got 'perhaps'"),
        ({"choice": "middle"}, "must be one of low, high. Got 'middle'"),
        ({"limit": "x"}, "must be a whole number or none. Got 'x'"),
        ({"count": ["1", "2"]}, "must be a whole number, and not several. Got 1+2"),
        ({"bets": ["1", "x"]}, "must be a number. Got 'x'"),
    ],
)
def test_a_wrong_option_says_what_is_known(values: dict[str, str], said: str) -> None:
    with pytest.raises(OptionError) as error:
        build(Plugin, values, "the agent 'x'")
    assert said in str(error.value)


def test_types_are_named_in_words() -> None:
    assert type_name(tuple[float, ...]) == "numbers joined with +"
    assert type_name(int | None) == "a whole number or none"


def test_a_plugin_is_named_by_what_is_not_its_default() -> None:
    leduc = registry.create("game", "leduc:players=3,bets=pot+allin,stack=30")
    assert brief(leduc) == "Leduc(players=3, bets=pot+allin, stack=30)"
    assert brief(registry.create("game", "leduc")) == "Leduc"
