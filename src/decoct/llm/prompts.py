"""Prompt files: a Markdown file `name.md` beside the method that uses it.

    Notes for people, before the first heading, are not sent.

    # system
    You answer from the sources alone.

    # user
    Sources:
    {{ context }}

    Question: {{ question }}

A line that is exactly `# system`, `# user` or `# assistant` begins a turn; its text is stripped of blank edges. `{{ name }}` is a slot.
Values are put in literally, in one pass: a document that contains `{{ question }}` stays as it is. Only the file's own tags cannot be
written by a value: where the file says `<passages>`, a document's `</passages>` (also `</ passages >`, in any case) gets a full-width
`＜`, so that it can neither close the data nor open more; nothing moves. A file whose slots are not those that the method declares is
an error when it is loaded, not when it is used. The fingerprint (name and SHA-256 of the text) goes into every cache key and every run's
record, so an edited prompt is never mistaken for the old one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import cast

from decoct.errors import PromptError
from decoct.llm.base import Message, Request, Role, Schema

_TURN = re.compile(r"^# (system|user|assistant)[ \t]*$", re.MULTILINE)
_SLOT = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_TAG = re.compile(r"</?([A-Za-z][\w-]*)[^<>]*>")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt ready to be filled: its turns with their slots, and the fingerprint of the file's text."""

    name: str
    turns: tuple[Message, ...]
    fingerprint: str

    @property
    def slots(self) -> frozenset[str]:
        """The names of its slots."""
        return frozenset(name for turn in self.turns for name in _SLOT.findall(turn.content))

    def render(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The turns with every slot filled by its value; `PromptError` if a slot has no value or a value no slot."""
        _agree(self.name, self.slots, values, "was filled with")
        tag = _own_tag(self.turns)
        safe = {name: tag.sub("＜", value) for name, value in values.items()} if tag is not None else values
        return tuple(Message(turn.role, _SLOT.sub(lambda slot: safe[slot[1]], turn.content)) for turn in self.turns)

    def request(self, values: Mapping[str, str], *, max_tokens: int = 512, schema: Schema | None = None) -> Request:
        """A request with the rendered turns that carries this prompt's fingerprint."""
        messages = self.render(values)
        return Request(messages, max_tokens=max_tokens, schema=schema, prompt=self.fingerprint)


def load_prompt(package: str, name: str, slots: Iterable[str]) -> Prompt:
    """The prompt file `name`.md of `package`, which must have exactly these `slots`."""
    try:
        text = resources.files(package).joinpath(f"{name}.md").read_text(encoding="utf-8")
    except (FileNotFoundError, ModuleNotFoundError) as error:
        raise PromptError(f"there is no prompt file {name}.md in {package}") from error
    return parse_prompt(text, name, slots)


def parse_prompt(text: str, name: str, slots: Iterable[str]) -> Prompt:
    """The prompt written in `text`, which must have exactly these `slots`."""
    text = text.replace("\r\n", "\n")
    pieces = _TURN.split(text)
    turns = tuple(
        Message(cast("Role", role), body.strip()) for role, body in zip(pieces[1::2], pieces[2::2], strict=True)
    )
    if not turns:
        raise PromptError(f"the prompt {name}.md has no turn; begin one with a line '# user'")
    if empty := [turn.role for turn in turns if not turn.content]:
        raise PromptError(f"the turn '# {empty[0]}' of the prompt {name}.md is empty")
    prompt = Prompt(name, turns, f"{name}:{hashlib.sha256(text.encode()).hexdigest()[:16]}")
    _agree(name, prompt.slots, slots, "is loaded for")
    return prompt


@cache
def _own_tag(turns: tuple[Message, ...]) -> re.Pattern[str] | None:
    """Finds the bracket that opens one of the tags that these turns are written with; None where they have none."""
    names = sorted({name for turn in turns for name in _TAG.findall(turn.content)})
    # Between the bracket and the name may stand a slash, white space, and characters that nobody sees.
    return re.compile(rf"<(?=[^\w<>]{{0,32}}(?:{'|'.join(names)})\b)", re.IGNORECASE) if names else None


def _agree(name: str, written: Iterable[str], given: Iterable[str], verb: str) -> None:
    missing, unknown = sorted(set(written) - set(given)), sorted(set(given) - set(written))
    if missing:
        raise PromptError(f"the prompt {name}.md has the slot {missing[0]!r}, but {verb} {sorted(set(given))}")
    if unknown:
        raise PromptError(
            f"the prompt {name}.md {verb} {unknown[0]!r}, but has no such slot; it has {sorted(set(written))}"
        )
