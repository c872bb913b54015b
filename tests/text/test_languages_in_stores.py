"""Every store finds documents by the words of their language, cut and stemmed by one analyser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decoct.data import Document
from decoct.embed.minilm import MiniLM
from decoct.errors import ConfigError, StaleIndexError
from decoct.index.abilities import SupportsNames, languages_of
from decoct.index.embedded import EmbeddedStore
from decoct.library import Library
from decoct.rebuild import rebuild
from decoct.structure.traits import coverage, traits_of
from decoct.text.analysis import stems
from decoct.text.words import question_stems
from decoct.trace import recording
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import make_entry

GERMAN = "Die Brücken der Stadt wurden im Jahr 1932 eröffnet und tragen acht Fahrspuren über den Fluss."
ENGLISH = "The bridges of the city were opened in 1936 and carry eight lanes of traffic over the river."
JAPANESE = "東京大学は1877年に設立された日本の国立大学である。"
CHINESE = "北京大学创办于1898年，绿茶很有名。"
THAI = "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย"


@pytest.fixture(params=["memory", "embedded"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SupportsNames]:
    made: SupportsNames = MemoryStore() if request.param == "memory" else EmbeddedStore.open(tmp_path, settings={})
    yield made
    made.close()


def found(store: SupportsNames, question: str) -> list[str]:
    return [chunk.span.doc_id for chunk in store.chunks(store.lexical(question, 5).keys)]


def test_documents_are_found_by_other_forms_of_their_own_language(store: SupportsNames) -> None:
    store.put([make_entry("de", [GERMAN]), make_entry("en", [ENGLISH])])
    assert set(languages_of(store)) == {"de", "en"}
    assert found(store, "Wann eröffnete man die Brücke?") == ["de"]
    assert found(store, "bridge opening") == ["en"]


def test_scripts_without_spaces_are_found_by_parts_of_a_run(store: SupportsNames) -> None:
    store.put([make_entry("ja", [JAPANESE]), make_entry("zh", [CHINESE]), make_entry("th", [THAI])])
    assert found(store, "国立大学")[0] == "ja"
    assert found(store, "茶") == ["zh"]
    assert found(store, "เมืองหลวง") == ["th"]


def test_an_english_library_has_the_words_it_always_had(store: SupportsNames) -> None:
    store.put([make_entry("en", [ENGLISH])])
    assert languages_of(store) == ("en",)
    counts, _ = store.frequencies(["bridg", "citi", "carri", "traffic"])
    assert counts.tolist() == [1, 1, 1, 1]


def test_an_empty_store_is_asked_in_english(store: SupportsNames) -> None:
    assert languages_of(store) == ("en",)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1, max_size=60))
def test_the_index_holds_exactly_the_words_that_a_question_asks_for(store: SupportsNames, text: str) -> None:
    whole = f"{ENGLISH} {text}"
    store.put([make_entry("d", [whole])])
    words = stems(whole, languages_of(store))
    counts, total = store.frequencies(words)
    assert total == 1
    assert counts.tolist() == [1] * len(words)


def test_signatures_cover_the_stems_of_a_question_in_the_documents_language() -> None:
    document = Document("de", GERMAN)
    entry = make_entry("de", [GERMAN])
    marks = traits_of(document, entry.chunks).signatures
    assert coverage(marks, question_stems("Wann wurde die Brücke eröffnet?", ("de",))).all()
    assert np.array_equal(marks, traits_of(document, entry.chunks, "de").signatures)


def test_a_library_is_told_its_language_once(tmp_path: Path) -> None:
    with Library.open(tmp_path / "l", embedder=HashEmbedder(), language="de") as library:
        library.add([Document("short", "Brücken")])
        assert languages_of(library.store) == ("de",)
        assert library.status().settings["language"] == "de"
    with Library.open(tmp_path / "l", embedder=HashEmbedder()) as library:
        assert library.search("Brücke")[0].chunk.span.doc_id == "short"
    with pytest.raises(StaleIndexError, match="language"):
        Library.open(tmp_path / "l", embedder=HashEmbedder(), language="fr")
    rebuild(tmp_path / "l", embedder=HashEmbedder(), language="fr")
    with Library.open(tmp_path / "l", embedder=HashEmbedder()) as library:
        assert languages_of(library.store) == ("fr",)


def test_a_language_is_a_code(tmp_path: Path) -> None:
    for wrong in ("German", ""):
        with pytest.raises(ConfigError, match=f"the language '{wrong}' is no code"):
            Library.open(tmp_path / "l", embedder=HashEmbedder(), language=wrong)


def test_a_question_in_another_language_than_the_embedders_says_so(tmp_path: Path) -> None:
    with Library.open(tmp_path / "l", embedder=MiniLM()) as library:
        library.add([Document("de", GERMAN)])
        with recording() as german:
            library.search("Wann wurde die Brücke eröffnet?")
        with recording() as english:
            library.search("When was the bridge opened?")
    assert german.fallbacks["embed.language"] == 1
    assert german.facts["question_language"] == "de"
    assert "embed.language" not in english.fallbacks
