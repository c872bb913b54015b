"""Messages of chats as records of JSON (Telegram, Slack, Discord, Messenger and their kin), as a person sees them in the program.

Each begins with who wrote it, when, and whom it answers: `Raj, 2025-05-02 18:31, to Ana: I bring four tents`. In Slack's texts stand
names for people and channels, the words of links with their addresses, and the signs that it escapes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from decoct.documents.canonical import one_line

_WHO = ("user_profile", "from", "sender_name", "sender", "author", "creator", "user", "username")
_NAMES = ("display_name", "nickname", "real_name", "global_name", "name", "displayName", "username", "email")
_WHEN = ("date", "timestamp", "timestamp_ms", "created_date", "created_at", "ts", "sent_at", "time")
_TOLD = ("user_profile", "author", "creator", "reference", "text_entities")  # objects that the line and the text say
_ANSWERED = ("reply_to_message_id", "parent_user_id", "thread_ts", "messageId", "message_id")
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)\S*")
_EPOCH = re.compile(r"\d{10}(?:\d{3})?(?:\.\d+)?")
_OF_SLACK = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
_MOST = 100_000  # senders that are remembered


class ChatLog:
    """The messages of one file in their order: who wrote which, so that answers name them."""

    def __init__(self) -> None:
        self._wrote: dict[str, str] = {}

    def shown(self, record: dict[str, Any], text: str) -> dict[str, Any]:
        """The record with its field `text` as people see it; the same one where it is no message."""
        who, when = _who(record), _when(record)
        if not who or not when or not isinstance(record.get(text), str | list):
            return record
        own = [str(record[key]) for key in ("id", "ts", "user") if isinstance(record.get(key), str | int)]
        beside = {**record, **(record.get("reference") or {})} if isinstance(record.get("reference"), dict) else record
        answered = [str(said) for key in _ANSWERED if (said := beside.get(key)) is not None]
        to = next((self._wrote[one] for one in answered if one in self._wrote and one not in own), "")
        if len(self._wrote) < _MOST:
            self._wrote |= dict.fromkeys(own, who)
        pieces = record[text] if isinstance(record[text], list) else [record[text]]
        if "ts" in record:
            pieces = [self._of_slack(one) if isinstance(one, str) else one for one in pieces]
        line = f"{who}, {when}{f', to {to}' if to else ''}: "
        kept = {key: one for key, one in record.items() if key not in _TOLD or not isinstance(one, dict | list)}
        return {**kept, text: line + pieces[0] if len(pieces) == 1 and isinstance(pieces[0], str) else [line, *pieces]}

    def _of_slack(self, text: str) -> str:
        def shown(found: re.Match[str]) -> str:
            sign, said, label = found.groups()
            if not sign:
                return f"{label} ({said})" if label and label != said else said
            named = label or self._wrote.get(said, said)
            return named if sign == "!" and label else f"{'@' if sign != '#' else sign}{named.lstrip('@')}"

        return html.unescape(_OF_SLACK.sub(shown, text))


def _who(record: Mapping[str, Any]) -> str:
    """The name of who wrote a message; of an `author` only where it is an account, as articles have authors too."""
    for key in _WHO:
        value = record.get(key)
        if isinstance(value, Mapping):
            value = next((said for name in _NAMES if isinstance(said := value.get(name), str) and said.strip()), "")
        elif key in ("author", "creator"):
            continue
        if isinstance(value, str) and any(map(str.isalpha, value)):
            return one_line(value)
    return ""


def is_message(record: Mapping[str, Any]) -> bool:
    """Whether it says who sent it and when."""
    return bool(_who(record) and _when(record))


def _when(record: Mapping[str, Any]) -> str:
    """Day and time at which a message was sent, as it is written or, of seconds since 1970, in UTC."""
    for key in _WHEN:
        said = str(record.get(key) or "")
        if found := _ISO.fullmatch(said):
            return f"{found[1]} {found[2]}"
        if said and key == "created_date":
            return one_line(said)
        if _EPOCH.fullmatch(said):
            seconds = float(said) / (1000 if len(said.partition(".")[0]) > 10 else 1)
            return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
    return ""
