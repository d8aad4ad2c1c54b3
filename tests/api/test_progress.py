"""Progress from Python: a bar in a notebook, a line where it is asked for, nothing elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import cardai

NOTEBOOK = """
import json, sys
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.kernel = object()  # as in a notebook: InteractiveShell has none
shell.display_pub = CapturingDisplayPublisher()
import cardai
from cardai.api import progress
progress._EVERY = 0.0
cardai.play("kuhn", ["random", "random"], games=40)
run = cardai.train("cfr", "kuhn", steps=3)
result = cardai.play("kuhn", ["random", "random"], games=4, progress=False)
print(json.dumps([[o["data"], o["update"]] for o in shell.display_pub.outputs]))
print(sorted(shell.display_formatter.format(result)[0]))
"""


def test_a_notebook_shows_one_bar_a_call_and_takes_it_away() -> None:
    pytest.importorskip("IPython")
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, check=True)
    shown, formats = done.stdout.splitlines()
    outputs = json.loads(shown)
    assert [update for _, update in outputs].count(False) == 2  # one bar for the match, one for the training
    pages = [data.get("text/html", "") for data, _ in outputs]
    assert "<progress value='40' max='40' style='width:20em'></progress> 40 of 40 games" in pages
    assert any("3 of 3 iterations" in page for page in pages)
    assert pages[-1] == ""  # nothing stays
    assert formats == "['text/html', 'text/plain']"


def test_a_script_is_left_in_peace_unless_it_asks(capsys: pytest.CaptureFixture[str]) -> None:
    cardai.play("kuhn", ["random", "random"], games=4)
    assert capsys.readouterr() == ("", "")
    cardai.play("kuhn", ["random", "random"], games=4, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "4 of 4 games" in err
    assert err.endswith("\r\x1b[K")
