"""Worked examples of values that say the same, that do not, and that cannot be compared; written by hand on general grounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.text.equality import same_value
from decoct.text.values import parse_values, value_of

SAME = """
2.3 km | 2,300 m
2.3 km | 2,309 m
about 2.3 km | 2,309 m
14 % | 14.29 %
one third | 33 %
two thirds | 66.7 percent
half of the voters | 50 %
0.87 | 87 %
one in five | 20 %
1.5 million | 1,500,000
1.5 million people | 1,480,000 people
twelve thousand | 12,000
twenty-one | 21
thirty | 30
two hundred | 207
a quarter past five in the afternoon | 17:15
a dozen | 12
five and a half thousand | 5,500
1.2k | 1,200
3 × 10^8 m/s | 300,000 km/s
5 miles | 8 km
100 miles | 160 km
5,000 ft | 1,524 m
6 ft 2 in | 74 inches
5 in 10 years | 5 in 10 years
1 h 30 min | 90 minutes
2:08:41 | 2 h 8 min 41 s
about a day | 24 hours
within a fortnight | 14 days
two and a half to three hours | 150 to 180 minutes
160 Nm | 160 N·m
1.234,56 € | €1,234.56
CHF 1'200.50 | 1,200.50 CHF
120 lakh rupees | ₹1.2 crore
NOK 44 | 44 kroner
two years and six months | 30 months
25 °C | 77 °F
-40 °C | -40 °F
0 °C | 273 K
100 km/h | 62 mph
500 mg | 0.5 g
1 tonne | 1,000 kg
2 litres | 2000 ml
1 cubic metre | 1000 litres
10 hectares | 0.1 km²
1 GB | 1000 MB
60 requests per minute | 1 request per second
more than 600 | 655
at least 40 | 40 or more
up to 10 mg | 10 mg
13 to 15 | 14
between 13 and 15 | 13–15
1.87 ± 0.02 | 1.88
about 150 | 154
nearly 20 | 19.4
just over 20 | 20.6
roughly 5.5 million | 5,480,000
$5 million | US$5,000,000
$1.2bn | 1.2 billion dollars
€5m | 5 million euros
NOK 500 million | 500 million kroner
¥5,000 | 5,000 yen
¥300 | 300 yuan
Rs 5 crore | 50 million rupees
₹3 lakh | 300,000 rupees
12,34,567 rupees | 1,234,567 rupees
£2.50 | 250 pence
50 cents | $0.50
5 EUR | €5
kr 200 | 200 SEK
3 May 2021 | 2021-05-03
May 3rd, 2021 | 3 May 2021
the 3rd of May, 2021 | 3. Mai 2021
03/05/2021 | 3 May 2021
03/05/2021 | 5 March 2021
13/05/2021 | 13 May 2021
03.05.2021 | 3 May 2021
2021年5月3日 | 3 May 2021
3 de mayo de 2021 | 3 May 2021
May 2021 | 2021
3 May 2021 | May 2021
Q3 2021 | August 2021
third quarter of 2021 | 2021 Q3
first half of 2021 | March 2021
the 1990s | 1994
19th century | 1847
summer 2021 | July 2021
early 2021 | February 2021
2019–2021 | 2020
from 2010 to 2015 | 2010–2015
3 May | 3 May 2021
44 BC | 44 BCE
AD 79 | 79 CE
3 pm | 15:00
9:30 | 9:30 pm
half past nine | 9.30 am
noon | 12:00
10:00 UTC | 12:00 CEST
won 3–1 | a 3-1 victory
beat them 2:0 | won 2–0
3rd | third
finished second | came 2nd
yes | Yes, it is.
No. | no
5 percentage points | 5 pp
25 basis points | 0.25 percentage points
0 | zero
every half hour | 30 minutes
two hours and a half | 150 minutes
a mile and a half | 1.5 miles
£30 a week | £30
€10 per month | €120 a year
""".strip().splitlines()

DIFFERENT = """
2,309 m | 2,314 m
99.5 % | 99.9 %
99.9 % | 100 %
655 | 871
14.3 % | 15.9 %
33 % | 36 %
1.87 eV | 1.94 eV
12 µg/kg | 12 mg/kg
1.2 GHz | 1.2 MHz
88 °C | 88 K
25 °C | 26 °C
5 miles | 5 km
5 miles | 9 km
2.3 km | 2,400 m
about 2.3 km | 2,600 m
about 150 | 170
nearly 20 | 21
just over 20 | 19.4
more than 600 | 590
fewer than 30 | 35
at least 40 | 38
up to 10 mg | 12 mg
13 to 15 | 16
13–15 | 16–18
1.87 ± 0.02 | 1.95
1.5 million | 1.7 million
twelve thousand | 13,000
twenty-one | 22
thirty | 31
seventy | 72
a quarter past five in the afternoon | 05:15
8,848 m | 8,849 m
1,024 | 1,000
0 | 3
100 % | 98 %
half of the voters | 56 %
one in five | 25 %
90 minutes | 100 minutes
160 Nm | 190 Nm
2 teaspoons | 2 tablespoons
about a day | 48 hours
NOK 39 | 44 kroner
1.234,56 € | €1,234.65
1 h 30 min | 95 minutes
2:08:41 | 2 h 9 min 41 s
60 requests per minute | 60 requests per second
500 mg | 50 mg
2 GB | 2 MB
100 km/h | 100 mph
$5 million | $5 billion
$5 million | $6 million
€5 | 5 cents
£2.50 | £2.60
Rs 5 crore | Rs 5 lakh
¥5,000 | 50,000 yen
NOK 500 million | 550 million kroner
3 May 2021 | 4 May 2021
3 May 2021 | 3 June 2021
3 May 2021 | 3 May 2020
May 2021 | June 2021
2021 | 2022
03/05/2021 | 4 May 2021
13/05/2021 | 13 June 2021
Q3 2021 | May 2021
Q3 2021 | Q4 2021
first half of 2021 | September 2021
the 1990s | 2001
19th century | 1947
early 2021 | November 2021
2019–2021 | 2023
from 2010 to 2015 | 2016–2018
3 May | 4 May 2021
44 BC | 44 AD
44 BC | 45 BC
3 pm | 3 am
9:30 pm | 10:30 pm
noon | midnight
10:00 UTC | 10:00 CEST
won 3–1 | won 3–2
beat them 2:0 | won 2–1
3rd | 4th
finished second | came 1st
yes | no
5 percentage points | 6 percentage points
7 bar | 7 Pa
every half day | every day
a pint | half a pint
every week | every four weeks
one and a half million litres | one million litres
minus 12 °C | 12 °C
£30 a week | £30 a month
3 tonnes a day | 3 tonnes a week
""".strip().splitlines()

OPEN = """
12 mg | 12 hours
$5 million | €4.2 million
5 kg | 5
2 million | 2.4 million
more than 600 | 60,000
up to 10 mg | 8 mg
13–15 | 14–18
5 % | 5 percentage points
2019–2021 | 2020–2022
03/05/2021 | 05/03/2021
3 May | 2021
9:30 | 21:30
10:00 UTC | 12:00
won 3–1 | lost 1–3
3 May 2021 | 500 mg
yes | 2021
""".strip().splitlines()


def _pair(line: str) -> tuple[str, str]:
    one, _, other = line.partition(" | ")
    return one, other


@pytest.mark.parametrize("line", SAME)
def test_these_say_the_same(line: str) -> None:
    one, other = map(value_of, _pair(line))
    assert same_value(one, other) is True
    assert same_value(other, one) is True


@pytest.mark.parametrize("line", DIFFERENT)
def test_these_contradict_each_other(line: str) -> None:
    one, other = map(value_of, _pair(line))
    assert same_value(one, other) is False
    assert same_value(other, one) is False


@pytest.mark.parametrize("line", OPEN)
def test_of_these_nothing_is_known(line: str) -> None:
    one, other = map(value_of, _pair(line))
    assert same_value(one, other) is None
    assert same_value(other, one) is None


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_are_compared_alike_from_both_sides(one: str, other: str) -> None:
    a, b = value_of(one), value_of(other)
    assert same_value(a, b) is same_value(b, a)


@given(st.text(max_size=80))
def test_a_value_stands_where_it_says_and_equals_itself(text: str) -> None:
    for value in parse_values(text):
        assert text[value.start : value.end] == value.raw
        assert same_value(value, value) is True


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_whole_numbers_are_the_same_only_if_they_are_equal(one: int, other: int) -> None:
    a, b = value_of(f"{one} items"), value_of(f"{other} items")
    assert same_value(a, b) is (one == other)
