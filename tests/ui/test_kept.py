"""Where a person's matches lie."""

from __future__ import annotations

import pytest

from cardai.core import extras
from cardai.core.errors import PluginError
from cardai.ui import kept


def test_without_the_extra_the_command_that_brings_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CARDAI_DATA_DIR", raising=False)
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(
        PluginError, match=r"your matches needs platformdirs, which is not installed\. Run: pip install"
    ):
        kept.folder()
