"""Starting a call again on the library that took the place of the one that was open."""

import pytest

from decoct.errors import StaleIndexError, StoreError
from decoct.index.embedded.database import ReplacedError
from decoct.index.embedded.opening import ATTEMPTS, surviving


class Handle:
    """What is open is `generation`; at its path lies `newest`."""

    def __init__(self, newest: int, *, refuses: bool = False) -> None:
        self.generation, self.newest, self.refuses = 0, newest, refuses
        self.opened = 0

    def reopen(self) -> None:
        self.opened += 1
        if self.refuses:
            raise StaleIndexError("another library lies there")
        self.generation += 1

    @surviving
    def named(self, name: str, *, loud: bool = False) -> str:
        """The name, with the generation that told it."""
        if self.generation < self.newest:
            raise ReplacedError("replaced")
        return f"{name.upper() if loud else name} {self.generation}"

    @surviving
    def failing(self) -> None:
        raise StoreError("the disk is full")


def test_a_call_that_found_the_library_replaced_is_made_again_with_the_same_words() -> None:
    handle = Handle(newest=1)
    assert handle.named("river", loud=True) == "RIVER 1"
    assert handle.named("stone") == "stone 1"
    assert handle.opened == 1


def test_a_library_replaced_again_meanwhile_is_told_rather_than_followed_for_ever() -> None:
    handle = Handle(newest=2)
    assert handle.named("river") == "river 2"
    handle = Handle(newest=1000)
    with pytest.raises(ReplacedError):
        handle.named("river")
    assert handle.opened == ATTEMPTS - 1


def test_another_library_is_not_gone_on_with() -> None:
    with pytest.raises(StaleIndexError, match="another library") as caught:
        Handle(newest=1, refuses=True).named("river")
    assert not isinstance(caught.value, ReplacedError)


def test_other_errors_open_nothing_again() -> None:
    handle = Handle(newest=0)
    with pytest.raises(StoreError, match="full"):
        handle.failing()
    assert handle.opened == 0


def test_a_method_keeps_its_name_and_its_text() -> None:
    assert Handle.named.__name__ == "named"
    assert Handle.named.__doc__ == "The name, with the generation that told it."
