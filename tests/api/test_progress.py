"""Progress from Python: a bar in a notebook, a line where it is asked for, nothing elsewhere."""

from __future__ import annotations

import inspect
import json
import signal

import pytest

import cardai
from cardai.api import progress
from cardai.api.progress import overall
from tests.support import INTERPRETED, python

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


@pytest.mark.long
def test_a_notebook_shows_one_bar_a_call_and_takes_it_away() -> None:
    pytest.importorskip("IPython")
    done = python("-c", NOTEBOOK, **INTERPRETED)
    shown, formats = done.stdout.splitlines()
    outputs = json.loads(shown)
    assert [update for _, update in outputs].count(False) == 2  # one bar for the match, one for the training
    pages = [data.get("text/html", "") for data, _ in outputs]
    assert "<progress value='40' max='40' style='width:20em'></progress> 40 of 40 games" in pages
    assert any("3 of 3 iterations" in page for page in pages)
    assert pages[-1] == ""  # nothing stays
    assert formats == "['text/html', 'text/plain']"


ONCE = """
import json
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

class ZMQInteractiveShell(InteractiveShell):  # the name by which rich knows a notebook
    pass

shell = ZMQInteractiveShell.instance()
shell.display_pub = CapturingDisplayPublisher()
ran = shell.run_cell('''
import cardai
result = cardai.play("kuhn", ["random", "random"], games=4, progress=False)
table = cardai.tournament("kuhn", ["random", "equilibrium"], games=4, progress=False)
solved = cardai.solve("KsTh7s4d2c", pot=20, stack=10, ranges=["QQ,AKs", "JJ"], bets="allin")
state = cardai.game("kuhn").new_initial_state()
publisher = get_ipython().display_pub
found = [(len(publisher.outputs), str(result), str(table), str(solved), str(state), len(publisher.outputs))]
''')
ran.raise_error()
before, *texts, after = shell.user_ns["found"][0]
html = [shell.display_formatter.format(shell.user_ns[name])[0].get("text/html", "") for name in ("result", "table", "solved", "state")]
html.append(shell.display_formatter.format(shell.user_ns["solved"].at())[0].get("text/html", ""))
html.append(shell.display_formatter.format(shell.user_ns["solved"].grid())[0].get("text/html", ""))
print(json.dumps([before, after, [bool(text.strip()) for text in texts], [page[:5] for page in html], html[-1].count("<td")]))
"""


@pytest.mark.long
def test_a_result_is_printed_once_in_a_notebook_and_shown_as_a_page() -> None:
    """rich takes a notebook for a place to display every text that it is asked to lay out."""
    pytest.importorskip("IPython")
    done = python("-c", ONCE, **INTERPRETED)
    before, after, texts, pages, cells = json.loads(done.stdout.splitlines()[-1])
    assert (before, after) == (0, 0)  # making and laying out texts displays nothing; print() then writes them once
    assert texts == [True] * 4
    assert pages == ["<div>", "<div>", "<div>", "<pre>", "<div>", "<div>"]
    assert "pot" in inspect.signature(cardai.solve).parameters
    assert cells == 169


def test_a_script_is_left_in_peace_unless_it_asks(capsys: pytest.CaptureFixture[str]) -> None:
    cardai.play("kuhn", ["random", "random"], games=4)
    assert capsys.readouterr() == ("", "")
    cardai.play("kuhn", ["random", "random"], games=4, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "4 of 4 games" in err
    assert err.endswith("\r\x1b[K")


def test_a_tournaments_progress_is_over_all_its_pairings() -> None:
    """Four players: six pairings each against each, three of the first against every other; 20 games each."""
    for form, pairings in (("roundrobin", 6), ("gauntlet", 3)):
        said: list[tuple[int, int]] = []
        advance = overall(lambda done, total, said=said: said.append((done, total)), 4, form, 20)  # type: ignore[misc, arg-type]
        assert advance is not None
        advance("a - b", 10, 20)
        advance("a - b", 20, 20)
        advance("a - c", 5, 20)
        assert said == [(10, 20 * pairings), (20, 20 * pairings), (25, 20 * pairings)]
    assert overall(None, 4, "gauntlet", 20) is None


def test_no_bar_is_shown_where_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for notebook, wanted, shown in (
        (True, False, False),
        (True, None, True),
        (False, None, False),
        (False, True, True),
    ):
        monkeypatch.setattr(progress, "in_notebook", lambda notebook=notebook: notebook)
        monkeypatch.setattr(progress, "NotebookBar", progress.Bar)
        with progress.bar("games", wanted) as report:
            assert (report is not None) == shown, (notebook, wanted)


def test_a_bar_says_what_is_done_and_of_what() -> None:
    bar = progress.Bar("games")
    bar.show = lambda: None  # type: ignore[method-assign]
    bar.report(1200, 3000)
    assert bar.text == "1,200 of 3,000 games"
    assert bar._repr_html_().startswith("<progress value='1200' max='3000'")
    bar.report(7, 0)
    assert bar.text == "7 games"
    bar.worked("Tables <x>", 3, 4)
    assert bar.text == "Tables <x> 3 of 4"
    assert "Tables &lt;x&gt;" in bar._repr_html_()


def test_the_first_interrupt_is_noted_and_the_second_raised() -> None:
    before = signal.getsignal(signal.SIGINT)
    with progress.first_interrupt() as came:
        signal.raise_signal(signal.SIGINT)
        assert came == [signal.SIGINT]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
