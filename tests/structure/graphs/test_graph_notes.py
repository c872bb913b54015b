"""Notes by rules and by a model, the catalogue made of them, and the walk over it; worked by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from decoct.data import Chunk, Document, Span
from decoct.errors import ModelTimeoutError, ModelUnavailableError, ReplyError
from decoct.llm.base import Request
from decoct.trace import recording
from decoct_lab.structure.base import Chunked
from decoct_lab.structure.graphs.ask_names import NamesAsked
from decoct_lab.structure.graphs.ask_propositions import propositions_asked
from decoct_lab.structure.graphs.ask_relations import RelationsAsked
from decoct_lab.structure.graphs.ask_segments import SegmentsAsked
from decoct_lab.structure.graphs.ask_triples import triples_asked
from decoct_lab.structure.graphs.by_model import NoteTaker, estimated, read_by
from decoct_lab.structure.graphs.by_rules import notes_by_rules
from decoct_lab.structure.graphs.catalogue import catalogued
from decoct_lab.structure.graphs.notes import packed, unpacked
from decoct_lab.structure.graphs.pagerank import bipartite, walk
from decoct_lab.structure.graphs.synonyms import synonyms
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

TEXT = "It was made by Lena Ash. Lena Ash was born in Brno in 1901."
FILM = Chunked(
    Document("film", TEXT, "Grey Hill (film)"), (Chunk(Span("film", 0, len(TEXT)), TEXT, "Grey Hill (film)", 7),)
)


def test_rules_give_the_title_to_every_sentence() -> None:
    (notes,) = notes_by_rules(FILM)
    shown = {one.name: (TEXT[one.start : one.end], one.count) for one in notes.names}
    assert shown == {
        "lena ash": ("Lena Ash", 2),
        "brno": ("Brno", 1),
        "1901": ("1901", 1),
        "grey hill": ("It was made by Lena Ash.", 1),
    }
    assert [one.names for one in notes.statements] == [
        ("grey hill", "lena ash"),
        ("lena ash", "grey hill", "brno", "1901"),
    ]
    assert [one.text for one in notes.statements] == [
        "Grey Hill: It was made by Lena Ash.",
        "Grey Hill: Lena Ash was born in Brno in 1901.",
    ]
    assert [TEXT[one.start : one.end] for one in notes.statements] == [
        "It was made by Lena Ash.",
        "Lena Ash was born in Brno in 1901.",
    ]
    assert unpacked(packed([notes])) == [notes]


def test_a_text_without_names_or_words_has_none() -> None:
    for text in ("nothing here is a name.", " ", "…"):
        (notes,) = notes_by_rules(Chunked(Document("d", text), (Chunk(Span("d", 0, len(text)), text, key=1),)))
        assert notes.names == ()
        assert notes.statements == ()


def test_the_catalogue_numbers_names_in_order(tmp_path: Path) -> None:
    catalogue, texts = catalogued([("film", packed(notes_by_rules(FILM)))], tmp_path)
    assert list(catalogue.names) == ["lena ash", "brno", "1901", "grey hill"]
    assert catalogue.keys.tolist() == [7]
    assert catalogue.passage_names.toarray().tolist() == [[2, 1, 1, 1]]
    assert catalogue.names_of(1).tolist() == [0, 3, 1, 2]
    assert [catalogue.text_of(n) for n in range(2)] == texts
    assert catalogue.span_of(0) == Span("film", 0, 24)
    assert catalogue.spread.tolist() == [1, 1, 1, 1]
    assert catalogue.name_statements[0].indices.tolist() == [0, 1]


def test_an_empty_catalogue(tmp_path: Path) -> None:
    catalogue, texts = catalogued([], tmp_path)
    assert (len(catalogue.keys), len(catalogue.names), texts) == (0, 0, [])


# -- by a model ------------------------------------------------------------------------------------------------------
REPLIES: dict[str, Any] = {
    "names": {"names": ["Lena Ash", "Brno", "no such name"]},
    "triples": {"triples": [{"subject": "Lena Ash", "relation": "born in", "object": "Brno"}]},
    "propositions": {"propositions": [{"text": "Lena Ash was born in Brno.", "names": ["Lena Ash", "Brno"]}]},
    "entities": {
        "entities": [{"name": "Lena Ash", "type": "person", "description": "A director."}],
        "relations": [
            {
                "source": "Lena Ash",
                "target": "Brno",
                "description": "Lena Ash was born in Brno.",
                "keywords": ["birth"],
                "strength": 8,
            }
        ],
    },
    "segments": {
        "segments": [
            {
                "text": "Lena Ash was born in Brno.",
                "score": 9,
                "entities": [
                    {"name": "Brno", "type": "place", "description": "A town.", "score": 50},
                    {"name": "Lena Ash", "type": "person", "description": "A director.", "score": 90},
                ],
            }
        ]
    },
}


def reply(request: Request) -> str:
    assert request.schema is not None
    (first, *_) = request.schema["properties"]
    return json.dumps(REPLIES[first])


@pytest.mark.parametrize(
    ("taker", "calls", "text"),
    [
        (NamesAsked, 1, "Grey Hill: Lena Ash was born in Brno in 1901."),
        (triples_asked, 2, "Lena Ash born in Brno"),
        (propositions_asked, 2, "Lena Ash was born in Brno."),
        (RelationsAsked, 2, "Lena Ash was born in Brno."),
        (SegmentsAsked, 1, "Lena Ash was born in Brno."),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_models_notes_have_their_place_in_the_text(taker: type, calls: int, text: str) -> None:
    llm = ScriptedLLM(reply)
    asking: NoteTaker = taker(llm)
    (part,) = read_by(asking, [FILM])
    assert part.failed == ()
    assert len(llm.requests) == calls
    assert estimated(asking, [FILM]).calls == calls
    (notes,) = unpacked(part.body)
    by_name = {one.name: one for one in notes.names}
    ash, brno = by_name["lena ash"], by_name["brno"]
    assert (TEXT[ash.start : ash.end], ash.count) == ("Lena Ash", 2)
    assert TEXT[brno.start : brno.end] == "Brno"
    statement = next(one for one in notes.statements if one.text == text)
    assert {"lena ash", "brno"} <= set(statement.names)
    assert TEXT[statement.start : statement.end] == "Lena Ash was born in Brno in 1901."
    if "no such name" in by_name:  # the model's own words: the whole chunk is their place
        assert (by_name["no such name"].start, by_name["no such name"].end) == (0, len(TEXT))


def test_what_a_cut_reply_had_complete_is_kept_once_and_counted() -> None:
    (segment,) = REPLIES["segments"]["segments"]
    written = json.dumps({"segments": [segment, segment, segment]})
    cut = written[: written.rindex('"score": 9,')]
    llm = ScriptedLLM([], failures={0: ReplyError("cut", cut, cut=True)})
    with recording() as trace:
        (part,) = read_by(SegmentsAsked(llm), [FILM])
    assert part.failed == ()
    assert trace.fallbacks == {"structure.reply_cut": 1}
    (notes,) = unpacked(part.body)
    assert [one.text for one in notes.statements] == ["Lena Ash was born in Brno."]


def test_a_reply_cut_before_its_first_item_fails_the_chunk() -> None:
    llm = ScriptedLLM([], failures={0: ReplyError("cut", '{"segments": [{"text": "Len', cut=True)})
    (part,) = read_by(SegmentsAsked(llm), [FILM])
    assert len(part.failed) == 1


@pytest.mark.parametrize(
    ("taker", "many", "score", "weight"),
    [
        (SegmentsAsked, "segments", 90, 10.0),
        (RelationsAsked, "relations", 90, 10.0),
        (SegmentsAsked, "segments", 4, 4.0),
        (RelationsAsked, "relations", 0, 1.0),
    ],
)
def test_a_score_beyond_its_scale_loses_no_passage(
    taker: Callable[..., NoteTaker], many: str, score: int, weight: float
) -> None:
    given = json.loads(json.dumps(next(found for found in REPLIES.values() if many in found)))
    given[many][0]["score" if many == "segments" else "strength"] = score
    (part,) = read_by(taker(ScriptedLLM(lambda _: json.dumps(given))), [FILM])
    assert part.failed == ()
    (notes,) = unpacked(part.body)
    assert {one.weight for one in notes.statements} == {weight}


@pytest.mark.parametrize("taker", [NamesAsked, triples_asked, propositions_asked, RelationsAsked, SegmentsAsked])
def test_a_chunk_that_fails_is_left_out_and_counted(taker: type) -> None:
    chunks = tuple(Chunk(Span("film", 0, len(TEXT)), TEXT, "", key) for key in (1, 2, 3))
    llm = ScriptedLLM(reply, {1: ModelTimeoutError("too slow")})
    (part,) = read_by(taker(llm), [Chunked(FILM.document, chunks)])
    assert part.failed == ("too slow",)
    notes = unpacked(part.body)
    assert [one.key for one in notes] == [1, 2, 3]
    assert [bool(one.names) for one in notes] == [True, False, True]


def test_a_reply_of_another_form_fails_its_chunk_alone() -> None:
    (part,) = read_by(NamesAsked(ScriptedLLM(["I cannot do that."])), [FILM])
    assert len(part.failed) == 1
    assert "not JSON" in part.failed[0]


def test_a_model_that_cannot_be_reached_ends_the_build() -> None:
    llm = ScriptedLLM([], {0: ModelUnavailableError("nobody answers")})
    with pytest.raises(ModelUnavailableError):
        read_by(NamesAsked(llm), [FILM])


def test_a_gleaning_that_fails_leaves_what_was_there() -> None:
    llm = ScriptedLLM(reply, {1: ModelTimeoutError("too slow")})
    (part,) = read_by(RelationsAsked(llm), [FILM])
    assert part.failed == ()
    assert len(unpacked(part.body)[0].statements) == 1


# -- the walk --------------------------------------------------------------------------------------------------------
def test_pagerank_of_a_path_of_three() -> None:
    """a - b - c, restart at a, damping .5: p_a = .5 + .25 p_b, p_b = .5 p_a + .5 p_c, p_c = .25 p_b give 7/12, 4/12, 1/12."""
    adjacency = csr_matrix(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], float))
    assert walk(adjacency).rank(np.array([3.0, 0, 0])) == pytest.approx([7 / 12, 4 / 12, 1 / 12], abs=1e-7)


def test_a_node_that_leads_nowhere_hands_its_share_back() -> None:
    adjacency = csr_matrix(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], float))
    ranks = walk(adjacency).rank(np.array([0.5, 0, 0.5]))
    assert ranks.sum() == pytest.approx(1)
    # p_c = .5 (.5 + .5 p_c), so 1/3; the rest is shared by a and b as 2 to 1.
    assert ranks == pytest.approx([4 / 9, 2 / 9, 1 / 3], abs=1e-7)


def test_nothing_to_restart_from_is_nothing() -> None:
    assert walk(csr_matrix((2, 2))).rank(np.zeros(2)).tolist() == [0, 0]


def test_edges_of_passages_and_names() -> None:
    links = csr_matrix(np.array([[2.0, 0], [0, 1]]))
    adjacency = bipartite(links, ([0, 0], [1, 1], [1.0, 1.0]))
    assert adjacency.toarray().tolist() == [[0, 2, 2, 0], [2, 0, 0, 1], [2, 0, 0, 0], [0, 1, 0, 0]]


def test_synonyms_are_near_and_longer_than_two_letters() -> None:
    names = ["united states", "united states of america", "us", "brno"]
    vectors = HashEmbedder().embed(names, "passage")
    first, second, cosines = synonyms(names, vectors, 0.7, 100, lambda *_: None)
    assert (first.tolist(), second.tolist()) == ([0], [1])
    assert cosines[0] == pytest.approx(float(vectors[0] @ vectors[1]))
    assert synonyms(names, vectors, 0.7, 0, lambda *_: None)[0].tolist() == []
