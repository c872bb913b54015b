"""LaTeX (`.tex`, `.latex`): the text by pylatexenc, with formulas as they are written; sections are headings, cells stand between bars.

The preamble, comments and pictures are left out; keys of citations stand in brackets, notes in brackets behind their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, one_line
from decoct.documents.text import read_text
from decoct.errors import ParseError

_LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}
# Of the private use area: they stand around a heading, with its level, until its place is known.
_OPEN, _CLOSE = "\ue001", "\ue002"
_HEADING = re.compile(f"{_OPEN}(\\d)([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_BODY = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.DOTALL)
_TITLE = re.compile(r"\\title\s*(?:\[[^\]]*\])?\s*(\{(?:[^{}]|\{[^{}]*\})*\})")
_BAR = re.compile(r"[ \t]+\|[ \t]+")
_APART = re.compile(
    r"(^- [^\n]*|^[^\n]* \| [^\n]*)\n\n(?=- |[^\n]* \| )", re.MULTILINE
)  # items and rows, which stand together
_SPACES = re.compile(r"[ \t]*\n[ \t]*")
_WORDS = re.compile(
    r" ?[^\W_]+(?:(?:[.,;:]? |\n)[^\W_]+)*"
)  # with no command, special sign or end of a paragraph among them


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a LaTeX file."""
    written, notes = read_text(source)
    body = _BODY.search(written)
    title = _TITLE.search(written)
    try:
        text = _plain(body[1] if body else written)
        named = one_line(_plain(title[1])) if title else ""
    except (RecursionError, ValueError, IndexError, AttributeError, KeyError) as error:
        raise ParseError("its LaTeX cannot be read: save it again, or as PDF") from error
    text = re.sub(r"\n{3,}", "\n\n", _SPACES.sub("\n", canonical(text))).strip("\n ")
    text = _APART.sub(r"\1\n", _BAR.sub(" | ", text))
    headings, levels, out, at = [], [], [], 0
    for found in _HEADING.finditer(text):
        out.append(text[at : found.start()])
        begin, words, at = sum(map(len, out)), one_line(found[2]), found.end()
        if words:
            headings.append((begin, begin + len(words)))
            levels.append(int(found[1]))
            out.append(words)
    text = "".join([*out, text[at:]])
    yield source.document(text, named, notes, headings=headings, levels=levels)


def _plain(written: str) -> str:
    from pylatexenc.latexwalker import LatexToken, LatexWalker

    class _ByWords(LatexWalker):  # type: ignore[misc]  # pylatexenc has no types
        """Takes words at once, where pylatexenc takes letters; arguments of macros (no `environments`) may be one letter."""

        def get_token(self, pos: int, include_brace_chars: Any = None, environments: bool = True, **more: Any) -> Any:  # noqa: ANN401
            if environments and (words := _WORDS.match(self.s, pos)):
                return LatexToken(tok="char", arg=words[0], pos=pos, len=len(words[0]), pre_space="")
            return super().get_token(pos, include_brace_chars, environments, **more)

    nodes, _, _ = _ByWords(written, tolerant_parsing=True).get_latex_nodes()
    return str(_converter().nodelist_to_text(nodes))


@cache
def _converter() -> Any:  # noqa: ANN401 - pylatexenc has no types
    from pylatexenc.latex2text import (
        EnvironmentTextSpec,
        LatexNodes2Text,
        MacroTextSpec,
        SpecialsTextSpec,
        get_default_latex_context_db,
    )

    def heading(level: int) -> Any:  # noqa: ANN401
        return lambda node, l2tobj: f"\n\n{_OPEN}{level}{_argument(node, l2tobj)}{_CLOSE}\n\n"

    known = get_default_latex_context_db()
    macros = [MacroTextSpec(name, simplify_repl=heading(level)) for name, level in _LEVELS.items()]
    macros += [
        MacroTextSpec(name, simplify_repl=lambda node, l2tobj: f" [{_argument(node, l2tobj)}]")
        for name in ("cite", "citep", "citet")
    ]
    macros += [
        MacroTextSpec("footnote", simplify_repl=lambda node, l2tobj: f" ({_argument(node, l2tobj)})"),
        MacroTextSpec("ref", simplify_repl=_argument),
        MacroTextSpec("item", simplify_repl=lambda node, l2tobj: f"\n- {_argument(node, l2tobj)}".rstrip() + " "),
        *(
            MacroTextSpec(name, simplify_repl="")
            for name in ("label", "includegraphics", "maketitle", "hline", "toprule", "midrule")
        ),
        *(
            MacroTextSpec(name, simplify_repl="")
            for name in ("bottomrule", "tableofcontents", "bibliographystyle", "centering")
        ),
    ]
    known.add_context_category(
        "decoct",
        prepend=True,
        macros=macros,
        environments=[EnvironmentTextSpec("tabular", simplify_repl="\n\n%s\n\n")],
        specials=[SpecialsTextSpec("&", " | ")],
    )
    return LatexNodes2Text(latex_context=known, math_mode="verbatim", keep_comments=False, strict_latex_spaces=False)


def _argument(node: Any, converter: Any) -> str:  # noqa: ANN401
    """The text of the last argument that a macro has."""
    given = [one for one in (node.nodeargd.argnlist if node.nodeargd else ()) if one is not None]
    last = given[-1] if given else None
    return str(converter.nodelist_to_text([last])).strip("[] \n") if last is not None else ""
