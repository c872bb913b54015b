"""Follow-up questions completed by rule, and those that nothing before explains."""

from __future__ import annotations

import pytest

from decoct.conversation.completion import Spoken, completed
from decoct.reading.small import SmallReader

READER = SmallReader()
DURR = Spoken(
    "Who was Clifford Durr?", "Clifford Judkins Durr (March 2, 1899 – May 12, 1975) was an Alabama lawyer. [1]"
)
WIFE = Spoken("Who was Clifford Durr's wife?", "In 1926 he married Virginia Foster. [1]")
TARGET = Spoken("Who directed Target Zero?", "Target Zero is a 1955 American drama film directed by Harmon Jones. [1]")
LEAVE = Spoken("How many days of leave does an employee have?", "Every employee has 25 days of leave a year. [1]")
BORN = Spoken("When was Roman Polanski born?", "He was born on 18 August 1933 in Paris. [1]")


@pytest.mark.parametrize(
    ("before", "question", "meant"),
    [
        ([DURR], "And who was his wife?", "Who was Clifford Durr's wife?"),
        ([DURR, WIFE], "When did she die?", "When did Virginia Foster die?"),
        ([TARGET], "When did he die?", "When did Harmon Jones die?"),
        ([TARGET], "When was it released in Japan?", "When was Target Zero released in Japan?"),
        ([DURR, TARGET], "Whom did he marry?", "Whom did Harmon Jones marry?"),
        ([BORN], "And Louis Seigner?", "When was Louis Seigner born?"),
        ([BORN], "What about his sister?", "When was Roman Polanski's sister born?"),
        ([Spoken("What does E-1402 mean?", "Oil pressure low.")], "And E-1420?", "What does E-1420 mean?"),
        ([LEAVE], "And a carer?", "How many days of leave does a carer have?"),
        ([Spoken("What is the fare in summer?", "£14.50")], "And in winter?", "What is the fare in winter?"),
        ([Spoken("How long are lost umbrellas kept?", "6 weeks")], "What about keys?", "How long are lost keys kept?"),
        (
            [Spoken("Who directed Stop! Or My Mom Will Shoot?", "")],
            "When was it released?",
            "When was Stop! Or My Mom Will Shoot released?",
        ),
        ([Spoken("Who services the lifejackets?", "")], "Where are they kept?", "Where are the lifejackets kept?"),
        ([Spoken("Where is the Anno Museum?", "In Hamar, Norway.")], "Who lives there?", "Who lives at Hamar, Norway?"),
        (
            [Spoken("What froze in 1947?", "In February 1947 the harbour froze for nine days. [1]")],
            "When did it freeze?",
            "When did the harbour freeze?",
        ),
        ([Spoken("What froze in 1947?", "The harbour froze.")], "When did it freeze?", "When did the harbour freeze?"),
        ([Spoken("Where was the lock at 14:30?", "")], "Who built it?", "Who built the lock?"),
        ([Spoken("How deep was the canal in May 1947?", "")], "Who dug it?", "Who dug the canal?"),
        ([Spoken("How long was the 1953 flood?", "")], "How high was it?", "How high was the 1953 flood?"),
    ],
)
def test_what_was_said_before_completes_the_question(before: list[Spoken], question: str, meant: str) -> None:
    assert completed(question, before, READER).readings == (meant,)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (BORN, "you found it already"),  # was: "When was Roman you found Roman Polanski already born?"
        (LEAVE, "I lost my card"),
        (LEAVE, "explain parental leave"),
        (TARGET, "Übersetze das ins Deutsche."),
        (TARGET, "Kannst du das auf Deutsch sagen"),
        (LEAVE, "Traduis ta réponse en français."),
    ],
)
def test_a_sentence_takes_no_place_in_the_question_before(before: Spoken, said: str) -> None:
    assert not any(before.question[:12] in one for one in completed(said, [before], READER).readings)


def test_thanks_before_what_goes_on_are_passed_over() -> None:
    for said in ("Great, thanks, and a carer?", "ok, and a carer", "thx. What about a carer?"):
        assert completed(said, [LEAVE], READER).readings == ("How many days of leave does a carer have?",)


def test_what_the_library_knows_nothing_of_takes_no_place() -> None:
    assert completed("carers", [LEAVE], READER, lambda words: words == "carers").readings != ("carers",)
    assert completed("merci", [LEAVE], READER, lambda words: words == "carers").readings == ("merci",)
    assert completed("And merci?", [LEAVE], READER, lambda _: False).readings != ("merci",)  # it says that it goes on


@pytest.mark.parametrize(
    ("before", "said", "meant"),
    [
        ("Who was Clifford Durr?", "museums", "Who was museums?"),  # was: "Who was Clifford museums?"
        ("How do I reset the W-20?", "or the dryer?", "How do I reset the dryer?"),
        ("How many days of leave does a carer have?", "apprentices", "How many days of leave does a apprentices have?"),
    ],
)
def test_a_thing_takes_the_place_of_a_whole_name_and_not_of_what_is_asked_for(
    before: str, said: str, meant: str
) -> None:
    assert completed(said, [Spoken(before, "")], READER).readings == (meant,)


def test_an_exclamation_goes_on_where_it_names_something() -> None:
    assert completed("And a carer!", [LEAVE], READER).readings == ("How many days of leave does a carer have?",)


@pytest.mark.parametrize(
    "question",
    [
        "Who directed Siti Noerbaja?",
        "When did Kaumualii die and whom did he become a vassal of?",
        "Which museum did Brian Kennedy direct from 2010 to 2019?",
    ],
)
def test_another_topic_is_asked_as_it_stands(question: str) -> None:
    assert completed(question, [DURR, TARGET], READER).readings == (question,)


def test_a_question_without_a_name_is_read_of_the_last_subject_first_and_then_alone() -> None:
    found = completed("Who wrote the film?", [TARGET], READER)
    assert found.readings == ("Who wrote the film Target Zero?", "Who wrote the film?")
    assert completed("Who wrote the film?", [], READER).readings == ("Who wrote the film?",)


@pytest.mark.parametrize(
    ("before", "question", "missing"),
    [
        ([], "When was it published?", "it"),
        ([], "And who was his wife?", "his"),
        ([], "What about Sundays?", "What about Sundays?"),
        ([Spoken("How many people live on Mars?", "")], "How old is she?", "she"),
        ([Spoken("What froze in 1947?", "")], "When did it freeze?", "it"),
        ([Spoken("What happened on 3 May 1947?", "")], "Why did it happen?", "it"),
        ([Spoken("What sank on Monday?", "")], "Was anybody there?", "there"),
        ([Spoken("What costs 500 euros?", "")], "Are they refunded?", "they"),
    ],
)
def test_what_nothing_explains_is_incomplete(before: list[Spoken], question: str, missing: str) -> None:
    found = completed(question, before, READER)
    assert (found.readings, found.missing) == ((), missing)


def test_it_that_stands_for_what_follows_is_no_pronoun() -> None:
    for question in ("Is it possible to swim at noon?", "How long does it take to dry?", "What time is it?"):
        assert question in completed(question, [TARGET], READER).readings


def test_the_words_of_a_search_box_begin_a_conversation() -> None:
    for question in ("bridge", "opening hours", "Leave policy?"):
        assert completed(question, [], READER).readings == (question,)
    assert completed("And in winter?", [], READER).readings == ()


def test_what_a_turn_told_to_be_a_thing_is_no_person_later() -> None:
    """Was: "What did Target Zero study?"."""
    first = Spoken("Who directed Target Zero?", "Target Zero was directed by Harmon Jones.")
    then = Spoken("When was Target Zero released?", "Target Zero was released in 1955.")
    assert completed("What did he study?", [first, then], READER).readings == ("What did Harmon Jones study?",)
    assert completed("Who wrote it?", [first, then], READER).readings == ("Who wrote Target Zero?",)


@pytest.mark.parametrize(
    ("asked", "answered", "question", "meant"),
    [
        # what is denied is exchanged for what stands beside it
        ("When does the ferry to Kiel sail?", "", "not Kiel, Bergen", "When does the ferry to Bergen sail?"),
        (
            "When does the ferry to Kiel sail?",
            "",
            "No, I meant Bergen, not Kiel.",
            "When does the ferry to Bergen sail?",
        ),
        # of two that were listed the other one
        (
            "Which moons has Mars?",
            "Mars has two moons, Phobos and Deimos.",
            "How large is the second one?",
            "How large is Deimos?",
        ),
        ("How old is Ada or Bert?", "", "How old is Ada?", "How old is Ada?"),
        # a clause before says what the word stands for
        (
            "How do I book a boat?",
            "",
            "What happens if the dryer stops when I open it?",
            "What happens if the dryer stops when I open it?",
        ),
    ],
)
def test_what_is_denied_listed_or_brought_up(asked: str, answered: str, question: str, meant: str) -> None:
    assert completed(question, [Spoken(asked, answered)], READER).readings[0] == meant


def test_the_other_one_of_two_is_the_one_that_was_not_asked_about() -> None:
    spoken = [
        Spoken("Which moons has Mars?", "Mars has two moons, Phobos and Deimos."),
        Spoken("How large is Phobos?", "22 km"),
    ]
    assert completed("And the other one?", spoken, READER).readings[0] == "How large is Deimos?"


@pytest.mark.parametrize(
    ("turns", "meant"),
    [
        # what a turn's pronoun stood for is meant again, and no preposition is left over
        (["What is spooldir for?", "And what is its default?", "Can I set it to 10?"], "Can I set the spooldir to 10?"),
        (["Where is the ruler placed by default?", "How do I move it?"], "How do I move the ruler?"),
        (["What does the pool's maxWaitTime do?", "Is it 10 by default?"], "Is the pool's maxWaitTime 10 by default?"),
        (["How does the week ticket differ from others?", "Is it dearer?"], "Is the week ticket dearer?"),
        # its owner stands in the question
        (
            ["What is a mooring?", "Which key makes the editor forget its history?"],
            "Which key makes the editor forget its history?",
        ),
        (
            ["What is a mooring?", "May guests of the inn swim if they are late?"],
            "May guests of the inn swim if they are late?",
        ),
        # what says enough stands by itself, and what says little is about what was spoken of
        (
            ["How do I limit the number of calls in the gate?", "What is the default?"],
            "What is the default (limit the number of calls in the gate)?",
        ),
        (
            ["What is the mooring fee?", "Which form must a visiting boat fill in at night?"],
            "Which form must a visiting boat fill in at night?",
        ),
        # the part of the same kind is exchanged
        (
            ["How many tablets may an adult take in one day?", "What about teenagers?"],
            "How many tablets may an teenagers take in one day?",
        ),
        (
            ["Which lamp tells that paper is out?", "And which one tells that ink is low?"],
            "Which lamp tells that ink is low?",
        ),
        # nothing was asked before: what was told is the subject
        (["my boiler shows error 17", "And 18?"], "my boiler shows error 18?"),
        (["opening hours museum Bern", "and Basel?"], "opening hours museum Basel?"),
        (["The lamp of my boiler blinks.", "How do I stop it?"], "How do I stop it (The lamp of my boiler blinks)?"),
    ],
)
def test_what_programs_and_houses_speak_of_is_followed(turns: list[str], meant: str) -> None:
    spoken: list[Spoken] = []
    for turn in turns[:-1]:
        understood = completed(turn, spoken, READER)
        spoken.append(Spoken(understood.readings[0], "", understood.topic))
    assert completed(turns[-1], spoken, READER).readings[0] == meant


LOST = "Lost cards must be reported at once; a replacement card costs 5 euros. [1]"


@pytest.mark.parametrize(
    ("asked", "answered", "question", "meant"),
    [
        # after what somebody told, what the answer spoke of is meant; where there was none, all that was told
        ("I've lost my card.", LOST, "Where do I get it?", "Where do I get the replacement card?"),
        ("I've lost my card.", "", "Where do I get it?", "Where do I get it (I've lost my card)?"),
        ("My aunt has moved in.", "", "May she vote?", "May she vote (My aunt has moved in)?"),
        ("We run Elmware on Debian.", "", "Why is the sea salty?", "Why is the sea salty?"),
        ("The lamp of my boiler is off.", "", "And if it blinks?", "if the lamp blinks?"),
        ("I have an Elm W-20.", "", "it prints stripes", "Elm W-20 prints stripes"),
        # without a verb the last question is meant with all that it says
        ("How do I cancel my membership?", "", "By when?", "By when (cancel my membership)?"),
        ("How long do I wait for a visa?", "", "Why so long?", "Why so long (wait for a visa)?"),
        ("What does max_jobs set?", "", "the default?", "What does max_jobs set (the default)?"),
        # what puts the last question right takes its place in that
        (
            "When does the office in Kiel open?",
            "",
            "Sorry, I meant the one in Bonn.",
            "When does the office in Bonn open?",
        ),
        ("How do I restart the Elm server?", "", "No, I mean gently.", "How do I restart the Elm server (gently)?"),
        # one of several
        (
            "Which ways are there?",
            "It takes Never, Bad User or Bad Uid.",
            "What does the second one do?",
            "What does Bad User do?",
        ),
        (
            "Which rivers meet?",
            "The Danube, the Inn and the Ilz meet.",
            "How long is the last one?",
            "How long is the Ilz?",
        ),
        # an entry of a manual begins with its term
        (
            "Which option skips newer files?",
            "--update skips any files that are newer.",
            "Is it slow?",
            "Is --update slow?",
        ),
        ("How can I step the clock?", "makestep 1.0 3 steps the system clock.", "Is it set?", "Is makestep set?"),
        # a definition names nothing else, and a name behind a preposition is no nearer than what is spoken of
        (
            "What is the Elm engine?",
            "The Elm engine is a hand-driven mill of old Greece.",
            "Who found it?",
            "Who found the Elm engine?",
        ),
        ("How do I add a plugin in Elmware?", "", "How do I remove it?", "How do I remove the plugin?"),
        ("Who runs the IT desk?", "The desk is run by Ada Green.", "When is she in?", "When is Ada Green in?"),
        ("What are Elm agents?", "Elm agents are machines.", "Can they sleep?", "Can Elm agents sleep?"),
        # a thing takes the place of one of its form, and nothing else's
        ("How long are backups kept?", "", "and logs?", "How long are logs kept?"),
        (
            "What does a night in a four-bed room cost?",
            "",
            "What about children?",
            "What does a night in a four-bed room cost (children)?",
        ),
        ("How large may an Elm secret be?", "", "And an Oak map?", "How large may an Oak map be?"),
        ("How do I set the limit of backups?", "", "And for archives?", "How do I set the limit of archives?"),
        # what the turn itself brings up
        (
            "What is the gate's number?",
            "220",
            "When a visitor loses a badge, who must report it?",
            "When a visitor loses a badge, who must report it?",
        ),
        ("How do I list the tags?", "", "annual leave", "annual leave"),
        # what is done to a thing, or how it is, is no part of its name; was: "When was the mill the forge?"
        ("When was the mill built?", "", "And the forge?", "When was the forge built?"),
        ("When was the mill built?", "It was built in 1850.", "When did it burn?", "When did the mill burn?"),
        ("Why was the ship sunk?", "", "And the barge?", "Why was the barge sunk?"),
        ("By whom was the song sung?", "", "And the anthem?", "By whom was the anthem sung?"),
        ("Is the pool warm?", "", "And the sauna?", "Is the sauna warm?"),
        ("When is the team meeting?", "", "And the summer party?", "When is the summer party?"),
        ("When was the opening ceremony?", "", "Where was it?", "Where was the opening ceremony?"),
    ],
)
def test_what_is_meant_after_one_turn(asked: str, answered: str, question: str, meant: str) -> None:
    assert completed(question, [Spoken(asked, answered)], READER).readings[0] == meant


def test_a_clause_that_tells_which_is_meant_stands_for_nothing_said_before() -> None:
    """Was declined: "that" was taken to point at something."""
    question = "Which option lists files that are newer?"
    assert completed(question, [], READER).readings == (question,)
