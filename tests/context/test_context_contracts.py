"""Every step and reader passes its contract."""

from __future__ import annotations

import pytest

from decoct.answer.base import Reader
from decoct.answer.cited import Cited
from decoct.context.base import ContextStep
from decoct.context.steps import Order
from decoct.context.stitch import Stitch
from decoct_lab.answer.extractive import Extractive
from decoct_testing.context_contract import ContextStepContract, ReaderContract
from decoct_testing.scripted import ScriptedLLM

STEPS: dict[str, ContextStep] = {
    "stitch": Stitch(),
    "stitch-skip": Stitch(count="pre_merge", overflow="skip"),
    "document-order": Order("document"),
    "score-order": Order("score"),
    "sides": Order("sides"),
}


class TestSteps(ContextStepContract):
    @pytest.fixture(params=STEPS)
    def step(self, request: pytest.FixtureRequest) -> ContextStep:
        return STEPS[request.param]


class TestExtractive(ReaderContract):
    @pytest.fixture
    def reader(self) -> Reader:
        return Extractive()


class TestCited(ReaderContract):
    @pytest.fixture
    def reader(self) -> Reader:
        return Cited(ScriptedLLM(lambda request: "It was opened in 1906 [1], and more [2][9]."))
