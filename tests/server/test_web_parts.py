"""Parts of the pages, each by hand: trees of merges, the page of the interface, addresses, tables of a report, cards."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

from decoct.context.merge.trees import Record, trees
from decoct.data import Document, Link, Span
from decoct.evaluate.report.markdown import metric_grid
from decoct.index.base import DocumentInfo
from decoct.retrieve.cards.card import Card
from decoct.retrieve.cards.contributions import CardAsk
from decoct.retrieve.cards.index import OpenCards, card_questions
from decoct.server.problems import ProblemError
from decoct.server.routes.documents import listing
from decoct.server.sessions import form_token
from decoct.server.settings import allowed_recipes
from decoct.server.web import asking, cards, reference, render
from decoct.server.work import Cancel, ClientGoneError

SECRET = b"secret"


def record(output: str | None, *inputs: str, **change: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "output": output, "inputs": list(inputs), "scores": [0.5] * len(inputs), "layer": 1, "tokens_before": 20, "tokens_after": 12,
        "affinity": 0.25, "how": "extract", "kept": [], "dropped": [],
    }  # fmt: skip
    return {**fields, **change}


def drawn(*records: dict[str, Any]) -> list[dict[str, Any]]:
    text = "One  two.\nThree."

    def shown(span: Record) -> dict[str, str]:
        start, end = span["start"], span["end"]
        words = " ".join(text[start:end].split())
        return {"text": words, "href": f"{span['doc_id']}/{start}/{end}", "doc_id": span["doc_id"]}

    return trees(records, shown, 30)


def shape(node: dict[str, Any]) -> Any:
    """A tree as its names."""
    return node["name"], [shape(part["made"]) if part["made"] else part["name"] for part in node["parts"]]


def test_a_merge_of_merges_is_one_tree() -> None:
    roots = drawn(record("x", "a", "b"), record("y", "c", "d"), record("z", "x", "y", layer=2))
    assert [shape(root) for root in roots] == [("z", [("x", ["a", "b"]), ("y", ["c", "d"])])]
    assert (roots[0]["layer"], roots[0]["before"], roots[0]["after"], roots[0]["affinity"]) == (2, 20, 12, 0.25)


def test_merges_that_are_not_merged_again_stand_side_by_side() -> None:
    assert [shape(root) for root in drawn(record("x", "a", "b"), record("y", "c", "d"))] == [
        ("x", ["a", "b"]),
        ("y", ["c", "d"]),
    ]


def test_what_came_to_nothing_is_told() -> None:
    assert [shape(root) for root in drawn(record(None, "a", "b"))] == [("nothing", ["a", "b"])]


def test_a_passage_that_takes_another_in_keeps_its_name() -> None:
    """A merge whose outcome is its first passage is a tree of its own, and no part of itself."""
    assert [shape(root) for root in drawn(record("a", "a", "b"), record("a", "a", "c"))] == [
        ("a", ["a", "b"]),
        ("a", ["a", "c"]),
    ]


def test_sentences_kept_and_dropped_are_shown_with_their_place() -> None:
    kept, dropped = {"doc_id": "d", "start": 0, "end": 9}, {"doc_id": "d", "start": 10, "end": 16}
    (root,) = drawn(record("x", "a", "b", kept=[kept], dropped=[dropped]))
    assert root["kept"] == [{"text": "One two.", "href": "d/0/9", "doc_id": "d"}]
    assert root["dropped"] == [{"text": "Three.", "href": "d/10/16", "doc_id": "d"}]
    assert drawn() == []


def test_a_deep_tree_ends() -> None:
    chain = [record(f"n{i}", f"n{i - 1}", "leaf") for i in range(1, 60)]
    (root,) = drawn(*chain)
    depth = 1
    while root["parts"][0]["made"]:
        root, depth = root["parts"][0]["made"], depth + 1
    assert depth == 31


SCHEMAS: dict[str, Any] = {
    "Span": {"properties": {"start": {"type": "integer"}}},
    "Ask": {
        "required": ["question"],
        "properties": {
            "question": {"type": "string", "examples": ["Who?"], "description": "The question."},
            "k": {"type": "integer", "default": 10},
            "where": {"anyOf": [{"type": "object"}, {"type": "null"}], "default": None},
        },
    },
}
REF = {"$ref": "#/components/schemas/Span"}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "format": "binary"}, "file"),
        ({"type": "integer"}, "integer"),
        ({"type": ["string", "number"]}, "string or number"),
        ({"type": "array", "items": REF}, "list of Span"),
        ({"type": "array"}, "list of any"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}, "integer or text"),
        ({"anyOf": [{"type": "string"}, {"type": "string", "maxLength": 5}]}, "text"),
        ({"enum": ["a", 1]}, '"a" | 1'),
        ({"const": "x"}, '"x"'),
        (REF, "Span"),
        ({}, "any"),
    ],
)
def test_a_schema_in_a_few_words(schema: dict[str, Any], words: str) -> None:
    assert reference.kind_of(schema) == words


def test_a_route_is_told_with_its_fields_example_and_reply() -> None:
    route = {
        "summary": "Ask", "parameters": [{"name": "lib", "in": "path", "required": True, "schema": {"type": "string"}}],
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ask"}}}},
        "responses": {"422": {}, "200": {"content": {"application/json": {"schema": REF}}}},
    }  # fmt: skip
    told = reference._route(route, SCHEMAS)
    assert (told["summary"], told["success"], told["media"]) == ("Ask", "200", "application/json")
    assert (list(told["taken"]["properties"]), told["taken"]["required"]) == (["question", "k", "where"], ["question"])
    assert told["example"] == '{\n  "question": "Who?"\n}'
    assert list(told["given"]["properties"]) == ["start"]
    assert (list(told["asked"]["properties"]), told["asked"]["required"]) == (["lib"], ["lib"])


def test_a_route_without_a_body_or_a_reply_is_told_too() -> None:
    told = reference._route({"responses": {"200": {}}}, SCHEMAS)
    assert (told["media"], told["taken"], told["example"], told["given"]) == ("", {}, "", {})


def test_an_address_may_hold_anything() -> None:
    assert (
        render.address("/source", library="a b", doc_id="x/ü&?#", start=0)
        == "/source?library=a%20b&doc_id=x%2F%C3%BC%26%3F%23&start=0"
    )
    assert render.address("/documents", library="", cursor=None) == "/documents"


def test_a_message_of_a_stream_keeps_its_lines() -> None:
    assert render.partial("#a", "beforeend", "one\ntwo") == (
        'data: <hx-partial hx-target="#a" hx-swap="beforeend">one\ndata: two</hx-partial>\n\n'
    )


def page_request(*, cookie: str = "", visible: tuple[str, ...] = (), llm: Any = None, recipes: Any = ()) -> Request:
    server = SimpleNamespace(
        sessions=SimpleNamespace(token=lambda held: form_token(SECRET, held)),
        visible=lambda _: list(visible),
        check=_checked,
        llm=llm,
        settings=SimpleNamespace(recipes=allowed_recipes(recipes) if recipes else {}),
    )
    headers = [(b"cookie", f"decoct_session={cookie}".encode())] if cookie else []
    app = SimpleNamespace(state=SimpleNamespace(decoct=server))
    return Request({"type": "http", "headers": headers, "app": app, "state": {"caller": None}})


def _checked(caller: Any, library: str, scope: str) -> None:
    if library == "hidden":
        raise ProblemError(404, "none")


def test_a_form_is_of_this_page_and_session() -> None:
    request = page_request(cookie="c1")
    render.check_token(request, form_token(SECRET, "c1"))
    for sent in ("", form_token(SECRET, "c2"), form_token(SECRET, ""), form_token(b"other", "c1"), "é", "\ud800"):
        with pytest.raises(ProblemError) as error:
            render.check_token(request, sent)
        assert (error.value.status_code, error.value.code) == (403, "csrf")


def test_a_page_is_of_the_library_named_else_of_the_first() -> None:
    assert render.library_of_page(page_request(visible=("a", "b")), "") == "a"
    assert render.library_of_page(page_request(visible=("a", "demo")), "") == "demo"
    assert render.library_of_page(page_request(), "") == ""
    assert render.library_of_page(page_request(visible=("a", "b")), "b") == "b"
    with pytest.raises(ProblemError):
        render.library_of_page(page_request(visible=("a",)), "hidden")


def test_recipes_to_choose_from_begin_with_those_to_know_and_need_no_model_that_is_not_there() -> None:
    given = ("naive", "self-ask", "default", "bm25")
    groups = render.recipe_groups(page_request(recipes=given).app.state.decoct)
    assert [(groups[0][0], groups[0][1][0]["name"])] == [("To know first", "default")]
    assert sorted(one["name"] for _, group in groups for one in group) == ["bm25", "default", "naive"]
    model = render.recipe_groups(page_request(recipes=given, llm=object()).app.state.decoct)
    assert sorted(one["name"] for _, group in model for one in group) == ["bm25", "default", "naive", "self-ask"]


def row(system: str, budget: int | str, mean: float | None, n: int = 4) -> dict[str, Any]:
    half = 0.1
    return {
        "metric": "recall", "system": system, "budget": budget, "mean": mean, "n": n,
        "low": None if mean is None else mean - half, "high": None if mean is None else mean + half,
    }  # fmt: skip


def test_a_measures_table_marks_the_best_of_each_budget() -> None:
    rows = [row("a", "5x", 0.5), row("b", 900, 0.75), row("a", 900, 0.25), row("b", "5x", 0.5, n=9)]
    made = metric_grid("recall", rows)
    assert (made["budgets"], max(n for _, _, n in made["lines"])) == ([900, "5x"], 9)
    assert [system for system, _, _ in made["lines"]] == ["a", "b"]
    assert [[cell["best"] for cell in cells] for _, cells, _ in made["lines"]] == [[False, True], [True, True]]
    assert made["lines"][0][1][0]["half"] == pytest.approx(0.1)


def test_what_was_not_measured_is_an_empty_cell() -> None:
    made = metric_grid("recall", [row("a", 900, None), row("b", 900, 0.5), row("b", 1800, 0.5)])
    assert [[cell and cell["mean"] for cell in cells] for _, cells, _ in made["lines"]] == [[None, None], [0.5, 0.5]]
    assert metric_grid("recall", []) == {"metric": "recall", "budgets": [], "lines": []}


def card(doc_id: str, title: str, summary: str) -> Document:
    made = Card(
        doc_id, title, (CardAsk("Why is it red?", "problem", Span(doc_id, 3, 9)),), summary, ("bridge", "red paint")
    )
    text = made.markdown()
    at = text.index("Q1")
    return Document(doc_id, text, title, links=(Link(at, text.index("?") + 1, "3-9"),))


CARDS = {
    name: card(name, title, f"It tells of {title}.") for name, title in (("a", "Bridges"), ("b", ""), ("d", "Dams"))
}


class Made:
    """Open cards, of which that of "d" is old."""

    def has(self, doc_id: str) -> bool:
        return doc_id in CARDS

    def card(self, doc_id: str) -> Document:
        return CARDS[doc_id]

    def outdated(self, ids: list[str]) -> list[str]:
        return [id_ for id_ in ids if id_ == "d"]


def listed() -> Iterator[SimpleNamespace]:
    yield from (SimpleNamespace(id=name) for name in "abcd")


@pytest.mark.parametrize(
    ("word", "after", "found"),
    [
        ("", "", ["a", "b", "d"]),
        ("", "a", ["b", "d"]),
        ("DAMS", "", ["d"]),
        ("why is it", "b", ["d"]),
        ("nowhere", "", []),
    ],
)
def test_cards_are_found_by_their_words_and_by_pages(word: str, after: str, found: list[str]) -> None:
    library: Any = SimpleNamespace(documents=listed)
    made: OpenCards = Made()  # type: ignore[assignment]
    assert [one.id for one in cards._found(library, made, word, after, Cancel())] == found


def test_looking_for_a_word_ends_with_its_client() -> None:
    cancel = Cancel()
    cancel.cancel()
    with pytest.raises(ClientGoneError):
        list(cards._found(SimpleNamespace(documents=listed), Made(), "", "", cancel))  # type: ignore[arg-type]


def test_a_card_is_shown_with_its_questions_leading_to_their_answers() -> None:
    shown = cards._shown(Made(), "lib", CARDS["a"])  # type: ignore[arg-type]
    assert (shown["title"], shown["summary"], shown["old"]) == ("Bridges", "It tells of Bridges.", False)
    assert shown["keywords"] == ["bridge", "red paint"]
    assert shown["questions"] == [{"text": "Why is it red?", "href": "/source?library=lib&doc_id=a&start=3&end=9"}]
    assert len(card_questions(CARDS["a"])) == 1
    assert cards._shown(Made(), "lib", CARDS["b"])["title"] == "b"  # type: ignore[arg-type]
    assert cards._shown(Made(), "lib", CARDS["d"])["old"] is True  # type: ignore[arg-type]


def test_documents_are_found_by_id_or_title_in_any_case() -> None:
    titles = {"Notes/A.txt": "Dams", "b": "STRASSE", "c": ""}
    infos = [DocumentInfo(doc_id, title, "", 1, 1) for doc_id, title in titles.items()]
    library: Any = SimpleNamespace(documents=lambda where: iter(infos))

    def found(word: str) -> list[str]:
        return [one["id"] for one in listing(library, "", 50, None, word)["documents"]]

    assert (found("notes/a"), found("straße"), found("")) == (["Notes/A.txt"], ["b"], [*titles])


def test_the_likeliest_sentence_of_an_answer_that_claims_nothing_is_marked() -> None:
    pieces = asking._likeliest_marked("The best ones:\n\nOpen at nine.\n→ Open at nine. ", "Open  at\nnine.")
    assert [piece["text"] for piece in pieces if piece.get("likeliest")] == ["Open at nine."]
    assert [piece["text"] for piece in pieces][::2] == ["The best ones:\n\nOpen at nine.\n→ ", " "]
    assert asking._likeliest_marked("Not here. ", "Open at nine.") == [{"text": "Not here. "}]


@pytest.mark.parametrize(
    ("outcome", "words"),
    [("answer", "Answered"), ("passages", "Not sure, the best passages"), ("not-found", "Not found")],
)
def test_how_it_ended_is_said_for_those_who_hear_the_page(outcome: str, words: str) -> None:
    view = {"outcome": outcome, "context": {"tokens": 1234, "limit": 2000}}
    assert asking._ending_in_words(view) == f"{words} from 1,234 of 2,000 tokens."


def test_a_recipe_that_asks_a_model_to_retrieve_is_not_asked_twice() -> None:
    def answered(name: str, **counts: int) -> Any:
        return SimpleNamespace(trace=SimpleNamespace(stages=[SimpleNamespace(name=name, counts=counts)]))

    assert asking._asks_again(answered("retrieve", model_calls=2))
    assert not asking._asks_again(answered("retrieve", hits=40))
    assert not asking._asks_again(answered("read", model_calls=1))
