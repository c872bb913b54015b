"""What a request for an evaluation may hold."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from decoct.evaluate.reader_names import EvaluationReader
from decoct.server.parameters import QuestionText, RecipeName, Whole, checked_budget

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
    recipes: list[RecipeName] = Field(
        min_length=1, max_length=8, description="Also `gold-passages` (a perfect retriever) and `no-retrieval`."
    )
    budgets: list[Annotated[Whole | str, Field()]] = Field(default=[900, 1800], min_length=1, max_length=8)
    reader: EvaluationReader = Field(
        "none",
        description="Who answers: nobody (contexts alone are measured), the small reader's words, sentences, or the server's model.",
    )

    @field_validator("budgets")
    @classmethod
    def _budgets(cls, budgets: list[int | str]) -> list[int | str]:
        checked = [checked_budget(one) for one in budgets]
        return [one for one in checked if one is not None]

    @field_validator("recipes")
    @classmethod
    def _once(cls, recipes: list[str]) -> list[str]:
        if len(set(recipes)) < len(recipes):
            raise ValueError("a recipe is named twice")
        return recipes

    @model_validator(mode="after")
    def _either(self) -> EvaluationIn:
        if bool(self.questions) == bool(self.generate):
            raise ValueError("give questions, or how many to generate, and not both")
        ids = [one.id for one in self.questions]
        if len(set(ids)) < len(ids):
            raise ValueError("questions: an id is used twice")
        return self
