"""Documents drawn at random from few words, names and ids, so that histories of a store meet themselves often."""

from hypothesis import strategies as st

from decoct.index.base import Entry
from decoct_testing.store_corpus import WORDS, make_entry

IDS = ["a", "b", "c", "d/ü", "e"]
texts = st.lists(st.sampled_from(WORDS[:6]), min_size=1, max_size=5).map(" ".join)
names = st.lists(st.sampled_from(WORDS[:4]), max_size=3, unique=True).map(tuple)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    pieces = draw(st.lists(texts, max_size=4))
    return make_entry(
        draw(st.sampled_from(IDS)),
        pieces,
        seed=draw(st.integers(0, 50)),
        title=draw(st.sampled_from(["", "River", "Stone age"])),
        metadata=draw(st.dictionaries(st.sampled_from(["k", "l"]), st.integers(0, 2) | st.sampled_from(["x", "y"]))),
        names=draw(names),
        mentions=tuple(draw(names) for _ in pieces) if draw(st.booleans()) else (),
    )
