"""The description on a package index is the README with links that lead somewhere there.

`DECOCT_HOME=https://forge/owner/decoct` is where the repository lies; a release sets it (`make release`). Links
between files become links to it. Without it they become their words, so that nothing on the index leads nowhere. And
who reads it there has no checkout: what the README installs from one is installed by its name.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"^!\[[^\]]*\]\((?!https?:)[^)\s]+\)\n+", re.M)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)")
_INSTALL = re.compile(r"pip install ('?)\./?(?:plugins/)?(lab|\w*)(?=['\[ `,)])")


def description(text: str, home: str) -> str:
    """The README for an index: distributions by their names, and relative links under `home`, or their words where there is none."""
    text = (
        text.replace("from a checkout, ", "")
        .replace(", from a checkout", "")
        .replace("examples/documents  ", "FOLDER  ")
    )
    text = _INSTALL.sub(lambda found: f"pip install {found[1]}decoct{'-' if found[2] else ''}{found[2]}", text)
    if not home:
        return _LINK.sub(r"\2", _PICTURE.sub("", text))

    def absolute(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        return f"{found[1]}[{found[2]}]({home.rstrip('/')}/{kind}/main/{found[3]})"

    return _LINK.sub(absolute, text)


class ReadmeHook(MetadataHookInterface):
    """Fills the description and, where the repository's place is known, the project's addresses."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Write `readme` and `urls`."""
        home = os.environ.get("DECOCT_HOME", "")
        text = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": description(text, home)}
        metadata["urls"] = (
            {
                "Documentation": f"{home}/blob/main/docs/index.md",
                "Source": home,
                "Changelog": f"{home}/blob/main/CHANGELOG.md",
                "Issues": f"{home}/issues",
            }
            if home
            else {}
        )
