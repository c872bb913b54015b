"""Which encoding a file is in."""

from __future__ import annotations

import codecs
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import one

from decoct.documents.encoding import decoded, detected, single_byte_encoding
from decoct.errors import ParseError
from decoct.trace import recording


def decode(data: bytes, declared: str = "") -> str:
    return decoded(data, declared).text


GERMAN = "Der Fluß fließt über Köln nach Süden, größer wird er später. " * 20
RUSSIAN = "Военная подготовка началась в университете в тысяча девятьсот двенадцатом году. " * 20
JAPANESE = "大学での軍事教練は千九百十二年に始まった。これは長い文章の例である。" * 20


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-8"])
def test_marks_and_utf8(encoding: str) -> None:
    assert decode("Köln – 東京 🙂".encode(encoding)) == "Köln – 東京 🙂"


def test_big_endian_marks() -> None:
    assert decode(codecs.BOM_UTF16_BE + "Köln".encode("utf-16-be")) == "Köln"
    assert decode(codecs.BOM_UTF32_BE + "Köln".encode("utf-32-be")) == "Köln"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(encoding: str) -> None:
    assert decode(GERMAN.encode(encoding)) == GERMAN


def test_what_is_declared_comes_before_utf8_if_it_fits() -> None:
    data = "Ã¶".encode("cp1252")  # valid UTF-8 for another text
    assert decode(data) == "ö"
    assert decode(data, "windows-1252") == "Ã¶"
    assert decode("Köln".encode(), "ascii") == "KÃ¶ln"  # browsers read "ascii" as Windows-1252
    assert decode("Köln".encode(), "no-such-charset") == "Köln"
    assert decode(b"6162", "hex") == "6162"  # a codec of Python's that is no text encoding
    assert decode("東京".encode(), "shift_jis") in ("東京", "東京".encode().decode("cp932", "replace"))


def test_few_odd_bytes_are_windows_1252_and_the_guess_is_recorded() -> None:
    with recording() as trace:
        assert decode("A café in Zürich – “quoted”".encode("cp1252")) == "A café in Zürich – “quoted”"
        assert trace.fallbacks["encoding.guessed"] == 1


@pytest.mark.parametrize(
    ("text", "encoding"), [(RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (JAPANESE, "shift_jis"), (JAPANESE, "euc-jp")]
)
def test_legacy_encodings_are_told_by_statistics(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_binary_is_refused() -> None:
    junk = random.Random(0).randbytes(20_000)
    for data in (junk, bytes(1000), b"\x89PNG\r\n\x1a\n" + junk, b"\x7fELF" + bytes(500) + junk):
        with pytest.raises(ParseError, match="not text"):
            decode(data)


def test_a_damaged_marked_file_is_refused() -> None:
    with pytest.raises(ParseError, match="damaged"):
        decode(codecs.BOM_UTF8 + b"abc\xff")
    with pytest.raises(ParseError, match="damaged"):
        decode(codecs.BOM_UTF16_LE + b"a\x00b")


def test_a_few_controls_are_left_to_be_cleaned() -> None:
    assert decode(b"hello\x00world") == "hello\x00world"


@given(st.binary(max_size=300))
def test_any_bytes_are_decoded_whole_or_refused(data: bytes) -> None:
    try:
        encoding = detected(data)[0]
    except ParseError:
        return
    data.decode(encoding)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Привет, мир", "cp1251"),
        ("Привет", "koi8-r"),
        ("Καλημέρα κόσμε", "cp1253"),
        ("שלום עולם", "cp1255"),
        ("大学", "shift_jis"),
        ("東京", "euc-jp"),
        ("한국어", "euc-kr"),
    ],
)
def test_short_texts_of_other_scripts_are_refused_not_garbled(text: str, encoding: str) -> None:
    with pytest.raises(ParseError, match="too few characters"):
        decode(text.encode(encoding))


@pytest.mark.parametrize(
    "text", ["Zürich", "naïve café", "“quoted” – and so on…", "5 °C, £3 ± 1", "Ærø", "Größenänderung für 3 €"]
)
def test_short_western_texts_are_read_and_said_to_be_unsure(text: str) -> None:
    found = decoded(text.encode("cp1252"))
    assert found.text == text
    assert found.notes == {"encoding_guessed": "windows-1252", "encoding_unsure": True}


def test_a_guess_from_enough_is_named_and_what_is_known_is_not() -> None:
    assert decoded(RUSSIAN.encode("cp1251")).notes == {"encoding_guessed": "windows-1251"}
    assert decoded("Zürich".encode()).notes == {}
    assert decoded("Zürich".encode("cp1252"), "latin-1").notes == {}


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.csv", "notes"])
def test_documents_tell_of_a_guess(name: str) -> None:
    document = one(name, "text\nGrüße aus Zürich".encode("cp1252"))
    assert document.metadata["encoding_guessed"] == "windows-1252"
    assert document.metadata["encoding_unsure"] is True
    assert "encoding_guessed" not in one(name, "text\nGrüße aus Zürich").metadata


# The first article of the Universal Declaration of Human Rights, in part.
SHORT = {
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem.",
    "cs": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren, im Geist der Brüderlichkeit.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом.",
    "uk": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון.",
    "ja": "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。",
}


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        ("pl", "cp1250"),
        ("pl", "iso8859-2"),
        ("pl", "cp852"),
        ("cs", "cp1250"),
        ("cs", "iso8859-2"),
        ("de", "cp1252"),
        ("de", "mac-roman"),
        ("ru", "koi8-r"),
        ("ru", "cp1251"),
        ("ru", "cp866"),
        ("uk", "koi8-u"),
        ("uk", "cp1251"),
        ("el", "cp1253"),
        ("he", "cp1255"),
    ],
)
def test_a_sentence_tells_its_encoding_by_the_language_that_it_then_is_in(language: str, encoding: str) -> None:
    found = decoded(SHORT[language].encode(encoding))
    assert found.text == SHORT[language]
    assert "encoding_guessed" in found.notes


def test_what_is_of_no_language_in_any_encoding_of_one_byte_is_left_to_others() -> None:
    assert single_byte_encoding(SHORT["ja"].encode("shift_jis")) == ""
    assert single_byte_encoding(random.Random(1).randbytes(400)) == ""
    assert single_byte_encoding(b"plain") == ""


def test_japanese_that_shifts_is_read() -> None:
    assert decoded("The pump: ポンプ".encode("iso-2022-jp")) == ("The pump: ポンプ", {})
    assert decoded(b"\x1b$ 5 \x1b[0m").text == "\x1b$ 5 \x1b[0m"
