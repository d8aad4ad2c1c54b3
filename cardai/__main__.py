"""``python -m cardai`` is ``cardai``."""

from __future__ import annotations

from cardai.cli import main

main()
