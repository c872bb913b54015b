"""Quality at size: the questions of public sets, each over its own library, over one library of all of them, and with distractors.

    nice -n 15 python benchmarks/one_library.py --data ../shared/data --libraries runs/libraries --work runs/one-library --questions 100

Of each set its library (chunked and embedded alike, as `decoct evaluate` keeps them) is copied into one, under ids that begin with the
set's name; nothing is embedded again. A copy that was interrupted goes on. R@5 counts documents by their first chunk; a document of another
set with the very same text as a gold one is that document. `--distractors 100000,1000000` adds chunks until there
are so many, and asks again at each number; each is made of two real ones (every second word of the one, the others of the other; the middle
of their vectors, with noise): new passages about the corpus's own matters. Four of them are a document, with `--titles first` under the
title of the first real chunk, so that every title soon stands over several documents, with `--titles mixed` under its title and the other's
mixed as the texts are.

What is held to: from a set's own library to all together, and further to the distractors, `default` falls by no more than `hybrid` and .01.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from setting import command_line, setting, write

from decoct import Library
from decoct.data import Chunk, Document, Link, Span
from decoct.index.abilities import SupportsEntries, caught_up, session_of
from decoct.index.base import Entry, Store
from decoct.index.resolve import stored_settings
from decoct.structure.traits import traits_of
from decoct.text.languages import AUTO
from decoct_lab.dataset import Question, load

SETS = ("2wikimultihopqa", "clapnq", "covidqa", "hotpotqa", "musique", "nq-gold", "pubmedqa")
SYSTEMS = ("default", "hybrid")
PAGE, PER_DOCUMENT, MARK = 500, 4, "distractor:"
Scores = dict[str, dict[str, list[float]]]


def renamed(entry: Entry, name: str) -> Entry:
    """The entry under an id that begins with its set's name."""
    document = entry.document
    links = tuple(Link(one.start, one.end, f"{name}:{one.target}") for one in document.links)
    chunks = tuple(replace(one, span=replace(one.span, doc_id=f"{name}:{one.span.doc_id}")) for one in entry.chunks)
    return replace(entry, document=replace(document, id=f"{name}:{document.id}", links=links), chunks=chunks)


def gather(name: str, source: Store, target: Store) -> None:
    """Copy the set's library; documents that are there already are passed over."""
    assert isinstance(source, SupportsEntries)
    ids = [info.id for info in source.documents()]
    with session_of(target):
        for at in range(0, len(ids), PAGE):
            there = target.digests([f"{name}:{one}" for one in ids[at : at + PAGE]])
            missing = [one for one in ids[at : at + PAGE] if f"{name}:{one}" not in there]
            if missing:
                target.put([renamed(entry, name) for entry in source.entries(missing)])
        caught_up(target)


def distractors(store: Store, chunks: int, titles: str) -> Iterator[list[Entry]]:
    """The batches that the library lacks, of documents made of two real chunks each time: the same whenever they are made."""
    real = [info.id for info in store.documents() if not info.id.startswith(MARK)]
    keys = np.concatenate([store.chunk_keys(one) for one in real])
    for number in range(chunks // PAGE):
        if store.digests([f"{MARK}{titles}:{number:05}-000"]):
            continue
        random_ = np.random.default_rng([13, number])
        pairs = random_.choice(keys, (PAGE, 2))
        one, other = (store.chunks(pairs[:, side]) for side in (0, 1))
        middle = store.vectors(pairs[:, 0]) + store.vectors(pairs[:, 1])
        middle += 0.02 * random_.standard_normal(middle.shape).astype(np.float32)
        middle /= np.linalg.norm(middle, axis=1, keepdims=True)
        batch = []
        for at in range(0, PAGE, PER_DOCUMENT):
            id_ = f"{MARK}{titles}:{number:05}-{at:03}"
            title = one[at].title if titles == "first" else mixed(one[at].title or "", other[at].title or "")
            pieces = [mixed(one[n].text, other[n].text) for n in range(at, at + PER_DOCUMENT)]
            starts = np.cumsum([0, *(len(piece) + 1 for piece in pieces)]).tolist()
            document = Document(id_, "\n".join(pieces), title, id_)
            cut = tuple(
                Chunk(Span(id_, start, start + len(piece)), piece, title)
                for start, piece in zip(starts, pieces, strict=False)
            )
            found = traits_of(document, cut, AUTO)
            batch.append(
                Entry(
                    document,
                    cut,
                    middle[at : at + PER_DOCUMENT],
                    id_,
                    found.names,
                    found.mentions,
                    found.traits,
                    found.signatures,
                )
            )
        yield batch


def mixed(one: str, other: str) -> str:
    """Every second word of the one, the others of the other."""
    words, others = one.split(), other.split()
    return " ".join(others[n] if n % 2 and n < len(others) else word for n, word in enumerate(words))


def texts(store: Store, ids: Sequence[str]) -> set[str]:
    """What tells the texts of documents: the first part of their digests."""
    return {digest.partition("-")[0] for digest in store.digests(list(ids)).values()}


def asked(
    library: Library, questions: Sequence[Question], prefix: str
) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """R@5 and processor milliseconds of each system, and its scores question by question."""
    figures: dict[str, Any] = {}
    scores: dict[str, list[float]] = {}
    for system in SYSTEMS:
        pipeline = library.pipeline(system)
        taken, own = [], []
        for question in questions:
            library.embedder.embed([question.question], "query")  # kept: the search finds it embedded
            start = time.process_time()
            hits = library.search(question.question, 40, system)
            taken.append(1000 * (time.process_time() - start))
            found = list(dict.fromkeys(hit.chunk.span.doc_id for hit in hits))[:5]
            wanted = texts(library.store, [f"{prefix}{one}" for one in question.supporting_ids])
            own.append(len(wanted & texts(library.store, found)) / len(wanted))
        assert pipeline is library.pipeline(system)
        scores[system] = own
        figures[system] = {"R@5": round(mean(own), 4), "search_cpu_ms": round(median(taken), 1)}
    return figures, scores


def fallen(before: Scores, after: Scores) -> dict[str, float]:
    """How much R@5 of each system fell, over all questions."""
    all_before = {system: [one for scores in before.values() for one in scores[system]] for system in SYSTEMS}
    all_after = {system: [one for scores in after.values() for one in scores[system]] for system in SYSTEMS}
    return {system: round(mean(all_before[system]) - mean(all_after[system]), 4) for system in SYSTEMS}


def main() -> None:
    """Gather, ask, write the results after every step."""
    parser = command_line(__doc__, data=True, out="one_library.json")
    parser.add_argument("--libraries", type=Path, required=True, help="folder that holds the sets' libraries by name")
    parser.add_argument("--work", type=Path, default=Path("runs/one-library"), help="where the one library is kept")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--questions", type=int, default=100, help="drawn of each set, seed 0")
    parser.add_argument("--distractors", default="", help="numbers of chunks, growing, asked at each")
    parser.add_argument("--titles", choices=("first", "mixed"), default="first", help="of the distractors' documents")
    given = parser.parse_args()
    names = given.sets.split(",")
    numbers = [int(one) for one in given.distractors.split(",") if one]
    results: dict[str, Any] = {
        **setting(),
        "questions": given.questions,
        "distractors": numbers,
        "titles": given.titles,
        "sets": {},
    }
    drawn: dict[str, list[Question]] = {}
    settings = stored_settings(given.libraries / names[0]) or {}
    whole = Library.open(
        given.work, embedder=settings["embedder_spec"], chunker=json.loads(settings["chunker"]), language="en"
    )
    alone: Scores = {}
    for name in names:
        questions = [one for one in load(given.data / name).questions if one.supporting_ids]
        random.Random(0).shuffle(questions)
        with Library.open(given.libraries / name, create=False) as library:
            # A library may hold a draw of its set's passages: asked is what it holds all gold passages of.
            held = (
                one for one in questions if set(one.supporting_ids) == set(library.store.digests(one.supporting_ids))
            )
            drawn[name] = list(islice(held, given.questions))
            figures, alone[name] = asked(library, drawn[name], "")
            status = library.status()
            results["sets"][name] = {"n": len(drawn[name]), "documents": status.documents, "alone": figures}
            print(name, results["sets"][name], flush=True)
            gather(name, library.store, whole.store)
    steps = {"together": 0, **{f"with {number:,} distractors": number for number in numbers}}
    with whole:
        there = PER_DOCUMENT * sum(info.id.startswith(MARK) for info in whole.store.documents())
        for step, extra in steps.items():
            if extra < there:  # from a run before, whose results tell it
                continue
            began, worked = time.perf_counter(), time.process_time()
            with session_of(whole.store):
                for batch in distractors(whole.store, extra, given.titles):
                    whole.store.put(batch)
                caught_up(whole.store)
            added = {"wall_s": round(time.perf_counter() - began), "cpu_s": round(time.process_time() - worked)}
            print(step, "added", added, flush=True)
            status = whole.status()
            scores: Scores = {}
            for name in names:
                results["sets"][name][step], scores[name] = asked(whole, drawn[name], f"{name}:")
                print(step, name, results["sets"][name][step], flush=True)
            fall = fallen(alone, scores)
            results[step] = {
                "documents": status.documents,
                "chunks": status.chunks,
                "added": added,
                "fall of R@5": fall,
                "held": fall["default"] <= fall["hybrid"] + 0.01,
            }
            print(step, results[step], flush=True)
            write(given.out, results, show=False)


if __name__ == "__main__":
    main()
