"""Is the last question of a conversation completed with what it means? Without a library: the rules alone.

    python benchmarks/understood.py [--out FILE]

Two sets of 70 conversations about programs and houses (benchmarks/follow-ups/technical*.jsonl; seven kinds, ten each), by one writer
who saw neither code nor the other sets: `technical` the rules were mended on, `technical-kept` was run and not read. A completion is
right if it has every word of `must`, none of `must_not`; where nothing can be meant (`meant` is null), if nothing is put to the
library.
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

SETS = ("technical", "technical-kept")


def is_right(case: dict[str, Any], reader: SmallReader) -> bool:
    """Whether the likeliest reading of the last turn is what the writer says that it means."""
    *before, (last,) = case["turns"]
    turns = turns_of((asked, answered) for asked, answered in before)
    readings = meant_question(last, turns, None, reader).readings
    if case["meant"] is None or not readings:
        return case["meant"] is None and not readings
    told = readings[0].lower()
    return all(words.lower() in told for words in case["must"]) and not any(
        re.search(rf"(?<!\w){re.escape(words.lower())}(?!\w)", told) for words in case["must_not"]
    )


def main() -> None:
    """The command line."""
    given = command_line(__doc__, out="follow-ups/understood.json").parse_args()
    reader, sets = SmallReader(), dict[str, Any]()
    for name in SETS:
        kinds: dict[str, list[bool]] = defaultdict(list)
        for line in (HERE / "follow-ups" / f"{name}.jsonl").read_text("utf-8").splitlines():
            case = json.loads(line)
            kinds[case["kind"]].append(is_right(case, reader))
        every = [one for right in kinds.values() for one in right]
        by_kind = {kind: f"{sum(right)}/{len(right)}" for kind, right in kinds.items()}
        sets[name] = {"right": share(every), "by kind": by_kind}
    write(given.out, {**setting(), "tuned on": "technical", "sets": sets})


if __name__ == "__main__":
    main()
