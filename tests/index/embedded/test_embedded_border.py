"""The border to tantivy: what its errors become, told apart by whether the index is damaged."""

from pathlib import Path

import pytest

from decoct.errors import StoreError
from decoct.index.embedded.border import DamagedIndexError, translated

FOLDER = Path("lib/lexical")


class PanicException(BaseException):
    """As Rust's panics come out of tantivy."""


@pytest.mark.parametrize(
    "error", [ValueError("bad footer"), OSError("no such segment"), PanicException("index out of bounds")]
)
def test_what_the_index_cannot_read_is_damage(error: BaseException) -> None:
    with pytest.raises(DamagedIndexError, match=f"lib/lexical is damaged \\({error}\\)") as caught, translated(FOLDER):
        raise error
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    "message", ["No space left on device", "Too many open files (os error 24)", "Permission denied", "LockBusy"]
)
def test_what_the_system_refuses_is_no_damage(message: str) -> None:
    with pytest.raises(StoreError, match="the documents are safe") as caught, translated(FOLDER):
        raise OSError(message)
    assert type(caught.value) is StoreError


@pytest.mark.parametrize("error", [KeyboardInterrupt(), StoreError("ours"), KeyError("x"), DamagedIndexError("told")])
def test_other_errors_pass_as_they_are(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, translated(FOLDER):
        raise error
    assert caught.value is error
