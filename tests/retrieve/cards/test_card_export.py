"""A card in a file shows what documents say and does nothing."""

from __future__ import annotations

from markdown_it import MarkdownIt

from decoct.data import Document
from decoct.retrieve.cards.card import card_within_size, markdown_file

EVIL = "<img src=x onerror=alert(1)> ![t](http://a/b.png) [c](javascript:d) \x1b[2J"


def test_words_are_escaped_and_the_frame_stays() -> None:
    document = Document("d", "text", f"Title {EVIL}", "https://example.org/a_b")
    text = markdown_file(card_within_size(document, [], f"{EVIL}\n# Own heading\n- item", [EVIL]).markdown())
    tokens = [token for one in MarkdownIt().parse(text) for token in (one, *(one.children or ()))]
    assert not {"html_inline", "html_block", "image", "bullet_list_open"} & {token.type for token in tokens}
    assert [token.attrs["href"] for token in tokens if token.type == "link_open"] == ["https://example.org/a_b"]
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h1", "h2", "h4"]
    assert "\x1b" not in text


def test_a_link_that_runs_something_is_text() -> None:
    card = card_within_size(Document("d", "text", "T", "javascript:alert(1)"), [], "Said.", []).markdown()
    assert "\\[source\\](\\<javascript:alert(1)\\>)" in markdown_file(card)


def test_an_ordinary_card_stays_as_it_is() -> None:
    card = card_within_size(
        Document("d", "text", "A title, its part", "docs/a.md"), [], "It was so.", ["key", "word"]
    ).markdown()
    assert markdown_file(card) == card
