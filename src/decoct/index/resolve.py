"""From a location to a store: a folder (or `file://` URL) is an embedded one, an address is opened by the backend of its scheme.

Backends stand in the registry under the stage `store` (`decoct.index.base.Backend`), ours and those of installed packages
(entry points `decoct.store`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from decoct import plugins, registry
from decoct.errors import ConfigError
from decoct.index.base import Backend, Store

STAGE = "store"
FOLDER = "file"  # the scheme of a location that has none
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_PASSWORD = re.compile(r"(?<=://)([^/@:]*):.*@")  # to the last @, as one that was not percent-encoded may stand in it


def open_store(location: str | Path, settings: Mapping[str, str], *, create: bool = True) -> Store:
    """The store at `location`, opened with the settings it was or is to be built with; see `Backend.open` for its errors."""
    return _backend(location).open(str(location), settings, create=create)


def stored_settings(location: str | Path) -> dict[str, str] | None:
    """The settings that the store at `location` was built with; None where there is none yet."""
    return _backend(location).stored_settings(str(location))


def remove_store(location: str | Path) -> None:
    """Remove the store at `location`, if there is one."""
    _backend(location).remove(str(location))


def folder_of(location: str | Path, wanted: str) -> Path:
    """The folder that `location` names; `ConfigError` for the address of a server, where `wanted` is done otherwise or not at all."""
    if (scheme := _scheme(location)) != FOLDER:
        raise ConfigError(
            f"{without_password(location)}: {wanted} works on a library in a folder, not on one at a {scheme}:// address; "
            "bring it to a folder first (`decoct copy ADDRESS FOLDER`), and back by another copy, or use the server's own tools "
            "(docs/operations.md)"
        )
    text = str(location)
    return Path(unquote(urlsplit(text).path) if _SCHEME.match(text) else text).expanduser()


def is_folder(location: str | Path) -> bool:
    """Whether `location` names a folder rather than a server."""
    return _scheme(location) == FOLDER


def without_password(location: str | Path) -> str:
    """`location` as it may be shown: an address without its password."""
    return _PASSWORD.sub(r"\1:…@", str(location))


def _scheme(location: str | Path) -> str:
    # "" would be the folder in which the program happens to run.
    if not isinstance(location, str | Path) or not str(location):
        raise ConfigError(f"name the library: a folder or an address, not {location!r}")
    found = _SCHEME.match(str(location))
    return found.group(1).lower() if found else FOLDER


def _backend(location: str | Path) -> Backend:
    scheme = _scheme(location)
    if scheme not in (known := registry.names(STAGE)):
        plugins.check_installed(STAGE, scheme, without_password(location))
        raise ConfigError(
            f"{without_password(location)}: there is no store for {scheme}:// addresses; {registry.nearest(scheme, known)} "
            "(a location without a scheme is a folder)"
        )
    if scheme != FOLDER and _is_cut_in_its_password(str(location)):
        raise ConfigError(
            f"{without_password(location)}: a mark of the password is read as part of the address; percent-encode it (/ as %2F, ? as %3F, "
            "# as %23, @ as %40), or give the password in the environment (docs/stores.md)"
        )
    made: Backend = registry.load(STAGE, scheme, without_password(location))()
    return made


def _is_cut_in_its_password(address: str) -> bool:
    """Whether an @ stands behind what is read as the host, so that a part of the password would be shown as host, database or parameter."""
    try:
        parts = urlsplit(address)
    except ValueError:  # the backend says what cannot be read
        return False
    named = [one.partition("=")[0] for one in parts.query.split("&")]
    return bool({"@", ":"} & set(parts.netloc)) and "@" in "".join((parts.path, parts.fragment, *named))
