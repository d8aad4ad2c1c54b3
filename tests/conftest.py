"""Settings of the whole test suite."""

from __future__ import annotations

from hypothesis import settings

pytest_plugins = ["pytester"]

# The first call of a kernel compiles it, which no deadline allows for.
settings.register_profile("cardai", deadline=None, max_examples=60)
settings.load_profile("cardai")
