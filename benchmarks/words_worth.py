"""What each pattern and list of English words is worth to answers: questions asked with one of them at a time that says nothing.

    python benchmarks/words_worth.py FOLDER [FOLDER …] --work DIR [--part N/M] [--most K] [--out FILE]

A FOLDER holds `documents/` and `questions.jsonl` as in `benchmarks/organisations`, and is one that parts may be chosen on. What the
models say of a question is kept (`guards.py`), so that only what words decide is decided anew, by the code that `ask` runs. A pattern of a
module is one that never matches, a list one that is empty; decided again are up to `--most` questions on which it matched. The passages
are those that `ask` retrieved, so what words do while documents are read and passages found is not told. With `--part` a process takes
each M-th question; several fill one DIR, and the last, without `--part`, counts. What has words is told by `lab/docs/word_lists.py`.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import pickle
import pkgutil
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from guards import AskedQuestion, KeptModels, Row, asked, compared, counted
from setting import HERE, command_line, setting, tell, write

from decoct import Library
from decoct.answer.short_answers import ShortAnswers
from decoct.text import lists

sys.path.insert(0, str(HERE.parent / "lab" / "docs"))
word_lists: Any = importlib.import_module("word_lists")

NEVER = re.compile(r"(?!)")
_READ = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class WatchedPattern:
    """A pattern that tells `told` when it matches; off, it never does."""

    def __init__(self, name: str, pattern: re.Pattern[str], told: Callable[[str], None]) -> None:
        self.name, self.own, self.told, self.off = name, pattern, told, False

    def __getattr__(self, called: str) -> Any:  # noqa: ANN401
        if called not in _READ:
            return getattr(self.own, called)

        def read(*given: Any, **named: Any) -> Any:  # noqa: ANN401
            if self.off:
                return getattr(NEVER, called)(*given, **named)
            text = given[1] if called in ("sub", "subn") else given[0]
            if self.own.search(text) is not None:
                self.told(self.name)
            return getattr(self.own, called)(*given, **named)

        return read


class WatchedList(frozenset[str]):
    """A list of words that tells `told` when a word is in it; off, it is empty."""

    name: str
    told: Callable[[str], None]
    off: bool

    def __contains__(self, word: object) -> bool:
        held = not self.off and super().__contains__(word)
        if held:
            self.told(self.name)
        return held

    def __iter__(self) -> Iterator[str]:
        self.told(self.name)
        return iter(()) if self.off else super().__iter__()

    def isdisjoint(self, others: Any) -> bool:  # noqa: ANN401
        return not any(one in self for one in others)

    def __and__(self, others: Any) -> frozenset[str]:  # noqa: ANN401
        return frozenset(one for one in others if one in self)

    __rand__ = __and__

    def __rsub__(self, others: Any) -> frozenset[str]:  # noqa: ANN401
        return frozenset(one for one in others if one not in self)


Watched = WatchedPattern | WatchedList


def watched(rooms: tuple[str, ...], told: Callable[[str], None]) -> dict[str, Watched]:
    """Every pattern and list of words of the modules, each replaced in all modules by one that is watched; by its name."""
    modules = [
        importlib.import_module(one.name)
        for room in rooms
        for one in pkgutil.walk_packages(importlib.import_module(f"decoct.{room}").__path__, f"decoct.{room}.")
    ]
    closed = {f"decoct.{one.replace('/', '.')}" for one in word_lists.CLOSED}
    found: dict[str, Watched] = {}
    made: dict[int, tuple[object, Watched]] = {}  # an id is of one object as long as that lives
    everywhere = [module for name, module in list(sys.modules.items()) if name.startswith("decoct")]
    for own, some in ((True, [one for one in modules if one.__name__ not in closed]), (False, everywhere)):
        for module in some:
            for name, value in list(vars(module).items()):
                if not name.startswith("__") and getattr(value, "__module__", "") != "typing":
                    called = f"{module.__name__.removeprefix('decoct.')}:{name}"
                    setattr(module, name, _seen(called, value, made, (found, told) if own else None))
    read = lists.listed

    @functools.cache
    def listed(name: str, key: str) -> frozenset[str]:
        own = read(name, key)
        if f"text/{name}" in word_lists.CLOSED:
            return own
        found[f"text.{name}:{key}"] = one = _watched_list(f"text.{name}:{key}", own, told)
        return one

    for module in everywhere:
        if vars(module).get("listed") is read:
            vars(module)["listed"] = listed
    return found


Finds = tuple[dict[str, Watched], Callable[[str], None]]


def _seen(name: str, value: Any, made: dict[int, tuple[object, Watched]], finds: Finds | None) -> Any:  # noqa: ANN401
    """The value, with what is watched in the place of patterns and lists; without `finds` those alone that were `made` before."""
    if id(value) in made:
        return made[id(value)][1]
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        held = [_seen(f"{name}.{at}", one, made, finds) for at, one in enumerate(value)]
        return type(value)(held) if any(a is not b for a, b in zip(held, value, strict=True)) else value
    if isinstance(value, dict):
        by_key = {key: _seen(f"{name}.{key}", one, made, finds) for key, one in value.items()}
        return by_key if any(by_key[key] is not value[key] for key in value) else value
    if finds is None:
        return value
    one: Watched | None = None
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str) and word_lists.words_of(value.pattern):
        one = WatchedPattern(name, value, finds[1])
    elif isinstance(value, frozenset) and value and all(isinstance(word, str) for word in value):
        one = _watched_list(name, value, finds[1])
    if one is None:
        return value
    finds[0][name] = one
    made[id(value)] = value, one
    return one


def _watched_list(name: str, words: frozenset[str], told: Callable[[str], None]) -> WatchedList:
    one = WatchedList(words)
    one.name, one.told, one.off = name, told, False
    return one


_MODELS = (
    "session",
    "digest",
    "whole_tokenizer",
    "_tokenizer",
    "input_tokens",
    "_fitted",
    "default_tokenizer",
    "listed",
)


def forgotten() -> None:
    """Forgets what functions of the package keep of texts that they read; models stay."""
    for one in gc.get_objects():
        if (
            isinstance(one, functools._lru_cache_wrapper)
            and one.__module__.startswith("decoct")
            and one.__name__ not in _MODELS
        ):
            one.cache_clear()


@contextmanager
def silent(one: Watched) -> Iterator[None]:
    """The pattern or list says nothing inside."""
    one.off = True
    forgotten()
    try:
        yield
    finally:
        one.off = False


def decided(
    folder: Path, work: Path, part: tuple[int, int], most: int, found: Mapping[str, Watched], told: set[str]
) -> None:
    """How each question ends, which words had a part in it, and how it ends without each of them: a file a question in `work`."""
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    kept = work / f"{folder.name}-ends"
    kept.mkdir(parents=True, exist_ok=True)
    place = work / f"{folder.name}-{part[0]}"
    caution = ShortAnswers().sure
    once: list[tuple[Row, AskedQuestion, KeptModels, Row]] = []
    with Library.open(place) as library:
        if not library.status().documents:
            library.add([folder / "documents"])
        for number, row in enumerate(rows[part[0] :: part[1]], 1):
            one = asked(library, row, kept / f"{row['id']}.pickle")
            models = KeptModels(one.said)
            told.clear()
            forgotten()
            ends = {"": one.answered(models, caution), "called": sorted(told)}
            if models.fresh:
                (kept / f"{row['id']}.pickle").write_bytes(pickle.dumps(one))
            once.append((row, one, models, ends))
            tell(f"{folder.name}: {number} asked")
    called = sorted({name for *_, ends in once for name in ends["called"] if name in found})
    for at, name in enumerate(called, 1):
        where = [at for at in once if name in at[-1]["called"]]
        with silent(found[name]):
            for _, one, models, ends in where[:: -(-len(where) // most)]:
                ends[name] = one.answered(models, caution)
        tell(f"{folder.name}: {at} of {len(called)} words")
    for row, _, _, ends in once:
        (kept / f"{row['id']}.json").write_text(json.dumps(ends, ensure_ascii=False), "utf-8")


def main() -> None:
    parser = command_line(__doc__, out="words-worth.json")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument(
        "--work", type=Path, required=True, help="keeps libraries, what models said and how questions ended"
    )
    parser.add_argument("--part", default="", help="N/M: each M-th question from the N-th, without counting")
    parser.add_argument(
        "--most", type=int, default=24, help="questions of a folder and part asked without one of the words"
    )
    parser.add_argument("--rooms", nargs="*", default=["answer", "context", "text", "reading"])
    given = parser.parse_args()
    if kept := [folder.name for folder in given.folders if "kept" in folder.name or "judged" in folder.name]:
        parser.error(f"{', '.join(kept)}: nothing is chosen on what is kept back")
    told: set[str] = set()
    found = watched(tuple(given.rooms), told.add)
    if given.part:
        first, _, parts = given.part.partition("/")
        for folder in given.folders:
            decided(folder, given.work, (int(first), int(parts)), given.most, found, told)
        return
    rows: dict[str, list[Row]] = defaultdict(list)
    ends = [
        json.loads(file.read_text("utf-8"))
        for folder in given.folders
        for file in sorted((given.work / f"{folder.name}-ends").glob("*.json"))
    ]
    names = sorted({name for one in ends for name in one} - {"", "called"})
    for one in ends:
        for name in ("", *names):
            rows[name].append(one.get(name, one[""]))
    calls = {name: sum(name in one for one in ends) for name in names}
    result = {
        "folders": [folder.name for folder in given.folders],
        "n": len(ends),
        "all words": counted(rows[""]),
        "without": {name: {"questions": calls[name], **one} for name, one in compared(rows).items()},
        "matched in no question": sorted(set(found) - set(names)),
    }
    write(given.out, {**setting(), **result})


if __name__ == "__main__":
    main()
