from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from decoct.context.quotes import Spread
from decoct.data import Span

ranges = st.tuples(st.integers(0, 60), st.integers(1, 15)).map(lambda pair: Span("d", pair[0], pair[0] + pair[1]))


@given(st.lists(ranges, max_size=20), ranges)
def test_it_behaves_as_a_set_of_characters(added: list[Span], asked: Span) -> None:
    spread, model = Spread(), set[int]()
    for span in added:
        new = {at for part in spread.missing(span) for at in range(part.start, part.end)}
        assert new == set(range(span.start, span.end)) - model
        spread.add(span)
        model |= new
    runs = spread.runs.get("d", [])
    assert {at for start, end in runs for at in range(start, end)} == model
    assert all(left[1] < right[0] for left, right in pairwise(runs))
    assert spread.touched(asked) == [run for run in runs if run[0] <= asked.end and asked.start <= run[1]]


def test_gaps_are_those_beside_the_run_on_the_sides_where_the_span_is_its_border() -> None:
    spread = Spread()
    for start, end in [(0, 5), (8, 12), (12, 20), (24, 30)]:
        spread.add(Span("d", start, end))
    assert spread.gaps(Span("d", 8, 20), 4) == [Span("d", 5, 8), Span("d", 20, 24)]
    assert spread.gaps(Span("d", 8, 12), 4) == [Span("d", 5, 8)]
    assert spread.gaps(Span("d", 12, 20), 3) == []
