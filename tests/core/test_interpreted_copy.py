"""``interpreted_copy``: the same kernels as ordinary Python, beside the compiled ones of the process."""

from __future__ import annotations

import subprocess
import sys

from cardai.core.kernel import interpreted, interpreted_copy
from cardai.poker.rules.betting import Betting


def test_a_copy_runs_on_dicts_and_leaves_the_compiled_kernels_alone() -> None:
    from cardai.poker.rules import _betting_kernels as compiled

    before = compiled.act
    copy = interpreted_copy("cardai.poker.rules._betting_kernels")
    betting = Betting(2, 1, (1, 2), (0,), (3,), (2,))
    row, rules = betting.new_row(1), betting.rules()
    assert copy.post(row, rules) == 0
    assert copy.act(row, rules, 1) == 0
    assert row["spent"] == [2, 2]
    assert compiled.act is before
    assert interpreted() or hasattr(compiled.act, "py_func")
    assert interpreted() or not hasattr(copy.act, "py_func")


def test_in_an_interpreted_process_the_module_itself_serves_and_numba_stays_out() -> None:
    code = (
        "import sys; from cardai.core import kernel; kernel.interpret();"
        "copy = kernel.interpreted_copy('cardai.poker.rules._betting_kernels');"
        "assert copy is sys.modules['cardai.poker.rules._betting_kernels'];"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
