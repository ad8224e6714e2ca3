"""Objects of the package as a notebook shows them."""

from __future__ import annotations

from html import escape
from typing import Any, Iterable, Sequence

#: Stands for a value that there is none of.
_NOTHING = "–"

#: Marks of a matrix as pages and papers have them.
_SIGNS = {"v": "▼", "^": "▲", ".": "·", "o": "○"}


def number(value: float | int | None) -> str:
    """A number in few digits.

    >>> number(2815), number(11688.25), number(0.00012345), number(None)
    ('2,815', '11,688.2', '0.0001234', '–')
    """
    if value is None:
        return _NOTHING
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table whose first column is text and whose others are figures."""
    parts = ["<table>"]
    if caption:
        parts.append(f"<caption>{escape(caption)}</caption>")
    parts.append(f"<thead>{_row('th', head)}</thead><tbody>")
    parts.extend(_row("td", row) for row in rows)
    parts.append("</tbody></table>")
    return "".join(parts)


def paragraphs(texts: Iterable[str]) -> str:
    """A paragraph a text."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def heading(text: str) -> str:
    """A heading."""
    return f"<h4>{escape(text)}</h4>"


def matrices(findings: dict[str, Any]) -> str:
    """The matrices of the answer of a study, each with the meaning of its marks."""
    parts = [paragraphs([findings["answer"]] if findings["answer"] else [])]
    for matrix in findings["matrices"]:
        caption = " ".join(f"{matrix['heading']} {matrix['rest']}".split())
        rows = ([row["label"], *map(_cell, row["cells"])] for row in matrix["rows"])
        parts.append(table(["", *matrix["columns"]], rows, caption))
        parts.append(paragraphs([", ".join(f"{_SIGNS.get(mark, mark)} {meaning}" for mark, meaning in matrix["marks"])]))
    return "".join(parts)


def _cell(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return _NOTHING
    needed = f" ({cell['needed']})" if cell.get("needed") else ""
    return f"{_SIGNS.get(cell['mark'], cell['mark'])} {cell['figure']}{needed}".strip()


def _row(kind: str, cells: Sequence[str]) -> str:
    style = ("left", *["right"] * (len(cells) - 1))
    tags = (f'<{kind} style="text-align:{side}">{escape(cell)}</{kind}>' for side, cell in zip(style, cells))
    return f"<tr>{''.join(tags)}</tr>"
