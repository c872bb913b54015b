"""Is the last question of a conversation completed with what it means? Without a library: the rules alone.

    python benchmarks/understood.py [--out FILE]

Two sets of 70 conversations about programs and houses (benchmarks/follow-ups/technical*.jsonl; seven kinds, ten each), by one writer
who saw neither code nor the other sets, and two of 34 about programs, offices and what an encyclopaedia tells (`development*`; eight
kinds), by who mended the rules, before they read them: the rules were mended on `technical` and `development`, the others were run and
not read. A completion is right if it has every word of `must`, none of `must_not`; where nothing can be meant (`meant` is null), if
nothing is put to the library; where the turn stands alone (`alone`), if it is asked as it stands. Told apart is how many of the turns of
the kind `new`, which all stand alone, are asked otherwise than as they stand ("changed though alone").
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import Any

from setting import HERE, command_line, setting, share, write

from decoct.conversation.meant import meant_question
from decoct.conversation.turns import turns_of
from decoct.reading.small import SmallReader

SETS = ("technical", "technical-kept", "development", "development-kept", "development-2")


def reading(case: dict[str, Any], reader: SmallReader) -> str:
    """The likeliest reading of the last turn; "" where nothing is put to the library."""
    *before, (last,) = case["turns"]
    turns = turns_of((asked, answered) for asked, answered in before)
    return next(iter(meant_question(last, turns, None, reader).readings), "")


def is_as_it_stands(case: dict[str, Any], told: str) -> bool:
    """Whether the last turn is asked in its own words, but for those that lead it in ("And can you tell me …")."""
    return told != "" and case["turns"][-1][0].lower().strip(" ?.").endswith(told.lower().strip(" ?."))


def is_right(case: dict[str, Any], told: str) -> bool:
    """Whether this reading of the last turn is what the writer says that it means."""
    if case["meant"] is None or not told:
        return case["meant"] is None and not told
    if case.get("alone"):
        return is_as_it_stands(case, told)
    told = told.lower()
    return all(words.lower() in told for words in case["must"]) and not any(
        re.search(rf"(?<!\w){re.escape(words.lower())}(?!\w)", told) for words in case["must_not"]
    )


def main() -> None:
    """The command line."""
    given = command_line(__doc__, out="follow-ups/understood.json").parse_args()
    reader, sets = SmallReader(), dict[str, Any]()
    for name in SETS:
        kinds, changed = defaultdict[str, list[bool]](list), list[bool]()
        for line in (HERE / "follow-ups" / f"{name}.jsonl").read_text("utf-8").splitlines():
            case = json.loads(line)
            told = reading(case, reader)
            kinds[case["kind"]].append(is_right(case, told))
            if case["kind"] == "new":
                changed.append(not is_as_it_stands(case, told))
        every = [one for right in kinds.values() for one in right]
        by_kind = {kind: f"{sum(right)}/{len(right)}" for kind, right in kinds.items()}
        sets[name] = {
            "right": share(every),
            "by kind": by_kind,
            "changed though alone": f"{sum(changed)}/{len(changed)}",
        }
    write(given.out, {**setting(), "tuned on": ["technical", "development"], "sets": sets})


if __name__ == "__main__":
    main()
