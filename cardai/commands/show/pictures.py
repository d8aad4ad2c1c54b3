"""Pictures as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cardai.core.errors import UsageError
from cardai.core.extras import need_extra
from cardai.core.files import Output
from cardai.core.text import shown


def check_picture(file: str | Path) -> None:
    """Refuse a picture that could not be drawn in the end.

    Raises:
        PluginError: matplotlib is not installed. UsageError: it does not know the format that the name ends in.
    """
    need_extra("matplotlib", "Drawing", "plot")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    known = FigureCanvasAgg(Figure()).get_supported_filetypes()
    if _format(file) not in known:
        raise UsageError(
            f"A picture's name must end in its format. Got {str(file)!r}; known: {', '.join(sorted(known))}."
        )


def save(figure: Any, file: str | Path) -> None:
    """Write a figure of matplotlib, in the format that the name ends in. Raises UsageError, WriteError."""
    check_picture(file)
    _show_texts(figure)
    with Output(file) as out:
        figure.savefig(out, format=_format(file), dpi=150)


def _show_texts(figure: Any) -> None:
    """Let what is written in a figure be text: no formulas between dollar signs, nothing hidden; numbers at axes stay."""
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter

    axes = [axis for one in figure.axes for axis in (one.xaxis, one.yaxis)]
    numbers = {id(axis.offsetText) for axis in axes}
    for axis in axes:
        if not isinstance(axis.get_major_formatter(), FixedFormatter):
            numbers |= {id(text) for text in axis.get_ticklabels(which="both")}
    for text in figure.findobj(Text):
        if id(text) not in numbers:
            text.set_parse_math(False)
            text.set_text(shown(text.get_text()))


def _format(file: str | Path) -> str:
    return Path(file).suffix.removeprefix(".").lower()
