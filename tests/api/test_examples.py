"""Every function of ``cardai`` has an example in its docstring, typed keywords, and the examples are true."""

from __future__ import annotations

import doctest
import inspect

import pytest

import cardai
from cardai import api
from cardai.api import evaluation, runs
from cardai.poker.ranges import solving

OPTIONS = {"game", "agent", "encoder", "trainer", "train", "to_openspiel"}
"""What hands its further keywords to a plugin, whose fields say what they are."""
FUNCTIONS = {name: getattr(cardai, name) for name in cardai.__all__ if inspect.isfunction(getattr(cardai, name))} | {
    "solve": solving.solve_spot
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_function_has_an_example_and_its_keywords_have_types(name: str) -> None:
    function = FUNCTIONS[name]
    assert ">>> import cardai\n" in inspect.getdoc(function) + "\n", name
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty, (name, parameter.name)
        assert parameter.kind is not parameter.VAR_KEYWORD or name in OPTIONS, (name, parameter.name)


@pytest.mark.parametrize("module", [api, evaluation, runs, solving], ids=lambda module: module.__name__)
def test_the_examples_are_true(module: object, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gymnasium")
    monkeypatch.chdir(str(tmp_path))
    failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)  # type: ignore[arg-type]
    assert failed == 0
    assert tried > 0
