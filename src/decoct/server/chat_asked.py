"""OpenAI's chat completions as a request: which of its fields mean something here, which are passed over, which are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, field_validator

from decoct.server.asked import BudgetField, Where, checked_budget
from decoct.server.problems import ProblemError

LONGEST_QUESTION = 8_000
# Fields of OpenAI's that change how a model samples: the reader here is not asked to, and the reply lists them.
IGNORED = frozenset(
    """temperature top_p max_tokens max_completion_tokens presence_penalty frequency_penalty seed stop user metadata store
    logit_bias logprobs top_logprobs service_tier parallel_tool_calls reasoning_effort verbosity prompt_cache_key
    safety_identifier response_format modalities prediction""".split()
)
_REFUSED = {"tools": "tools", "tool_choice": "tools", "functions": "tools", "function_call": "tools", "audio": "audio",
            "web_search_options": "web search"}  # fmt: skip

# What the description says; other parts are read too, and refused with 400 as OpenAI's own servers refuse them.
_PART = {
    "type": "object",
    "properties": {"type": {"const": "text"}, "text": {"type": "string"}},
    "required": ["type", "text"],
}
_CONTENT = {"anyOf": [{"type": "string"}, {"type": "array", "items": _PART}, {"type": "null"}]}


class StreamOptions(BaseModel):
    """What a stream is to tell at its end."""

    model_config = ConfigDict(extra="ignore")
    include_usage: bool = False


class DecoctOptions(BaseModel):
    """What is asked of Decoct beside OpenAI's fields (`extra_body={"decoct": {…}}`)."""

    model_config = ConfigDict(extra="forbid")
    budget: BudgetField = None
    where: Where | None = None
    history: Literal["none", "condense"] = Field(
        "none", description="`condense`: a language model first rewrites the last question with the help of the chat."
    )

    _budget = field_validator("budget")(checked_budget)


class ChatMessage(BaseModel):
    """One turn; `content` is a text, or OpenAI's list of parts, all of them text."""

    model_config = ConfigDict(extra="ignore")
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str | list[dict[str, Any]] | None, WithJsonSchema(_CONTENT)] = None

    @property
    def text(self) -> str:
        """The turn's text; 400 for a part that is none."""
        if not isinstance(self.content, list):
            return self.content or ""
        texts = []
        for part in self.content:
            if part.get("type") != "text" or not isinstance(part.get("text"), str):
                raise ProblemError(400, "only text can be asked here", code="unsupported", param="messages")
            texts.append(part["text"])
        return "\n".join(texts)


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
    model: str = Field(min_length=1, max_length=200, description="`LIBRARY/RECIPE`, as `GET /v1/models` lists them.")
    messages: list[ChatMessage] = Field(min_length=1, max_length=200)
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Annotated[int | None, WithJsonSchema({"enum": [1, None]})] = None
    decoct: DecoctOptions = Field(default_factory=lambda: DecoctOptions(history="none"))

    def question(self) -> str:
        """The last message of the user; refuses, with 400, what this server cannot do."""
        extra = self.model_extra or {}
        for field, what in _REFUSED.items():
            if extra.get(field):
                raise ProblemError(
                    400, f"{what} cannot be used here: leave out {field}", code="unsupported", param=field
                )
        if self.n not in {None, 1}:
            raise ProblemError(400, "one answer is given to a question: leave out n", code="unsupported", param="n")
        turns = [turn.text for turn in self.messages if turn.role == "user"]
        if not turns or not turns[-1].strip():
            raise ProblemError(
                422, "there is no question: the last message of the user is empty", code="query", param="messages"
            )
        if len(turns[-1]) > LONGEST_QUESTION:
            raise ProblemError(
                422, f"a question has at most {LONGEST_QUESTION:,} characters", code="query", param="messages"
            )
        return turns[-1]

    def conversation(self) -> str:
        """The turns before the question, as lines."""
        said = [turn for turn in self.messages if turn.role in {"user", "assistant"}]
        last = max(at for at, turn in enumerate(said) if turn.role == "user")
        return "\n".join(f"{turn.role}: {turn.text}" for turn in said[:last])[-16_000:]

    def ignored(self) -> list[str]:
        """The fields that had no effect."""
        return sorted(field for field in self.model_extra or {} if field in IGNORED)
