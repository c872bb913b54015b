"""What requests may hold. Those with other fields are refused."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from decoct.budget import budget_of
from decoct.conversation.turns import Messages
from decoct.data import MetadataValue, Scalar
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import DecoctError
from decoct.evaluate.reader_names import EvaluationReader

MOST_BUDGET = 200_000


def either(words: str) -> WrapValidator:
    """What is wrong with a value that may have several forms, in `words`: each form of a union would say for itself what it is not."""

    def checked(value: Any, check: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401
        try:
            return check(value)
        except ValidationError as error:
            raise ValueError(words) from error

    return WrapValidator(checked)


_Bounds: TypeAlias = Annotated[
    dict[Annotated[str, Field(pattern="^(>=|>|<=|<)$")], Scalar],
    Field(min_length=1, json_schema_extra={"additionalProperties": False}),
]
_MetadataName: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
Where: TypeAlias = Annotated[
    dict[
        _MetadataName,
        Annotated[
            Scalar | list[Scalar] | _Bounds,
            either('give a value, a list of values, or bounds such as {">=": 2020, "<": 2024}'),
        ],
    ],
    Field(
        max_length=20,
        description="Only documents with this metadata: a value, one of several, or bounds (`>=`, `>`, `<=`, `<`).",
        examples=[{"year": {">=": 2020, "<": 2024}, "kind": ["paper", "report"]}],
    ),
]


def _not_blank(question: str) -> str:
    if not question.strip():
        raise ValueError("the question is empty")
    return question


QuestionText: TypeAlias = Annotated[
    str,
    Field(min_length=1, max_length=8_000, description="The question.", examples=["When was the bridge opened?"]),
    AfterValidator(_not_blank),
]
ModelName: TypeAlias = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="`LIBRARY/RECIPE`, as `GET /v1/models` lists them.",
        examples=["handbook/default"],
    ),
]
RecipeName: TypeAlias = Annotated[str, Field(max_length=64, description="A recipe of `GET /api/v1/recipes`.")]


def _no_truth(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("give a number, not true or false")  # noqa: TRY004 - what pydantic takes for a bad value
    return value


# JSON's true is no 1. Bounds stand before it: behind it the description would lack them.
NO_TRUTH = BeforeValidator(_no_truth)
Whole: TypeAlias = Annotated[int, NO_TRUTH]


_TOKENS = either("give a number of tokens (5400) or of average chunks (5x)")
_Amount: TypeAlias = (
    Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MOST_BUDGET}), NO_TRUTH]
    | Annotated[str, Field(json_schema_extra={"pattern": r"^\s*[0-9]+((\.[0-9]+)?\s*[xX×])?\s*$"})]
)


def checked_budget(budget: int | str | None) -> int | str | None:
    """A budget that can be meant; `ValueError` tells what is wrong."""
    if budget is None:
        return None
    try:
        budget_of(budget, default_tokenizer())
    except DecoctError as error:
        raise ValueError(str(error)) from error
    text = str(budget).strip()
    number = float(text.rstrip("xX× "))
    if number > (MOST_BUDGET if text.isdigit() else 1_000):
        raise ValueError(f"a budget is at most {MOST_BUDGET:,} tokens or 1000x")
    return budget


BudgetField: TypeAlias = Annotated[
    _Amount | None,
    _TOKENS,
    AfterValidator(checked_budget),
    Field(description='Most tokens of the context (up to 200,000), or of average chunks as in "5x".', examples=[2000]),
]


Caution: TypeAlias = Annotated[
    Annotated[float, Field(ge=0, le=1), BeforeValidator(_no_truth)] | None,
    Field(
        description="Claim only what is right with at least this probability (the reader's own point where left out; not with a "
        "language model).",
        examples=[0.7],
    ),
]


def _once(recipes: list[str]) -> list[str]:
    if len(set(recipes)) < len(recipes):
        raise ValueError("a recipe is named twice")
    return recipes


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")
    question: QuestionText


class QuestionIn(_Asked):
    """A question to a library."""

    budget: BudgetField = None
    recipe: RecipeName = "default"
    where: Where | None = None


class AskIn(QuestionIn):
    """A question that is to be answered."""

    caution: Caution = None
    history: Messages = None


class SearchIn(_Asked):
    """A search for chunks."""

    k: Whole = Field(10, ge=1, le=100)
    recipe: RecipeName = "default"
    where: Where | None = None


class CompareIn(_Asked):
    """One question under several recipes at one budget."""

    recipes: Annotated[list[RecipeName], AfterValidator(_once)] = Field(
        min_length=2, max_length=4, examples=[["default", "naive"]]
    )
    budget: BudgetField = None
    where: Where | None = None


class DocumentIn(BaseModel):
    """A document as text."""

    model_config = ConfigDict(extra="forbid")
    id: str = Field(min_length=1, max_length=1_000)
    text: str = Field(min_length=1)
    title: str = Field("", max_length=1_000)
    metadata: dict[
        str, Annotated[MetadataValue | None, either("metadata is a text, number, truth value or list of texts")]
    ] = Field(default_factory=dict)
    names: list[str] = Field(default_factory=list, max_length=100)


class DocumentsIn(BaseModel):
    """Documents as JSON, and URLs where the server allows them."""

    model_config = ConfigDict(extra="forbid")
    documents: list[DocumentIn] = Field(default_factory=list, max_length=10_000)
    urls: list[Annotated[str, Field(pattern=r"^https?://", max_length=2_000)]] = Field(
        default_factory=list, max_length=100
    )


class LibraryIn(BaseModel):
    """A library to make."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$", examples=["handbook"])
    embedder: str = "minilm"
    chunker: str = "structure"


MOST_QUESTIONS = 2_000


class GoldSpanIn(BaseModel):
    """Characters of a document that hold an answer."""

    model_config = ConfigDict(extra="forbid")
    doc_id: str = Field(min_length=1, max_length=2_000)
    start: int = Field(ge=0, le=2**53, strict=True)
    end: int = Field(ge=1, le=2**53, strict=True)


class GoldQuestionIn(BaseModel):
    """A question with its key: accepted answers, and the documents or characters that hold them."""

    model_config = ConfigDict(extra="forbid")
    id: str = Field(min_length=1, max_length=200)
    question: QuestionText
    answers: list[Annotated[str, Field(min_length=1, max_length=2_000)]] = Field(default_factory=list, max_length=100)
    supporting_ids: list[Annotated[str, Field(min_length=1, max_length=2_000)]] = Field(
        default_factory=list, max_length=100
    )
    supporting: list[GoldSpanIn] = Field(default_factory=list, max_length=100)
    type: str = Field("", max_length=100)


class EvaluationIn(BaseModel):
    """Recipes to compare at equal budgets, on questions that are given or made from the library's documents."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"generate": 50, "recipes": ["naive", "hybrid", "default"], "budgets": [900, 1800]}]
        },
    )
    name: str = Field("", max_length=200, description="What the report is called.")
    questions: list[GoldQuestionIn] = Field(default_factory=list, max_length=MOST_QUESTIONS)
    generate: Whole = Field(0, ge=0, le=MOST_QUESTIONS, description="How many to make where none are given.")
    recipes: Annotated[list[RecipeName], AfterValidator(_once)] = Field(
        min_length=1, max_length=8, description="Also `gold-passages` (a perfect retriever) and `no-retrieval`."
    )
    budgets: list[Annotated[_Amount, _TOKENS, AfterValidator(checked_budget)]] = Field(
        default=[900, 1800], min_length=1, max_length=8
    )
    reader: EvaluationReader = Field(
        "none",
        description="Who answers: nobody (contexts alone are measured), the small reader's words, sentences, or the server's model.",
    )

    @model_validator(mode="after")
    def _either(self) -> EvaluationIn:
        if bool(self.questions) == bool(self.generate):
            raise ValueError("give questions, or how many to generate, and not both")
        ids = [one.id for one in self.questions]
        if len(set(ids)) < len(ids):
            raise ValueError("questions: an id is used twice")
        return self
