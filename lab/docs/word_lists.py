"""Counts what the package decides by English words: writes the page `word-lists.md` beside it.

    python lab/docs/word_lists.py > lab/docs/word-lists.md

A pattern is a regular expression with a word of two letters and more in it; a list is words written one after another (`"a b c".split()`,
the lists of a TOML file beside the modules, and sets of words). Counted are the rooms that decide by language: `text`, `context`, `answer`,
`retrieve`, `reading`, `conversation`. Left out is what is closed by nature: units, money, numbers, dates and times, parts of names,
function words and names of languages (`CLOSED`). What a module decides is the first sentence of its docstring; what it was worth stands
in `word_lists.toml`, each with the result that says so, else it is what `benchmarks/words_worth.py` measured.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CORE = HERE.parent.parent / "src" / "decoct"
ROOMS = ("answer", "context", "conversation", "reading", "retrieve", "text")
WORTH = HERE.parent.parent / "benchmarks" / "results" / "words-worth.json"
CLOSED = frozenset(
    """text/units text/money text/numbers text/spelt text/dates text/times text/recurring text/names text/aliases text/words
    text/languages text/scripts""".split()
)
GOAL = {"patterns": 60, "words": 400}
_AWAY = ("right taken away", "wrong taken away")
_NO_WORD = re.compile(r"\\[A-Za-z]|\(\?P<\w+>|\(\?[a-zA-Z]+[-:)]|\{[\d,]+\}")
_EITHER = re.compile(r"\[([A-Z])([a-z])\]")  # "[Ww]hat" is "what"
_CLASS = re.compile(r"\[(?:[^\]\\]|\\.)*\]")
_WORD = re.compile(r"[a-z]{2,}")


@dataclass(frozen=True)
class ModuleWords:
    """The patterns with words and the lists of a module, each as its words; `decides` is what the module is for."""

    module: str
    decides: str
    patterns: tuple[tuple[str, ...], ...]
    lists: tuple[tuple[str, ...], ...]

    @property
    def different(self) -> frozenset[str]:
        """The words of all, each once."""
        return frozenset(word for one in (*self.patterns, *self.lists) for word in one)


def modules() -> list[ModuleWords]:
    """What each module of the rooms holds, those with the most words first; modules without any are left out."""
    found = []
    for room in ROOMS:
        for file in sorted((CORE / room).rglob("*.py")):
            name = file.relative_to(CORE).with_suffix("").as_posix()
            tree = ast.parse(file.read_text("utf-8"))
            patterns = tuple(one for one in _patterns(tree) if one)
            lists = tuple(one for one in _lists(tree) if one)
            if name not in CLOSED and (patterns or lists):
                decides = (ast.get_docstring(tree) or "").split("\n\n")[0].replace("\n", " ")
                found.append(ModuleWords(name, decides, patterns, lists))
    return sorted(found, key=lambda one: (-len(one.different), one.module))


def words_of(pattern: str) -> tuple[str, ...]:
    """The words in a regular expression."""
    text = _EITHER.sub(lambda pair: pair[2] if pair[1].lower() == pair[2] else pair[0], pattern)
    return tuple(_WORD.findall(_CLASS.sub(" ", _NO_WORD.sub(" ", text))))


def _patterns(tree: ast.Module) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and node.args:
            yield words_of(" ".join(_texts(node.args[0])))


def _lists(tree: ast.Module) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called, texts = node.func, [one.value for one in node.args if isinstance(one, ast.Constant)]
            if isinstance(called, ast.Attribute) and called.attr == "split" and isinstance(called.value, ast.Constant):
                yield tuple(_WORD.findall(str(called.value.value).lower()))
            elif ast.unparse(called) == "listed" and len(texts) == 2:
                yield _listed(*map(str, texts))
        elif isinstance(node, ast.Set) and all(isinstance(one, ast.Constant) for one in node.elts):
            yield tuple(word for text in _texts(node) for word in _WORD.findall(text))


def _listed(name: str, key: str) -> tuple[str, ...]:
    if f"text/{name}" in CLOSED:
        return ()
    return tuple(_WORD.findall(tomllib.loads((CORE / "text" / f"{name}.toml").read_text("utf-8"))[key].lower()))


def _texts(node: ast.expr) -> Iterator[str]:
    return (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))


def measured(module: str, result: dict[str, Any]) -> str:
    """What answers come to without each pattern and list of a module; empty where none was silent."""
    name = f"{module.replace('/', '.')}:"
    found = [one for key, one in result["without"].items() if key.startswith(name)]
    if not found:
        return ""
    changed, right, wrong = (sum(one[key] for one in found) for key in ("changed", *_AWAY))
    link = f"[result](../../benchmarks/results/{WORTH.name})"
    ends = f"{changed} ends: right {right:+d}, wrong {wrong:+d}" if changed else "no end"
    most = max(one["questions"] for one in found)
    return f"each of {len(found)} silent in up to {most} of {result['n']} questions changes {ends} ({link})"


def page() -> str:
    """The page, from the modules and `word_lists.toml`."""
    worth = tomllib.loads((HERE / "word_lists.toml").read_text("utf-8"))
    result = json.loads(WORTH.read_text("utf-8"))
    found = modules()
    patterns, different = sum(len(one.patterns) for one in found), len({w for one in found for w in one.different})
    rows = [
        f"| `{one.module}` | {len(one.patterns)} | {len(one.lists)} | {len(one.different)} | {one.decides} "
        f"| {worth.get(one.module) or measured(one.module, result)} |"
        for one in found
    ]
    return "\n".join(
        (
            "# Words: every pattern and list, and what it was worth",
            "",
            "Written by `python lab/docs/word_lists.py > lab/docs/word-lists.md`, which says what is counted. Left out is what is closed",
            "by nature: units, money, numbers, dates and times, parts of names, function words, names of languages.",
            "",
            "| | now | goal |",
            "|---|---:|---:|",
            f"| patterns with English words | {patterns} | {GOAL['patterns']} |",
            f"| lists of words | {sum(len(one.lists) for one in found)} | |",
            f"| different words (and parts of words) of both | {different} | {GOAL['words']} |",
            "",
            "Of the last column: silent is a pattern that matches nothing, a list that is empty, one at a time, over development questions",
            "(`python benchmarks/words_worth.py`); where it is empty, nothing committed tells what the words are worth.",
            "",
            "| module of `src/decoct` | patterns | lists | words | what it decides | what it was worth |",
            "|---|---:|---:|---:|---|---|",
            *rows,
            "",
        )
    )


if __name__ == "__main__":
    sys.stdout.write(page())
