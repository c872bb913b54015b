"""A set whose documents are all in memory, checked, and the tally of what could not be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from decoct.data import Document
from decoct.errors import EvaluationError
from decoct.evaluate.dataset_types import Dataset, Options, Question, Spec
from decoct.evaluate.datasets.own import check


@dataclass(slots=True)
class Tally:
    """What a loader could not use: counts by reason, and a remark that names each case."""

    counts: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)

    def add(self, reason: str, remark: str = "") -> None:
        """Count one case of `reason`."""
        self.counts[reason] += 1
        if remark:
            self.remarks.append(remark)


def checked_dataset(
    spec: Spec, options: Options, questions: Sequence[Question], documents: Mapping[str, Document], tally: Tally
) -> Dataset:
    """A data set whose documents are all in memory, after `check`; `scope=candidates` asks each question of its own passages alone."""
    if options.get("scope") == "candidates":
        if bare := next((one for one in questions if not one.candidate_ids), None):
            raise EvaluationError(f"{bare.origin}: scope=candidates needs candidate_ids")
        questions = [replace(one, where={"passage": one.candidate_ids}) for one in questions]
        documents = {i: replace(one, metadata={**one.metadata, "passage": i}) for i, one in documents.items()}
    lengths = {i: len(document.text) for i, document in documents.items()}
    check(questions, spec, lengths)
    return Dataset(
        spec,
        options,
        tuple(questions),
        lambda: iter(documents.values()),
        lengths,
        dict(tally.counts),
        tuple(tally.remarks),
    )
