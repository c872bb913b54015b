"""Fewer questions are asked among the documents that come with them, and a line says so."""

from __future__ import annotations

from dataclasses import replace

from decoct.data import Document
from decoct_lab.dataset import Dataset, Question, Spec
from decoct_lab.reproduce.limited import limited

SPEC = Spec("small", "Small", "ours", "CC0", "", "passage", ("token_f1",))
DOCUMENTS = tuple(Document(f"d{n}", "Words of a passage.") for n in range(12))


def dataset(*questions: Question) -> Dataset:
    return Dataset(SPEC, {}, questions, lambda: iter(DOCUMENTS), {one.id: len(one.text) for one in DOCUMENTS})


QUESTIONS = tuple(
    Question(f"q{n}", "Which?", supporting_ids=(f"d{3 * n}",), candidate_ids=(f"d{3 * n + 1}", f"d{3 * n + 2}"))
    for n in range(4)
)


def test_what_comes_with_the_questions_is_the_corpus() -> None:
    small, told = limited(dataset(*QUESTIONS), 2, seed=0)
    (first, second) = sorted({one.id[1:] for one in small.documents()}, key=int)[::3]
    kept = [f"d{int(start) + more}" for start in (first, second) for more in range(3)]
    assert [one.id for one in small.documents()] == kept == list(small.lengths)
    assert small.questions == QUESTIONS  # who draws them draws the same
    assert told.startswith(
        "what is measured is finding among the 6 passages that come with these 2 questions, not among all 12"
    )


def test_the_questions_drawn_are_those_whose_documents_are_kept() -> None:
    from decoct.evaluate.run import sample

    for seed in range(5):
        small, _ = limited(dataset(*QUESTIONS), 1, seed)
        (drawn,) = sample(small.questions, 1, seed)
        assert sorted(small.lengths) == sorted((*drawn.supporting_ids, *drawn.candidate_ids))


def test_all_questions_or_one_without_candidates_have_the_whole_set() -> None:
    whole = dataset(*QUESTIONS)
    for n in (None, 4, 9):
        assert limited(whole, n, 0) == (whole, "")
    without = dataset(*(replace(one, candidate_ids=()) for one in QUESTIONS))
    assert limited(without, 2, 0) == (without, "")
