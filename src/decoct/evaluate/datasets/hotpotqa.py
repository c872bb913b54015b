"""HotpotQA (Yang et al., 2018): questions that need two Wikipedia paragraphs, with their supporting sentences.

`setting=distractor` (the default) takes the questions whose gold paragraphs were put among the ten given; `setting=fullwiki` those whose
paragraphs a retriever had to find, which lean to the easily retrieved. The corpus is always the paragraphs of all of them.
"""

from __future__ import annotations

from pathlib import Path

from decoct.evaluate.dataset import Dataset, Hub, Options, Spec
from decoct.evaluate.datasets.layout import SCOPE, Layout, load_layout
from decoct.evaluate.datasets.multihop import load_multihop
from decoct.evaluate.datasets.records import release

SPEC = Spec(
    name="hotpotqa",
    title="HotpotQA (Yang et al., 2018)",
    source="https://hotpotqa.github.io/",
    licence="CC BY-SA 4.0",
    notes="setting=distractor is the benchmark setting here",
    gold="sentence",
    metrics=(
        "token_f1",
        "exact_match",
        "recall@5",
        "all_gold",
        "evidence_recall",
        "evidence_precision",
        "passage_recall",
    ),
    options={"setting": ("distractor", "fullwiki", "all"), "scope": SCOPE},
    hub=Hub("osunlp/HippoRAG_2", ("hotpotqa.json",)),
)
RELEASES = {
    "distractor": ("hotpot_dev_distractor_v1*.json*", "hotpot_train_v1*.json*", "hotpotqa.json", "rows.jsonl"),
    "fullwiki": ("hotpot_dev_fullwiki_v1*.json*", "hotpot_test_fullwiki_v1*.json*"),
    "all": (),
}


def load(path: Path, options: Options) -> Dataset:
    """Read the folder in Decoct's layout, or a file of the release, or rows of the hub (1,000 questions of it come from the hub)."""
    setting = options["setting"]
    if file := release(path, *RELEASES[setting]):
        return load_multihop(file, SPEC, options, prefix="hp", extra=(), aliases={})
    layout = Layout(
        extra=("level", "setting", "source_split"),
        keep_question=lambda record: setting in ("all", record.text("setting")),
    )
    return load_layout(path, SPEC, options, layout)
