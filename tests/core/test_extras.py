"""A missing library's command is one that works: from the place that a distribution was installed from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cardai.core import extras
from cardai.core.errors import UnknownNameError
from cardai.core.extras import install_command, players_command
from cardai.core.registry import Registry
from tests.support import ROOT, fake_distribution

Noted = Callable[..., str]


@pytest.fixture
def noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Noted:
    """Give a function that installs a distribution as its installer notes it, and returns its name."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))

    def install(origin: object, name: str = "needy") -> str:
        fake_distribution(tmp_path / "site", name, "", {})
        if origin is not None:
            text = origin if isinstance(origin, str) else json.dumps(origin)
            (tmp_path / "site" / f"{name}-1.0.dist-info" / "direct_url.json").write_text(text)
        return name

    return install


@pytest.mark.parametrize("editable", [True, False])
def test_of_a_checkout_it_is_the_folder_with_its_pins(
    noted: Noted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, editable: bool
) -> None:
    folder = tmp_path / "a checkout"
    folder.mkdir()
    name = noted({"url": folder.as_uri(), "dir_info": {"editable": editable}})
    flag = "-e " if editable else ""
    assert install_command("gpu", name) == f"pip install {flag}'{folder}[gpu]'"
    (folder / "constraints.txt").touch()
    assert install_command("gpu", name) == f"pip install -c '{folder / 'constraints.txt'}' {flag}'{folder}[gpu]'"
    monkeypatch.chdir(folder)
    assert install_command("gpu", name) == f"pip install -c constraints.txt {flag}'.[gpu]'"


def test_of_a_repository_or_an_archive_it_is_its_address(noted: Noted) -> None:
    source = {"vcs": "git", "commit_id": "abc"}
    name = noted({"url": "https://host/needy", "vcs_info": source})
    assert install_command("gpu", name) == "pip install 'needy[gpu] @ git+https://host/needy@abc'"
    archive = noted({"url": "https://host/n.whl", "archive_info": {}}, "other")
    assert install_command("gpu", archive) == "pip install 'other[gpu] @ https://host/n.whl'"


@pytest.mark.parametrize("damaged", [None, "{", "[]", '{"url": 3}', '{"url": "file:///nowhere/x", "dir_info": {}}'])
def test_else_it_is_the_name_of_somebody_elses_and_a_checkout_of_ours(
    noted: Noted, monkeypatch: pytest.MonkeyPatch, damaged: str | None
) -> None:
    name = noted(damaged)
    assert install_command("gpu", name) == "pip install 'needy[gpu]'"
    monkeypatch.setattr(extras, "OURS", name)
    assert extras.install_command("gpu", name) == "pip install -c constraints.txt '.[gpu]' (in a checkout of cardai)"
    assert extras.players_command() == "pip install ./players (in a checkout of cardai)"


def test_a_command_to_copy_has_no_second_one_in_it(noted: Noted) -> None:
    name = noted({"url": "https://host/x'; touch /tmp/y; '", "archive_info": {}})
    assert install_command("gpu", name) == """pip install 'needy[gpu] @ https://host/x'"'"'; touch /tmp/y; '"'"''"""


def test_the_players_are_a_folder_of_the_checkout(monkeypatch: pytest.MonkeyPatch, noted: Noted) -> None:
    monkeypatch.setattr(extras, "OURS", noted({"url": ROOT.as_uri(), "dir_info": {"editable": True}}))
    monkeypatch.chdir(ROOT)
    assert players_command() == "pip install ./players"


def test_a_player_of_the_package_that_is_not_installed_is_said_to_come_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    registry = Registry()
    with pytest.raises(
        UnknownNameError, match=r"limit_network is in the package of trained players\. Run: pip install "
    ):
        registry.find("agent", "limit_network")
    for kind, name in (("agent", "limit_networ"), ("game", "limit_network")):
        with pytest.raises(UnknownNameError) as told:
            registry.find(kind, name)
        assert "package of trained players" not in str(told.value)
