"""What fuzzing asks for in every input and no input changes, asked for once: half of the time went there."""

from __future__ import annotations

import ssl
from functools import cache
from typing import get_type_hints

from cardai.core import registry, spec


def keep() -> None:
    """Look once through each plugin's hooks and the types of its options, and read this machine's certificates once.

    What a spec, a file or a line says is looked through anew each time.
    """
    registry.offered = cache(registry.offered)  # type: ignore[attr-defined]
    spec.get_type_hints = cache(get_type_hints)  # type: ignore[attr-defined]
    ssl.create_default_context = cache(ssl.create_default_context)
