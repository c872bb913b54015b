"""The turns of a conversation, in the forms in which callers have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field

from decoct.data import Answer
from decoct.errors import ConfigError

Role: TypeAlias = Literal["user", "assistant"]
_ROLES = ("user", "assistant")
_OTHERS = ("system", "developer", "tool", "function")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said; `document` is the title of what an answer cites first, where that is known."""

    role: Role
    text: str
    document: str = ""


class TurnMessage(BaseModel):
    """A turn as chat programs hand it over."""

    model_config = ConfigDict(extra="forbid")
    role: Role
    content: str


MOST_TURNS = 5_000
Messages: TypeAlias = Annotated[
    list[TurnMessage] | None,
    Field(
        max_length=MOST_TURNS,
        description="The turns before the question, oldest first, with which it is understood; left out, it is asked as it stands.",
        examples=[
            [{"role": "user", "content": "Who was Clifford Durr?"}, {"role": "assistant", "content": "A lawyer."}]
        ],
    ),
]
"""Earlier turns as an interface takes them."""
History: TypeAlias = Iterable[Turn | TurnMessage | Answer | Mapping[str, Any] | tuple[str, str]]
"""Earlier turns, oldest first: `Turn`s, messages (also as mappings), pairs of a question and its answer, or `Answer`s."""


def turns_of(history: History) -> tuple[Turn, ...]:
    """The turns of a history, without empty ones and those of a program's own roles; `ConfigError` for what is no turn."""
    found: list[Turn] = []
    if isinstance(history, str | Mapping | TurnMessage) or not isinstance(history, Iterable):
        raise _no_turn(history)
    for one in history:
        if isinstance(one, Turn):
            found.append(one)
        elif isinstance(one, TurnMessage):
            found.append(Turn(one.role, one.content))
        elif isinstance(one, Answer):
            cited = next((citation.passage.title for citation in one.citations), "")
            found += (Turn("user", one.context.question), Turn("assistant", one.text, cited))
        elif (
            isinstance(one, Mapping) and one.get("role") in (*_ROLES, *_OTHERS) and isinstance(one.get("content"), str)
        ):
            if one["role"] in _ROLES:
                found.append(Turn(cast("Role", one["role"]), one["content"]))
        elif isinstance(one, tuple) and len(one) == 2 and all(isinstance(part, str) for part in one):
            found += (Turn("user", one[0]), Turn("assistant", one[1]))
        else:
            raise _no_turn(one)
    return tuple(turn for turn in found if turn.text.strip())


def _no_turn(given: object) -> ConfigError:
    return ConfigError(
        "earlier turns are a list of messages with role (user or assistant) and content, pairs of question and answer, or Answers; "
        f"not {given!r:.80}"
    )
