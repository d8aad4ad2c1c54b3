"""``interpreted_copy``: the same kernels as ordinary Python, beside the compiled ones of the process."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from threading import Barrier, Thread
from unittest.mock import patch

import pytest

from cardai.core.kernel import interpreted, interpreted_copy, kernel
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


@pytest.mark.skipif(interpreted(), reason="nothing is compiled")
def test_threads_that_make_copies_at_a_time_compile_no_part_of_them_and_what_others_define_is_compiled() -> None:
    """Two threads make copies, one after the other began and each before the other ended; a third defines a kernel meanwhile."""
    name, turns, copies, made = "cardai.poker.rules._betting_kernels", Barrier(3, timeout=30), [], []
    loader = importlib.util.find_spec(name).loader
    run = loader.exec_module

    def define() -> None:
        turns.wait()
        made.append(kernel(lambda x: x + 1))
        turns.wait()

    with patch.object(loader, "exec_module", lambda module: (turns.wait(), run(module), turns.wait())):
        threads = [Thread(target=lambda: copies.append(interpreted_copy(name))) for _ in range(2)]
        threads.append(Thread(target=define))
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert [hasattr(copy._pay_dead, "py_func") for copy in copies] == [False, False]
    assert hasattr(made[0], "py_func")


def test_in_an_interpreted_process_the_module_itself_serves_and_numba_stays_out() -> None:
    code = (
        "import sys; from cardai.core import kernel; kernel.interpret();"
        "copy = kernel.interpreted_copy('cardai.poker.rules._betting_kernels');"
        "assert copy is sys.modules['cardai.poker.rules._betting_kernels'];"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
