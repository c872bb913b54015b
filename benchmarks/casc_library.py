"""`casc` beside `default` on whole libraries: which claims of ordinary questions are right.

    python benchmarks/casc_library.py [--questions 20] [--work DIR] [--kept FILE] --out FILE

Of each development organisation thirty needs are drawn by a fixed seed and the first `--questions` asked, each in its first wording, of
what its library finds. A claim is right as in organisations.py. `--kept` holds what was asked and the contexts that `casc` made, so that
another reader of notes is judged in minutes.
"""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from organisations import judged
from setting import HERE, command_line, setting, share, tell, write

from decoct import Answer, Library
from decoct.answer.casc import CascReader

FOLDERS = ("dev-harbour", "dev-foundry", "dev-coop", "dev-market")
DRAWN, SEED = 30, 39


def drawn(name: str) -> list[dict[str, Any]]:
    """One wording of thirty needs."""
    first: dict[str, dict[str, Any]] = {}
    for line in (HERE / "organisations" / name / "questions.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        first.setdefault(one["group"], one)
    return random.Random(SEED).sample(sorted(first.values(), key=itemgetter("id")), DRAWN)


def asked(library: Library, name: str, question: dict[str, Any]) -> dict[str, Any]:
    """The answer of `default`, the context of `casc`, and where their documents come from."""
    answer, context = library.ask(question["question"]), library.context(question["question"], recipe="casc")
    spans = [span for note in context.notes["read"] for span in cast("Any", note).passage.support]
    ids = {one.doc_id for one in (*spans, *(citation.source for citation in answer.citations))}
    sources = {doc_id: library.document(doc_id).source for doc_id in ids}
    return {"set": name, "id": question["id"], "q": question, "d": answer, "c": context, "docs": sources}


def verdict(row: dict[str, Any], answer: Answer) -> str:
    """Whether an answer claims nothing, what is right, or what is wrong."""
    known = SimpleNamespace(document=lambda doc_id: SimpleNamespace(source=row["docs"].get(doc_id, doc_id)))
    found = judged(row["q"], answer, cast("Library", known))
    if found["outcome"] != "answer":
        return "no claim"
    return "right" if found["right"] else "wrong"


def main() -> None:
    """Ask, read and write."""
    parser = command_line(__doc__, questions=20, out="")
    parser.add_argument("--work", type=Path, default=Path("build/organisations"), help="keeps the libraries here")
    parser.add_argument("--kept", type=Path, help="keeps what was asked here")
    given = parser.parse_args()
    rows = (
        pickle.loads(given.kept.read_bytes()) if given.kept and given.kept.exists() else []
    )  # written by this program
    known = {(row["set"], row["id"]): row for row in rows}
    reader, told = CascReader(), []
    for name in FOLDERS:
        for question in drawn(name)[: given.questions]:
            if (name, question["id"]) not in known:
                with Library.open(given.work / name) as library:
                    if not library.status().documents:
                        library.add([HERE / "organisations" / name / "documents"])
                    known[name, question["id"]] = asked(library, name, question)
                if given.kept:
                    given.kept.write_bytes(pickle.dumps([*known.values()]))
            row = known[name, question["id"]]
            answer = reader.answer(row["c"])
            one = {"organisation": name, **{key: question[key] for key in ("id", "kind")}}
            for recipe, made in (("default", row["d"]), ("casc", answer)):
                one[recipe] = {
                    "verdict": verdict(row, made),
                    "score": made.score,
                    "said": [w.text for w in made.answers],
                }
            told.append(one)
            tell(f"{name}: {question['id']}")
    sums = {}
    for recipe in ("default", "casc"):
        claims = [one[recipe]["verdict"] == "right" for one in told if one[recipe]["verdict"] != "no claim"]
        sums[recipe] = {"claims": len(claims), "right": share(claims)}
    pairs = Counter(f"default {one['default']['verdict']}, casc {one['casc']['verdict']}" for one in told)
    write(given.out, {**setting(), "questions": len(told), **sums, "pairs": dict(pairs), "each": told})


if __name__ == "__main__":
    main()
