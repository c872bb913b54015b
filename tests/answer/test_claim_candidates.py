"""The possible answers of a question, each with its evidence, and what is decided by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from reader_certainty import ReaderCertainty

from decoct.answer.candidates import ClaimFinder
from decoct.answer.claim_evidence import ClaimEvidence
from decoct.answer.decision import ClaimCandidate, decided, ranked
from decoct.answer.demands import demands_of
from decoct.answer.found import entries_asked_for
from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.answer.siblings import SiblingSentences
from decoct.answer.surroundings import surroundings
from decoct.data import Passage, Span
from decoct.reading.base import Reading, SecondReading, StatementToRead
from decoct.text.words import content_stems

FAULTS = "# Faults\n\n## E-1040\n\nThe belt is loose. Tighten it.\n\n## E-1402\n\nThe door is open. Close it."
NORTH = "It opens at six. It closes at two. The manager is Ida Brandt."
SOUTH = "It opens at nine. It closes at five. The manager is Olaf Vik."
CODES = "The alarm X-717 means high heat. It is loud. The alarm X-771 means low water. It blinks twice."


def read(text: str, title: str = "", rank: int = 0) -> ReadPassage:
    passage = Passage(text, (Span(f"d{rank}", 0, len(text)),), title=title)
    return ReadPassage(passage, Reading((), 0.9, 0.9, ()), rank)


def words(one: ReadPassage, said: str, sentence: str, weight: float = 0.8) -> FoundWords:
    text = one.passage.text
    start, at = text.index(sentence), text.index(sentence) + sentence.index(said)
    return FoundWords(one, (start, start + len(sentence)), (at, at + len(said)), said, weight)


def evidence(question: str, found: FoundWords, *others: ReadPassage) -> ClaimEvidence:
    return ClaimFinder(question, [found.read, *others], 0.4).evidence(found)


@pytest.mark.parametrize(
    ("question", "said", "sentence", "of_another"),
    [
        ("What does X-771 mean?", "low water", "The alarm X-771 means low water.", False),
        ("What does X-771 mean?", "high heat", "The alarm X-717 means high heat.", True),
        ("How often does X-771 blink?", "twice", "It blinks twice.", False),  # what stands before says whose it is
        ("How loud is X-771?", "loud", "It is loud.", True),
        ("What does X-177 mean?", "low water", "The alarm X-771 means low water.", True),
    ],
)
def test_words_of_another_identifier_are_no_answer(question: str, said: str, sentence: str, of_another: bool) -> None:
    assert evidence(question, words(read(CODES), said, sentence)).is_of_another == of_another


def test_an_identifier_that_no_passage_holds_is_nobodys() -> None:
    found = words(read("The display shows faults in red."), "red", "The display shows faults in red.")
    assert evidence("How is E-9 shown?", found).unknown == 1
    assert evidence("How are faults shown?", found).unknown == 0


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("When does train 2111 leave Mill Road?", 1),  # a head without the word "train" tells 2101
        ("When does train 2101 leave Mill Road?", 0),
        ("Who waits at Mill Road on platform 7?", 0),  # the place of the passage says it
        ("How long is a stop that lasts 35 minutes?", 0),  # an amount is of no thing
        ("Does train 2111 leave Mill Road at 06:19?", 0),  # what is asked of values is compared
    ],
)
def test_a_label_whose_number_no_passage_holds_is_nobodys(question: str, unknown: float) -> None:
    row = "Mill Road | 06:19 | 07:09"
    one = read(f"| Stop | 2101 | 2103 |\n| --- | --- | --- |\n| {row} |", "Trains")
    one = replace(one, passage=replace(one.passage, place="Platform 7"))
    assert evidence(question, words(one, "06:19", row)).unknown == unknown


def test_a_heading_says_whose_sentence_it_is() -> None:
    one = read(FAULTS, "Faults")
    assert not evidence("What is open at E-1402?", words(one, "door", "The door is open.")).is_of_another
    assert evidence("What is loose at E-1402?", words(one, "belt", "The belt is loose.")).is_of_another


@pytest.mark.parametrize("question", ["When does the South depot open?", "Who manages the depot in the South?"])
def test_a_sibling_document_is_another_thing(question: str) -> None:
    north, south = read(NORTH, "North depot"), read(SOUTH, "South depot", 1)
    other = words(north, "six", "It opens at six.")
    own = words(south, "nine", "It opens at nine.")
    assert evidence(question, other, south).of_another == 1
    assert evidence(question, own, north).of_another == 0
    assert evidence("When do the depots open?", other, south).of_another == 0


def test_a_second_step_under_another_title_is_no_sibling() -> None:
    film = read("Kiss and Tell is a film. Shirley Temple plays Corliss Archer.", "Kiss and Tell")
    star = read("Shirley Temple was an ambassador to Ghana.", "Shirley Temple", 1)
    found = words(star, "ambassador to Ghana", "Shirley Temple was an ambassador to Ghana.")
    assert not SiblingSentences(
        content_stems("What position was held by the star of Kiss and Tell?"), [film.passage, star.passage]
    ).is_of_another(star.passage, found.sentence, found.words)


def test_dates_and_labels_of_the_question_are_looked_for() -> None:
    text = "Tram 4 needs 18 minutes. Tram 9 needs 25 minutes. In 2015 Ann won. In 2016 Bo won."
    one = read(text)
    assert evidence("How long does tram 9 need?", words(one, "18 minutes", "Tram 4 needs 18 minutes.")).rivals == 1
    assert evidence("How long does tram 9 need?", words(one, "25 minutes", "Tram 9 needs 25 minutes.")).rivals == 0
    assert evidence("Who won in 2016?", words(one, "Ann", "In 2015 Ann won.")).rivals == 1
    assert evidence("Who won in 2016?", words(one, "Bo", "In 2016 Bo won.")).rivals == 0


def test_a_year_between_two_is_told_by_its_ends() -> None:
    sentence = "Clinton was president from 1993 to 2001."
    assert evidence("Who was president in 1996?", words(read(sentence), "Clinton", sentence)).rivals == 0


def test_demands_are_what_the_question_names() -> None:
    demands = demands_of("What did Ida Holm pay for ticket OPS-12 in zone B in May 2020?", ["zone A and OPS-12"])
    assert [one.written for one in demands.identifiers] == ["OPS-12"]
    assert [one.parts for one in demands.labels] == [("zone", "b")]
    assert [value.raw for value in demands.values] == ["May 2020"]
    assert not demands.unknown


def test_the_entry_under_an_identifier_is_what_it_means() -> None:
    one = read(FAULTS, "Faults")
    (entry,) = entries_asked_for("What does error E-1402 mean?", [one])
    assert (entry.words, entry.quote, entry.form) == ("The door is open", "The door is open.", "entry")
    assert entries_asked_for("How many doors does E-1402 concern?", [one]) == []
    assert entries_asked_for("What does E-1403 mean?", [one]) == []


def test_surroundings_are_sentence_before_above_and_title() -> None:
    one = read("# A\n\n- Cafes\n  - Red: 9\n\nIt rains. It pours now.", "Town")
    place = one.passage.text.index("9"), one.passage.text.index("9") + 1
    item = one.passage.text.index("- Red"), place[1]
    around = surroundings(one.passage, item, place)
    assert (around.above, around.title, around.before, around.words) == (("Cafes", "A"), "Town", (), "9")
    pours = words(one, "now", "It pours now.")
    assert surroundings(one.passage, pours.sentence, pours.place).before == ("It rains.",)


class Doubter:
    """A second reader that believes one wording alone."""

    fingerprint = "doubter"

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        self.asked: list[StatementToRead] = []

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        self.asked += statements
        return [SecondReading(float(self.wanted in one.text[one.start : one.end])) for one in statements]


class ByEntailment:
    fingerprint = "by-entailment"

    def weight(self, evidence: ClaimEvidence) -> float:
        return evidence.entailed or 0.0

    def probability(self, evidence: ClaimEvidence) -> float:
        return self.weight(evidence)


def test_the_second_reading_is_part_of_the_evidence() -> None:
    one = read(NORTH, "North depot")
    places = [words(one, "six", "It opens at six."), words(one, "two", "It closes at two.", 0.7)]
    finder = ClaimFinder("When does the North depot close?", [one], 0.4)
    assert [c.found.words for c in finder.claims(places, replace(ReaderCertainty(), spoken=0.0))] == ["six", "two"]
    second = Doubter("two")
    claims = finder.claims(places, ByEntailment(), second)
    assert [(c.found.words, c.probability) for c in claims] == [("two", 1.0), ("six", 0.0)]
    assert second.asked[0].title == "North depot"
    first = second.asked[0]
    assert first.text[first.start : first.end] == "It opens at six."


KEYS = "Keys\n\nKey: K5 | Opens: Archive | Holder: Tom Wilk\nKey: K6 | Opens: Cellar | Holder: Ida Holm"


def test_of_a_row_the_cell_is_the_answer_that_a_second_reading_takes_for_it() -> None:
    one = read(KEYS)
    place = words(one, "K5", "Key: K5 | Opens: Archive | Holder: Tom Wilk")
    second = Doubter("Tom Wilk")
    (claim,) = ClaimFinder("Who holds the key to the archive?", [one], 0.4).claims([place], ByEntailment(), second)
    assert claim.found.words == "Tom Wilk"
    assert claim.evidence.worded == pytest.approx(1.0, abs=0.01)
    assert one.passage.text[slice(*claim.found.place)] == "Tom Wilk"
    whole = [asked.text[asked.start : asked.end] for asked in second.asked]
    assert whole[1:] == ["Key: K5", "Opens: Archive", "Holder: Tom Wilk"]


def test_of_a_sentence_with_several_values_the_one_that_a_second_reading_takes_for_the_answer() -> None:
    said = "The probation lasts four months, and notice during it is two weeks."
    one, second = read(said), Doubter("two weeks")
    finder = ClaimFinder("How long is the notice period during probation?", [one], 0.4)
    (claim,) = finder.claims([words(one, "four months", said)], ByEntailment(), second)
    assert claim.found.words == one.passage.text[slice(*claim.found.place)] == "two weeks"
    whole = [asked.text[asked.start : asked.end] for asked in second.asked]
    assert whole == [said, "four months", "two weeks"]


def test_the_words_of_a_sentence_are_read_where_they_stand_and_of_yes_or_no_none() -> None:
    one = read(NORTH, "North depot")
    second = Doubter("six")
    finder = ClaimFinder("When does the North depot open?", [one], 0.4)
    (claim,) = finder.claims([words(one, "six", "It opens at six.")], ByEntailment(), second)
    assert [asked.text[asked.start : asked.end] for asked in second.asked] == ["It opens at six.", "six"]
    assert claim.evidence.worded == pytest.approx(1.0, abs=0.01)
    judged = ClaimFinder("Does the North depot open at six?", [one], 0.4)
    (claim,) = judged.claims([words(one, "six", "It opens at six.")], ByEntailment(), Doubter("six"))
    assert claim.evidence.worded is None


def test_the_same_words_of_two_passages_bear_each_other_out() -> None:
    one, other = read(NORTH), read(NORTH, rank=1)
    finder = ClaimFinder("When does it open?", [one, other], 0.4)
    places = [words(each, "six", "It opens at six.", 0.5) for each in (one, other)]
    claim, again = finder.claims(places, ReaderCertainty())
    assert (round(claim.found.weight, 2), claim.evidence.margin) == (0.75, 6.0)
    assert again.found.weight == 0.5


def test_what_is_of_another_thing_is_never_claimed_and_comes_last() -> None:
    one = read(CODES)
    sure, right = (
        words(one, "high heat", "The alarm X-717 means high heat.", 0.99),
        words(one, "low water", "The alarm X-771 means low water.", 0.6),
    )
    claims = ClaimFinder("What does alarm X-771 mean?", [one], 0.4).claims([sure, right], ReaderCertainty())
    assert [claim.found.words for claim in claims] == ["low water", "high heat"]
    assert decided(claims, 0.3, 0.25) == "answer"
    assert decided(claims[1:], 0.3, 0.25) == "passages"
    assert decided([], 0.3, 0.25) == "passages"
    faint = replace(claims[0], probability=0.1, evidence=replace(claims[0].evidence, weight=-3.0))
    assert decided([faint], 0.3, 0.25) == "not-found"


def test_a_claim_knows_how_far_it_stands_above_the_best_other() -> None:
    one = ClaimCandidate(words(read(NORTH), "six", "It opens at six."), ClaimEvidence("words", 2.0))
    other = ClaimCandidate(words(read(NORTH), "two", "It closes at two."), ClaimEvidence("words", 0.5))
    best, next_one = ranked([one, other], ReaderCertainty())
    assert (best.evidence.margin, next_one.evidence.margin) == (1.5, -1.5)


def test_words_of_a_replaced_edition_have_less_evidence() -> None:
    old, new = read(NORTH, "Depot rules 2023"), read(NORTH, "Depot rules 2025", 1)
    said = [
        evidence("When does it open?", words(one, "six", "It opens at six."), old, new).replaced for one in (old, new)
    ]
    assert said == [1.0, 0.0]


def test_a_yes_in_a_cell_does_not_say_how_many() -> None:
    one = read("| Leave | Days | Paid |\n|---|---|---|\n| Wedding | 2 | yes |\n| Funeral | | yes |")
    paid, row = words(one, "yes", "| Funeral | | yes |"), words(one, "2", "| Wedding | 2 | yes |")

    def told(question: str) -> list[str]:
        return [claim.found.words for claim in ClaimFinder(question, [one], 0.4).ranked([paid, row], ReaderCertainty())]

    assert told("How many days off are there for a funeral?") == ["2"]
    assert "yes" in told("Which leave is paid?")
