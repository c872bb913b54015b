"""Raised and lowered letters, and formulas, as one line: `2<sup>64</sup>` is 2^64 and not 264, `a<sub>i</sub>` is a_i.

Where nothing can be misread no sign is put: ordinals (1st), letters with a number below them (H2O, x12; but log_2 8 where a digit
follows), numbers above and below a fraction's slash, marks at the start of a block. What has more than a word in it gets brackets:
2^(n+1). A raised link to a place in a page is a note, and so is a link that says so (`role="doc-noteref"`, `epub:type="noteref"`).
"""

from __future__ import annotations

import re
from typing import Any

UP, DOWN = "^", "_"
_SLASH = "⁄"
SCRIPTS = {"sup": UP, "sub": DOWN}
_WORD = re.compile(r"[+\-−–]?[\w.,′*†‡°]+|[^\w\s]")
_ORDINAL = re.compile(r"st|nd|rd|th|e|er|re|ère|ème|o|a|º|ª", re.I)
_DEEPEST = 16
_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
_SIGNS = {
    "msup": (UP,),
    "msub": (DOWN,),
    "msubsup": (DOWN, UP),
    "mover": ("",),
    "munder": (DOWN,),
    "munderover": (DOWN, UP),
}
_ROWS = frozenset({"math", "mrow", "mstyle", "mtd", "msqrt", "semantics", "mmultiscripts"})
_BUILT = frozenset({*_SIGNS, "mfrac", "msqrt", "mroot"})
_APART = {"mtd": " ", "mtr": "; ", "mlabeledtr": "; "}
_SILENT = frozenset({"annotation", "annotation-xml", "script", "style", "mprescripts", "none"})


def scripted(kind: str, content: str, before: str, after: str = "", *, starts: bool = False) -> str:
    """`content` raised (`UP`) or lowered (`DOWN`) as text, between the characters `before` and `after` it.

    `starts`: nothing stands before it in its block.
    """
    content = " ".join(content.split())
    if content.isdigit() and _SLASH in (after if kind == UP else before):  # 3¹⁄₄
        return " " * (kind == UP and before.isdigit()) + content
    if starts or not content or content.startswith("["):  # "[1]" is how encyclopedias write a note
        return content + " " * (starts and after.isalnum())
    if kind == UP and before.isdigit() and _ORDINAL.fullmatch(content):
        return content
    if kind == DOWN and content.isdigit() and before.isalpha() and not after.isdigit():
        return content
    return kind + (f"({content})" if after.isalnum() else bracketed(content))


def bracketed(content: str) -> str:
    """`content`, in brackets unless it is one word or sign."""
    whole = _WORD.fullmatch(content) or (content.startswith("(") and content.endswith(")") and content.count("(") == 1)
    return content if whole else f"({content})"


def in_line(element: Any, before: str = "", *, starts: bool = False) -> str:  # noqa: ANN401 - lxml has no types
    """The text of a `sup`, `sub` or `math` element, with the signs that keep its meaning; `before` is the character before it."""
    tag = element.tag
    if tag in SCRIPTS:
        return _script(element, before, 0, starts)
    return " ".join(_flat(element, 0).split())


def leads_to_note(link: Any) -> bool:  # noqa: ANN401
    """Whether a link says that it is the number of a note."""
    said = f"{link.get('role') or ''} {link.get('epub:type') or ''} {link.get(_EPUB_TYPE) or ''}".split()
    return "doc-noteref" in said or "noteref" in said


def note_number(content: str) -> str:
    """The number of a note, set apart from the words before it; in brackets or as a sign it is so already."""
    words = " ".join(content.split())
    return f" (note {words})" if words.isalnum() else words


def _script(element: Any, before: str, depth: int, starts: bool = False) -> str:  # noqa: ANN401
    link = next(element.iter("a"), None)
    content = _flat(element, depth)
    is_note = link is not None and ("#" in (link.get("href") or "") or leads_to_note(link))
    if is_note and element.tag == "sup" and not starts:
        return note_number(content)
    above = element if element.tag == "sup" else element.getprevious()
    below = above.getnext() if above is not None else None
    if below is not None and (above.tag, (above.tail or "").strip(), below.tag) == ("sup", "/", "sub"):
        before, after = (before, _SLASH) if above is element else (_SLASH, "")
    else:
        after = (element.tail or "")[:1]
    return scripted(SCRIPTS[element.tag], content, before, after, starts=starts)


def _flat(element: Any, depth: int) -> str:  # noqa: ANN401
    if depth > _DEEPEST:
        return "".join(element.itertext())
    children = [child for child in element if isinstance(child.tag, str) and child.tag not in _SILENT]
    if element.tag in _SIGNS and len(children) == len(_SIGNS[element.tag]) + 1:
        first, *others = (_flat(child, depth + 1).strip() for child in children)
        return first + "".join(sign + bracketed(other) for sign, other in zip(_SIGNS[element.tag], others, strict=True))
    if element.tag == "mfrac" and len(children) == 2:
        return "/".join(bracketed(_flat(child, depth + 1).strip()) for child in children)
    if element.tag == "mroot" and len(children) == 2:
        root, index = (_flat(child, depth + 1).strip() for child in children)
        return f"{bracketed(root)}^(1/{bracketed(index)})"
    said = _row(element, depth)
    return "√" + bracketed(said.strip()) if element.tag == "msqrt" else said


def _row(element: Any, depth: int) -> str:  # noqa: ANN401
    """What stands in an element, one behind the other; in a formula numbers and what is raised or divided touch nothing behind them."""
    parts = [element.text or ""]
    above: Any = None
    for child in element:
        before = next((part[-1] for part in reversed(parts) if part), "")
        if child.tag in SCRIPTS:
            parts.append(_script(child, before, depth + 1))
        elif isinstance(child.tag, str) and child.tag not in _SILENT:
            said = _flat(child, depth + 1)
            if child.tag in _APART and above is not None:
                parts.append(_APART[child.tag])
            elif (
                element.tag in _ROWS
                and before.isalnum()
                and (said[:1].isdigit() or (said[:1].isalpha() and above in _BUILT))
            ):
                parts.append(" ")
            parts.append(said)
            above = child.tag
        parts.append(child.tail or "")
    return "".join(parts)
