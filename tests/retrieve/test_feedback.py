"""Feedback in text: what is asked the second time, what is made of the lists, and every guard."""

from dataclasses import replace
from typing import Any

import pytest

from decoct.data import Query
from decoct.retrieve.feedback import Feedback, memory_of_pieces
from decoct.retrieve.lexical import BM25
from decoct.retrieve.ranking import by_key
from decoct.trace import recording

TEXT = "Alcala born Bauan studied there Manila school opened early art museum here"
PIECES = ["Alcala born Bauan studied", "there Manila school opened", "early art museum here"]
TABLE = {"q": (1.0, 0.0), PIECES[0]: (0.6, 0.8), PIECES[1]: (0.8, 0.6), PIECES[2]: (0.0, 1.0)}
JOINED = f"q\n{PIECES[1]} {PIECES[0]}"
FIRST = [(1, 0.9), (2, 0.5)]
SECOND = [(3, 0.8), (1, 0.7)]


@pytest.fixture(autouse=True)
def _forget() -> None:
    memory_of_pieces.cache_clear()  # the doubles share a fingerprint and differ in their vectors


@pytest.fixture
def world(make_store: Any, embedder: Any, tokenizer: Any, fixed: Any) -> Any:
    """Make a Feedback over one document in three chunks; the retriever finds SECOND for whatever is not the question."""
    # the first two chunks touch pieces 0 and 1, the third pieces 1 and 2
    store = make_store((TEXT, [(0, 30), (12, 38), (32, len(TEXT))], [[1, 0]] * 3))

    def make(**settings: Any) -> Feedback:
        if "table" in settings:
            memory_of_pieces.cache_clear()  # another table under the same fingerprint
        table = {**TABLE, **settings.pop("table", {})}
        retriever = settings.pop("retriever", None) or fixed(SECOND, "dense", {"q": FIRST, **settings.pop("found", {})})
        return Feedback(
            retriever,
            store,
            embedder(table, default=(1.0, 0.0)),
            tokenizer,
            **{"piece_tokens": 4, "m": 2, "k_docs": 2, **settings},
        )

    return make


class Spy:
    """Notes the passages that are embedded."""

    def __init__(self, embedder: Any, calls: list[str]) -> None:
        self.embedder, self.calls, self.fingerprint = embedder, calls, embedder.fingerprint

    def embed(self, texts: Any, kind: str) -> Any:
        self.calls += [text for text in texts if kind == "passage"]
        return self.embedder.embed(texts, kind)


def asked(feedback: Any) -> list[str]:
    return list(feedback.retriever.asked)


def test_single_pass_to_the_letter(world: Any) -> None:
    feedback = world()
    with recording() as trace:
        found = feedback.retrieve(Query("q"), 5)
    assert asked(feedback) == ["q", JOINED]  # pieces by falling cosine: .8, .6
    assert by_key(found) == {3: pytest.approx(0.8), 1: pytest.approx(0.7)}
    assert found.found_by == {"dense": {1: 0.9}, "feedback": {3: pytest.approx(0.8), 1: pytest.approx(0.7)}}
    assert trace.facts["feedback.overlap"] == 0.5
    assert trace.facts["feedback.pieces"] == [
        {"doc_id": "d0", "start": 26, "end": 52, "score": 0.8},
        {"doc_id": "d0", "start": 0, "end": 25, "score": 0.6},
    ]
    assert not trace.fallbacks


def test_a_piece_is_embedded_once_whichever_feedback_meets_it(world: Any) -> None:
    first, second = world(), world(k_docs=1)
    first.retrieve(Query("q"), 5)
    calls: list[str] = []
    object.__setattr__(second, "embedder", Spy(second.embedder, calls))
    second.retrieve(Query("q"), 5)
    assert asked(second) == ["q", JOINED]
    assert calls == []


def test_pieces_come_from_the_best_chunks_only(world: Any) -> None:
    assert asked(world(m=3)) == []
    feedback = world(m=3, found={"q": [(1, 0.9), (3, 0.5)]})
    feedback.retrieve(Query("q"), 5)
    assert asked(feedback)[1] == f"q\n{PIECES[1]} {PIECES[0]} {PIECES[2]}"
    feedback = world(m=3)
    feedback.retrieve(Query("q"), 5)
    assert asked(feedback)[1] == JOINED


def test_double_pass_expands_the_expanded_question(world: Any) -> None:
    feedback = world(passes=2, m=1, found={f"q\n{PIECES[1]}": [(3, 0.8)]}, table={f"q\n{PIECES[1]}": (0.0, 1.0)})
    feedback.retrieve(Query("q"), 5)
    # the second time chunk 3 gives pieces 1 and 2, of which 2 is the nearer to q'
    assert asked(feedback) == ["q", f"q\n{PIECES[1]}", f"q\n{PIECES[1]}\n{PIECES[2]}"]


def test_a_second_pass_adds_pieces_that_the_first_has_not(world: Any) -> None:
    # q' is nearest to the piece that it holds; only another one makes the second pass a second one
    expanded = f"q\n{PIECES[1]}"
    feedback = world(passes=2, m=1, found={expanded: FIRST}, table={expanded: TABLE[PIECES[1]]})
    feedback.retrieve(Query("q"), 5)
    assert asked(feedback) == ["q", expanded, f"{expanded}\n{PIECES[0]}"]


def test_with_every_piece_added_there_is_no_further_pass(world: Any) -> None:
    feedback = world(passes=3, m=2, retriever=None, found={JOINED: FIRST})
    with recording() as trace:
        feedback.retrieve(Query("q"), 5)
    assert asked(feedback) == ["q", JOINED]
    assert trace.fallbacks == {"feedback.nothing_to_add": 1}


def test_fusing_the_lists(world: Any) -> None:
    found = world(second_pass="rrf").retrieve(Query("q"), 5)
    assert by_key(found) == {
        1: pytest.approx(1 / 61 + 1 / 62),
        3: pytest.approx(1 / 61),
        2: pytest.approx(1 / 62),
    }
    assert found.found_by["dense"] == {1: 0.9, 2: 0.5}


def test_pieces_are_cut_never_the_question(world: Any) -> None:
    feedback = world(query_tokens=6)
    feedback.retrieve(Query("q"), 5)
    assert asked(feedback)[1] == f"q\n{PIECES[1]} Alcala"
    feedback = world(query_tokens=2, found={"one two three": FIRST})
    with recording() as trace:
        found = feedback.retrieve(Query("one two three"), 1)
    assert asked(feedback) == ["one two three"]
    assert found.keys.tolist() == [1]
    assert trace.fallbacks == {"feedback.nothing_to_add": 1}


def test_nothing_found_nothing_added(world: Any) -> None:
    feedback = world(found={"zebra": []})
    assert len(feedback.retrieve(Query("zebra"), 5)) == 0
    assert asked(feedback) == ["zebra"]
    bm25 = BM25(feedback.store)
    assert len(world(retriever=bm25).retrieve(Query("zebra"), 5)) == 0


def test_over_bm25(world: Any) -> None:
    feedback = world(k_docs=1, retriever=BM25(world().store))
    found = feedback.retrieve(Query("born"), 5)
    assert set(found.keys.tolist()) == {1, 2, 3}  # q' shares "school" with the third
    assert set(found.found_by["bm25"]) == {1}


def test_guard_drift(world: Any) -> None:
    with recording() as trace:
        found = world(min_overlap=0.6).retrieve(Query("q"), 5)
    assert found.keys.tolist() == [1, 2]
    assert found.found_by == {"dense": {1: 0.9, 2: 0.5}}
    assert trace.fallbacks == {"feedback.drift": 1}
    assert world(min_overlap=0.5).retrieve(Query("q"), 5).keys.tolist() == [3, 1]


def test_guard_keep_first(world: Any) -> None:
    found = world(keep_first=2).retrieve(Query("q"), 2)
    assert found.keys.tolist() == [1, 2]
    assert world(keep_first=1).retrieve(Query("q"), 5).keys.tolist() == [1, 3]


@pytest.mark.parametrize("settings", [{"m": 0}, {"passes": 0}, {"piece_tokens": 0}])
def test_wrong_settings(world: Any, settings: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be"):
        world(**settings)


def test_chunks_that_are_not_the_papers_windows_are_told(world: Any, make_store: Any) -> None:
    with recording() as trace:
        world(windows=True).retrieve(Query("q"), 5)
    assert not trace.fallbacks
    apart = replace(world(windows=True), store=make_store((TEXT, [(0, 12), (12, 32), (32, len(TEXT))], [[1, 0]] * 3)))
    with recording() as trace:
        apart.retrieve(Query("q"), 5)
    assert trace.fallbacks == {"feedback.other_windows": 1}
