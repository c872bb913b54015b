"""The state of a server that several replicas share, which a plug-in keeps (`decoct.state`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from decoct.errors import StoreError
from decoct.index.resolve import is_folder, without_password
from decoct.plugins import check_installed, load, points
from decoct.server.keys import Keys

if TYPE_CHECKING:  # `decoct keys` needs none of the server's packages
    from decoct.llm.base import LLM
    from decoct.server.jobs import JobStore
    from decoct.server.pool import Libraries
    from decoct.server.sessions import RequestRates, Sessions


class SharedState(Protocol):
    """What one server keeps in its folder and its memory, kept for all replicas."""

    def keys(self) -> Keys:
        """The keys."""

    def sessions(self, keys: Keys) -> Sessions:
        """Sessions of the web page that every replica knows."""

    def rates(self, per_second: float) -> RequestRates:
        """A bucket of requests a caller, over all replicas."""

    def jobs(self, place: Path) -> JobStore:
        """The jobs; `place` is for this replica's copies of their files."""

    def libraries(self, given: Mapping[str, str | Path], place: Path, llm: LLM | None, most: int) -> Libraries:
        """The libraries given at the start, and those that requests made."""

    def close(self) -> None:
        """Give connections back."""


def is_shared(state: str | Path) -> bool:
    """Whether `state` is the address of a server; `StoreError` for one that keeps no state."""
    if is_folder(state):
        return False
    scheme = str(state).partition(":")[0]
    if scheme not in points("state"):
        check_installed("state", scheme, without_password(state))
        raise StoreError(
            f"{without_password(state)}: a server's state lies in a folder or in PostgreSQL (postgresql://…?library=NAME)"
        )
    return True


def shared_state(state: str) -> SharedState:
    """The state at the address `state`, made where it is missing."""
    opened: SharedState = load("state", state.partition(":")[0], without_password(state))(state)
    return opened


@contextmanager
def opened_keys(state: str | Path) -> Iterator[Keys]:
    """The keys of the server whose state is at `state`."""
    if not is_shared(state):
        yield Keys(Path(state).expanduser().resolve())
        return
    with closing(shared_state(str(state))) as shared:
        yield shared.keys()
