"""What holds for all tests."""

from hypothesis import settings

# A first example pays for imports and loading, and a busy machine for others: what a test may take is bounded by pytest-timeout, and what a
# function may take by the tests of time, which measure it.
settings.register_profile("decoct", deadline=None)
settings.load_profile("decoct")
