"""A hook of the documentation site: the repository's root pages become pages of it, and links that leave docs/ the paths they name.

In the repository links such as `../examples/demo.sh` lead to files; the site holds no files but its own.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
PAGES = {"ARCHITECTURE.md": "architecture.md", "CHANGELOG.md": "changelog.md", "README.md": "index.md"}
NOTEBOOK = "lab/docs"  # a section of the site, beside docs/
_LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:  # noqa: ANN401 - mkdocs has its own types for them
    """Add the pages that lie in the repository's root, and the notebook with its pictures."""
    for name, page in PAGES.items():
        if name != "README.md":
            text = (ROOT / name).read_text("utf-8")
            text = text.replace(f"]({NOTEBOOK}/", "](notebook/").replace("](docs/", "](")
            files.append(File.generated(config, page, content=text))
    for path in sorted((ROOT / NOTEBOOK).rglob("*.*")):
        place = f"notebook/{path.relative_to(ROOT / NOTEBOOK).as_posix()}"
        files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:  # noqa: ANN401
    """The page's text with links that stay within the site; its weight in the search (`mkdocs.yml`) is set beside."""
    weights = config.extra["search_weights"].items()
    page.meta["search"] = {"boost": next((one for begin, one in weights if page.file.src_uri.startswith(begin)), 1)}
    folder = posixpath.dirname(page.file.src_uri)
    home = re.sub("^notebook", NOTEBOOK, folder) if folder.startswith("notebook") else posixpath.join("docs", folder)

    def within(found: re.Match[str]) -> str:
        words, target, anchor = found[1], found[2], found[3] or ""
        place = posixpath.normpath(posixpath.join(home, target))
        if not (ROOT / place).exists() and folder == "":
            return found[0]  # of a generated page, or the build refuses it
        for begin, site in ((f"{NOTEBOOK}/", "notebook/"), ("docs/", "")):
            if place.startswith(begin):
                leads = posixpath.relpath(site + place.removeprefix(begin), folder or ".")
                return f"[{words}]({leads}{anchor})"
        if place in PAGES:
            return f"[{words}]({posixpath.relpath(PAGES[place], folder or '.')}{anchor})"
        if not (ROOT / place).exists():
            return found[0]  # the build refuses it
        return f"{words} (`{place}`)" if words.strip("`") != posixpath.basename(place) else f"`{place}`"

    return _LINK.sub(within, markdown)
