"""What objects look like at a prompt (a line) and in a notebook (a small table).

Both cost the same for clusters of all sizes: they read counters, and the first entries of lists.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ._errors import BerthError

if TYPE_CHECKING:
    from ._types import Counts

#: Names and values.
Rows = Sequence[tuple[str, object]]

#: The most entries of a list that a table shows.
LIMIT = 10

#: The most characters of a text that is shown.
_WIDTH = 200


def cut(text: object) -> str:
    """A text without the end that is too long to show."""
    whole = str(text)
    return whole if len(whole) <= _WIDTH else whole[: _WIDTH - 3] + "..."


def of_counts(counts: Counts) -> Rows:
    """The numbers of nodes and pods."""
    rows = [
        ("nodes", counts.nodes),
        ("pods running", counts.pods_running),
        ("pending", counts.pods_pending),
    ]
    if counts.pods_orphaned:
        rows.append(("orphaned", counts.pods_orphaned))
    return rows


def said(kind: type, text: str) -> str:
    """A line about an object of a class."""
    return f"<berth.{kind.__name__}: {text}>"


def line(kind: type, summary: Callable[[], Rows]) -> str:
    """A line with a summary, or with the reason why there is none. Numbers come before their
    names, texts after them."""
    try:
        rows = summary()
    except BerthError as error:
        return said(kind, str(error))
    return said(
        kind,
        ", ".join(
            f"{name} {value}" if isinstance(value, str) else f"{value} {name}"
            for name, value in rows
        ),
    )


def card(kind: type, summary: Callable[[], Rows]) -> str:
    """A table with a summary."""
    try:
        rows = summary()
    except BerthError as error:
        return table(kind, [("error", error)])
    return table(kind, rows)


def table(kind: type, rows: Rows) -> str:
    """A table of names and values."""
    body = "".join(
        f"<tr><th>{_cell(name)}</th><td>{_cell(value)}</td></tr>" for name, value in rows
    )
    return f"<table><caption>berth.{_cell(kind.__name__)}</caption>{body}</table>"


def listing(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """A table of a list with `count` entries, of which the first ones are shown; "" for an empty
    list. `rows` is not read further than that."""
    if not count:
        return ""
    out = [f"<tr>{''.join(f'<th>{_cell(head)}</th>' for head in heads)}</tr>"]
    for row, _ in zip(rows, range(LIMIT)):
        out.append(f"<tr>{''.join(f'<td>{_cell(value)}</td>' for value in row)}</tr>")
    if count > LIMIT:
        out.append(f'<tr><td colspan="{len(heads)}">... and {count - LIMIT} more</td></tr>')
    return f"<table><caption>{_cell(title)}</caption>{''.join(out)}</table>"


def _cell(value: Any) -> str:
    return html.escape(cut(value))
