"""What an effect was: up, down, none, yes or no, read off the words that say it."""

from __future__ import annotations

import re

from decoct.text.values import Value

_NONE = (
    r"(?:no|not (?:a|any)) (?:\w+ ){0,3}?(?:effect|difference|change|benefit|improvement|increase|decrease|reduction|gain|impact)s?\b"
    r"|(?:did|does|do|was|were|is|are|has|have|had) not (?:\w+ )?(?:chang|differ|affect|alter|influenc|improv|increas"
    r"|decreas|reduc|lower|rais|significant|shorten|prolong|lengthen|enhanc|elevat|boost|strengthen|weaken|suppress|diminish|accelerat"
    r"|slow|rise|fall|drop|declin|grow|cut|halv|doubl)\w*"
    r"|not (?:statistically )?significant(?:ly)?|without (?:any )?effect|unchanged|unaffected|neutral|\bflat\b|no better than|unaltered"
)
_UP = (
    r"increas\w+|rais(?:e|ed|es|ing)|r[oi]se[sn]?|higher|improv\w+|strengthen\w*|enhanc\w+|elevat\w+|boost\w*"
    r"|prolong\w*|lengthen\w*|grew|gain(?:ed|s)?"
    r"|accelerat\w+|more (?:frequent|common)|doubl(?:ed|es|ing)"
)
_DOWN = (
    r"decreas\w+|reduc\w+|lower(?:ed|s|ing)?|fell|falls?|fallen|declin\w+|drop(?:ped|s)?|diminish\w*|cut(?:s|ting)?"
    r"|shorten\w*|suppress\w*|weaken\w*"
    r"|less (?:frequent|common)|fewer|halv(?:ed|es|ing)|slow(?:ed|s)"
)
_EFFECT = re.compile(rf"\b(?:(?P<none>{_NONE})|(?P<up>{_UP})|(?P<down>{_DOWN}))\b", re.IGNORECASE)


def effects(text: str) -> list[Value]:
    """The words of `text` that say which way something went; `dimension` is "none", "up" or "down"."""
    return [
        Value(match.group(), "bool", match.start(), match.end(), dimension=match.lastgroup or "")
        for match in _EFFECT.finditer(text)
    ]
