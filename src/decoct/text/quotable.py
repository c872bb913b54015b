"""What of a text may be quoted as an answer: sentences, items of lists, rows of tables; and the whole of a list.

A heading, a line of navigation, a fragment, a rule or a question (in most documents a heading too) is none. Where a sentence leads into
a list ("It works with:"), or one item of a list was read and the question asks for several, the list from its lead-in on is what answers.
A sentence that leads into something else (a command, an example of a configuration) is quoted with that: fenced code, or what stands up
to the next blank line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from decoct.text.analysis import pieces
from decoct.text.cells import is_field, name_of_record, table_heads
from decoct.text.outline import above, item_name, outline
from decoct.text.sentences import sentences
from decoct.text.wholes import ITEM_MARK, Place, whole_words

_LONGEST = 300  # characters of an introduction, which may take two lines
_INTRODUCED = re.compile(
    rf"(?<![^\n])(?!>)([^\n>][^\n]{{0,{_LONGEST}}}(?:\n[^\n>][^\n]{{0,80}})?:)[ \t]*\n(?:[ \t]*\n)?(?=>)"
)
_FIELDS = r"(?:[^\n:]{1,20}:[^\n]+\n)"
_RULED = re.compile(
    rf"^[-_]{{3,}}[^\n]{{0,80}}?[-_]{{3,}}[ \t]*$(?=\n+{_FIELDS}{{3}})"
    rf"|(?<=\n\n)[^\n:]{{1,20}}:[ \t]+[^\n<\[]+[<\[][^\s<>@]+@[^\s<>]+[>\]][ \t]*$(?=\n{_FIELDS}{{2}})",
    re.MULTILINE,
)
# Behind `](`: what begins with a scheme, a fragment or a path, or ends in a suffix; a title in quotes may follow.
_LIKE_ONE = r"(?:[a-z][a-z0-9+.-]*:|\#|[\w.~-]*/|[\w-]+\.[a-z]{2,5}(?=[\s)>]))"
_DESTINATION = rf"""(?<=\]\()<?{_LIKE_ONE}[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*>?(?=[ \t]+["'(]|\))"""
_ATTRIBUTE = r"""(?<=\s)(?:href|src|srcset)\s*=\s*(?:"[^"<>\n]*"|'[^'<>\n]*')(?=[^<>]{0,500}>)"""
_DEFINITION = r"""(?<=\]:)[ \t]*<?(?:[a-z][a-z0-9+.-]*:/|[\w.~-]*/)\S*(?=[ \t]*$)"""
_ADDRESS = re.compile(f"{_DESTINATION}|{_ATTRIBUTE}|{_DEFINITION}", re.IGNORECASE | re.MULTILINE)
_TAG = re.compile(r"(?<!`)</?[a-z][a-z0-9-]*(?:\s[^<>]*)?/?>|<!--(?:(?!<!--).)*?-->", re.IGNORECASE | re.DOTALL)
_BEHIND = r"\((?:[^()\n]|\([^()\n]*\))*\)"
_IMAGE = re.compile(rf"!\[[^\[\]\n]*\]{_BEHIND}")
_LINK = re.compile(rf"\[([^\[\]\n]*)\]{_BEHIND}")
_SHORTEST = 4  # words of a sentence; what is shorter is a heading or a fragment
_SHORTEST_RUN = 6  # characters of a script without spaces between words, which are some three words
_SHORTEST_SENTENCE = 12  # characters of one without a mark at its end, as Thai is written; a heading is shorter
_SHORTEST_CLOSED = 3  # of one that ends with a full stop and is no name: "It rains now."
_MOST_ITEMS, _LONGEST_LIST = 12, 700  # a longer list is a section, and is read where it stands
_HEADING = re.compile(r"#{1,6}\s|-{3}\s*\n|={3}")
_FENCED = re.compile(r"\s*\n[ \t]*(?P<block>(?P<fence>`{3,}|~{3,})[^\n]*\n(?s:.*?)(?P=fence))[ \t]*(?=\n|\Z)")
_PARAGRAPH = re.compile(r"\s*(?P<block>\S+(?:[^\S\n]*\n?[^\S\n]*\S+)*)")
_PARTED = re.compile(r"[^\S\n]*(?:\n[^\S\n]*\n|\s*\Z)")
_LINE = re.compile(r"[^\s][^\n]*")
_ASKS = re.compile(r"[?？][\"'”’»)\]］*_]*$")
_CLOSED = re.compile(r"[.!?…。！｡．][\"'”’»)\]］*_]*$")


def is_quotable(sentence: str) -> bool:
    """Whether the sentence can stand as an answer: prose, an item of a list, a row of a table."""
    marked = is_row(sentence) or (is_item(sentence) and len(sentence.split()) > 1)
    return is_prose(sentence) or (marked and any(map(str.isalnum, sentence[2:])))


def is_prose(sentence: str) -> bool:
    """Whether it is a sentence of running text and no heading, fragment or question."""
    if _HEADING.match(sentence):
        return False
    said = shown(sentence).strip()
    words = said.split()
    if _ASKS.search(said):
        return False
    if sum(len(run) for run, unspaced in pieces(said) if unspaced) >= _SHORTEST_RUN:
        return len(words) > 1 or len(said) >= _SHORTEST_SENTENCE or _CLOSED.search(said) is not None
    closed = _CLOSED.search(said) is not None
    if len(words) < (_SHORTEST_CLOSED if closed else _SHORTEST):
        return False
    return any(word[:1].islower() for word in words) or (closed and len(words) >= _SHORTEST)


def is_question(sentence: str) -> bool:
    """Whether it asks, which in most documents is a heading of what answers it."""
    return _ASKS.search(sentence.rstrip()) is not None


def is_row(sentence: str) -> bool:
    """Whether it is one row of a table with two cells and more, and no rule of dashes."""
    cells = [cell.strip(" \t:-") for cell in sentence.strip().strip("|").split("|")]
    return len(cells) > 1 and "\n" not in sentence and any(cells)


def rows_of(text: str, place: Place) -> list[Place]:
    """The lines of a sentence that holds several rows of a table; else the sentence as it is."""
    start, end = place
    lines = [(start + one.start(), start + one.end()) for one in _LINE.finditer(text[start:end])]
    return lines if sum("|" in text[slice(*one)] for one in lines) > 1 else [place]


def list_around(text: str, place: Place) -> list[Place]:
    """The lead-in, where there is one, and the items of the list that the sentence at `place` leads into or is an item of; else nothing."""
    found = _blocks(text)
    at = next((number for number, (start, end) in enumerate(found) if start <= place[0] < end), None)
    if at is None:
        return []
    items = [ITEM_MARK.match(text, *one) is not None for one in found]
    first = last = at if items[at] else at + 1
    while first and items[first - 1]:
        first -= 1
    while last < len(items) and items[last]:
        last += 1
    led = first > 0 and leads(text[slice(*found[first - 1])])
    if not (led or items[at]) or not 2 <= last - first <= _MOST_ITEMS:
        return []
    places = found[first - led : last]
    return [] if places[-1][1] - places[0][0] > _LONGEST_LIST else places


def leads(sentence: str) -> bool:
    """Whether the sentence leads into what follows it."""
    return sentence.endswith(":")


def is_item(sentence: str) -> bool:
    """Whether it begins with the mark of a list."""
    return ITEM_MARK.match(sentence) is not None


def without_item_mark(line: str) -> str:
    """The line without the mark of a list that it begins with."""
    mark = ITEM_MARK.match(line)
    return line[mark.end() :] if mark else line


def _blocks(text: str) -> list[Place]:
    """The sentences, those that stand on the line of an item's first one with it."""
    found: list[Place] = []
    for start, end in sentences(text):
        if found and ITEM_MARK.match(text, *found[-1]) and "\n" not in text[found[-1][1] : start]:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found


def item_words(text: str, place: Place) -> Place:
    """The item at `place` without its mark and its closing punctuation."""
    start, end = place
    mark = ITEM_MARK.match(text, start, end)
    start = mark.end() if mark else start
    while end > start + 1 and text[end - 1] in ".;,":
        end -= 1
    return start, end


def whole(places: Sequence[Place]) -> Place:
    """From the first of the places to the last."""
    return places[0][0], places[-1][1]


def with_what_it_leads_into(text: str, place: Place) -> Place:
    """The sentence, with the list, or else the code or paragraph, that it leads into."""
    if not leads(text[slice(*place)]):
        return place
    listed = list_around(text, place)
    return whole(listed) if listed else (place[0], _end_of_block(text, place[1]))


def _end_of_block(text: str, at: int) -> int:
    """Where the paragraph or fenced code behind `at` ends; `at` where there is none, or one too long to quote."""
    limit = at + _LONGEST_LIST
    if fenced := _FENCED.match(text, at, limit):
        return fenced.end("block")
    found = _PARAGRAPH.match(text, at, limit)
    if found is None or not _PARTED.match(text, found.end()) or _HEADING.match(found["block"]):
        return at
    return found.end()


def quotable_words(text: str, place: Place) -> tuple[Place, Place] | None:
    """The sentence that may be quoted and holds (most of) `place`, and what of the place lies in one whole of it; None for no other."""
    words = whole_words(text, *place)
    if words is None:
        return None
    held = next((row for one in sentences(text) for row in rows_of(text, one) if row[0] <= words[0] < row[1]), None)
    if held is None or not is_quotable(text[slice(*held)]):
        return None
    return held, (words[0], min(words[1], held[1]))


@dataclass(frozen=True, slots=True)
class PlacedStatement:
    """Its `place` in the text, and what stands over it: title, headings and items, outermost first, and the heads of its table.

    A field stands under the first field of its record, or else under the first sentence of its part ("Default: 30" under what it is the
    default of), a further sentence of an item under the item's first.
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
            heads = (
                table_heads(text, start) if is_row(said) else _named_by(text, (start, end)) if is_field(said) else ""
            )
            if heads is not None:
                over = above(text, start)
                heading_items.update(over)
                lead = text[slice(*item)] if start >= item[1] and "\n" not in text[item[1] : start] else ""
                names = (title, heading, *over, without_item_mark(lead), heads)
                found.append(PlacedStatement((start, end), ": ".join(dict.fromkeys(name for name in names if name))))
    return [one for one in found if not _heads(text[slice(*one.place)], heading_items)]


def _named_by(text: str, place: Place) -> str:
    """What says what the field at `place` is of: the first field of its record, else, of a whole line, the first prose of its part."""
    start, end = place
    part = next((one for one in outline(text) if one.start <= start < one.end), None)
    if (name := name_of_record(text, start)) or part is None or text[end:].partition("\n")[0].strip():
        return name
    said = (text[part.start + low : part.start + high] for low, high in sentences(text[part.start : part.end]))
    return next((one for one in said if is_prose(one) and not is_item(one) and not is_field(one)), "")


def _heads(said: str, over: set[str]) -> bool:
    return is_item(said) and item_name(without_item_mark(said)) in over


def without_hidden_addresses(text: str) -> str:
    """`text` with spaces in the place of addresses that markup hides: every other character stands where it stood.

    A reader that takes an address for words finds names in it. One is told by its form, so `row[0](x)` stays.
    """
    return _ADDRESS.sub(lambda found: " " * len(found[0]), text)


def shown(text: str) -> str:
    """The words that `text` shows where it is rendered: no image, no tag, of a link its label."""
    return _LINK.sub(r"\1", _IMAGE.sub(" ", _TAG.sub(" ", text)))


def introductions(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of lines behind which a quotation begins: one with a colon before lines with `>`, a ruled line, a sender's field."""
    for found in _INTRODUCED.finditer(text):
        yield found.span(1)
    for found in _RULED.finditer(text):
        yield found.span()


def is_quoted(text: str, at: int, place: str = "") -> bool:
    """Whether what stands at `at` is quoted: on a line with `>` that is introduced (in `place`, the headings over), or behind a header."""
    if text.startswith(">", text.rfind("\n", 0, at) + 1):
        return place.endswith(":") or any(end <= at for _, end in introductions(text))
    return any(found.end() <= at for found in _RULED.finditer(text))
