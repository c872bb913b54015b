"""Names and noun phrases that may answer "which X" and "who": candidates only, their choice is made by context.

Without a tagger a noun phrase is a run of up to four words between borders: function words, common verbs, punctuation. Capitalised names
and identifiers are taken as they stand. The noun of the question says which of them it wants (`expected`): "which organisation" a name,
"which release" a version, "which crystal system" one of a closed list, "which solvent" any phrase. How tightly a sentence ties a phrase to
what is asked is read off frames: the question's own preposition ("in which solvent": "in ethyl lactate"), causal words, an article.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from decoct.context.casc.roots import roots
from decoct.text.spelt import MONTHS
from decoct.text.values import Value
from decoct.text.words import is_stop

_NAME = re.compile(
    r"(?:[A-Z]\w*(?:\+\+|#)|[A-Z][\w'’+-]*\w|[A-Z]|[a-z]+[A-Z]\w*|[a-z]+-[A-Z]\b|[A-Za-z]+\d\w*|[A-Z][+#]+)"
    r"(?:(?: (?:of|the|de|van|von|for) | )(?:[A-Z][\w'’+-]*\w|[A-Z]\b|\d+\b))*"
)
_VERSION = re.compile(r"(?<![\w.])\d+(?:\.\d+){1,3}(?!\.?\d)")
_CLOSED = {
    "crystal": r"\b(?:(?:face|body)-centred (?:cubic|tetragonal)|hexagonal(?: close-packed)?|cubic|tetragonal"
    r"|orthorhombic|monoclinic|triclinic|trigonal"
    r"|rhombohedral|amorphous|wurtzite|perovskite|spinel)\b",
    "colour": r"\b(?:red|orange|yellow|green|blue|violet|purple|white|black|grey|gray|brown|pink)\b",
    "season": r"\b(?:spring|summer|autumn|winter)\b",
}
_METALS = (
    "lithium sodium potassium rubidium caesium beryllium magnesium calcium strontium barium scandium titanium vanadium chromium manganese "
    "iron cobalt nickel copper zinc yttrium zirconium niobium molybdenum technetium ruthenium rhodium palladium silver cadmium hafnium "
    "tantalum tungsten rhenium osmium iridium platinum gold mercury aluminium aluminum gallium indium tin thallium lead bismuth lanthanum "
    "cerium neodymium samarium europium gadolinium terbium dysprosium erbium ytterbium uranium thorium plutonium"
)
_OTHER_ELEMENTS = (
    "hydrogen helium boron carbon nitrogen oxygen fluorine neon silicon phosphorus sulfur sulphur chlorine argon germanium arsenic "
    "selenium bromine krypton antimony tellurium iodine xenon polonium astatine radon"
)
_CLOSED["metal"] = rf"\b(?:{_METALS.replace(' ', '|')})\b"
_CLOSED["element"] = rf"\b(?:{_METALS.replace(' ', '|')}|{_OTHER_ELEMENTS.replace(' ', '|')})\b"
_CLOSED["color"] = _CLOSED["colour"]
NAMED = frozenset(
    "protocol receptor gene protein drug company organisation organization university institute agency person "
    "author scientist engineer team group "
    "artist painter singer author composer planet star language "
    "library system model broker server database language framework city town country region river lake "
    "island marker antibody virus "
    "species dataset benchmark journal laboratory foundation vendor supplier manufacturer operator chair "
    "director minister president leader".split()
)
# Their names are written small as often as not.
_SMALL = frozenset(
    "enzyme mineral metal organ hormone vitamin element compound plant animal bird fish disease dish currency instrument".split()
)
AGENTS = NAMED | _SMALL
_BORDER = re.compile(
    r"[.,;:!?()\[\]\"“”—–]|\b(?:is|are|was|were|be|been|being|has|have|had|do|does|did|can|could|will|would|should"
    r"|may|might|must|shall|the|a|an|"
    r"in|on|at|by|for|from|to|with|without|of|as|than|that|which|who|whose|when|where|while|because|since|after"
    r"|before|until|and|or|but|not|no|"
    r"it|its|they|their|we|our|you|your|he|she|his|her|this|these|those|there|here|into|onto|over|under|between|through|during|against|"
    r"also|only|very|so|such|both|either|neither|each|every|all|any|some|most|more|less|other|another|same|however"
    r"|therefore|thus|then|now|even|"
    r"found|shown|seen|called|named|known|caused|causes|triggered|set|due|led|leads|remains?|occurs?|occurred"
    r"|observed|measured|converted|reported|like|looks?|"
    r"became|becomes|gave|gives|uses?|used|using|runs?|ran|maintains?|maintained|contains?|contained|carries|carried"
    r"|identified?|confirmed|shows?|"
    r"belongs?|adopts?|indexed|indicates?|whether|if|what|how|why|within|per|up|down|out|off|i|s|just|still|yet|too|once|first|second)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W_][\w'’+./-]*")
_CAUSE = re.compile(
    r"(?:caused by|cause (?:was|is|of \w+ (?:was|is))|due to|because of|attribut\w+ (?:\w+ ){0,4}to|traced to"
    r"|result of|set off by|triggered by|blam\w+ on|explained by|down to)"
    r"(?: an?| the)?\s*$",
    re.IGNORECASE,
)
_ASKS_CAUSE = re.compile(r"\b(?:caus\w+|why|reason|responsible|trigger\w*|explain\w*)\b", re.IGNORECASE)
_ASKED_IN = re.compile(r"^\W*(in|for|by|at|on|with|from|under|to|of) (?:which|what|whom)\b", re.IGNORECASE)
_QUANTIFIED = re.compile(
    r"\b(?:only (?:for |in |with |on )?|all (?:of the )?|any |every |both "
    r"|none of (?:the )?)(?:[\w-]+ ){0,3}[\w-]+?(?=[,.;:)]| (?:and|or|but|by|with|in|on|for|at|is|are|was|were|the)\b)",
    re.IGNORECASE,
)
_ORIGIN = re.compile(r"(?:[ai]an|ese|ish|ch|ic)$")
_ASKS_ORIGIN = re.compile(r"\b(?:nationality|language|country|origin|ethnicity|citizen\w*)\b", re.IGNORECASE)
_ASKS_WHO = re.compile(r"\b(?:who|whom|which (?:person|author|artist|scientist|director))\b", re.IGNORECASE)
_ASKS_WHERE = re.compile(r"\bwhere\b", re.IGNORECASE)
_PLACED = re.compile(
    r"\b(?:in|at|from|near|to|of|on|outside)(?: the)?(?: (?:city|town|village) of)?\s*$", re.IGNORECASE
)
_MEASURE = re.compile(
    r"\b(?:temperature|years?|hours?|days?|weeks?|months?|minutes?|times?|laborator(?:y|ies)"
    r"|protocol|operator|authors?|readers?)$",
    re.IGNORECASE,
)
_VERBAL = re.compile(r"(?:ed|ing|ly)$", re.IGNORECASE)


def expected(noun: str) -> str:
    """What the noun asked for is answered by: "version", "name", "phrase", or the name of a closed list."""
    words = [word.lower() for word in re.findall(r"[\w-]+", noun)]
    for word in words:
        if word in _CLOSED:
            return str(word)
        if word in ("release", "version"):
            return "version"
    return "name" if {word.removesuffix("s") for word in words} & NAMED or not words else "phrase"


def of_kind(text: str, kind: str) -> list[Value]:
    """The candidates of `kind` in `text`, in order."""
    if kind in _CLOSED:
        return [_value(text, m.start(), m.end(), kind) for m in re.finditer(_CLOSED[kind], text, re.IGNORECASE)]
    if kind == "version":
        return [_value(text, m.start(), m.end(), kind) for m in _VERSION.finditer(text)]
    names = list(_names(text))
    if kind == "name":
        return names
    taken = {(name.start, name.end) for name in names}
    whole = [_value(text, m.start(), m.end(), "quantified") for m in _QUANTIFIED.finditer(text)]
    # "Only for integer keys" does not say "integer keys".
    runs = [run for run in _runs(text, taken) if not any(v.start < run.start and run.end <= v.end for v in whole)]
    return sorted([*names, *whole, *runs], key=lambda value: (value.start, -value.end))


def framed(text: str, value: Value, question: str, head: str) -> float:
    """How tightly the sentence ties the phrase to what is asked."""
    before, after = text[max(0, value.start - 48) : value.start], text[value.end : value.end + 32]
    words = value.raw.split()
    score = 0.0
    if value.dimension == "quantified":
        score += 0.25 if head and any(head in roots(word) for word in words) else -0.15
    elif head and head in roots(words[-1]) and len(words) > 1:
        score += 0.15
    elif head and any(head in roots(word) for word in [*before.split()[-3:], *after.split()[:3]]):
        score += 0.2
    if (asked := _ASKED_IN.search(question)) and (
        re.search(rf"\b{asked[1]}(?: an?| the)?\s*$", before, re.IGNORECASE)
        or re.match(rf"only {asked[1]}\b", value.raw, re.IGNORECASE)
    ):
        score += 0.3
    if re.search(r"(?:\bnamely|\bcalled|\bnamed|\bi\.e\.|:)\s*$", before):
        score += 0.2
    if _ASKS_CAUSE.search(question) and _CAUSE.search(before):
        score += 0.35
    if re.search(r"\b(?:an?|the|is|was|are|were)\s*$", before):
        score += 0.05
    if value.dimension == "name":
        score += _as_asked(words, before, after, question)
    if _VERBAL.search(words[0]) and value.dimension == "phrase":
        score -= 0.3
    if value.dimension == "phrase" and _MEASURE.search(value.raw):
        score -= 0.2
    if len(words) == 1 and value.dimension == "phrase":
        score -= 0.1
    return score


def _as_asked(words: list[str], before: str, after: str, question: str) -> float:
    """Whether a name is of the kind that "who" or "where" asks for; an adjective of origin ("the British singer") is none."""
    score = 0.0
    if (
        len(words) == 1
        and _ORIGIN.search(words[0])
        and re.match(r"\s[a-z]", after)
        and not _ASKS_ORIGIN.search(question)
    ):
        score -= 0.4
    if _ASKS_WHO.search(question):
        score += 0.1 if len(words) in (2, 3) and not re.search(r"\d", "".join(words)) else -0.1
        done = re.search(r"(\w+) by(?: the \w+)?\s*$", before) or re.match(r"\s(\w+)", after)
        score += 0.15 if done and roots(done[1]) & roots(question) else 0.0  # "directed by X", "X directed"
    elif _ASKS_WHERE.search(question):
        score += 0.2 if _PLACED.search(before) else -0.2
    return score


def _names(text: str) -> Iterator[Value]:
    for match in _NAME.finditer(text):
        start, end = match.span()
        words = match.group().split()
        while words and (is_stop(words[0].lower()) or words[0].lower() in MONTHS or words[0].isdigit()):
            start += len(words[0]) + 1
            words = words[1:]
        lower = words and re.search(rf"\b{re.escape(words[0].lower())}\b", text)
        if not words or (
            start == 0 and len(words) == 1 and (lower or _VERBAL.search(words[0]) or text[end : end + 1] == ":")
        ):
            continue
        yield _value(text, start, end, "name")


def _runs(text: str, taken: set[tuple[int, int]]) -> Iterator[Value]:
    at = 0
    for border in [*_BORDER.finditer(text), None]:
        stop = border.start() if border else len(text)
        words = [(at + m.start(), at + m.end()) for m in _WORDS.finditer(text[at:stop])][-3:]
        for low, end in words:
            high = words[-1][1]
            if text[low].isdigit():
                continue
            if (low, high) not in taken and not is_stop(text[low:end].lower()) and high - low > 2:
                yield _value(text, low, high, "phrase")
        at = border.end() if border else stop


def _value(text: str, start: int, end: int, kind: str) -> Value:
    raw = text[start:end].rstrip(".'’")
    return Value(raw, "entity", start, start + len(raw), dimension=kind)
