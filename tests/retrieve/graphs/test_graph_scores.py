"""What the graph retrievers make of one small graph (`small_graph`), with numbers worked out by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_graph import NAMES, QUESTION, VECTORS, Only, ToTheRight, described, graph, store, text_of
from word_tokenizer import Words

from decoct.data import Hit, Query, Span
from decoct.errors import ModelTimeoutError
from decoct.trace import recording
from decoct_lab.retrieve.graphs import hypergraphrag, proprag, tables
from decoct_lab.retrieve.graphs.hipporag2 import HippoRAG2, _distinct
from decoct_lab.retrieve.graphs.hypergraphrag import HyperGraphRAG
from decoct_lab.retrieve.graphs.keywords import Keywords, keywords
from decoct_lab.retrieve.graphs.linearrag import LinearRAG
from decoct_lab.retrieve.graphs.proprag import PropRAG
from decoct_lab.structure.graphs.relations import Relations
from decoct_testing.scripted import ScriptedLLM

RIGHT = np.array([1, 0], np.float32)


def names(numbers: dict[int, Any]) -> dict[str, Any]:
    """The same by name: the catalogue numbers names as they come, a to e."""
    return {NAMES[number]: value for number, value in numbers.items()}


# -- LinearRAG ---------------------------------------------------------------------------------------------------
def linearrag(folder: Path, **settings: Any) -> LinearRAG:
    return LinearRAG(store(), ToTheRight(), Only(graph(folder)), **settings)


def activated(folder: Path, found: dict[int, float], **settings: Any) -> dict[str, tuple[float, int]]:
    active = linearrag(folder, **settings)._activated(graph(folder), RIGHT, found)
    return {name: (round(score, 4), tier) for name, (score, tier) in names(active).items()}


def test_names_are_activated_sentence_by_sentence(tmp_path: Path) -> None:
    """a takes its better sentence (0): .9 to a and b; then a takes sentence 2 (.54 to a and d), b sentence 1 (.72 to b and c)."""
    assert activated(tmp_path, {0: 1.0}, rounds=1) == {"a": (1.0, 1)}
    assert activated(tmp_path, {0: 1.0}, rounds=2) == {"a": (1.9, 1), "b": (0.9, 2)}
    assert activated(tmp_path, {0: 1.0}, rounds=3) == {"a": (2.44, 1), "b": (1.62, 2), "c": (0.72, 3), "d": (0.54, 3)}


def test_more_sentences_a_name_reach_more_at_once_and_none_is_used_twice(tmp_path: Path) -> None:
    assert activated(tmp_path, {0: 1.0}, rounds=2, sentences=2) == {"a": (2.5, 1), "b": (0.9, 2), "d": (0.6, 2)}


def test_what_falls_below_the_threshold_goes_no_further(tmp_path: Path) -> None:
    assert activated(tmp_path, {0: 1.0}, rounds=3, threshold=0.6) == {"a": (1.9, 1), "b": (1.62, 2), "c": (0.72, 3)}
    assert activated(tmp_path, {0: 0.5}, rounds=3, threshold=0.6) == {"a": (0.5, 1)}
    assert activated(tmp_path, {0: 1.0}, rounds=2, threshold=0.85) == {"a": (1.9, 1), "b": (0.9, 2)}


@pytest.mark.parametrize("wrong", [{"rounds": 0}, {"sentences": 0}, {"threshold": 0}])
def test_settings_of_linearrag_that_cannot_be_are_refused(tmp_path: Path, wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="threshold above 0"):
        linearrag(tmp_path, **wrong)


# -- HippoRAG 2 --------------------------------------------------------------------------------------------------
def weighed(folder: Path, scores: dict[int, float], phrases: int) -> dict[str, float]:
    restart = np.zeros(9)
    HippoRAG2(store(), ToTheRight(), Only(None), phrases=phrases)._weigh(graph(folder), scores, restart)
    return {name: round(float(restart[number]), 4) for number, name in enumerate(NAMES) if restart[number]}


def test_a_phrase_weighs_as_its_facts_do_and_less_the_wider_it_is_spread(tmp_path: Path) -> None:
    """a and b stand in two passages each, c in one: b has the mean of 1/2 and .8/2."""
    assert weighed(tmp_path, {0: 1.0, 1: 0.8}, 5) == {"a": 0.5, "b": 0.45, "c": 0.8}
    assert weighed(tmp_path, {0: 1.0, 1: 0.8}, 1) == {"c": 0.8}
    assert weighed(tmp_path, {0: 1.0}, 1) == {"a": 0.5}  # of equals the first


def test_a_fact_of_many_names_stands_for_as_many_phrases(tmp_path: Path) -> None:
    wide = graph(tmp_path)
    # Statement 0 says a, b, c and e now.
    said = np.array([0, 1, 2, 4, 1, 2, 0, 3, 4], np.int32)
    wide = replace(wide, catalogue=replace(wide.catalogue, said=said, first=np.array([0, 4, 6, 8, 9], np.int64)))
    restart = np.zeros(9)
    HippoRAG2(store(), ToTheRight(), Only(None), phrases=1)._weigh(wide, {0: 1.0}, restart)
    assert np.flatnonzero(restart).tolist() == [
        0,
        2,
        4,
    ]  # three beside the subject: c and e (1 each) and a (.5, before b)


def test_the_facts_of_the_question_lead_to_their_passages(tmp_path: Path) -> None:
    retriever = HippoRAG2(store(), ToTheRight(), Only(graph(tmp_path)), facts=1, pool=4)
    found = retriever.retrieve(QUESTION, 9)
    assert found.keys.tolist() == [1, 2, 3, 4]  # fact 0: its passage, then those of a and b, the nearer first
    assert found.found_by["hipporag2"].keys() == {1, 2, 3, 4}
    assert retriever.retrieve(QUESTION, 2).keys.tolist() == [1, 2]
    assert retriever.retrieve(Query("question", {"n": ("2", "3")}), 9).keys.tolist() == [3, 4]


@pytest.mark.parametrize("wrong", [{"facts": 0}, {"facts": 5, "pool": 4}, {"phrases": 0}])
def test_settings_of_hipporag2_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="pool at least facts"):
        HippoRAG2(store(), ToTheRight(), Only(None), **wrong)


# -- PropRAG -----------------------------------------------------------------------------------------------------
def test_weights_are_moved_onto_one_and_nothing_stays_nothing() -> None:
    assert proprag._scaled(np.array([0.5, 0.25, 0.0])).tolist() == [1.0, 0.5, 0.0]
    assert proprag._scaled(np.zeros(2)).tolist() == [0.0, 0.0]
    assert proprag._scaled(np.empty(0)).tolist() == []


@pytest.mark.parametrize("focus", [1, 2, 9])
def test_the_focus_comes_before_all_others_which_keep_their_order(tmp_path: Path, focus: int) -> None:
    retriever = PropRAG(store(), ToTheRight(), Only(graph(tmp_path)), reread=0, focus=focus)
    found = retriever.retrieve(QUESTION, 9)
    assert sorted(found.keys.tolist()) == [1, 2, 3, 4]
    scores = found.scores.tolist()
    assert scores == sorted(scores, reverse=True)
    if focus < 4:
        assert scores[focus] <= 0.5 * scores[focus - 1] + 1e-9
    assert found.keys.tolist()[-1] == 4  # the passage that shares no name with any other, and is far from the question


def test_without_a_proposition_it_is_dense_and_counted(tmp_path: Path) -> None:
    bare = replace(graph(tmp_path), statement_vectors=VECTORS[:0])
    with recording() as record:
        assert PropRAG(store(), ToTheRight(), Only(bare)).retrieve(QUESTION, 2).keys.tolist() == [1, 2]
    assert record.fallbacks == {"proprag.no_propositions": 1}


@pytest.mark.parametrize("wrong", [{"beam": 0}, {"length": 0}, {"focus": 0}, {"reread": -1}])
def test_settings_of_proprag_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="reread not negative"):
        PropRAG(store(), ToTheRight(), Only(None), **wrong)


# -- HyperGraphRAG -----------------------------------------------------------------------------------------------
def hyper(folder: Path, **settings: Any) -> HyperGraphRAG:
    return HyperGraphRAG(store(), ToTheRight(), Only(described(folder)), **settings)


def test_passages_of_hyperedges_come_before_those_of_entities_and_both_before_the_rest(tmp_path: Path) -> None:
    """Hyperedge 0 rests on passage 0; entity a stands in passages 0 and 2."""
    question = Query("What did Arthur do?")
    found = hyper(tmp_path, top=1).retrieve(question, 9)
    assert found.keys.tolist() == [1, 3, 2, 4]
    assert found.scores[:2].tolist() == [3.0, 2.5]
    assert max(found.scores[2:].tolist()) <= 1
    assert hyper(tmp_path, top=9, least=0.7).nearby(question.text, described(tmp_path)) == ([0, 1], [0, 1])


def test_of_an_entity_the_passages_on_which_most_rests_come_first_then_the_nearest(tmp_path: Path) -> None:
    found = described(tmp_path)
    assert hypergraphrag._of_entity(found, 1, np.array([0.1, 0.2, 0, 0], np.float32)) == [1, 0]
    assert hypergraphrag._of_entity(found, 1, np.array([0.2, 0.2, 0, 0], np.float32)) == [0, 1]
    moved = found.catalogue.statements.copy()
    moved[1, 0] = 0  # statement 1, of b and c, rests on passage 0 too
    resting = replace(found, catalogue=replace(found.catalogue, statements=moved))
    assert hypergraphrag._of_entity(resting, 1, np.array([0.1, 0.9, 0, 0], np.float32)) == [0, 1]


def test_a_question_without_a_name_goes_by_its_hyperedges_alone(tmp_path: Path) -> None:
    with recording() as record:
        found = hyper(tmp_path, top=2).retrieve(Query("who met whom?"), 9)
    assert found.keys.tolist()[:2] == [1, 2]
    assert record.fallbacks == {"hypergraphrag.no_names": 1}
    with pytest.raises(ValueError, match="top is at least 1"):
        hyper(tmp_path, top=0)


@pytest.mark.parametrize("reply", ["no json", ModelTimeoutError("slow")])
def test_a_question_that_a_model_cannot_read_is_read_without_it(tmp_path: Path, reply: Any) -> None:
    with recording() as record:
        found = hyper(tmp_path, top=1, llm=ScriptedLLM([reply])).retrieve(Query("What did Arthur do?"), 9)
    assert found.keys.tolist() == [1, 3, 2, 4]
    assert record.fallbacks == {"hypergraphrag.question_not_read": 1}


# -- keywords ----------------------------------------------------------------------------------------------------
def test_keywords_by_a_model_are_two_texts() -> None:
    llm = ScriptedLLM([json.dumps({"high": ["rivers", "trade"], "low": ["Elbe"]})])
    assert keywords("What was traded on the Elbe?", llm) == Keywords("rivers, trade", "Elbe")
    assert "What was traded on the Elbe?" in llm.requests[0].messages[-1].content


def test_keywords_without_a_model_are_the_question_and_its_names() -> None:
    assert keywords("What did Lena Ash trade on the Elbe?", None) == Keywords(
        "What did Lena Ash trade on the Elbe?", "Lena Ash, Elbe"
    )
    assert keywords("what is tea?", None).low == ""


@pytest.mark.parametrize("reply", ["no json", '{"high": "tea"}', ModelTimeoutError("slow")])
def test_keywords_that_are_no_use_are_counted_and_replaced(reply: Any) -> None:
    with recording() as record:
        assert keywords("Where is Brno?", ScriptedLLM([reply])) == Keywords("Where is Brno?", "Brno")
    assert record.fallbacks == {"lightrag.keywords_failed": 1}


# -- tables ------------------------------------------------------------------------------------------------------
class WithoutPlaces(Words):
    """Words whose places nobody may ask for."""

    def offsets(self, text: str) -> list[tuple[int, int]]:
        raise NotImplementedError


def test_rows_of_entities_tell_kind_description_and_the_statements_behind_them(tmp_path: Path) -> None:
    rows = tables.entity_rows(described(tmp_path), [0, 4])
    assert rows == [("Entity", "a (person): a is told of", [0, 2]), ("Entity", "e: e is told of", [3])]


def test_rows_of_relations_without_a_description_quote_their_statements(tmp_path: Path) -> None:
    found = described(tmp_path)
    assert tables.relation_rows(found, [0]) == []
    pairs = np.array([[0, 1], [1, 2]], np.int32)
    relations = Relations(
        pairs,
        np.ones(2, np.float32),
        np.array([0, 2, 3], np.int32),
        np.array([0, 2, 1], np.int32),
        ["", "they met"],
        ["", "met, saw"],
        5,
    )
    rows = tables.relation_rows(replace(found, relations=relations), [0, 1])
    assert rows == [
        ("Relation", f"a, b: {text_of(0)} {text_of(2)}", [0, 2]),
        ("Relation", "b, c (met, saw): they met", [1]),
    ]


def test_rows_of_hyperedges_tell_their_names_the_subject_first(tmp_path: Path) -> None:
    assert tables.hyperedge_rows(described(tmp_path), [1]) == [("Relation", "b and c met (b, c)", [1])]


def shown(folder: Path, tokens: int, query: Query = QUESTION, gone: str = "") -> list[tuple[str, tuple[Span, ...]]]:
    library = store()
    library.delete([gone])
    rows = [("T", "one two", [0]), ("T", "three", [1, 2]), ("T", "four five six", [3])]
    passages = tables.table(described(folder), rows, library, query, tokenizer=WithoutPlaces(), tokens=tokens)
    return [(passage.text, passage.support) for passage in passages]


def span(number: int) -> Span:
    return Span(f"d{number}", 0, len(text_of(number)))


def test_a_table_ends_with_the_first_row_that_does_not_fit(tmp_path: Path) -> None:
    one, two, three = ("one two", (span(0),)), ("three", (span(1), span(2))), ("four five six", (span(3),))
    assert shown(tmp_path, 6) == [one, two, three]
    assert shown(tmp_path, 5) == [one, two]
    assert shown(tmp_path, 1) == []  # though the second would fit
    assert shown(tmp_path, 0) == []


def test_a_row_is_shown_where_all_that_it_rests_on_is_there_and_passes(tmp_path: Path) -> None:
    assert [text for text, _ in shown(tmp_path, 9, gone="d2")] == ["one two", "four five six"]
    assert [text for text, _ in shown(tmp_path, 9, Query("q", {"n": ("1", "2")}))] == ["three"]
    # What is not shown costs nothing.
    assert [text for text, _ in shown(tmp_path, 3, Query("q", {"n": ("3",)}))] == ["four five six"]


def test_chunks_follow_a_table_each_text_once_with_its_best_score() -> None:
    first, second = store().chunks([1, 2])
    draft = tables.with_chunks([], [Hit(first, 0.9), Hit(second, 0.5), Hit(first, 0.1)])
    assert [(one.text, one.score, one.kind, one.title) for one in draft.passages] == [
        (first.text, 0.9, "quote", "t0"),
        (second.text, 0.5, "quote", "t1"),
    ]


def test_entities_and_hyperedges_bring_each_other(tmp_path: Path) -> None:
    found = described(tmp_path)
    assert hypergraphrag.entities_of(found, [1, 0]) == [1, 2, 0]  # b, c of the first; a of the second
    # b and a are in two hyperedges each, c and d in one: an edge's degree is that of its two ends.
    assert hypergraphrag.hyperedges_of(found, [2]) == [1]
    assert hypergraphrag.hyperedges_of(found, [0, 4]) == [0, 2, 3]
    assert hypergraphrag.hyperedges_of(found, []) == []


def test_the_tables_hold_what_was_found_and_what_that_brings(tmp_path: Path) -> None:
    graph = Only(described(tmp_path))
    small = HyperGraphRAG(
        store(), ToTheRight(), graph, top=1, tokenizer=Words(), entity_tokens=1000, relation_tokens=1000
    )  # fmt: skip
    shown = [passage.text for passage in small.passages(Query("Q of a"), [], 5).passages]
    # The nearest entity is a, the nearest hyperedge "a and b": b comes with the hyperedge, "a and d" with the entity.
    assert [text.split(":")[0] for text in shown if "is told of" in text] == ["a (person)", "b"]
    assert [text.split(" (")[0] for text in shown if "met" in text] == ["a and b met", "a and d met"]


def test_equal_facts_are_one(tmp_path: Path) -> None:
    found = graph(tmp_path)
    order = np.array([2, 0, 2, 1], np.intp)
    assert _distinct(found, order, 2) == [2, 0]
    assert _distinct(found, order, 9) == [2, 0, 1]
