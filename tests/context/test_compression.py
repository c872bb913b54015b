from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from word_tokenizer import Words

from decoct import trace
from decoct.budget import Budget
from decoct.context.as_json import SupportsAsDict
from decoct.context.layouts import Numbered
from decoct.data import Draft, Passage, Query, Span
from decoct.errors import ConfigError, MissingExtraError, ModelTimeoutError
from decoct.llm.base import Losses
from decoct_lab.context import llmlingua_official, openprovence
from decoct_lab.context.extract_each import ExtractEach
from decoct_lab.context.llmlingua import LLMLingua, _rates
from decoct_lab.context.llmlingua_official import OfficialLLMLingua
from decoct_lab.context.llmlingua_recovery import GAP, Compressed, recovered
from decoct_lab.context.openprovence import OpenProvence
from decoct_lab.context.recomp import RecompAbstractive, RecompExtractive
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

QUERY = Query("Where does the Aare rise?")
AARE = "The Aare is a river. The Aare does rise in the Bernese Alps. Trains run there."
BREAD = "Bread is baked. Flour is milled."
BUDGET = Budget(100, Words())


def quote(doc: str, text: str, score: float = 0.5) -> Passage:
    return Passage(text, (Span(doc, 0, len(text)),), "quote", score, doc.title())


DRAFT = Draft((quote("bread", BREAD), quote("aare", AARE, 0.4)))


def test_recomp_keeps_the_nearest_sentences_in_their_order() -> None:
    found = RecompExtractive(HashEmbedder(), keep=2).apply(QUERY, DRAFT, BUDGET)
    assert [p.text for p in found.passages] == ["The Aare is a river. The Aare does rise in the Bernese Alps."]
    assert found.passages[0].support == (Span("aare", 0, 60),)
    assert RecompExtractive(HashEmbedder()).apply(QUERY, Draft(()), BUDGET).passages == ()


def test_recomp_writes_a_summary_that_stands_on_all_it_read() -> None:
    llm = ScriptedLLM(["The Aare rises in the Bernese Alps."])
    (found,) = RecompAbstractive(llm).apply(QUERY, DRAFT, BUDGET).passages
    assert (found.kind, found.text) == ("rewrite", "The Aare rises in the Bernese Alps.")
    assert {span.doc_id for span in found.support} == {"bread", "aare"}
    assert "Flour is milled." in llm.requests[0].messages[1].content


def test_recomp_may_say_that_nothing_helps() -> None:
    assert RecompAbstractive(ScriptedLLM(["Nothing helps."])).apply(QUERY, DRAFT, BUDGET).passages == ()


def test_recomp_goes_on_without_its_model() -> None:
    with trace.recording() as record:
        found = RecompAbstractive(ScriptedLLM([ModelTimeoutError("slow")])).apply(QUERY, DRAFT, BUDGET)
    assert found.passages == DRAFT.passages
    assert record.fallbacks == {"recomp.model-timeout": 1}


def test_each_passage_is_cut_on_its_own() -> None:
    llm = ScriptedLLM(['{"keep": []}', '{"keep": [2]}'])
    found = ExtractEach(llm).apply(QUERY, DRAFT, BUDGET)
    assert [p.text for p in found.passages] == ["The Aare does rise in the Bernese Alps."]
    assert len(llm.requests) == 2


def test_a_passage_whose_request_fails_stays_whole() -> None:
    with trace.recording() as record:
        found = ExtractEach(ScriptedLLM([ModelTimeoutError("slow"), "no JSON"])).apply(QUERY, DRAFT, BUDGET)
    assert found.passages == DRAFT.passages
    assert record.fallbacks == {"extract_each.model-timeout": 1, "extract_each.reply": 1}


class ByWord:
    """A loss for each word: its length, less one where the prefix holds it."""

    def losses(self, pairs: Any) -> list[Losses]:
        found = []
        for prefix, text in pairs:
            values, offsets, at = [], [], 0
            for word in text.split():
                start = text.index(word, at)
                at = start + len(word)
                values.append(float(len(word)) - (word in prefix))
                offsets.append((start, at))
            found.append(Losses(tuple(values), tuple(offsets)))
        return found


def test_llmlingua_keeps_the_tokens_of_highest_loss_in_their_order() -> None:
    draft = Draft((quote("d", "a bbbb cc dddddd"),))
    (found,) = LLMLingua(ByWord(), rate=0.5).apply(QUERY, draft, BUDGET).passages
    assert (found.text, found.kind) == ("bbbb dddddd", "rewrite")
    assert found.support == (Span("d", 0, 16),)


def test_llmlingua_asks_for_each_segment_after_what_was_kept_of_those_before() -> None:
    asked: list[tuple[str, str]] = []

    class Heard(ByWord):
        def losses(self, pairs: Sequence[tuple[str, str]]) -> list[Losses]:
            asked.extend(pairs)
            return super().losses(pairs)

    first, second = "a bbbb " * 200 + "cc dddd", "e ffff"
    draft = Draft((quote("a", first), quote("b", second)))
    LLMLingua(Heard(), rate=0.5, slack=500).apply(QUERY, draft, Budget(4000, Words()))
    (_, one), (before_two, _), (before_three, _), (before_last, last) = asked[2:]
    assert first.startswith(one)
    assert before_two == " ".join(["bbbb"] * 100)
    assert before_three.split() == ["bbbb"] * 200
    assert (before_last.split(), last) == (["bbbb"] * 200 + ["dddd"], second)


def test_llmlingua_orders_by_perplexity_and_long_by_the_question() -> None:
    draft = Draft((quote("short", "a b c d"), quote("long", "Where does the Aare rise? There.")))
    plain = LLMLingua(ByWord(), rate=1.0).apply(QUERY, draft, BUDGET)
    assert [p.title for p in plain.passages] == ["Short", "Long"]  # as they were given; the ranking says which are kept
    contrast = LLMLingua(ByWord(), long=True, rate=0.5, slack=0).apply(QUERY, draft, BUDGET)
    (first, *_) = contrast.passages
    assert first.title == "Long"
    assert "Aare" in first.text


def test_llmlingua_drops_passages_beyond_the_target() -> None:
    draft = Draft(tuple(quote(f"d{n}", "word " * 30) for n in range(6)))
    found = LLMLingua(ByWord(), slack=10).apply(QUERY, draft, Budget(40, Words()))
    assert 0 < sum(len(p.text.split()) for p in found.passages) <= 45
    assert len(found.passages) < 6


def test_plain_and_long_have_the_projects_own_defaults() -> None:
    assert LLMLingua(ByWord())._defaults == (0.5, 0.0)
    assert LLMLingua(ByWord(), long=True)._defaults == (0.55, 0.3)
    assert LLMLingua(ByWord(), long=True, rate=0.4, spread=0.1)._defaults == (0.4, 0.1)


def test_plain_keeps_the_most_perplexing_passages_in_the_order_they_had() -> None:
    texts = ("word word word", "Quirky zebras juggle quietly", "word", "Extraordinarily perplexing vocabulary")
    draft = Draft(tuple(quote(f"d{n}", text) for n, text in enumerate(texts)))
    found = LLMLingua(ByWord(), rate=0.3, slack=1).apply(QUERY, draft, BUDGET)
    titles = [p.title for p in found.passages]
    assert titles == sorted(titles)
    assert "D3" in titles
    assert "D2" not in titles


def test_what_was_left_of_a_passage_says_where_it_came_from() -> None:
    text = "Wilhelm Conrad Röntgen, professor of physics, discovered X-rays in 1895."
    found = LLMLingua(ByWord(), rate=0.5).apply(QUERY, Draft((quote("d", text),)), BUDGET)
    (left,) = found.notes["compressed"]
    assert isinstance(left, Compressed)
    assert (left.text, left.original) == (found.passages[0].text, text)
    assert len(left.text) < len(text)
    for start, place, length in left.pieces:
        piece = left.text[start : start + length]
        assert piece == text[place : place + length][: len(piece)]


def test_what_was_left_can_be_written_as_json() -> None:
    left = Compressed("Ada", "Ada Stone", ((0, 0, 3),))
    assert left.as_dict() == {"text": "Ada", "original": "Ada Stone", "pieces": [[0, 0, 3]]}
    assert isinstance(left, SupportsAsDict)


def test_an_answer_gets_the_documents_words_back() -> None:
    original = "The physicist Wilhelm Conrad Röntgen discovered X-rays in Würzburg."
    kept = ["Wilhelm", " Rön", " X-rays", " Würzburg"]
    pieces, at, text = [], 0, ""
    for one in kept:
        place = original.index(one.strip(), at)
        gap = " " if text else ""
        pieces.append((len(text) + len(gap), place, len(one.strip())))
        text += gap + one.strip()
        at = place
    left = Compressed(text, original, tuple(pieces))
    assert text == "Wilhelm Rön X-rays Würzburg"
    assert recovered("It was Wilhelm Rön who did", [left]) == "It was Wilhelm Conrad Röntgen who did"
    assert recovered("Rön", [left]) == "Röntgen"
    assert recovered("nobody at all", [left]) == "nobody at all"
    assert recovered("Wilhelm Rön", []) == "Wilhelm Rön"
    assert recovered("", [left]) == ""


def test_pieces_that_lay_far_apart_are_no_stretch() -> None:
    original = "Ada " + "x" * (GAP + 5) + " Stone"
    left = Compressed("Ada Stone", original, ((0, 0, 3), (4, len(original) - 5, 5)))
    assert recovered("Ada Stone", [left]) == "Ada Stone"


def test_recomp_keeps_as_many_sentences_as_the_budget_holds() -> None:
    texts = [" ".join(f"Number {n} of {d} tells of rivers." for n in range(8)) for d in range(4)]
    draft = Draft(tuple(quote(f"d{n}", text) for n, text in enumerate(texts)))
    step = RecompExtractive(HashEmbedder(), documents=4, keep=0)
    lengths = []
    for limit in (15, 60, 120, 5000):
        budget = Budget(limit, Words())
        found = step.apply(QUERY, draft, budget)
        assert budget.fits(Numbered().render(found))
        lengths.append(sum(p.text.count(".") for p in found.passages))
    assert lengths == sorted(set(lengths))
    assert lengths[-1] == 32
    assert sum(p.text.count(".") for p in step.apply(QUERY, draft, Budget(1, Words())).passages) == 1


def test_rates_run_linearly_around_the_target() -> None:
    assert _rates(0.5, 3, 0.3) == pytest.approx([0.65, 0.5, 0.35])
    assert _rates(0.9, 1, 0.3) == pytest.approx([0.9])


def test_settings_are_checked() -> None:
    for wrong in (
        lambda: LLMLingua(ByWord(), rate=0),
        lambda: RecompExtractive(HashEmbedder(), keep=-1),
        lambda: RecompAbstractive(ScriptedLLM([]), share=2),
        lambda: ExtractEach(ScriptedLLM([]), n=0),
        lambda: OpenProvence(threshold=2),
        lambda: OfficialLLMLingua("gpt2", n=0),
    ):
        with pytest.raises(ConfigError):
            wrong()


def test_adapters_name_the_package_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llmlingua", None)
    monkeypatch.setitem(sys.modules, "transformers", None)
    llmlingua_official._load.cache_clear()
    openprovence._load.cache_clear()
    with pytest.raises(MissingExtraError, match="pip install llmlingua"):
        OfficialLLMLingua("gpt2").apply(QUERY, DRAFT, BUDGET)
    with pytest.raises(ConfigError, match="trust_remote_code"):
        OpenProvence().apply(QUERY, DRAFT, BUDGET)
    with pytest.raises(MissingExtraError):
        OpenProvence(trust_remote_code=True).apply(QUERY, DRAFT, BUDGET)


def test_adapters_hand_over_and_take_back(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    class Compressor:
        def __init__(self, model: str, **settings: Any) -> None:
            seen["model"] = (model, settings)

        def compress_prompt(self, context: list[str], **settings: Any) -> dict[str, Any]:
            seen["call"] = (context, settings)
            return {"compressed_prompt": "Aare rise Alps"}

    package = ModuleType("llmlingua")
    package.PromptCompressor = Compressor  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "llmlingua", package)
    llmlingua_official._load.cache_clear()
    (found,) = OfficialLLMLingua("gpt2", long=True).apply(QUERY, DRAFT, BUDGET).passages
    assert (found.text, found.kind) == ("Aare rise Alps", "rewrite")
    assert seen["call"][1]["rank_method"] == "longllmlingua"
    assert seen["call"][1]["target_token"] == 100

    def process(question: str, context: str, threshold: float) -> dict[str, Any]:
        return {"pruned_context": "The Aare does rise in the Bernese Alps." if "Aare" in context else ""}

    loaded = SimpleNamespace(process=process)
    loaded.eval = lambda: loaded
    transformers = ModuleType("transformers")
    transformers.AutoModel = SimpleNamespace(from_pretrained=lambda *a, **k: loaded)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    openprovence._load.cache_clear()
    pruned = OpenProvence(trust_remote_code=True).apply(QUERY, DRAFT, BUDGET).passages
    assert [(p.text, p.kind) for p in pruned] == [("The Aare does rise in the Bernese Alps.", "quote")]
    openprovence._load.cache_clear()
    llmlingua_official._load.cache_clear()
