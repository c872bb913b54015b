"""reStructuredText, as text: docutils reads it and writes HTML, which goes the way of every page (`html`).

docutils is told never to open another file (`include`, `csv-table` with a file); of `raw` markup HTML is read. Sphinx's roles and
directives, which it does not know, are taken by what they hold: a role by its words, a directive by its argument and content;
`toctree` and its like hold no text of the document. Syntax errors are no reason to lose a file: what is not understood stays as it was
written.

docutils keeps roles and directives for the whole process, so this parser is only run in a process of its own (`apart`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from docutils.core import publish_parts
from docutils.parsers.rst import Directive, directives, roles
from docutils.statemachine import StateMachine
from docutils.transforms.universal import FilterMessages
from docutils.utils import Reporter
from lxml import etree

from decoct.data import Document
from decoct.documents.base import Source, left_out
from decoct.documents.markup.html import Page, page_tree
from decoct.documents.tables.records import metadata_fields
from decoct.documents.text import read_text
from decoct.errors import ParseError

# What writes nothing, or only tells a tool what to do.
_SILENT = frozenset(
    "toctree contents index highlight highlightlang currentmodule py:currentmodule module py:module default-domain tabularcolumns meta "
    "autosummary graphviz digraph graph inheritance-diagram title sectionauthor codeauthor "
    "sectnum section-numbering default-role role target-notes header footer".split()
)
_CHANGES = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
    "deprecated-removed": "Deprecated since version",
}
_ELSEWHERE = frozenset({"include", "literalinclude"})
_READ_IN = re.compile(rf"^[ \t]*\.\. (?:{'|'.join(sorted(_ELSEWHERE))})::[ \t]+\S", re.M)
_CODE = frozenset(
    {"code-block", "sourcecode", "code", "ipython", "testcode", "testoutput", "doctest", "prompt", "parsed-literal"}
)
_LINKS = frozenset({"doc", "download"})
# Fields at the top by which Sphinx is told what to do with the file.
_ORDERS = re.compile(r"\A(?:\s*:(?:orphan|nocomments|no-search|nosearch|tocdepth):[^\n]*\n)+")
_FIELD = re.compile(r"^:([A-Za-z][\w -]{0,60}):[ \t]+(\S.*)$", re.M)
# At the top, or right behind the title and its underline.
_DOCINFO = re.compile(
    r"\s*(?:(?:([=\-~^\"'*+#])\1+\n)?\S[^\n]*\n([=\-~^\"'*+#])\2+\n\s*)?(?::[A-Za-z][\w -]{0,60}:[ \t]+\S.*(?:\n|\Z))+"
)
_LABELLED = re.compile(r"(.*?)\s*<([^<>]*)>$", re.S)
_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "report_level": 5,
    "halt_level": 5,
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "embed_stylesheet": False,
    "stylesheet_path": None,
    "initial_header_level": 2,
    "line_length_limit": 1_000_000,
    "input_encoding": "unicode",
    "output_encoding": "unicode",
    "smart_quotes": False,
    "toc_backlinks": False,
    "compact_lists": False,
    "compact_field_lists": False,
    "sectnum_xform": False,
}


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a file."""
    text, notes = read_text(source)
    text = _ORDERS.sub("", text.replace("\f", "\n"), count=1)
    page = Page()
    page.write(page_tree(_html(text)))
    prose = page.prose
    told = left_out({"files that are read in from elsewhere": len(_READ_IN.findall(text))})
    yield prose.document(source, prose.first_heading, {**notes, **metadata_fields(_fields(text)), **told})


def _fields(text: str) -> dict[str, object]:
    """The bibliographic fields with which a document begins (`:Author: …`), but for its title."""
    opening = _DOCINFO.match(text)
    found = _FIELD.findall(opening[0]) if opening else []
    return {key.strip().lower(): value.strip() for key, value in found if key.strip().lower() != "title"}


def _html(text: str) -> str:
    _teach()
    try:
        parts = publish_parts(text, writer="html5", settings_overrides=_SETTINGS)
    except RecursionError as error:
        raise ParseError("its parts are nested too deeply to be read: save it as text") from error
    return str(parts["html_body"])


def _teach() -> None:
    """Let docutils take roles and directives that it does not know."""
    known_role, known_directive = roles.role, directives.directive
    unknown: set[str] = set()

    def role(name: str, module: Any, line: int, reporter: Any) -> Any:  # noqa: ANN401 - docutils' own signature
        if name not in _LINKS and (name not in unknown or name in roles._roles):
            found, messages = known_role(name, module, line, reporter)
            if found is not None:
                return found, messages
            unknown.add(name)
        return _role, []

    def directive(name: str, module: Any, document: Any) -> Any:  # noqa: ANN401
        if name in _OWN:
            return _OWN[name], []
        found, messages = known_directive(name, module, document)
        if found is None:
            return _Block, []
        if found.option_spec:
            found.option_spec = _Options(found.option_spec)
        return found, messages

    if known_role.__module__ != __name__:
        roles.role = role
        directives.directive = directive
        _change_docutils()


def _role(
    name: str,
    rawtext: str,
    text: str,
    _line: int,
    _inliner: Any,  # noqa: ANN401 - docutils' own signature
    options: Any = None,  # noqa: ANN401
    content: Any = (),  # noqa: ANN401
) -> tuple[list[Any], list[Any]]:
    """Any role's words: `:func:`~a.b`` says b, `:ref:`words <label>`` says words."""
    text = nodes.unescape(text)
    found = _LABELLED.match(text)
    words, target = (found[1], found[2]) if found and found[1] else (text, text)
    if not found and text.startswith("~"):
        words = text.rsplit(".", 1)[-1]
    words = words.lstrip("!~") or text
    if name in _LINKS:
        return [nodes.reference(rawtext, words, refuri=target)], []
    return [nodes.literal(rawtext, words) if ":" in name else nodes.inline(rawtext, words)], []


class _Options(dict[str, Any]):
    """Takes every option, those that docutils does not know as their text."""

    def __bool__(self) -> bool:
        return True

    def __missing__(self, key: str) -> Any:  # noqa: ANN401
        return directives.unchanged


class _Unknown(Directive):  # type: ignore[misc]  # docutils has no types
    """A directive of another program, with any argument, option and content."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = _Options()


class _Silent(_Unknown):
    """Holds no text."""

    def run(self) -> list[Any]:
        return []


class _Raw(_Unknown):
    """Markup of another language: of HTML, with its elements closed, all that a page shows; nothing of others."""

    def run(self) -> list[Any]:
        said = "\n".join(self.content)
        page = etree.fromstring(said, etree.HTMLParser()) if self.arguments == ["html"] and said.strip() else None
        return (
            []
            if page is None
            else [nodes.raw("", etree.tostring(page, encoding="unicode", method="html"), format="html")]
        )


class _Inside(_Unknown):
    """Says when its content is shown: it is read."""

    def run(self) -> list[Any]:
        return _content(self)


class _Code(_Unknown):
    """Code, in whatever language."""

    def run(self) -> list[Any]:
        caption = self.options.get("caption")
        said = "\n".join(self.content)
        return [nodes.paragraph("", caption)] * bool(caption) + [nodes.literal_block(said, said)]


class _Change(_Unknown):
    """Says since when something is so."""

    def run(self) -> list[Any]:
        version, _, more = " ".join((self.arguments or [""])[0].split()).partition(" ")
        said, messages = self.state.inline_text(f"{_CHANGES[self.name]} {version}: {more}".rstrip(": "), self.lineno)
        return [nodes.paragraph("", "", *said), *messages, *_content(self)]


class _Block(_Unknown):
    """Any other: its argument (the signature that it describes), and its content below."""

    def run(self) -> list[Any]:
        said = [nodes.paragraph("", "", nodes.literal(line, line)) for line in _signatures(self)]
        return [*said, *_content(self)]


_OWN = {
    **dict.fromkeys(_SILENT | _ELSEWHERE, _Silent),
    **dict.fromkeys(("only", "ifconfig"), _Inside),
    **dict.fromkeys(_CODE - {"parsed-literal"}, _Code),
    **dict.fromkeys(_CHANGES, _Change),
    "raw": _Raw,
}


def _signatures(directive: Directive) -> list[str]:
    argument = (directive.arguments or [""])[0]
    return [line.strip() for line in argument.split("\n") if line.strip()]


def _content(directive: Directive) -> list[Any]:
    inside = nodes.Element()
    if directive.content:
        directive.state.nested_parse(directive.content, directive.content_offset, inside, match_titles=1)
    return list(inside.children)


# docutils where it is slow, and where it loses what it did not understand.
#
# For each list docutils makes a machine of fifteen states, each with a dozen patterns, of which a list meets two: here states are made when
# they are needed, which halves the time of a file of lists. With its errors it takes out the lines that they are about (a table whose
# columns do not fit, a figure with a width that is none): these stay, as they were written.


def _change_docutils() -> None:
    FilterMessages.apply = _without_messages
    StateMachine.add_states = _add_states
    Reporter.system_message = _message


class _States(dict[str, Any]):
    """The states of a machine by their names, each made when it is first asked for."""

    def __init__(self, machine: Any, classes: dict[str, Any]) -> None:  # noqa: ANN401
        super().__init__()
        self._machine, self._classes = machine, classes

    def __missing__(self, name: str) -> Any:  # noqa: ANN401
        state = self[name] = self._classes[name](self._machine, self._machine.debug)
        if hasattr(self._machine, "memo"):  # it runs
            state.runtime_init()
        return state


def _add_states(self: Any, classes: Any) -> None:  # noqa: ANN401
    self.states = _States(self, {one.__name__: one for one in classes})


def _message(self: Any, level: int, _words: object, *about: Any, **said: Any) -> Any:  # noqa: ANN401
    """A message without words: of an error, with the lines that it is about."""
    lost = [one for one in about if isinstance(one, nodes.literal_block)] if level >= self.ERROR_LEVEL else []
    return nodes.system_message("", *lost, level=level, backrefs=said.get("backrefs", []))


def _without_messages(self: Any) -> None:  # noqa: ANN401
    """Take all messages out, but for the lines that they are about; what they say is a problem is the text that it was."""
    found = tuple(self.document.findall((nodes.system_message, nodes.problematic)))
    for parent in {node.parent: None for node in found if isinstance(node, nodes.system_message)}:
        parent[:] = [
            one
            for node in parent.children
            for one in (_lines(node) if isinstance(node, nodes.system_message) else [node])
        ]
    for node in found:
        if isinstance(node, nodes.problematic):
            node.parent.replace(node, nodes.Text(node.astext()))


def _lines(message: Any) -> list[Any]:  # noqa: ANN401
    """The lines that a message is about, but those of a directive without content."""
    return [one for one in message.children if not one.astext().rstrip().endswith("::")]
