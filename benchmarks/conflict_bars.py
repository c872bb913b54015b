"""Choose the bars of CASC's second reading and of other sources on the development sets, each left out once.

    python benchmarks/conflict_bars.py --data DATA [--work DIR] [--readings kept.pkl] [--bars ALONE _BOTH …] --out FILE

Sets: everyday-conflicts, the three written development sets, scidocs-conflicts, research-notes (dev), generated worlds (dev), conflicts
planted in Natural Questions, and the questions of three organisations (those on versions, and 24 ordinary ones drawn by chance) over what
their libraries find. Of each case it is told whether the notes have the true sides and end as expected, whether the answer names what is
right and shows what the case wants, and whether a conflict is told where there is none, or a wrong side is preferred. The worth is the
share of what is wanted that holds, less twice the last two, over all cases; each bar is moved alone (`TRIED`), and all moves that gain are
made together.
Each set is then judged by the bars that all other sets choose. What the models read is kept, so that a setting takes seconds: `--part`
counts some sets alone, and a later run with all files of `--readings` and `--tried` chooses.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

from conflict_ablations import is_ended
from conflict_cases import Case, Shelf, cases, passages
from conflict_systems import BUDGET
from everyday_conflicts import documents, judged
from organisations import among, stands
from setting import HERE, command_line, setting, write

from decoct import Library
from decoct.answer.casc import CascReader
from decoct.answer.short_answers import ShortAnswers
from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.context.casc import extract_reader, upheld
from decoct.context.casc.candidates import Read
from decoct.context.casc.extract_reader import ByReader
from decoct.context.casc.focus import Focus
from decoct.context.casc.notes import Sections
from decoct.context.casc.step import Casc
from decoct.data import Answer, Context, Document, Draft, Hit, Passage, Query, ShortAnswer
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.evaluate.dataset_types import Question
from decoct.index.base import Store
from decoct.reading.base import (
    PassageReader,
    Readable,
    Reading,
    SecondReader,
    SecondReading,
    StatementToRead,
    languages_read,
)
from decoct.reading.common_names import CommonNamesReader
from decoct.reading.small import SmallReader
from decoct.reading.verifier import Verifier
from decoct_lab.measures.group_coverage import group_coverage
from decoct_lab.measures.hallucination import behaved_as_expected, hallucination
from decoct_lab.reproduce.casc_conditions import without_citations

TRIED: Mapping[str, tuple[Any, tuple[float, ...]]] = {
    "ALONE": (extract_reader, (0.0, 0.2, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7)),
    "_BOTH": (upheld, (-99.0, -4.0, -3.0, -2.0, -1.5, -1.0, 0.0, 1.0)),
}
BEHAVIOURS = {"both": "flag", "agree": "answer"}
COUNTED = ("sides", "end", "right", "shown")
AGAINST = ("false_told", "false_chosen")
LEAST, READ, ORDINARY = 0.1, 5, 24
ORGANISATIONS = ("dev-harbour", "dev-foundry", "dev-coop")
_OTHERS = frozenset({"fact", "table", "identifier"})
Bars = Mapping[str, float]


class Remembered:
    """What models have read, by the models' names and all that they were given."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.file = files[0] if files else None
        self.held: dict[Any, Any] = {}
        for file in files:
            if file.exists():
                self.held |= pickle.loads(file.read_bytes())  # written by this program

    def of(self, name: str, keys: Sequence[Any], read: Callable[[list[int]], Sequence[Any]]) -> list[Any]:
        """For each key what `read` makes of the numbers of those that are not known."""
        named = [(name, key) for key in keys]
        todo = [at for at, key in enumerate(named) if key not in self.held]
        if todo:
            self.held |= zip([named[at] for at in todo], read(todo), strict=True)
        return [self.held[key] for key in named]

    def keep(self) -> None:
        if self.file is not None:
            self.file.write_bytes(pickle.dumps(self.held))


@dataclass(frozen=True)
class KeptReader:
    """A reader of passages whose readings are kept."""

    reader: Any
    kept: Remembered

    @property
    def fingerprint(self) -> str:
        return str(self.reader.fingerprint)

    @property
    def languages(self) -> frozenset[str] | None:
        return languages_read(self.reader)

    def read(self, question: str, given: Sequence[Readable]) -> list[Reading]:
        keys = [(question, one.title, one.text) for one in given]
        return self.kept.of(self.fingerprint, keys, lambda at: self.reader.read(question, [given[i] for i in at]))


@dataclass(frozen=True)
class KeptSecond:
    """A second reader whose readings are kept."""

    kept: Remembered
    second: Verifier = field(default_factory=Verifier)
    languages = Verifier.languages

    @property
    def fingerprint(self) -> str:
        return self.second.fingerprint

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        return self.kept.of(self.fingerprint, statements, lambda at: self.second.read([statements[i] for i in at]))


@dataclass(frozen=True)
class KeptPlain:
    """Plain reading whose answers are kept; with a `caution` it claims what it claims with next to none, where that is as sure."""

    reader: ShortAnswers
    kept: Remembered
    caution: float | None = None

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        reader = self.reader if self.caution is None else self.reader.with_(caution=LEAST)
        (made,) = self.kept.of(
            f"plain:{reader.sure}", [(context.question, context.passages)], lambda _: [reader.answer(context)]
        )
        if self.caution is not None and made.found and (made.score or 0.0) < self.caution:
            return Answer(made.text, (), context, found=False, outcome="passages")
        return replace(cast("Answer", made), context=context)

    def likely(self, context: Context) -> list[ShortAnswer]:
        key = (context.question, context.passages)
        (made,) = self.kept.of("likely", [key], lambda _: [self.reader.likely(context)])
        return cast("list[ShortAnswer]", made)

    def with_(
        self, *, caution: float | None = None, reader: PassageReader | None = None, check: SecondReader | None = None
    ) -> KeptPlain:
        return self if caution == self.reader.sure else replace(self, caution=caution)


@dataclass(frozen=True)
class Asked:
    """A case with the passages that are read, and how its answer and its notes are judged."""

    case: Case
    passages: tuple[Passage, ...]
    shelf: Shelf
    judged: Callable[[Answer, SimpleNamespace], dict[str, bool]]


def written(file: Path) -> Iterator[Asked]:
    """Cases whose claims are marked."""
    for one in map(json.loads, file.read_text("utf-8").splitlines()):
        right, behaviour = one["expected_answers"], BEHAVIOURS.get(one["behaviour"], one["behaviour"])
        groups = [(a,) for a in right] if behaviour in ("flag", "complementary") else [tuple(right)]
        question = Question(
            one["id"],
            one["question"],
            tuple(right),
            answer_groups=tuple(groups),
            wrong_answers=tuple(one["wrong_answers"]),
        )
        case = Case(question, documents(one), behaviour, [("", "")] if one["conflict"] else [])

        def counted(
            answer: Answer, notes: SimpleNamespace, one: dict[str, Any] = one, case: Case = case
        ) -> dict[str, bool]:
            found = judged(one, cast("Any", notes))
            return {key: value for key, value in found.items() if key != "false_agreed"} | answer_counts(
                answer, notes, case
            )

        yield asked(case, counted)


def labelled(given: Sequence[Case]) -> Iterator[Asked]:
    """Cases whose answers and pairs are marked."""
    for case in given:

        def counted(answer: Answer, notes: SimpleNamespace, case: Case = case) -> dict[str, bool]:
            return {"end": is_ended(case, cast("Any", notes))} | answer_counts(answer, notes, case)

        yield asked(case, counted)


def asked(case: Case, counted: Callable[[Answer, SimpleNamespace], dict[str, bool]]) -> Asked:
    return Asked(case, passages(case, 5), Shelf({d.id: d for d in case.documents}), counted)


def answer_counts(answer: Answer, notes: SimpleNamespace, case: Case) -> dict[str, bool]:
    """What an answer names and shows, and whether it tells a conflict that there is not."""
    plain = without_citations(answer)
    question = case.question
    label = hallucination(
        plain,
        question.question,
        question.groups,
        question.wrong_answers,
        [d.text for d in case.documents],
        found=answer.found,
    )
    made = {
        "right": label in ("correct", "both"),
        "shown": behaved_as_expected(label, group_coverage(plain, question.groups), case.behaviour),
    }
    return made if case.conflicts else made | {"false_told": disagrees(answer, notes)}


def disagrees(answer: Answer, notes: SimpleNamespace) -> bool:
    """Whether a conflict is told, or another source."""
    return bool(notes.conflicts) or "Other sources say otherwise" in answer.text


def of_organisation(name: str, work: Path, kept: Remembered) -> Iterator[Asked]:
    """The questions on versions, and ordinary ones drawn by chance, one wording of each, over what the library finds."""
    folder = HERE / "organisations" / name
    every = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    versions = [one for one in every if one["kind"] == "version"]
    others = {one["group"]: one for one in every if one["kind"] in _OTHERS}
    chosen = [*versions, *random.Random(0).sample(sorted(others.values(), key=itemgetter("id")), ORDINARY)]
    key = ("found", name, *(one["id"] for one in chosen))
    if key not in kept.held:
        with Library.open(work / name) as library:
            if not library.status().documents:
                library.add([folder / "documents"])
            read = {one["id"]: _best_passages(library.search(one["question"], READ, "casc")) for one in chosen}
            ids = {span.doc_id for found in read.values() for passage in found for span in passage.support}
            kept.held[key] = read, {i: _bare(library.document(i)) for i in ids}
    read, shelf = kept.held[key]
    for one in chosen:
        question = Question(one["id"], one["question"], tuple(one["answers"]))

        def counted(answer: Answer, notes: SimpleNamespace, one: dict[str, Any] = one) -> dict[str, bool]:
            held = [c.source.quote for c in answer.citations if among(shelf[c.source.doc_id].source, one["documents"])]
            right = answer.found and any(stands(one["answers"], quote) for quote in held)
            return (
                {"right": right}
                if one["kind"] == "version"
                else {"right": right, "false_told": disagrees(answer, notes)}
            )

        yield Asked(Case(question, [], one["kind"], []), read[one["id"]], Shelf(shelf), counted)


def _best_passages(found: Sequence[Hit]) -> tuple[Passage, ...]:
    return tuple(Passage(h.chunk.text, (h.chunk.span,), "quote", h.score, h.chunk.title, h.chunk.place) for h in found)


def _bare(document: Document) -> Document:
    return Document(document.id, document.text, document.title, document.source, metadata=dict(document.metadata))


@dataclass(frozen=True)
class Bench:
    """The sets with the readers whose readings are kept."""

    sets: Mapping[str, Sequence[Asked]]
    kept: Remembered
    weighed: dict[Any, Any] = field(default_factory=dict)
    drafts: dict[Any, Draft] = field(default_factory=dict)

    def counts(self, name: str) -> dict[str, tuple[int, int]]:
        """What a set's cases come to: of each count how many hold, and of how many."""
        held, of = Counter[str](), Counter[str]()
        weighed = extract_reader._values

        def values(reads: Sequence[Read], focus: Focus) -> list[Any]:
            key = (name, focus.text, tuple((read.source.doc_id, read.span) for read in reads))
            if key not in self.weighed:
                self.weighed[key] = weighed(reads, focus)
            return cast("list[Any]", self.weighed[key])

        second = KeptSecond(self.kept)
        plain = KeptPlain(ShortAnswers(reader=KeptReader(SmallReader(), self.kept), second=second), self.kept)
        for one in self.sets[name]:
            query, budget = Query(one.case.question.question), Budget(BUDGET, WordPieceTokenizer())
            drafted = (
                name,
                one.case.question.id,
                *(getattr(place, bar) for bar, (place, _) in TRIED.items()),
            )
            extract = ByReader(KeptReader(CommonNamesReader(), self.kept), second=second, plain=plain)
            if drafted not in self.drafts:
                with patch.object(extract_reader, "_values", values):
                    step = Casc(cast("Store", one.shelf), extract)
                    self.drafts[drafted] = step.apply(query, Draft(one.passages), budget)
            draft = self.drafts[drafted]
            context = assemble(query, draft, budget, Sections())
            reader = CascReader(plain=plain)
            answer = reader.answer(context)
            notes = SimpleNamespace(facts=draft.notes["facts"], conflicts=draft.notes["conflicts"])
            found = one.judged(answer, notes)
            claims = {"claimed": answer.found, "claimed right": answer.found and found["right"]}
            for key, value in {**found, **claims}.items():
                held[key] += value
                of[key] += 1
        return {key: (held[key], of[key]) for key in of}


def worth(counts: Mapping[str, tuple[int, int]]) -> float:
    """How much of what is wanted holds, less twice what is not."""
    wanted = [counts[key] for key in COUNTED if key in counts]
    against = sum(counts[key][0] for key in AGAINST if key in counts)
    return (sum(held for held, _ in wanted) - 2 * against) / max(1, sum(of for _, of in wanted))


def total(counts: Mapping[str, Mapping[str, tuple[int, int]]]) -> dict[str, tuple[int, int]]:
    """The counts of all sets together: a case counts the same in each."""
    keys = dict.fromkeys(key for mine in counts.values() for key in mine)
    return {
        key: (
            sum(mine.get(key, (0, 0))[0] for mine in counts.values()),
            sum(mine.get(key, (0, 0))[1] for mine in counts.values()),
        )
        for key in keys
    }


@contextmanager
def under(bars: Bars) -> Iterator[None]:
    """With these bars in place of the package's."""
    with ExitStack() as switched:
        for name, value in bars.items():
            switched.enter_context(patch.object(TRIED[name][0], name, value))
        yield


Tried = dict[tuple[str, tuple[tuple[str, float], ...]], dict[str, tuple[int, int]]]


class Sweep:
    """The counts of every set under every setting that was tried; `files` hold those of earlier runs, and the first of them is written."""

    def __init__(self, bench: Bench, names: Sequence[str], files: Sequence[Path]) -> None:
        self.bench, self.names, self.files = bench, names, files
        self.now: dict[str, float] = {name: getattr(place, name) for name, (place, _) in TRIED.items()}
        self.tried: Tried = {}
        for file in files:
            if file.exists():
                self.tried |= pickle.loads(file.read_bytes())  # written by this program

    def at(self, bars: Bars) -> dict[str, dict[str, tuple[int, int]]]:
        """The counts of every set under these bars."""
        setting_of = tuple(sorted(bars.items()))
        missing = [name for name in self.bench.sets if (name, setting_of) not in self.tried]
        with under(bars):
            self.tried |= {(name, setting_of): self.bench.counts(name) for name in missing}
        if missing and self.files:
            self.files[0].write_bytes(pickle.dumps(self.tried))
        found = {name: self.tried[name, setting_of] for name in self.bench.sets}
        if missing:
            moved = {name: value for name, value in bars.items() if value != self.now[name]}
            print(json.dumps({**moved, **{name: round(worth(c), 4) for name, c in found.items()}}), flush=True)
        return found

    def chosen(self, without: str = "") -> dict[str, float]:
        """The bars that all sets but one choose: of each the value that gains most alone, where one gains."""

        def gained(bars: Bars) -> float:
            return worth(total({name: counts for name, counts in self.at(bars).items() if name != without}))

        best, own = dict(self.now), gained(self.now) + 1e-9
        for name in self.names:
            value = max(TRIED[name][1], key=lambda value, name=name: gained({**self.now, name: value}))  # type: ignore[misc]
            if gained({**self.now, name: value}) > own:
                best[name] = value
        return best


def command_of_sets(text: str | None) -> argparse.ArgumentParser:
    """A command line with what says where the sets lie."""
    parser = command_line(text, data=True, questions=50, out="")
    parser.add_argument("--work", type=Path, default=Path("build/organisations"), help="keeps the libraries here")
    parser.add_argument("--scratch", type=Path, default=Path("build/worlds"))
    parser.add_argument(
        "--readings", type=Path, nargs="*", default=[], help="keep what the models read in the first of these"
    )
    parser.add_argument("--sets", nargs="*", help="only these")
    return parser


def sets_of(given: argparse.Namespace, kept: Remembered) -> dict[str, list[Asked]]:
    """The sets that a command line asks for."""
    own = HERE / "conflict-sets"
    made: dict[str, Callable[[], Iterator[Asked]]] = {
        "everyday-conflicts": lambda: written(own / "everyday-conflicts" / "questions.jsonl"),
        "written-dev": lambda: written(HERE / "written-conflicts" / "dev.jsonl"),
        "second-dev": lambda: written(HERE / "written-conflicts" / "second-dev.jsonl"),
        "tables-dev": lambda: written(HERE / "written-conflicts" / "tables-dev.jsonl"),
        "scidocs-conflicts": lambda: labelled(cases("scidocs-conflicts", own, given.questions, given.scratch)),
        "research-notes": lambda: labelled(
            cases("scidocs-conflicts", own / "research-notes" / "dev", given.questions, given.scratch)
        ),
        "worlds-dev": lambda: labelled(cases("worlds-dev", given.data, given.questions, given.scratch)),
        "passages-nq-gold": lambda: labelled(cases("passages-nq-gold", given.data, given.questions, given.scratch)),
        **{name: partial(of_organisation, name, given.work, kept) for name in ORGANISATIONS},
    }
    return {name: list(build()) for name, build in made.items() if not given.sets or name in given.sets}


def main() -> None:
    """Run, print and write."""
    parser = command_of_sets(__doc__)
    parser.add_argument("--bars", nargs="*", default=list(TRIED), help="only these")
    parser.add_argument("--tried", type=Path, nargs="*", default=[], help="keep counts in the first of these files")
    parser.add_argument("--part", action="store_true", help="only count, for a run that chooses over all sets")
    given = parser.parse_args()
    kept = Remembered(given.readings)
    sets = sets_of(given, kept)
    sweep = Sweep(Bench(sets, kept), given.bars, given.tried)
    before = sweep.at(sweep.now)
    kept.keep()
    if given.part:
        for name in given.bars:
            for value in TRIED[name][1]:
                sweep.at({**sweep.now, name: value})
        kept.keep()
        return
    best = sweep.chosen()
    left_out = {}
    for name in sets:
        bars = sweep.chosen(without=name)
        left_out[name] = {"bars": bars, "before": before[name], "after": sweep.at(bars)[name]}
    kept.keep()
    alone = {name: {str(v): sweep.at({**sweep.now, name: v}) for v in TRIED[name][1]} for name in given.bars}
    record = {
        "before": {"bars": sweep.now, "worth": worths(before), "counts": before},
        "chosen": {"bars": best, "worth": worths(sweep.at(best)), "counts": sweep.at(best)},
        "each left out": left_out,
        "alone": {
            name: {v: {"worth": worths(counts), "all": total(counts)} for v, counts in tried.items()}
            for name, tried in alone.items()
        },
        **setting(),
    }
    write(given.out, record)


def worths(counts: Mapping[str, Mapping[str, tuple[int, int]]]) -> dict[str, float]:
    """The worth of every set, and of all cases."""
    return {name: round(worth(mine), 4) for name, mine in {**counts, "all": total(counts)}.items()}


if __name__ == "__main__":
    main()
