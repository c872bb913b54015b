"""OpenAI's chat completions as a request: which of its fields mean something here, which are passed over, which are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi.exceptions import RequestValidationError
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    StrictBool,
    ValidationError,
    WithJsonSchema,
)

from decoct.conversation.meant import TURNS_READ
from decoct.conversation.turns import MOST_TURNS, Turn
from decoct.server.parameters import BudgetField, Caution, ModelName, Where
from decoct.server.problems import ProblemError, unsupported
from decoct.visible import visible_line

LONGEST_QUESTION = 8_000
ONLY_TEXT = "only text can be asked here"
_LONGEST_NAME = 200  # characters of a field's name that is told back
_REFUSED = {"audio": "audio", "web_search_options": "web search"}

# What the description says; other parts are read too, and refused with 400 as OpenAI's own servers refuse them.
_PART = {
    "type": "object",
    "properties": {"type": {"const": "text"}, "text": {"type": "string"}},
    "required": ["type", "text"],
}
_CONTENT = {"anyOf": [{"type": "string"}, {"type": "array", "items": _PART}, {"type": "null"}]}

# A schema is there where it is asked for.
_FORMAT: dict[str, Any] = {
    "if": {"properties": {"type": {"const": "json_schema"}}, "required": ["type"]},
    "then": {
        "properties": {
            "json_schema": {"type": "object", "properties": {"schema": {"type": "object"}}, "required": ["schema"]}
        },
        "required": ["json_schema"],
    },
}


class StreamOptions(BaseModel):
    """What a stream is to tell at its end."""

    model_config = ConfigDict(extra="allow")
    include_usage: StrictBool = False

    def ignored(self) -> list[str]:
        """What else of it was asked, which has no effect here."""
        return filled(self.model_extra, "stream_options.")


class DecoctOptions(BaseModel):
    """What is asked of Decoct beside OpenAI's fields (`extra_body={"decoct": {…}}`)."""

    model_config = ConfigDict(extra="forbid")
    budget: BudgetField = None
    where: Where | None = None
    caution: Caution = None
    history: Literal["follow", "condense", "none"] = Field(
        "follow",
        description="How the turns before the question are used: `follow` (it is understood with them; a language model rewrites it "
        "where there is one), `condense` (the same, refused without a model), `none` (it is asked as it stands).",
    )


class ChatMessage(BaseModel):
    """One turn; `content` is a text, or OpenAI's list of parts, all of them text."""

    model_config = ConfigDict(extra="allow")
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str | list[dict[str, Any]] | None, WithJsonSchema(_CONTENT)] = None

    @property
    def text(self) -> str:
        """The turn's text; 400 for a part that is none."""
        if self.others:
            raise unsupported(ONLY_TEXT, "messages")
        return self.words

    @property
    def words(self) -> str:
        """What of the turn is text."""
        if not isinstance(self.content, list):
            return self.content or ""
        return "\n".join(part["text"] for part in self.content if _is_text(part))

    @property
    def others(self) -> list[str]:
        """The kinds of parts that are no text, such as `image_url`."""
        parts = self.content if isinstance(self.content, list) else []
        return [str(part.get("type")) for part in parts if not _is_text(part)]


def _is_text(part: dict[str, Any]) -> bool:
    return part.get("type") == "text" and isinstance(part.get("text"), str)


class ResponseFormat(BaseModel):
    """OpenAI's `response_format`: `text`, any JSON, or JSON of a schema."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=_FORMAT)
    type: Literal["text", "json_object", "json_schema"] = "text"
    json_schema: dict[str, Any] | None = None

    @property
    def schema_wanted(self) -> dict[str, Any] | None:
        """The JSON schema that the answer is to have; None where text is wanted."""
        if self.type == "text":
            return None
        if self.type == "json_object":
            return {"type": "object"}
        found = (self.json_schema or {}).get("schema")
        if not isinstance(found, dict):
            raise ProblemError(
                400, "response_format: json_schema needs a `schema`", code="validation", param="response_format"
            )
        return found


def chat_of(
    given: dict[str, Any], dropped: Iterable[str] = (), places: Sequence[tuple[str, int | None]] = ()
) -> ChatIn:
    """A chat that another dialect's request was made into; refused as its own would be.

    `dropped` names what that request held and this chat does not; `places` tells where each message stands in it, by the list's name
    and its place there (None: it is no list).
    """
    try:
        made = ChatIn.model_validate(given)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from error
    made._dropped, made._places = tuple(dropped), tuple(places)
    return made


def filled(fields: Mapping[str, Any] | None, before: str = "") -> list[str]:
    """The names of the fields that hold something, each behind `before`."""
    return [f"{before}{name}" for name, value in (fields or {}).items() if value is not None and value != []]


class ChatIn(BaseModel):
    """A chat: the last message of the user is the question."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {"model": "handbook/default", "messages": [{"role": "user", "content": "When was the bridge opened?"}]}
            ]
        },
    )
    model: ModelName
    messages: list[ChatMessage] = Field(min_length=1, max_length=MOST_TURNS)
    stream: StrictBool | None = False
    stream_options: StreamOptions | None = None
    n: Annotated[int | None, WithJsonSchema({"enum": [1, None]})] = None
    tool_choice: Annotated[Any, WithJsonSchema({"enum": ["none", "auto", None]})] = None
    response_format: ResponseFormat | None = None
    decoct: DecoctOptions | None = None
    _dropped: tuple[str, ...] = PrivateAttr(())
    _places: tuple[tuple[str, int | None], ...] = PrivateAttr(())

    @property
    def options(self) -> DecoctOptions:
        """What is asked of Decoct."""
        return self.decoct or DecoctOptions(history="follow")

    def question(self) -> str:
        """The last message of the user; refuses, with 400, what this server cannot do."""
        extra = self.model_extra or {}
        insisted = {"tool_choice": self.tool_choice, "function_call": extra.get("function_call")}
        for field, call in insisted.items():  # tools may be offered
            if call not in (None, "none", "auto"):
                raise unsupported(f"tools cannot be used here: leave out {field}", field)
        for field, what in _REFUSED.items():
            if extra.get(field):
                raise unsupported(f"{what} cannot be used here: leave out {field}", field)
        if self.n not in {None, 1}:
            raise unsupported("one answer is given to a question: leave out n", "n")
        asked = [turn for turn in self.messages if turn.role == "user"]
        turns = [turn.text for turn in asked[-1:]]
        if not turns or not turns[-1].strip():
            raise ProblemError(
                422, "there is no question: the last message of the user is empty", code="query", param="messages"
            )
        if len(turns[-1]) > LONGEST_QUESTION:
            raise ProblemError(
                422, f"a question has at most {LONGEST_QUESTION:,} characters", code="query", param="messages"
            )
        return turns[-1]

    def before(self) -> list[Turn] | None:
        """The turns before the question with which it is understood; None where it is asked as it stands."""
        if self.options.history == "none":
            return None
        return [
            Turn(one.role, one.words) for one in self.messages[: self._asked_at] if one.role in ("user", "assistant")
        ]

    def ignored(self) -> list[str]:
        """What had no effect: fields, turns (`messages[0:4]`), and fields and parts of turns (`messages[2].image_url`)."""
        unread = self._unread()
        turns = [(at, turn) for at, turn in enumerate(self.messages) if at not in unread]
        parts = {
            f"{_named(*self._place(at))}.{one}"
            for at, turn in turns
            for one in (*turn.others, *filled(turn.model_extra))
        }
        streamed = self.stream_options.ignored() if self.stream_options else []
        names = [
            *sorted({*filled(self.model_extra), *streamed, *self._dropped, *parts}),
            *_ranges([self._place(at) for at in unread]),
        ]
        return [visible_line(name)[:_LONGEST_NAME] for name in names]

    def _place(self, at: int) -> tuple[str, int | None]:
        return self._places[at] if self._places else ("messages", at)

    def _unread(self) -> list[int]:
        """The places of the messages that had no effect."""
        turns = [at for at in range(self._asked_at) if self.messages[at].role in ("user", "assistant")]
        read = {self._asked_at, *([] if self.options.history == "none" else turns[-TURNS_READ:])}
        return [at for at in range(len(self.messages)) if at not in read]

    @property
    def _asked_at(self) -> int:
        return max((at for at, turn in enumerate(self.messages) if turn.role == "user"), default=0)


def _named(name: str, start: int | None, end: int | None = None) -> str:
    """A place in a list, or those up to `end`: `messages[5]`, `messages[0:3]`; the name alone of what is no list."""
    if start is None:
        return name
    return f"{name}[{start}]" if end is None or end == start + 1 else f"{name}[{start}:{end}]"


def _ranges(places: Sequence[tuple[str, int | None]]) -> list[str]:
    """The places, neighbours as one name."""
    found: list[tuple[str, int | None, int | None]] = []
    for name, at in places:
        if found and at is not None and (found[-1][0], found[-1][2]) == (name, at):
            found[-1] = (name, found[-1][1], at + 1)
        else:
            found.append((name, at, None if at is None else at + 1))
    return [_named(*one) for one in found]
