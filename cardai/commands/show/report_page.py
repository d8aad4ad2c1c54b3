"""A report over flops as a page: one file that any browser shows, sorted by a click, filtered by texture; it loads nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from cardai.cards.text import card_text, parse_cards
from cardai.poker.ranges.flop_report import FIXED, LAST
from cardai.poker.ranges.grid import colours

_SUITS = {
    "c": ("&clubs;", "#1a7f37"),
    "d": ("&diams;", "#0969da"),
    "h": ("&hearts;", "#cf222e"),
    "s": ("&spades;", "#24292f"),
}
_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%s</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem; color: #24292f; background: #fff }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .7rem; text-align: right; white-space: nowrap }
th { position: sticky; top: 0; background: #f6f8fa; cursor: pointer; border-bottom: 1px solid #d0d7de }
th:focus-visible { outline: 2px solid #0969da }
td:first-child, td:nth-child(2), th:first-child, th:nth-child(2) { text-align: left }
tbody tr:nth-child(even) { background: #f6f8fa }
tfoot td { font-weight: 600; border-top: 2px solid #d0d7de }
.bar { display: flex; width: 11rem; height: 1rem } .bar i { display: block; height: 100%% }
.scroll { overflow-x: auto } input { font: inherit; padding: .2rem .5rem; margin: .5rem 0 }
</style></head><body><h1>%s</h1><p>%s</p>
<label>Texture: <input id="only" placeholder="rainbow paired"></label>
"""
_SCRIPT = """<script>
const body = document.querySelector('tbody'), rows = [...body.rows];
document.querySelectorAll('th').forEach((head, k) => {
  let down = false;
  const sort = () => {
    down = !down;
    const key = row => { const v = row.cells[k].dataset.v; return v === undefined ? row.cells[k].textContent : v === '' ? -Infinity : +v };
    rows.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (down ? -1 : 1)).forEach(row => body.append(row));
  };
  head.onclick = sort;
  head.onkeydown = event => { if (event.key === 'Enter') sort() };
});
document.getElementById('only').oninput = event => {
  const words = event.target.value.split(/\\s+/).filter(Boolean);
  rows.forEach(row => row.hidden = !words.every(word => row.cells[1].textContent.split(' ').includes(word)));
};
</script></body></html>
"""


def page(
    rows: Sequence[Mapping[str, Any]], last: Mapping[str, Any], names: Sequence[str], title: str, told: str
) -> str:
    """Return a report's page: ``rows`` and their weighted mean ``last`` with the columns ``names``; ``told`` says of what spot."""
    actions = [name for name in names if name not in (*FIXED, *LAST)]
    tones = dict(zip(actions, colours(tuple(actions)), strict=True))
    heads = "".join(
        f'<th tabindex="0">{escape(name.replace("_", " "))}</th>' for name in (*names[:2], "play", *names[2:])
    )
    lines = "\n".join(_row(one, names, tones) for one in rows)
    legend = " &nbsp; ".join(
        f'<span style="color:{tone}">&#9632;</span> {escape(name)}' for name, tone in tones.items()
    )
    head = _HEAD % (escape(title), escape(title), escape(told))
    return (
        f'{head}<p>{legend}</p><div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody>'
        f"<tfoot>{_row(last, names, tones)}</tfoot></table></div>{_SCRIPT}"
    )


def _row(one: Mapping[str, Any], names: Sequence[str], tones: Mapping[str, str]) -> str:
    parts = [(float(one.get(name, 0.0)), tone) for name, tone in tones.items()]
    bar = "".join(f'<i style="width:{share:.2f}%;background:{tone}"></i>' for share, tone in parts if share > 0)
    cells = [f"<td>{_flop(str(one['flop']))}</td>", f"<td>{escape(str(one['texture']))}</td>"]
    cells.append(f'<td data-v="{parts[0][0] if parts else 0:.4f}"><div class="bar">{bar}</div></td>')
    for name in names[2:]:
        value = one.get(name, "")
        text = f"{value:.{4 if name == 'weight' else 2}f}" if isinstance(value, float) else escape(str(value))
        cells.append(f'<td data-v="{escape(str(value))}">{text}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _flop(flop: str) -> str:
    if flop == "all":
        return "all"
    found = []
    for card in parse_cards(flop):
        text = card_text(card)
        sign, tone = _SUITS[text[1]]
        found.append(f'<span style="color:{tone}">{text[0]}{sign}</span>')
    return " ".join(found)
