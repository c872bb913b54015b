r"""The numbers that LaTeX gives to sections, figures and tables, put before their titles and in the place of `\ref`.

They are counted as the usual classes do; a label whose number hangs on anything else (a theorem, an item, an equation) keeps
its key. Texts of other classes, or that set counters, stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter

from decoct.documents.counted import as_letters
from decoct.documents.markup.latex_macros import braced

_CLASS = re.compile(
    r"\\documentclass\s*(?:\[[^\]]*\])?\s*\{(article|report|book|amsart|amsbook|scr\w+|ext\w+|memoir|elsarticle|llncs)\}"
)
_SET = re.compile(r"\\(?:setcounter|addtocounter|refstepcounter|numberwithin|counterwithin\w*|tag|the[a-z]*section)\b")
_OTHER_WORDS = re.compile(
    r"\\usepackage\s*\[(?![^\]]*english)[^\]]*\]\s*\{babel\}|\\(?:setmainlanguage|setdefaultlanguage)\s*\{(?!english)"
)
_SECTIONS = ("chapter", "section", "subsection", "subsubsection")
_COUNTED = re.compile(
    r"\\(?:(?P<section>(?:sub){0,2}section|chapter)(?![A-Za-z*])|(?P<appendix>appendix)(?![A-Za-z])|(?P<caption>caption)(?![A-Za-z*])"
    r"|begin\s*\{(?P<begin>\w+)\*?\}|end\s*\{(?P<end>\w+)\*?\}|label\s*\{(?P<label>[^}]*)\})"
)
_FLOATS = {"figure": "figure", "wrapfigure": "figure", "table": "table", "wraptable": "table", "longtable": "table"}
_LIKE_TEXT = frozenset("document abstract center quote tabular minipage flushleft".split())
_EXAM = re.compile(r"\\documentclass\s*(?:\[[^\]]*\])?\s*\{exam\}")
_EXAM_ITEMS = ("question", "part", "subpart", "subsubpart", "choice")
_EXAM_PART = re.compile(
    r"\\(?P<end>begin|end)\s*\{(?P<begin>questions|(?:sub){0,2}parts|choices|checkboxes|oneparchoices)\}"
    r"|\\(?P<item>question|(?:sub){0,2}part|choice|CorrectChoice)(?![A-Za-z])\*?\s*(?P<points>\[[^\]]*\])?"
)
_SOLUTION = re.compile(r"\\begin\{(solution\w*)\}.*?\\end\{\1\}", re.DOTALL)
_ARGUMENT = re.compile(r"\s*(?:\[[^\]]*\])?\s*\{")
_REFERRED = re.compile(r"\\(ref|autoref|vref|cref|Cref)\s*\*?\{([^}]*)\}")


def with_exam(text: str, preamble: str) -> tuple[str, int]:
    r"""The body of a text of the class `exam`, questions and parts as items, and how many solutions, seldom printed, were left out."""
    if (of_class := _EXAM.search(preamble)) is None:
        return text, 0
    solutions = 0
    if "answers" not in of_class[0] and "\\printanswers" not in preamble + text:
        text, solutions = _SOLUTION.subn("", text)
    counts = Counter[str]()

    def item(found: re.Match[str]) -> str:
        if found["begin"]:
            counts["choice"] *= found["end"] == "end"
            return f"\\{found['end']}{{enumerate}}"
        kind = found["item"].replace("CorrectC", "c")
        counts[kind] += 1
        for deeper in _EXAM_ITEMS[_EXAM_ITEMS.index(kind) + 1 :]:
            counts[deeper] = 0
        number = counts[kind]
        shown = {
            "question": f"{number}.",
            "part": f"({as_letters(number)})",
            "choice": f"{as_letters(number).upper()}.",
        }
        return f"\\item[{shown.get(kind, f'{number}.')}]{{}}{found['points'] or ''}"

    return _EXAM_PART.sub(item, text), solutions


def with_numbers(text: str, preamble: str) -> str:
    """The body of a text with the numbers that its preamble's class gives."""
    of_class = _CLASS.search(preamble)
    if of_class is None or _SET.search(preamble + text):
        return text
    first = 0 if re.search("report|book|rprt|memoir", of_class[1]) else 1
    named = _OTHER_WORDS.search(preamble) is None
    labels, parts, at = dict[str, tuple[str, str]](), list[str](), 0
    counts, here, around, letters = Counter[str](), ("", ""), list[tuple[str, tuple[str, str]]](), False
    for found in _COUNTED.finditer(text):
        said, name = "", found["section"] or ""
        match found.lastgroup:
            case "section" if first <= _SECTIONS.index(name) < first + 3:
                here = name.replace("sub", ""), _next_section(counts, name, first, letters=letters)
                said = f"{here[1]} "
            case "appendix":
                letters = True
                counts.subtract({one: counts[one] for one in _SECTIONS})
            case "begin":
                around.append((found["begin"], here))
                here = here if found["begin"] in _LIKE_TEXT else ("", "")
            case "end" if around and around[-1][0] == found["end"]:
                here = around.pop()[1]
            case "caption":
                kind = next((_FLOATS[name] for name, _ in reversed(around) if name in _FLOATS), "")
                here = kind, _next(counts, kind) if kind else ""
                said = f"{kind.capitalize()} {here[1]}: " if kind and named else ""
            case "label" if here[1]:
                labels[found["label"]] = here
        opened = _ARGUMENT.match(text, found.end()) if said else None
        if opened and braced(text, opened.end() - 1):
            parts += [text[at : opened.end()], said]
            at = opened.end()
    return _REFERRED.sub(lambda found: _shown_reference(found, labels, named=named), "".join([*parts, text[at:]]))


def _next_section(counts: Counter[str], name: str, first: int, *, letters: bool) -> str:
    """The next number of a section, behind those of the ones around it; `letters`: it is of an appendix."""
    depth = _SECTIONS.index(name)
    counts[name] += 1
    for deeper in (*_SECTIONS[depth + 1 :], *(() if depth else ("figure", "table"))):
        counts[deeper] = 0
    outer, *inner = (counts[one] for one in _SECTIONS[first : depth + 1])
    return ".".join([as_letters(outer).upper() if letters else str(outer), *map(str, inner)])


def _next(counts: Counter[str], kind: str) -> str:
    """The next number of a kind; in books that of the chapter stands before it."""
    counts[kind] += 1
    return f"{counts['chapter']}." * bool(counts["chapter"]) + str(counts[kind])


def _shown_reference(found: re.Match[str], labels: dict[str, tuple[str, str]], *, named: bool) -> str:
    r"""What a reference shows: the number, behind the name of what it is where the command says that too."""
    told = [labels.get(key.strip(), ("", "")) for key in found[2].split(",")]
    if not all(number for _, number in told):
        return found[0]
    kind = told[0][0] if named and found[1].lower() in ("autoref", "cref") else ""
    numbers = ", ".join(number for _, number in told)
    return f"{kind if found[1] == 'cref' else kind.capitalize()} {numbers}".strip()
