"""Sentence boundaries with offsets, in linear time and without a model.

One regular expression walks the text and stops only where a sentence *may* end: a run of closing punctuation (`.`, `?`, `!`, their
full-width, Arabic and Indic forms) with the quotes and brackets that follow it, or a line break. A few local rules then say whether it
does, looking at most `_LOOK` characters back and at one word ahead:

- a blank line always ends; a single line break ends before a list item (no number that a long open line leads to, without the number
  before it above: "The default is / 100. A larger one …"), heading or table row, after a heading or table row, and after
  a short line (a title, an address) that an upper-case line follows, between two lines that begin with a time, date or address
  of one form (a log), and between two that are a name, a colon and a value (a record); otherwise lines are wrapped prose;
- within fences of code every line ends, and nothing else does;
- `。！？` end without a space; the others need white space or the end of the text behind them, and no lower-case letter after it;
- a spaced ellipsis (`. . .`) ends nothing, with a period before it or in it it does before a capital; nor does `[...]`;
- items that stand one behind another ("1. Open it 2. Close it") each begin a sentence, as far as their numbers or letters go on;
- a period does not end after a title or `e.g.`-like word; after a word that usually goes on (`Inc.`, `U.S.`, an initial) it ends only
  before a word that commonly opens a sentence; after `No.`, `Fig.`, `Jan.` it does not end before a number; and a number alone
  at the beginning (`1.`) is a list mark.

Rules rather than a trained splitter (Punkt and its kind): they need no data, see every language's punctuation, and are exact in offsets.
"""

from __future__ import annotations

import re
from functools import lru_cache

from decoct.text.borders import border
from decoct.text.terms import terms

_LOOK = 24  # characters looked back for the word before a period: longer words are no abbreviation
_SHORT_LINE = 40  # wrapped prose has longer lines, even in two columns
_PASSAGE = 32_000  # characters of a text whose sentences are remembered: steps of a context and every candidate of an answer ask for them
_LONGEST = 1200  # no prose sentence is longer; a run without punctuation (a table, a log) is broken here so that cuts stay possible

_STOP = re.compile(
    r"(?P<spaced>\.(?:[ \u00a0]\.){2,4}[\"'”’»)\]}]*+)"
    r"|(?P<wide>[。！？｡]++[」』”’）】]*+)"
    r"|(?P<stop>(?P<mark>[.!?…؟۔।॥]++)(?:[\"'”’»)\]}]|\*{1,3}|_{1,3}(?!\w)|\[\^?\d{1,3}\]|\[\^[\w-]{1,16}\])*+)"
    r"|(?P<line>\n\s*+)"
)
_ITEM = re.compile(r"[-*+•‣◦▪·–—]\s|\(?\d{1,3}[.)]\s|\(?[a-z]\)\s|#{1,6}\s|\||>|\[\^[\w-]{1,16}\]:|```|~~~")
_RULED = re.compile(r"\s*(?:#{1,6}\s|\||```|~~~)")
_FENCE = re.compile(r"^[ \t]{0,3}(?:`{3,}|~{3,})[ \t]*(?P<language>[^\s`]?)", re.MULTILINE)
# What the records of a log begin with: a time, a date, an address.
_STAMP = re.compile(r"[\[(<]?(?:[^\W\d_]{3,9}[ ,]{1,2}\d{1,2}[ ,]{1,2})?\d{1,9}(?:[:./T-]\d{1,9}){1,8}")
_NAMED = re.compile(r"[^\W_][^\n:|]{0,40}:[ \t]+\S")
_DIGITS = re.compile(r"\d+")
_OPENERS = "\"'“‘«(["
_CLOSERS = "*_\"'”’»)]}"
_BULLETS = "•◦▪‣⁃·*- \t\n"
_NUMBER_MARK = re.compile(r"(\d{1,3})\.\s")
_LISTED_BEFORE = 2_000  # characters in which the item before a numbered one begins
_BRACKETED = re.compile(r"(\d{1,3})\)\s")
_OPENED = re.compile(r"\s*[•◦▪‣⁃·]?\s*(?P<number>\d{1,3}|[a-z])(?P<form>\.\)?|\))\s")
_ROWS = re.compile(r"^[^\n|]*\|[^\n]*(?:\n[^\n|]*\|[^\n]*)+$", re.MULTILINE)
_LONGEST_ROW = 600  # characters: cells of a longer one are texts
_ACRONYM = re.compile(r"(?:\w\.)+\w")
_WORD = re.compile(r"[^\W\d_]+")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NEVER = _listed(
    "mr mrs ms mx dr drs prof rev hon gov sen rep gen col lt sgt capt cmdr adm maj pres supt messrs mme mlle sra fr br "
    "st mt ft vs cf ca viz approx e.g i.e eg ie al dept univ resp incl esp bzw z.b d.h vgl usw"
)
_BEFORE_NUMBER = _listed(
    "no nos nr n° nº fig figs eq eqs sec secs ch chap vol vols p pp art ref refs tab ver v c "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_GOES_ON = _listed("inc ltd co corp llc bros jr sr etc ed eds phd ph.d m.d a.m p.m est ave blvd rd sq")
_STARTERS = _listed(
    "A After All Also Although An And Another As At Because Before Both But By Despite During Each Even Finally First For From He Her "
    "Here His How However I If In It Its Later Many More Most My No Not Of On One Only Or Other Our Since She So Some Still Such That The "
    "Did Do Does Is Are Was Were Has Have Had Can Could Should Would "
    "Their Then There Therefore These They This Those Though Through Thus To Today Two Under Until We What When Where Which While Who Why "
    "With You Your"
)


def sentences(text: str) -> list[tuple[int, int]]:
    """Half-open character ranges of the sentences of `text`, in order.

    They do not overlap, begin and end with a character that is not white space, and together hold every such character. Time is
    linear in the text.
    """
    return [*_ranges_of_passage(text)] if len(text) <= _PASSAGE else _ranges(text)


def fenced_code(text: str) -> list[tuple[int, int]]:
    """The ranges of code between fences of Markdown, both fences with them, in order.

    A fence that names a language opens; where one is open already, that was the end of code whose beginning was cut off.
    """
    found: list[tuple[int, int]] = []
    opened: int | None = None
    for fence in _FENCE.finditer(text) if "```" in text or "~~~" in text else ():
        if opened is None or fence["language"]:
            opened = fence.start()
        else:
            found.append((opened, fence.end()))
            opened = None
    return found


@lru_cache(maxsize=512)
def _ranges_of_passage(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(_ranges(text))


def _ranges(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    code = fenced_code(text)[::-1]
    named = terms(text)
    opens = {first for first, _ in named}
    rows = [found.span() for found in _ROWS.finditer(text)][::-1] if "|" in text else []
    inside = {at for first, last in named for at in range(first, text.find("\n", last) + 1) if text[at] == "\n"}
    start = 0
    for stop in _STOP.finditer(text):
        if stop.start() < start:
            continue
        end = stop.end() if stop.lastgroup != "line" else stop.start()
        while code and code[-1][1] <= stop.start():
            code.pop()
        within = bool(code) and code[-1][0] <= stop.start()
        kind = stop.lastgroup
        while rows and rows[-1][1] <= stop.start():
            rows.pop()
        if rows and rows[-1][0] <= stop.start() and not within and kind != "line" and _is_short_row(text, stop.start()):
            continue  # a row ends with its line
        if (
            kind == "stop"
            and not within
            and _may_be_mark(text, stop.start())
            and (item := _next_item(text, start, stop)) is not None
        ):
            start = _add(found, text, start, item)
            continue
        if kind == "spaced" and not within:
            if (cut := _ellipsis_ends(text, stop)) is not None:
                start = _add(found, text, start, cut)
            continue
        if (
            kind == "line"
            if within
            else stop.start() not in inside and (stop.end() in opens or _ends(text, start, stop))
        ):
            start = _add(found, text, start, end)
    _add(found, text, start, len(text))
    if any(text[place[0]].isdecimal() for place in found):
        return [part for place in found for part in _items_apart(text, *place)]
    return found


def _is_short_row(text: str, at: int) -> bool:
    end = text.find("\n", at)
    return (end if end >= 0 else len(text)) - text.rfind("\n", 0, at) <= _LONGEST_ROW


def _items_apart(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The items of a list in one line whose marks are "1)", "2)" …: its other marks end in a stop."""
    found: list[tuple[int, int]] = []
    while (opened := _BRACKETED.match(text, start, end)) is not None:
        at = text.find(f" {int(opened[1]) + 1}) ", opened.end(), end)
        if at < 0:
            break
        found.append((start, at))
        start = at + 1
    return [*found, (start, end)]


def _may_be_mark(text: str, at: int) -> bool:
    """Whether a number or a letter by itself stands before `at`."""
    return text[at - 1 : at].isdecimal() or text[at - 2 : at - 1] == " "


def _next_item(text: str, start: int, stop: re.Match[str]) -> int | None:
    """Where the next item of a list in one line begins: its mark, the next number or letter, ends in `stop`."""
    at = stop.start()
    while at > start and text[at - 1].isalnum() and stop.start() - at < 4:
        at -= 1
    word = text[at : stop.start()]
    if not (word.isdecimal() or (len(word) == 1 and word.islower())) or at == start:
        return None
    opened = _OPENED.match(text, start, start + _LOOK)
    if opened is None or opened["form"] != text[stop.start() : stop.end()] or not _follows(opened["number"], word):
        return None
    bullet = at
    while bullet > start and (text[bullet - 1] in " \t" or text[bullet - 1] in "•◦▪‣⁃·"):
        bullet -= 1
    return bullet if bullet < at and text[stop.end() : stop.end() + 1].isspace() else None


def _follows(first: str, second: str) -> bool:
    """Whether the second number or letter of a list is the one behind the first."""
    if first.isdecimal() and second.isdecimal():
        return int(second) == int(first) + 1
    return len(first) == len(second) == 1 and first.islower() and ord(second) == ord(first) + 1


def _ellipsis_ends(text: str, stop: re.Match[str]) -> int | None:
    """Where a sentence ends at a spaced ellipsis: before a capital behind its period, or behind four dots; None where it goes on."""
    ahead = stop.end()
    while ahead < len(text) and text[ahead].isspace():
        ahead += 1
    if ahead == len(text) or not text[ahead].isupper() or ahead == stop.end():
        return None
    if stop["spaced"].count(".") <= 3:
        return None
    return stop.end() if text[stop.start() - 1 : stop.start()].isspace() else stop.start() + 1


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> int:
    """Append the range without its outer white space, broken where it is too long; return `end`."""
    piece = text[start:end]
    trimmed = piece.strip()
    if not trimmed:
        return end
    start += len(piece) - len(piece.lstrip())
    stop = start + len(trimmed)
    while stop - start > _LONGEST:
        cut = _break(text, start)
        found.append((start, cut))
        start = cut
        while text[start].isspace():
            start += 1
    found.append((start, stop))
    return end


def _break(text: str, start: int) -> int:
    """Where to break the overlong run at `start`: after the last clause mark, else word, of its first `_LONGEST` characters."""
    half, limit = start + _LONGEST // 2, start + _LONGEST
    clause = max(text.rfind(mark, half, limit) for mark in ("; ", ", ", ": ", "\n"))
    if clause >= 0:
        return clause + (text[clause] != "\n")
    space = text.rfind(" ", half, limit)
    return space if space >= 0 else border(text, start, limit)


def _ends(text: str, start: int, stop: re.Match[str]) -> bool:
    if stop.lastgroup == "wide":
        return True
    if stop.lastgroup == "line":
        return _line_ends(text, start, stop)
    after = stop.end()
    if (
        stop["mark"] in ("...", "…")
        and text[stop.start() - 1 : stop.start()] == "["
        and text[stop.end("mark") : after].startswith("]")
    ):
        return False  # what was left out
    return after == len(text) or (text[after].isspace() and _mark_ends(text, start, stop, after + 1))


def _mark_ends(text: str, start: int, stop: re.Match[str], ahead: int) -> bool:
    last = min(len(text), ahead + _LOOK)
    while ahead < last and (text[ahead].isspace() or text[ahead] in _OPENERS):
        if text[ahead] == "\n":
            return False  # the line break is judged on its own
        ahead += 1
    if ahead < len(text) and text[ahead].islower():
        return False
    return stop["mark"] != "." or _period_ends(text, start, stop.start(), ahead)


def _period_ends(text: str, start: int, period: int, ahead: int) -> bool:
    before = text[max(start, period - _LOOK) : period]
    word = before.split()[-1].lstrip(_OPENERS) if before and not before[-1].isspace() else ""
    if not word:
        return True
    bare = word.lstrip(_BULLETS)
    numbered = bare.isdigit()
    if numbered or (len(bare) == 1 and bare.islower()):
        behind = bool(text[start:period].removesuffix(bare).strip(_OPENERS + _BULLETS))
        if numbered or not behind:
            return behind  # at the beginning it is the mark of a list
    lower = word.lower()
    if lower in _NEVER:
        return False
    if lower in _BEFORE_NUMBER and text[ahead : ahead + 1].isdigit():
        return False
    initial = len(word) == 1 and word.isupper()
    if initial or lower in _GOES_ON or _ACRONYM.fullmatch(word):
        following = _WORD.match(text, ahead, ahead + _LOOK)
        return following is not None and following.group() in _STARTERS
    return True


def _are_of_one_form(text: str, line: int, after: int) -> bool:
    """Whether two lines begin with times, dates or addresses of one form."""
    first = _STAMP.match(text, line)
    second = _STAMP.match(text, after) if first else None
    return bool(first and second and _DIGITS.sub("0", first.group()) == _DIGITS.sub("0", second.group()))


def _is_wrapped_number(text: str, end: int, after: int) -> bool:
    """Whether the number at `after` ends a sentence of the line before it, which is long and open ("The default is / 100. More …")."""
    number = _NUMBER_MARK.match(text, after, after + _LOOK)
    line = text.rfind("\n", 0, end) + 1
    if number is None or end - line < _SHORT_LINE or not text[end - 1].islower():
        return False
    before = int(number[1]) - 1
    return before > 0 and not re.search(rf"^\s*{before}[.)]\s", text[max(0, end - _LISTED_BEFORE) : end], re.MULTILINE)


def _line_ends(text: str, start: int, stop: re.Match[str]) -> bool:
    after = stop.end()
    item = _ITEM.match(text, after, after + _LOOK) and not _is_wrapped_number(text, stop.start(), after)
    if item or after == len(text) or stop.group().count("\n") > 1:
        return True
    line = max(start, text.rfind("\n", start, stop.start()) + 1)
    if _RULED.match(text, line, min(stop.start(), line + _LOOK)):
        return True
    if _are_of_one_form(text, line, after) or (_NAMED.match(text, line, stop.start()) and _NAMED.match(text, after)):
        return True
    if text[after].islower():
        return False
    period = len(text[line : stop.start()].rstrip(_CLOSERS)) + line - 1
    if period >= line and text[period] in ".!?…؟۔।॥":
        return text[period] != "." or _period_ends(text, start, period, after)
    # The whole line counts, also what an earlier sentence holds of it; a longer look back than this would tell nothing more.
    return text.rfind("\n", max(0, stop.start() - _SHORT_LINE - 1), stop.start()) >= 0 or stop.start() <= _SHORT_LINE
