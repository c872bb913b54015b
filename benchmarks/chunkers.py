"""Chunkers compared: how much evidence a budget holds, whether the first chunk is in the gold, and what had to be embedded for it.

    python benchmarks/chunkers.py --data ../shared/data                       # the public sets, all chunkers
    python benchmarks/chunkers.py --data ../shared/data --sets manuals --out benchmarks/results/chunkers_manuals.json

Long documents are what chunkers differ on: the passages of CovidQA and QMSum are put together again to the articles and meetings they
were cut from. A set is a sample of its questions (`--questions`) with their documents and distractors. `manuals` (240 files as their
owners have them) is reported, never chosen by: its gold places are the characters of a file's text that hold a question's quote.

`tokens` are those that were embedded, titles included: the cost. Vectors are kept by text in --cache, so that equal chunks of several
chunkers are embedded once, and a second run embeds nothing. The run itself is `decoct evaluate`'s: systems are recipes over chunkers.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sqlite3
import tarfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from setting import command_line, setting, write

from decoct.data import Document, Floats, Span
from decoct.documents.base import Failure
from decoct.documents.formats import parse
from decoct.documents.sources import sources
from decoct.embed.base import Embedder, TextKind
from decoct.embed.resolve import open_embedder
from decoct.embed.tokenizer import default_tokenizer
from decoct.evaluate.dataset_types import fingerprint
from decoct.evaluate.record import read_rows
from decoct.evaluate.session import Setup, execute
from decoct.evaluate.significance import paired_bootstrap
from decoct.evaluate.system import System, chunker_json
from decoct.ingest import search_text
from decoct.recipe import load_recipe
from decoct_lab.corpora import libraries
from decoct_lab.dataset import Dataset, Question, Spec, load
from decoct_testing.hash_embedder import HashEmbedder

CHUNKERS: Mapping[str, Mapping[str, Any]] = {
    "fixed-150-half": {"use": "fixed", "tokens": 150, "overlap": 0.5},
    "fixed-150": {"use": "fixed", "tokens": 150, "overlap": 0.0},
    "sentence-150": {"use": "sentence", "tokens": 150},
    "sentence-150-one": {"use": "sentence", "tokens": 150, "overlap": 1},
    "structure-100": {"use": "structure", "tokens": 100},
    "structure-150": {"use": "structure", "tokens": 150},
    "structure-150-one": {"use": "structure", "tokens": 150, "overlap": 1},
    "structure-150-section": {"use": "structure", "tokens": 150, "titles": "section"},
    "structure-200": {"use": "structure", "tokens": 200},
    "structure-200-one": {"use": "structure", "tokens": 200, "overlap": 1},
    "structure-240": {"use": "structure", "tokens": 240},
}
BASELINE = "fixed-150-half"
BUDGETS = (300, 600, 900, 1800)
METRICS = ("evidence_recall", "chunk_hit@1")
PUBLIC = ("covidqa", "qmsum", "clapnq", "2wikimultihopqa", "hotpotqa", "musique")
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "clapnq": {"questions": "answerable"},
    "hotpotqa": {"setting": "distractor"},
}
RECIPES: Mapping[str, Mapping[str, Any]] = {"bm25": {"retrieve": "bm25", "context": ["stitch"]}}
JOINED = ("covidqa", "qmsum")
MOST_OF_ONE = 8  # questions about one document, so that a sample is of many
MOST_PASSAGES = 600  # of a set of short passages: gold and given ones first, then others at random


@dataclass(frozen=True, slots=True)
class Kept:
    """`embedder`, with every vector kept in a file by its text."""

    embedder: Embedder
    file: Path

    @property
    def fingerprint(self) -> str:
        """The embedder's own: the vectors are the same."""
        return self.embedder.fingerprint

    @property
    def dimension(self) -> int:
        """The embedder's own."""
        return self.embedder.dimension

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """Each text's vector, embedded at most once in the life of the file."""
        keys = [hashlib.sha256(f"{self.fingerprint}\n{kind}\n{text}".encode()).digest() for text in texts]
        connection = sqlite3.connect(self.file)
        try:
            connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)")
            found: dict[bytes, bytes] = {}
            for key in keys:
                row = connection.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
                if row:
                    found[key] = row[0]
            new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
            rows = self.embedder.embed(list(new.values()), kind)
            made = {key: row.tobytes() for key, row in zip(new, rows, strict=True)}
            with connection:
                connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", made.items())
        finally:
            connection.close()
        found.update(made)
        vectors = [np.frombuffer(found[key], dtype=np.float32) for key in keys]
        return np.stack(vectors) if vectors else np.empty((0, self.dimension), dtype=np.float32)


def of_documents(spec: Spec, name: str, documents: Sequence[Document], questions: Sequence[Question]) -> Dataset:
    """A data set of these documents and questions, gold by characters."""
    return Dataset(
        spec=replace(spec, gold="sentence"),
        options={"benchmark": name},
        questions=tuple(questions),
        read=lambda: iter(documents),
        lengths={document.id: len(document.text) for document in documents},
    )


def whole_documents(dataset: Dataset, wanted: int, seed: int) -> Dataset:
    """`wanted` questions or a few more about whole documents: passages of one `document_id` in their order, blank lines between them."""
    passages: dict[str, list[Document]] = defaultdict(list)
    for passage in dataset.documents():
        passages[str(passage.metadata["document_id"])].append(passage)
    asked: dict[str, list[Question]] = defaultdict(list)
    for question in dataset.questions:
        if dataset.gold(question):
            asked[str(question.extra["document_id"])].append(question)
    groups = sorted(asked)
    draw = random.Random(seed)
    draw.shuffle(groups)
    documents: list[Document] = []
    questions: list[Question] = []
    for group in groups:
        text, places = "", {}
        for passage in sorted(passages[group], key=lambda one: int(str(one.metadata.get("order", 0)))):
            text += "\n\n" if text else ""
            places[passage.id] = len(text)
            text += passage.text
        title = re.sub(r" part \d+$", "", passages[group][0].title)
        documents.append(Document(group, text, title, metadata={"document_id": group}))
        draw.shuffle(asked[group])
        for question in asked[group][:MOST_OF_ONE]:
            gold = [
                Span(group, places[s.doc_id] + s.start, places[s.doc_id] + s.end)
                for s in dataset.gold(question)
                if s.doc_id in places
            ]
            questions.append(replace(question, supporting_ids=(group,), supporting=tuple(gold)))
        if len(questions) >= wanted:
            break
    return of_documents(dataset.spec, f"joined-{len(questions)}-{seed}", documents, questions)


def short(dataset: Dataset, wanted: int, seed: int) -> Dataset:
    """`wanted` questions over the passages of the set: theirs, those given with them, and others up to `MOST_PASSAGES`."""
    questions = [question for question in dataset.questions if dataset.gold(question)]
    draw = random.Random(seed)
    draw.shuffle(questions)
    questions = [replace(one, supporting=dataset.gold(one)) for one in questions[:wanted]]
    needed = {i for one in questions for i in one.supporting_ids}
    given = sorted({i for one in questions for i in one.candidate_ids} - needed)
    others = sorted(set(dataset.lengths) - needed - set(given))
    for some in (given, others):
        draw.shuffle(some)
    kept = set([*sorted(needed), *given, *others][:MOST_PASSAGES])
    documents = [document for document in dataset.documents() if document.id in kept]
    return of_documents(dataset.spec, f"short-{len(questions)}-{seed}", documents, questions)


def manuals(folder: Path, work: Path, *, answering: bool) -> Dataset:
    """The files of `manuals` as `decoct ingest` reads them, and the questions whose quotes stand in the text that was read.

    `answering` leaves out files that answer none of them.
    """
    if not (work / "public").is_dir():
        work.mkdir(parents=True, exist_ok=True)
        with tarfile.open(folder / "corpus.tar.gz") as archive:
            archive.extractall(work, filter="data")
    documents = {}
    for source in sources([work / "public"]):
        for document in () if isinstance(source, Failure) else parse(source):
            if isinstance(document, Document) and document.text.strip():
                file = str(Path(document.source).resolve().relative_to((work / "public").resolve()))
                documents[file] = replace(document, id=file)
    plain = {file: _letters(document.text) for file, document in documents.items()}
    questions = []
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        raw = json.loads(line)
        places = tuple(span for one in raw["sources"] for span in _quoted(plain, one["file"], one["quote"]))
        if places:
            ids = tuple(dict.fromkeys(span.doc_id for span in places))
            questions.append(Question(raw["id"], raw["question"], tuple(raw["answers"]), ids, places, raw["kind"]))
    spec = Spec("manuals", "manuals", "", "", "", "sentence", METRICS)
    gold = {i for question in questions for i in question.supporting_ids}
    kept = [document for document in documents.values() if document.id in gold or not answering]
    return of_documents(spec, f"manuals-{len(kept)}", kept, questions)


def _letters(text: str) -> tuple[str, list[int]]:
    """The letters and digits of a text in lower case, and where each stands."""
    kept = [(letter, at) for at, raw in enumerate(text) for letter in raw.lower() if letter.isalnum()]
    return "".join(letter for letter, _ in kept), [at for _, at in kept]


def _quoted(plain: Mapping[str, tuple[str, list[int]]], file: str, quote: str) -> Iterator[Span]:
    letters, places = plain.get(file, ("", []))
    wanted = _letters(quote)[0]
    at = letters.find(wanted)
    if wanted and at >= 0:
        yield Span(file, places[at], places[at + len(wanted) - 1] + 1)


def dataset_of(name: str, arguments: argparse.Namespace) -> Dataset:
    """The sample of a set."""
    if name == "manuals":
        return manuals(
            Path(arguments.data) / "manuals", Path(arguments.cache) / "manuals", answering=arguments.answering
        )
    loaded = load(name, arguments.data, OPTIONS.get(name, {}))
    return (whole_documents if name in JOINED else short)(loaded, arguments.questions, arguments.seed)


def run(dataset: Dataset, arguments: argparse.Namespace, embedder: Embedder) -> dict[str, Any]:
    """All chunkers under all recipes on one set."""
    cache = Path(arguments.cache)
    chunkers = {name: chunker_json(CHUNKERS[name]) for name in arguments.chunkers.split(",")}
    recipes = {name: load_recipe(RECIPES.get(name, name)) for name in arguments.recipes.split(",")}
    setup = Setup(budgets=BUDGETS, metrics=METRICS, cache=cache, embedder=embedder, workers=1)
    digest = fingerprint(dataset)
    rows = []
    for c, chunker in chunkers.items():  # a record a chunker, so that one can be added later
        systems = [System(f"{r} on {c}", recipe, chunker) for r, recipe in recipes.items()]
        out = cache / "runs" / f"{dataset.spec.name}-{digest}-{c}"
        print(f"{dataset.spec.name}, {c}", flush=True)
        execute(dataset, systems, setup, out, _progress)
        rows += [row for row in read_rows(out) if row.error is None]
    values: dict[str, dict[str, dict[str, list[float]]]] = {
        c: {r: defaultdict(list) for r in recipes} for c in chunkers
    }
    for row in sorted(rows, key=lambda one: one.question):
        recipe, chunker = row.system.split(" on ")
        recall, hit = row.metrics["evidence_recall"], row.metrics["chunk_hit@1"]
        if recall is None or hit is None:
            raise SystemExit(f"{dataset.spec.name}: {row.question} has no gold")
        values[chunker][recipe][f"evidence_recall@{row.budget}"].append(recall)
        if row.budget == BUDGETS[0]:
            values[chunker][recipe]["hit@1"].append(hit)
    results: dict[str, Any] = {"n": len(dataset.questions), "documents": len(dataset.lengths), "chunkers": {}}
    with libraries(dataset, set(chunkers.values()), cache, embedder=embedder) as opened:
        for name, chunker in chunkers.items():
            store = opened[chunker].store
            texts = [search_text(c) for i in dataset.lengths for c in store.chunks(store.chunk_keys(i))]
            results["chunkers"][name] = {
                "chunks": len(texts),
                "tokens": sum(default_tokenizer().counts(texts)),
                **{r: {m: round(fmean(v), 4) for m, v in of.items()} for r, of in values[name].items()},
                **_against(values[name], values.get(BASELINE), name),
            }
    return results


def _progress(text: str) -> None:
    print(f"  {text}", flush=True)


def _against(
    mine: Mapping[str, Mapping[str, Sequence[float]]],
    base: Mapping[str, Mapping[str, Sequence[float]]] | None,
    name: str,
) -> dict[str, Any]:
    """The difference of each measure to the baseline's, with its 95 % interval (paired bootstrap)."""
    if base is None or name == BASELINE:
        return {}
    found: dict[str, dict[str, list[float]]] = {}
    for recipe, measures in mine.items():
        for measure, values in measures.items():
            one = paired_bootstrap(values, base[recipe][measure], names=(name, BASELINE))
            found.setdefault(recipe, {})[measure] = [round(x, 4) for x in (one.difference, one.low, one.high)]
    return {"difference": found}


def main() -> None:
    """Run and print; write the results as JSON."""
    parser = command_line(__doc__, data=True, questions=100, out="chunkers.json")
    parser.add_argument("--cache", default="runs/chunkers", help="libraries, vectors and rows; kept for the next run")
    parser.add_argument("--sets", default=",".join(PUBLIC))
    parser.add_argument("--chunkers", default=",".join(CHUNKERS))
    parser.add_argument("--recipes", default="naive,default")
    parser.add_argument(
        "--words-only", action="store_true", help="embed nothing (with --recipes of BM25 alone): minutes, not hours"
    )
    parser.add_argument("--answering", action="store_true", help="of manuals, the files that answer a question")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    Path(arguments.cache).mkdir(parents=True, exist_ok=True)
    minilm = Kept(open_embedder("minilm"), Path(arguments.cache) / "vectors.db")
    embedder: Embedder = HashEmbedder(8) if arguments.words_only else minilm
    results: dict[str, Any] = {}
    for name in arguments.sets.split(","):
        results[name] = run(dataset_of(name, arguments), arguments, embedder)
        print(f"{name}: n={results[name]['n']}, {results[name]['documents']} documents")
        for chunker, found in results[name]["chunkers"].items():
            for recipe in arguments.recipes.split(","):
                figures = " ".join(f"{found[recipe][f'evidence_recall@{b}']:.3f}" for b in BUDGETS)
                line = f"  {chunker:<20}{recipe:<10}{found['chunks']:>7}{found['tokens']:>9}"
                print(f"{line}  {figures}  hit@1 {found[recipe]['hit@1']:.3f}", flush=True)
        write(arguments.out, {**setting(), "sets": results}, show=False)


if __name__ == "__main__":
    main()
