"""What the values of a question come to beside those of a sentence."""

from __future__ import annotations

from datetime import date

import pytest

from decoct.answer.asked_values import Agreement, asked_values, denies, values_meant, words_alike
from decoct.text.words import content_stems

LIFT = "The lift carries 8 people."
SERVICE = "It is serviced in March and October."
POOL = "The pool is open from 9:00 to 17:00."


@pytest.mark.parametrize(
    ("question", "said", "agreement"),
    [
        ("Does the lift carry 12 people?", LIFT, "other"),
        ("Does the lift carry eight people?", LIFT, "same"),
        ("Does the lift carry at least 5 people?", LIFT, "same"),
        ("Does the lift carry at least 10 people?", LIFT, "other"),
        ("Does the lift carry more than 10 people?", LIFT, "other"),
        ("Does the lift carry up to 12 people?", LIFT, "other"),
        ("Does the lift weigh 500 kg?", LIFT, None),
        ("Is the lift serviced in June?", SERVICE, "other"),
        ("Is the lift serviced in October?", SERVICE, "same"),
        ("Was the lift installed before 2018?", "It was installed on 3 May 2016.", "same"),
        ("Was the lift installed after 2018?", "It was installed on 3 May 2016.", "other"),
        ("Does the library open at nine?", "The library opens at ten.", "other"),
        ("Does the library open at 10:00?", "The library opens at ten.", "same"),
        ("Do loans last 21 days?", "Loans last three weeks.", "same"),
        ("Is the library closed on Sundays?", "It is closed on Mondays.", "other"),
    ],
)
def test_a_value_is_compared_with_those_of_its_kind(question: str, said: str, agreement: Agreement | None) -> None:
    assert asked_values(question).agreement(said) == agreement


@pytest.mark.parametrize(
    ("question", "said", "agreement"),
    [
        ("Is the pool open at 11:00?", POOL, "same"),
        ("Is the pool open at six in the evening?", POOL, "other"),
        ("Is the door locked at one at night?", "Locked from 22:00 to 6:00.", "same"),
        ("Can I bring goods at half past six?", "Goods are taken until 17:45.", "other"),
        ("Can I move in at four in the afternoon?", "Flats are free from 15:00.", "same"),
        ("May I burn wood in May?", "Fires are lit from November to February.", "other"),
        ("Can we camp in June?", "Season: 28 March to 25 October.", "same"),
        ("May I keep four hens?", "At most six hens are kept.", "same"),
        ("May I keep more than two hens?", "At most six hens are kept.", "same"),
        ("May I keep more than eight hens?", "At most six hens are kept.", "other"),
        ("Can the pump run for 1 minute?", "It runs for 1, 5 or 20 minutes.", "same"),
        ("Can the pump run for 7 minutes?", "It runs for 1, 5 or 20 minutes.", "other"),
        ("Is a rope of 20 m allowed?", "The rope must not be longer than 30 m.", "same"),
        ("Is a rope of 40 m allowed?", "The rope must not be longer than 30 m.", "other"),
        ("Does the pool hold 40 bathers?", "It holds up to 60 bathers.", "open"),
        ("Does the pool hold 80 bathers?", "It holds up to 60 bathers.", "other"),
        ("May a boy of six come in?", "Children must be at least eight.", "other"),
        ("Can somebody of 17 join?", "Members must be at least 16 years old.", "same"),
        ("Would a van of 2.10 metres fit?", "Vehicles higher than 1.95 metres do not fit.", "other"),
        ("Can I cancel three days before?", "You can cancel until 48 hours before.", "same"),
        ("Can a guest stay for an hour?", "Guests stay for two hours.", "open"),
        ("Can a guest stay for three hours?", "Guests stay for two hours.", "other"),
        ("Do we get a laptop after three years?", "A laptop is replaced after four years.", "other"),
        ("Can I cancel five hours before?", "You can cancel until 48 hours before.", "other"),
        ("Does the bell ring at 70 degrees?", "The bell rings above 60 degrees.", "same"),
        ("Does the bell ring at 50 degrees?", "The bell rings above 60 degrees.", "other"),
        ("Must a party of 12 people call?", "Parties of more than 8 people must call.", "same"),
        ("Must a girl of 10 wear a vest?", "Vests are worn up to the age of 14.", "same"),
        ("Must a girl of 15 wear a vest?", "Vests are worn up to the age of 14.", "other"),
        ("Do I need a slip on the tenth day?", "A slip is needed from the fourth day.", "same"),
        ("Do I need a slip on the second day?", "A slip is needed from the fourth day.", "other"),
        ("Are crates taken back after 20 days?", "Crates are taken back within 30 days.", "same"),
        ("Is the limit 20 kg?", "The limit is at most 30 kg.", "open"),
    ],
)
def test_ranges_and_limits_hold_what_lies_in_them(question: str, said: str, agreement: Agreement) -> None:
    assert asked_values(question).agreement(said) == agreement


@pytest.mark.parametrize(
    ("question", "said", "agreement"),
    [
        (
            "May I go at six knots in the basin?",
            "The limit is 6 knots outside the walls and 4 knots in the basin.",
            "other",
        ),
        ("Does the till in Halden start with £120?", "Start: £120 in Bergen, £80 in Halden", "other"),
        ("Is the deposit for an electric bike €250?", "We take €80 for city bikes and €250 for electric ones.", "same"),
        ("Does the boat leave Halden at 16:00?", "It leaves Bergen at 16:00 and Halden at 17:15.", "other"),
    ],
)
def test_of_several_values_that_of_the_clause_counts_which_the_question_names(
    question: str, said: str, agreement: Agreement
) -> None:
    assert asked_values(question).agreement(said) == agreement


@pytest.mark.parametrize(
    ("question", "said", "agreement"),
    [
        ("May a ten-year-old ride?", "Children under 12 may not ride.", "other"),
        ("May a child of fourteen ride?", "Children under 12 may not ride.", "open"),
        ("Does Ms Orr teach on Friday?", "Ms Orr does not teach on Wednesdays.", "open"),
        ("Does Ms Orr teach on Wednesday?", "Ms Orr doesn't teach on Wednesdays.", "other"),
        ("Is the lot used in May?", "The lot cannot be used from 1 April to 15 July.", "other"),
        ("Does Ms Orr not teach on Wednesdays?", "Ms Orr does not teach on Wednesdays.", "same"),
        ("May a trunk exceed 20 kg?", "A trunk may not exceed 23 kg.", "same"),
        ("May a trunk weigh 20 kg?", "A trunk may not weigh more than 23 kg.", "same"),
        ("Is the shop open on Monday?", "The shop is not open on Mondays.", "other"),
    ],
)
def test_a_denial_says_no_of_what_it_states_and_nothing_of_others(
    question: str, said: str, agreement: Agreement
) -> None:
    assert asked_values(question).agreement(said) == agreement


def test_what_stands_above_the_sentence_is_said_and_the_number_of_what_is_named_is_no_value() -> None:
    assert asked_values("Is lunch free in 2027?").agreement("Lunch is free.", "Fees 2027") == "same"
    assert asked_values("Is lunch free in 2027?").agreement("Lunch is free.", "Fees") is None
    values = asked_values("Does tram 9 need 25 minutes?", [(5, 11)]).values
    assert [value.raw for value, _ in values] == ["25 minutes"]


@pytest.mark.parametrize(
    ("question", "said", "agreement"),
    [
        ("Is the shop open on Saturday?", "Day: Saturday, Shop: 09:00-13:00", "same"),
        ("Is the shop open on Saturday?", "Day: Saturday, Shop: closed", "other"),
        ("Is the shop closed on Saturday?", "Day: Saturday, Shop: 09:00-13:00", "other"),
        ("Is the shop closed on Saturday?", "The shop is closed on Saturday.", "same"),
        ("Does the shop close at 13:00 on Saturday?", "Day: Saturday, Shop: 09:00-13:00", "same"),
        ("Was the mine closed in 1990?", "The mine was opened in 1950.", "other"),
        ("Was the mine opened in 1950?", "The mine was opened in 1950.", "same"),
        ("Is the shop open at 14:00 on Saturday?", "Saturday: 09:00-13:00", "other"),
        ("Is the shop open at ten on Sunday?", "Sunday: closed", "other"),
        ("Is the shop open on Tuesday?", "It is closed on Mondays.", "open"),
        ("Is the shop open on Saturday?", "Saturday 9:00-13:00, Sunday closed", "same"),
    ],
)
def test_hours_say_open(question: str, said: str, agreement: Agreement | None) -> None:
    assert asked_values(question).agreement(said) == agreement


@pytest.mark.parametrize(
    ("said", "read", "others"),
    [
        ("The probation lasts four months, and notice is two weeks in room 4.", "four months", ["two weeks"]),
        ("Open Monday 8:00 to 17:30, Friday 9:00 to 14:00.", "17:30", ["8:00", "9:00", "14:00"]),
        ("It is paid at 130 %, on Sundays at 175 %.", "130 %, on Sundays at 175 %", ["130 %", "175 %"]),
        ("Lamp A-13 is for heat and A-31 for oil.", "A-13", ["A-31"]),
        ("Anna Berg hands the key to Tom Wilk.", "Anna Berg", ["Tom Wilk"]),
        ("It is red and large.", "red", []),
    ],
)
def test_words_of_one_kind_in_a_sentence(said: str, read: str, others: list[str]) -> None:
    place = (said.index(read), said.index(read) + len(read))
    assert [said[slice(*one)] for one in words_alike(said, place)] == others


BOATS = "The yard has 212 boats in storage, 137 indoors and 75 outdoors."
TICKETS = "A ticket is 46 francs for adults and 23 francs for a child."
COUNTER = "Open Monday 8:00 to 17:30 and Friday 9:00 to 14:00."


@pytest.mark.parametrize(
    ("asked", "said", "read", "meant", "joined"),
    [
        ({"boat": 0.2, "indoor": 0.6}, BOATS, "75", ["137"], False),
        ({"boat": 0.2, "indoor": 0.6}, BOATS, "137 indoors and 75", ["137"], True),
        ({"boat": 0.4}, BOATS, "137 indoors and 75", ["212"], True),
        ({"wing": 0.5}, BOATS, "75", [], False),
        ({"ticket": 0.2, "child": 0.5}, TICKETS, "46 francs for adults and 23 francs", ["23 francs"], True),
        ({"friday": 0.5}, COUNTER, "8:00 to 17:30", ["9:00", "14:00"], False),
        ({"long": 0.5}, "The hall is long and cold.", "cold", [], False),
    ],
)
def test_of_several_values_the_one_whose_clause_says_more_is_meant(
    asked: dict[str, float], said: str, read: str, meant: list[str], joined: bool
) -> None:
    found, joins = values_meant(asked, said, (said.index(read), said.index(read) + len(read)))
    assert [said[slice(*one)] for one in found] == meant
    assert joins == joined


@pytest.mark.parametrize(
    ("question", "said", "itself"),
    [
        ("May I keep four hens?", "At most six hens are kept.", False),
        ("May I keep six hens?", "At most six hens are kept.", True),
        ("Can the pump run for 5 minutes?", "It runs for 1, 5 or 20 minutes.", True),
        ("Is the pool open at 11:00?", POOL, False),
    ],
)
def test_a_value_within_a_limit_is_not_said_itself(question: str, said: str, itself: bool) -> None:
    assert asked_values(question).stands_in(said) == itself


@pytest.mark.parametrize(
    ("question", "said", "agreement"),
    [
        ("Is the filter changed monthly?", "The filter is changed yearly.", "other"),
        ("Is the filter changed annually?", "The filter is changed once a year.", "same"),
        ("Is the boiler checked twice a year?", "The boiler is checked once a year.", "other"),
        ("Is the hall swept three times a week?", "The hall is swept weekly.", "other"),
    ],
)
def test_how_often_is_a_value(question: str, said: str, agreement: Agreement) -> None:
    assert asked_values(question).agreement(said) == agreement


@pytest.mark.parametrize(
    ("question", "said", "agreement"),
    [
        ("Can the hoist lift 1275 kg?", "Hoist: H6 | Car / Load (kg): 630 | Year: 1988", "other"),
        ("Does the hoist carry 630 kg?", "Hoist: H6 | Car / Load (kg): 630 | Year: 1988", "same"),
        ("Is the gate 1100 mm wide?", "Gate: G2 | Width (mm): 1100", "same"),
        ("Does a ticket cost 12.50 euros?", "Ticket: day | Price (EUR): 12.50", "same"),
        ("Does a ticket cost 11 euros?", "Ticket: day | Price [€]: 12.50", "other"),
        ("Is the gate 1100 mm wide?", "Gate: G2 | Visits (May): 1100", None),
    ],
)
def test_a_number_is_in_the_unit_of_its_fields_name(question: str, said: str, agreement: Agreement | None) -> None:
    assert asked_values(question).agreement(said) == agreement


@pytest.mark.parametrize(
    ("question", "said", "agreement"),
    [
        ("Is the membership fee 45 pounds?", "Membership fee: 45", "same"),
        ("Is the membership fee 60 pounds?", "Membership fee: 45", "other"),
        ("Does crane K2 have a reach of 40 metres?", "crane K2, reach 32, load 8", "other"),
        ("Does crane K2 have a reach of 8 metres?", "crane K2, reach 32, load 8", "other"),
        ("Does the surgery have 10 million of cover?", "The surgery carries cover of at least €10 million.", "same"),
        ("Is the excess 500?", "The excess is £250 a claim.", "other"),
        ("Does the choir have 40 singers?", "Singers pay £40.", None),
        ("Do 30 pupils fit in?", "Pupils: £30", None),
    ],
)
def test_numbers_are_compared_where_one_side_leaves_out_the_unit(
    question: str, said: str, agreement: Agreement | None
) -> None:
    assert asked_values(question).agreement(said) == agreement


@pytest.mark.parametrize(
    ("question", "said", "denied"),
    [
        ("Was anyone injured in the fire?", "Nobody was injured.", True),
        ("Did any guest see the fox?", "None of the guests saw it.", True),
        ("Has the filter been replaced?", "The filter hasn’t yet been replaced.", True),
        ("Is the key used?", "The key is no longer used.", True),
        ("Are there charging points in B?", "There are six charging points in B, none in A.", False),
        ("May 10 people go in?", "No more than 12 people may go in.", False),
    ],
)
def test_a_denial_denies_the_first_word_with_meaning_in_its_clause(question: str, said: str, denied: bool) -> None:
    assert denies(said, content_stems(question)) is denied


@pytest.mark.parametrize(
    ("question", "said", "ended"),
    [
        ("Can the old vouchers still be used?", "Old vouchers can be used until 31 March 2026.", True),
        ("Does the price hold?", "The price holds from 1 January to 30 September 2026.", True),
        ("May I pay by cheque?", "Cheques are accepted until 30 June 2027.", False),
        ("Was the bridge closed?", "The footbridge is closed until 5 May 2025.", False),
        ("Is the offer valid until 31 March 2026?", "The offer is valid until 31 March 2026.", False),
        ("Does the new rule apply?", "The rule applies from 1 January 2026.", False),
        ("Are these trees listed?", "Trees planted before 1 May 1900 are listed.", False),
    ],
)
def test_what_ended_is_told_from_what_holds(question: str, said: str, ended: bool) -> None:
    assert asked_values(question).has_ended(said, date(2026, 11, 28)) is ended
