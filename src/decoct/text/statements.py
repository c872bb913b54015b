"""The statements of a text: every sentence, item, row and field that may be quoted, with what stands over it."""

from __future__ import annotations

from dataclasses import dataclass

from decoct.text.cells import is_field, name_of_record, table_heads
from decoct.text.outline import above, item_name
from decoct.text.quotable import is_item, is_question, is_quotable, is_row, rows_of, without_item_mark
from decoct.text.sentences import sentences
from decoct.text.wholes import Place


@dataclass(frozen=True, slots=True)
class PlacedStatement:
    """Its `place` in the text, and what stands over it: title, headings and items, outermost first, and the heads of its table.

    A field stands under the first field of its record, a further sentence of an item under the item's first.
    """

    place: Place
    over: str


def statements(text: str, title: str = "", heading: str = "") -> list[PlacedStatement]:
    """Those of `text` in order; `title` and `heading` stand over all of it. An item that others lie below is their heading, and none."""
    found, item, heading_items = list[PlacedStatement](), (0, 0), set[str]()
    for start, end in (row for one in sentences(text) for row in rows_of(text, one)):
        said = text[start:end]
        if is_item(said):
            item = start, end
        if is_quotable(said) or (is_field(said) and not is_question(said)):
            heads = table_heads(text, start) if is_row(said) else name_of_record(text, start) if is_field(said) else ""
            if heads is not None:
                over = above(text, start)
                heading_items.update(over)
                lead = text[slice(*item)] if start >= item[1] and "\n" not in text[item[1] : start] else ""
                names = (title, heading, *over, without_item_mark(lead), heads)
                found.append(PlacedStatement((start, end), ": ".join(dict.fromkeys(name for name in names if name))))
    return [one for one in found if not _heads(text[slice(*one.place)], heading_items)]


def _heads(said: str, over: set[str]) -> bool:
    return is_item(said) and item_name(without_item_mark(said)) in over
