"""2WikiMultiHopQA (Ho et al., 2020): questions over two to four Wikipedia paragraphs, with answer aliases.

`questions=benchmark` (the default) takes the 1,000-question benchmark that HippoRAG samples and its 6,119 passages, as 002 does; most of
these have gold passages but no gold sentences, so passages are the unit of gold. `questions=all` adds the others and their passages.
`scope=candidates` retrieves from the passages given with each question, as MergeRAG probably does; questions without any are left out
(of the benchmark's most have none: take `questions=all`).
"""

from __future__ import annotations

from pathlib import Path

from decoct.evaluate.dataset import Dataset, Hub, Options, Spec
from decoct.evaluate.datasets.layout import SCOPE, Layout, load_layout
from decoct.evaluate.datasets.multihop import load_multihop
from decoct.evaluate.datasets.records import Record, jsonl, release

SPEC = Spec(
    name="2wikimultihopqa",
    title="2WikiMultiHopQA (Ho et al., 2020)",
    source="https://github.com/Alab-NII/2wikimultihop",
    licence="Apache-2.0 (data set); CC BY-SA (Wikipedia text)",
    notes="questions=benchmark is the 1,000-question benchmark of HippoRAG and 002",
    gold="passage",
    metrics=(
        "token_f1",
        "exact_match",
        "recall@5",
        "all_gold",
        "passage_recall",
        "evidence_recall",
        "answer_in_context",
    ),
    options={"questions": ("benchmark", "all"), "scope": SCOPE},
    hub=Hub("osunlp/HippoRAG_2", ("2wikimultihopqa.json",)),
)
RELEASES = ("2wikimultihopqa.json", "dev.json", "train.json", "rows.jsonl")
OWN_FIELDS = ("evidences", "evidences_id", "entity_ids", "answer_id")


def load(path: Path, options: Options) -> Dataset:
    """Read the folder in Decoct's layout, or with a file of the release (with `id_aliases.json`, where it is there)."""
    if file := release(path, *RELEASES):
        aliases = _aliases(file.parent / "id_aliases.json")
        return load_multihop(file, SPEC, options, prefix="tw", extra=OWN_FIELDS, aliases=aliases)

    def wanted(record: Record) -> bool:
        return options["questions"] == "all" or record.data.get("benchmark_1000") is True

    def asked(record: Record) -> bool:
        return wanted(record) and (options["scope"] != "candidates" or bool(record.texts("candidate_ids", default=())))

    layout = Layout(
        extra=("source_split", "benchmark_1000", "evidences"),
        dropped=("benchmark_1000",),
        keep_question=asked,
        keep_passage=wanted,
    )
    return load_layout(path, SPEC, options, layout)


def _aliases(file: Path) -> dict[str, tuple[str, ...]]:
    if not file.is_file():
        return {}
    return {
        record.text("Q_id"): (*record.texts("aliases", default=()), *record.texts("demonyms", default=()))
        for record in jsonl(file)
    }
