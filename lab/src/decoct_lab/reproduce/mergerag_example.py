"""MergeRAG, Appendix F: its worked example, two passages of which neither answers the question and both together do.

The question is the paper's; the passages are short ones of our own that say what the example turns on (where Larry Alcala was educated,
when military instruction began there), each with sentences that do not help. Every way of merging that can be run is shown: `extract`
always, `select` and `rewrite` with a language model. The paper gives 763 tokens before and 361 after, for its own long passages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from decoct import trace
from decoct.budget import Budget
from decoct.context.base import Fuser
from decoct.context.layouts import Numbered
from decoct.context.merge.fuse_extract import Extract
from decoct.context.merge.step import Merge
from decoct.data import Draft, Passage, Query, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct_lab.context.merge.fuse_rewrite import Rewrite
from decoct_lab.context.merge.fuse_select import Select
from decoct_lab.reproduce.base import ReproductionRequest

QUESTION = "When did military instruction start at the place where Larry Alcala was educated?"
PASSAGES = {
    "Larry Alcala": "Larry Alcala earned his Bachelor of Fine Arts in Painting at the University of the Philippines in 1950. He "
    "became a professor at the same university from 1951 to 1981. He started his cartooning career in 1946.",
    "ROTC in the Philippines": "Military instruction in the Philippines began in 1912 when the Philippine Constabulary commenced with "
    "it at the University of the Philippines. The Board of Regents then made representations. A law academy followed in 1867.",
}
# Too little for both passages, enough for the two sentences that answer.
BUDGET = 70
THEIRS = (763, 361)


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """The example merged in every way that what was given allows."""

    id: str = "appendix-f"
    title: str = "The worked example"

    def unable(self, request: ReproductionRequest) -> str:
        """Where only data sets were asked for: it belongs to none."""
        return "it belongs to no data set" if request.sets else ""

    def run(self, request: ReproductionRequest) -> dict[str, Any]:
        """Tokens before and after, and what was kept, by the way of merging."""
        tokenizer = default_tokenizer()
        llm = request.setup.llm
        fusers: dict[str, Fuser] = {"extract": Extract()}
        if llm is not None:
            fusers |= {"select": Select(llm), "rewrite": Rewrite(llm, tokenizer, "asymmetric")}
        given = Draft(
            tuple(Passage(text, (Span(title, 0, len(text)),), title=title) for title, text in PASSAGES.items())
        )
        layout, merged = Numbered(), {}
        for name, fuser in fusers.items():
            with trace.recording() as record:
                made = Merge(fuser, "asymmetric").apply(Query(QUESTION), given, Budget(BUDGET, tokenizer))
            text = layout.render(made)
            merged[name] = {"tokens": tokenizer.count(text), "text": text, "fallbacks": dict(record.fallbacks)}
        return {
            "table": self.id,
            "title": self.title,
            "question": QUESTION,
            "budget": BUDGET,
            "tokens_before": tokenizer.count(layout.render(given)),
            "merged": merged,
            "paper": {"tokens_before": THEIRS[0], "tokens_after": THEIRS[1]},
        }

    def markdown(self, result: Mapping[str, Any]) -> str:
        """Each way's text, with its tokens."""
        parts = [
            f"## Appendix F: {result['title']}",
            f"{result['question']} Before: {result['tokens_before']} tokens, budget {result['budget']} (the paper, on passages of its own: "
            f"{result['paper']['tokens_before']} to {result['paper']['tokens_after']}).",
        ]
        for name, one in result["merged"].items():
            fell = f", fell back: {', '.join(one['fallbacks'])}" if one["fallbacks"] else ""
            parts.append(f"### {name}: {one['tokens']} tokens{fell}\n\n```\n{one['text']}\n```")
        if len(result["merged"]) == 1:
            parts.append("- needs --llm: select, rewrite")
        return "\n\n".join(parts) + "\n"
