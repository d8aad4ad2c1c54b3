"""Kernels called without their dispatcher, for those who call one kernel very often with arguments of the same types."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from cardai.core.kernel import interpreted


def direct(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return ``function`` as it is compiled for ``arguments``, which are types' examples and are not played with.

    A kernel looks at the types of all its arguments at every call and takes what was compiled for them; for records that
    costs more than most kernels do. What is returned does not look: it must be given the same types for ever, arrays of the
    same dtype, number of axes and layout. A plain function, and an interpreted kernel, are returned as they are.
    """
    if interpreted() or isinstance(function, FunctionType):
        return function
    compiled: Any = function
    return compiled.compile(tuple(map(compiled.typeof_pyval, arguments)))  # type: ignore[no-any-return]
