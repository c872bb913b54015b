"""From what a user names (files, folders, URLs, folders of a storage) to sources."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from decoct.documents.base import Failure, Limits, Source
from decoct.documents.files import find
from decoct.errors import CorpusError

# A scheme has two letters or more: one letter is a drive.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_SECRET = re.compile(r"//[^/?#]*@")


def sources(
    arguments: Sequence[str | Path],
    *,
    limits: Limits | None = None,
    allow_private: bool = False,
    skip: Collection[Path] = (),
    depth: int = 0,
) -> Iterator[Source | Failure]:
    """The sources of `arguments`, in that order: a file or URL gives one, a folder its files sorted by name.

    A URL is fetched when its turn comes, what lies in a storage (`s3://…`, see `remote`) when it is read. `allow_private` lets a URL be
    on a private or local network. Folders of `skip` are left out.
    With `depth` a URL gives its page and those so many links away on its host (`crawl`).
    What cannot be used is yielded as a `Failure`; nothing is raised for it.
    """
    for argument in arguments:
        if not (isinstance(argument, str) and is_url(argument)):
            yield from find([argument], limits, skip)
            continue
        from decoct.documents.network.remote import is_stored, stored_sources

        if is_stored(argument):
            yield from stored_sources(argument, limits)
            continue
        from decoct.documents.network.crawl import crawl
        from decoct.documents.network.web import fetch

        try:
            if depth:
                yield from crawl(argument, depth, limits=limits, allow_private=allow_private)
            else:
                yield fetch(argument, limits=limits, allow_private=allow_private)
        except CorpusError as error:
            yield Failure(_SECRET.sub("//", argument), str(error), "url")


def is_url(argument: str) -> bool:
    """Whether what a user named is a URL and no path."""
    return _URL.match(argument) is not None
