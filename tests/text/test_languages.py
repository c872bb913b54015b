"""In which language documents and questions are."""

from __future__ import annotations

import subprocess
import sys

import pytest

from decoct.text.languages import asked_in, document_language


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("When was the bridge opened?", "en"),
        ("Who directed La vita è bella?", "en"),
        ("Wann wurde die Brücke eröffnet?", "de"),
        ("Wer war Otto von Bismarck?", "de"),
        ("Quand le pont a-t-il été ouvert ?", "fr"),
        ("¿Cuándo se inauguró el puente?", "es"),
        ("Qual è la capitale?", "it"),
        ("När öppnades bron?", "sv"),
        ("Когда открыли мост?", "ru"),
        ("Gdzie jest najbliższa stacja?", "pl"),
        ("東京大学はどこにありますか", "ja"),
        ("北京大学在哪里", "zh"),
        ("서울은 어디에 있습니까", "ko"),
        ("ประเทศไทย", "th"),
        ("Marie Curie", None),
        ("NAND flash erase block size", None),
        ("error E1234 timeout", None),
        ("", None),
    ],
)
def test_questions_tell_their_language_or_nothing(question: str, code: str | None) -> None:
    assert asked_in(question) == code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The bridge was opened in 1932 and carries eight lanes.", "en"),
        ("Die Brücke wurde im Jahr 1932 eröffnet und trägt acht Fahrspuren.", "de"),
        ("Le pont a été ouvert en 1932 et porte huit voies de circulation.", "fr"),
        (
            "De brug werd in 1932 geopend en is een van de langste in de wereld; het was een project van de overheid.",
            "nl",
        ),
        (
            "Bron invigdes i oktober 1932 och var då en av de längsta i landet. Den går över älven till den norra stadsdelen.",
            "sv",
        ),
        (
            "Il ponte fu aperto nel 1932 ed è uno dei più lunghi del paese; collega la città con il porto e la stazione.",
            "it",
        ),
        (
            "Les Quatre Cents Coups is a film by Truffaut that was shown at the festival of Cannes and made him known.",
            "en",
        ),
        ("Мост был открыт в 1932 году.", "ru"),
        ("橋は1932年に開通した。", "ja"),
        ("Table 1 2 3 4", "en"),
        ("", "en"),
    ],
)
def test_documents_have_a_language_and_labels_the_default(text: str, code: str) -> None:
    assert document_language(text) == code


def test_english_is_told_without_the_model() -> None:
    program = (
        "import sys; from decoct.text.languages import asked_in, document_language; "
        "document_language('The bridge was opened in the year of the fair.'); asked_in('When was the bridge opened?'); "
        "sys.exit('py3langid' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
