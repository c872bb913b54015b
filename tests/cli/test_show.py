"""How results are written for a person at a terminal, line by line."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from decoct.budget import Budget
from decoct.cli import show
from decoct.cli.doctor import _checked_row
from decoct.cli.status import _state
from decoct.data import Answer, Chunk, Citation, Context, Document, Hit, Passage, ShortAnswer, SourceQuote, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ConfigError
from decoct.index.abilities import Checked
from decoct.trace import Stage, Trace
from decoct_lab.cli.structure import _line, _settings, _summary
from decoct_lab.structure.base import Spending
from decoct_lab.structure.build import StructureReport
from decoct_lab.structure.of_library import StructureState, state_line

Captured = pytest.CaptureFixture[str]


def test_a_table_is_as_wide_as_its_widest_cells_and_ends_where_its_words_end(capsys: Captured) -> None:
    show.table([{"id": "a", "title": "Long title"}, {"id": "bcd", "title": "x\ny"}])
    assert capsys.readouterr().out == "id   title\na    Long title\nbcd  x y\n"
    show.table([])
    assert capsys.readouterr().out == ""


def test_hits_are_numbered_with_their_place_and_who_found_them(capsys: Captured) -> None:
    found = [
        Hit(Chunk(Span("d", 3, 11), "one\n two", "Title"), 0.5, {"bm25": 2.0, "dense": 0.25}),
        Hit(Chunk(Span("e", 0, 2), "ab"), 0.25),
    ]
    show.hits(found, explain=False)
    assert capsys.readouterr().out == "  1. 0.500  Title  (d 3-11)\n     one two\n  2. 0.250  e  (e 0-2)\n     ab\n"
    show.hits(found[:1], explain=True)
    assert "     found by bm25 2.000, dense 0.250\n" in capsys.readouterr().out


BRIDGE = Document("bridge", "It opened in 1934. It is red.", "The bridge")
TOWER = Document("tower", "It is tall.", "The tower")
SHELF = {"bridge": BRIDGE, "tower": TOWER}.__getitem__


def cited(number: int, start: int, end: int, *more: Span, kind: Any = "quote") -> Citation:
    span = Span("bridge", start, end)
    passage = Passage(BRIDGE.text[start:end], (span, *more), kind)
    return Citation(number, 0, 3, passage, SourceQuote("bridge", start, end, BRIDGE.text[start:end]))


def answered(*citations: Citation, **more: Any) -> Answer:
    context = Context("q", "", (), Budget(10, default_tokenizer()), Trace())
    return Answer("In 1934 [1].", citations, context, **more)


def test_an_answer_lists_each_source_once_by_number(capsys: Captured) -> None:
    show.answer(answered(cited(2, 19, 29), cited(1, 0, 18), cited(1, 0, 18)), SHELF, written=True)
    assert capsys.readouterr().out == (
        "\nSources\n  [1] The bridge  (bridge, characters 0-18)\n  [2] The bridge  (bridge, characters 19-29)\n"
    )


def test_several_places_of_one_source_have_marks_of_their_own(capsys: Captured) -> None:
    passage = Passage(BRIDGE.text, (Span("bridge", 0, len(BRIDGE.text)),))
    text = "It is red. [1] It opened in 1934. [1] [2] Red. [1]"
    cites = [(11, 19, 29), (34, 0, 18), (47, 19, 29)]
    found = tuple(
        Citation(1, at, at + 3, passage, SourceQuote("bridge", start, end, BRIDGE.text[start:end]))
        for at, start, end in cites
    )
    answer = Answer(text, found, answered().context)
    show.answer(answer, SHELF, written=False)
    assert capsys.readouterr().out == (
        "It is red. [1.1] It opened in 1934. [1.2] [2] Red. [1.1]\n\nSources\n"
        "  [1.1] The bridge  (bridge, characters 19-29)\n"
        "  [1.2] The bridge  (bridge, characters 0-18)\n"
    )
    show.answer(answer, SHELF, written=True)
    assert capsys.readouterr().out == (
        "\nSources\n"
        "  [1] The bridge  (bridge, characters 19-29): It is red.\n"
        "  [1] The bridge  (bridge, characters 0-18): It opened in 1934.\n"
    )


def test_what_was_streamed_is_not_printed_again_and_short_answers_come_first(capsys: Captured) -> None:
    short = (ShortAnswer("1934", "bridge", 13, 17, 0.9), ShortAnswer("red", "bridge", 25, 28, 0.5))
    show.answer(answered(answers=short), SHELF, written=True)
    assert capsys.readouterr().out == ""
    show.answer(answered(answers=short), SHELF, written=False)
    assert capsys.readouterr().out == "1934; red\n\nIn 1934 [1].\n"


def test_a_rewritten_passage_names_every_document_it_rests_on(capsys: Captured) -> None:
    one = cited(1, 0, 18, Span("tower", 0, 11), kind="rewrite")
    show.answer(answered(one), SHELF, written=True)
    lines = capsys.readouterr().out.splitlines()[2:]
    assert lines == ["  [1] The bridge  (bridge, characters 0-18)", "  [1] The tower  (tower, characters 0-11)"]


def test_facts_conflicts_and_gaps(capsys: Captured) -> None:
    sides = [
        {"value": "500 K", "support": [{"doc_id": "a"}, {"doc_id": "a"}, {"doc_id": "c"}]},
        {"value": "900 K", "support": [{"doc_id": "b"}]},
    ]
    conflict = {
        "action": "resolved", "type": "numeric", "about": "melting point", "sides": sides, "chosen": "500 K",
        "rule": "authority", "reason": "a paper", "confidence": 0.756,
    }  # fmt: skip
    facts = [
        {"status": "agreed", "text": "It melts.", "sources": ["a", "b"], "value": "500 K"},
        {"status": "single", "text": "It is red.", "sources": ["c"]},
    ]
    show.casc({"facts": facts, "conflicts": [conflict], "gaps": ["the colour", {"text": "the mass"}]})
    assert capsys.readouterr().out.splitlines() == [
        "  agreed  500 K: It melts.  [a, b]",
        "  single  It is red.  [c]",
        "  resolved numeric conflict: melting point",
        f"   * {'500 K':<24} a, c",
        f"     {'900 K':<24} b",
        "     authority: a paper (confidence 0.76)",
        "  not found: the colour",
        "  not found: the mass",
    ]
    show.casc({})
    assert capsys.readouterr().out == ""


def test_a_trace_is_a_line_a_stage_then_facts_then_fallbacks(capsys: Captured) -> None:
    record = Trace([Stage("retrieve", 0, 0.0125), Stage("dense", 1, 0.001)], facts={"question_language": "de"})
    record.stages[1].counts["hits"] = 3
    record.fallbacks["store.lexical_rebuilt"] = 2
    show.trace(record)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        f"{'retrieve':<24}      12.5 ms  ",
        f"  {'dense':<22}       1.0 ms  hits 3",
        "question_language: de",
        "fallback store.lexical_rebuilt: 2",
    ]


def test_a_language_that_the_embedder_does_not_know_is_told(capsys: Captured) -> None:
    record = Trace(facts={"question_language": "ja"})
    show.notes(record)
    assert capsys.readouterr().err == ""
    record.fallbacks["embed.language"] = 1
    show.notes(record)
    assert "does not know (ja): only shared words" in capsys.readouterr().err


def test_words_read_as_others_and_a_silent_second_reader_are_told(capsys: Captured) -> None:
    record = Trace(facts={"spelling": {"brigde": "bridge"}, "second_error": "the model is\x1b[2J away"})
    record.fallbacks["second.failed"] = 1
    show.notes(record)
    told = capsys.readouterr().err
    assert 'no document holds these words: read "brigde" as "bridge"' in told
    assert "what is claimed was not read again (the model is" in told
    assert "\x1b" not in told


def test_progress_is_drawn_only_where_somebody_sees_it(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    assert show.progress(False, str) is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert show.progress(True, str) is None
    line = show.progress(False, lambda done: f"{done} of 9")
    assert line is not None
    line(3)
    show.end_progress()
    assert capsys.readouterr().err == "\r3 of 9 \x1b[K\r\x1b[K"


def test_json_is_plain_where_the_terminal_knows_few_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    show.as_json({"title": "Brücke"})
    stream.seek(0)
    text = stream.read()
    assert text.isascii()
    assert json.loads(text) == {"title": "Brücke"}


@pytest.mark.parametrize(
    ("at", "told"),
    [(7, "up to date"), (4, "3 changes behind"), (-1, "not there, or damaged: it is built at the next search")],
)
def test_how_far_an_index_is(at: int, told: str) -> None:
    assert _state(at, 7) == told


@pytest.mark.parametrize(
    ("checked", "state", "detail"),
    [
        (Checked("texts", 5), "ok", "5 checked, all as stored"),
        (Checked("texts", 5, ("a", "b")), "broken", "2 damaged: a, b"),
        (Checked("texts", 20, tuple("abcdefghijkl")), "broken", "12 damaged: a, b, c, d, e, f, g, h, i, j and 2 more"),
        (Checked("index lexical", 1, ("m",)), "broken", "1 damaged: m; it is built again at the next search"),
        (Checked("index lexical", 1), "ok", "up to date"),
        (Checked("index lexical", 1, behind=3), "behind", "3 changes behind: brought up to date at the next search"),
    ],
)
def test_what_doctor_says_of_what_it_checked(checked: Checked, state: str, detail: str) -> None:
    row = _checked_row(checked)
    assert (row["state"], row["detail"]) == (state, detail)
    assert (row["checked"], row["damaged"]) == (checked.checked, list(checked.damaged))


def structure(**more: Any) -> StructureState:
    given: dict[str, Any] = {
        "model": "",
        "documents": 2,
        "chunks": 1,
        "failed": 0,
        "bytes": 1_500_000,
        "new": 0,
        "changed": 0,
        "gone": 0,
    }
    return StructureState("trag", **(given | {"rebuild": Spending(), "rebuild_seconds": 0.2} | more))


@pytest.mark.parametrize(
    ("state", "line"),
    [
        (structure(), "trag  without a model, 2 documents, 1 chunk, 1.5 MB, up to date"),
        (structure(model="m", failed=3), "trag  by m, 2 documents, 1 chunk, 3 failed, 1.5 MB, up to date"),
        (structure(finished=False), "trag  begun, not finished: run `decoct structure build trag` again"),
        (
            structure(new=1, gone=2, rebuild=Spending(4, 0, 90, 1)),
            "trag  without a model, 2 documents, 1 chunk, 1.5 MB, stale (1 new, 2 gone): building it again costs about 4 model calls, "
            "90 prompt and 1 completion token and about 1 s",
        ),
    ],
)
def test_a_structure_on_one_line(state: StructureState, line: str) -> None:
    assert state_line(state) == line


def test_settings_of_a_method_are_toml_and_else_a_text() -> None:
    given = ["k=3", "share = 0.5", "on=true", "name=some words", "list=[1, 2]", "k=4", 'quoted="a=b"']
    assert _settings(given) == {"k": 4, "share": 0.5, "on": True, "name": "some words", "list": [1, 2], "quoted": "a=b"}
    assert _settings(None) == {}
    for wrong in ("k", "=3", " =3"):
        with pytest.raises(ConfigError, match="write it as KEY=VALUE"):
            _settings([wrong])


def test_a_builds_line_and_its_failures(capsys: Captured) -> None:
    assert _line(StructureReport(done=3, total=9, failed=1, seconds=2.6)) == "reading 3 of 9, 1 failed, 3 s"
    failures = {f"d{n}": ["too slow", "too long"] for n in range(12)}
    _summary("trag", StructureReport(documents=12, chunks=1, read=1, failed=2, failures=failures, fallbacks={"x": 2}))
    out, err = capsys.readouterr()
    assert out.startswith("trag: 12 documents, 1 chunk (1 read, 0 unchanged, 0 removed, 2 pieces failed) in 0.0 s, ")
    assert err.splitlines()[:2] == ["  fallback x: 2", "  failed: d0: too slow; too long"]
    assert err.splitlines()[-1] == "  and 2 documents more; running it again tries them again"
    assert len(err.splitlines()) == 12
