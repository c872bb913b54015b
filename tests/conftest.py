"""What holds for all tests."""

import signal

from hypothesis import settings

# A shell starts what it puts in the background deaf to Ctrl-C, and so are the programs that tests start there and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A first example pays for imports and loading, and a busy machine for others: what a test may take is bounded by pytest-timeout, and what a
# function may take by the tests of time, which measure it.
settings.register_profile("decoct", deadline=None)
settings.load_profile("decoct")
