"""The command line beside the Python face: under another name, since tests here import cardai itself."""

from __future__ import annotations

from tests.commands import conftest as commands

command = commands.cardai
