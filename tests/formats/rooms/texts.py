"""The texts of benchmarks/room_texts.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_found: dict[str, Any] = {}
exec((Path(__file__).resolve().parents[3] / "benchmarks" / "room_texts.py").read_text("utf-8"), _found)
CASH: str = _found["CASH"]
GG: str = _found["GG"]
SHORT_BLIND: str = _found["SHORT_BLIND"]
WINAMAX: str = _found["WINAMAX"]
PARTY_OLD: str = _found["PARTY_OLD"]
PARTY_NEW: str = _found["PARTY_NEW"]
IPOKER: str = _found["IPOKER"]
TEXTS: dict[str, str] = _found["TEXTS"]
