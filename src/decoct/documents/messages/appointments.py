"""Appointments (`.ics`, iCalendar, RFC 5545) and contacts (`.vcf`, vCard 2.1 to 4.0), as lines `name: value`.

Times are told as they are written, with their zone; what only programs need (identifiers, the rules of time zones) is left out. An end
without a time, which is the day after the last, is told as the last.
"""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from datetime import date, timedelta

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.encoding import decoded
from decoct.documents.text import read_text

_FOLD = re.compile(r"\r?\n[ \t]")
_SOFT = re.compile(r"^[^:\r\n]*QUOTED-PRINTABLE[^:\r\n]*:(?:.*=\r?\n)+", re.MULTILINE | re.IGNORECASE)
_LINE = re.compile(
    r"(?:(?P<group>[\w-]+)\.)?(?P<name>[A-Za-z0-9-]+)(?P<parameters>(?:;[^\":;]+(?:\"[^\"]*\"[^\":;]*)*)*):(?P<value>.*)"
)
_ESCAPED = re.compile(r"\\(.)")
_SPANS = {"W": "week", "D": "day", "H": "hour", "M": "minute", "S": "second"}
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?")
_SAID = {
    "SUMMARY": "Summary", "DTSTART": "Start", "DTEND": "End", "DUE": "Due", "DURATION": "Duration", "LOCATION": "Location",
    "DESCRIPTION": "Description", "ORGANIZER": "Organizer", "ATTENDEE": "Attendee", "STATUS": "Status", "RRULE": "Repeats",
    "EXDATE": "Except", "RECURRENCE-ID": "Instead of", "COMMENT": "Comment", "CATEGORIES": "Categories", "URL": "URL",
    "CONTACT": "Contact", "RESOURCES": "Resources", "PRIORITY": "Priority", "COMPLETED": "Completed",
    "PERCENT-COMPLETE": "Percent complete", "RDATE": "Also on", "FREEBUSY": "Busy",
    "GEO": "Position", "X-ABDATE": "Date",
    "FN": "Name", "N": "Surname, given names", "NICKNAME": "Nickname", "ORG": "Organization", "TITLE": "Title", "ROLE": "Role",
    "TEL": "Phone", "EMAIL": "E-mail", "ADR": "Address", "BDAY": "Born", "ANNIVERSARY": "Anniversary", "NOTE": "Note",
}  # fmt: skip
_APART = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VCARD"})
_MOMENTS = frozenset(
    {"DTSTART", "DTEND", "DUE", "EXDATE", "RDATE", "FREEBUSY", "RECURRENCE-ID", "COMPLETED", "BDAY", "ANNIVERSARY"}
)
_OF_ALL = {"NAME": "Calendar", "X-WR-CALNAME": "Calendar", "X-WR-CALDESC": "Description"}
_LISTED = frozenset({"N", "ORG", "ADR", "GEO"})  # whose value has parts
_OF_A_KIND = frozenset({"TEL", "EMAIL", "ADR"})
_NO_KINDS = frozenset({"PREF", "VOICE", "INTERNET", "QUOTED-PRINTABLE"})  # what any is, or what is for programs
_PEOPLE = frozenset({"ORGANIZER", "ATTENDEE"})


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a calendar."""
    text, notes = read_text(source)
    yield source.document(calendar_lines(text), metadata=notes)


def calendar_lines(text: str) -> str:
    """The entries of a calendar, a blank line between them."""
    entries: list[list[str]] = [[]]  # the first is of the calendar
    inside: list[str] = []
    grouped: dict[tuple[int, str], int] = {}  # by entry and group, the line that a label is for
    text = _SOFT.sub(lambda found: re.sub("=\r?\n", "", found[0]), text)
    for line in _FOLD.sub("", text).splitlines():
        found = _LINE.fullmatch(line.strip("\r"))
        if not found:
            continue
        name, value = found["name"].upper(), found["value"]
        if name == "BEGIN":
            inside.append(value.strip().upper())
            if inside[-1] in _APART:
                entries.append([])
        elif name == "END":
            inside = inside[:-1]
        elif inside[-1:] == ["VCALENDAR"] and name in _OF_ALL:
            entries[0].append(f"{_OF_ALL[name]}: {_value(name, found['parameters'], value)}")
        elif inside[-1:] == ["VALARM"] and name == "TRIGGER":
            entries[-1].append(f"Reminder: {_reminder(found['parameters'], value)}")
        elif name == "X-ABLABEL" and (at := grouped.get((len(entries), found["group"]))) is not None:
            said, _, rest = entries[-1][at].partition(": ")
            entries[-1][at] = f"{said} ({_value(name, '', value).removeprefix('_$!<').removesuffix('>!$_')}): {rest}"
        elif name in _SAID and inside and inside[-1] in _APART and (said := _value(name, found["parameters"], value)):
            grouped[len(entries), found["group"]] = len(entries[-1])
            entries[-1].append(f"{_SAID[name]}{_kind(name, found['parameters'])}: {said}")
    return "\n\n".join("\n".join(_without_same_end(entry)) for entry in entries if entry)


def _without_same_end(entry: list[str]) -> Iterator[str]:
    """The lines of an entry, but the last day of one that is of one day."""
    start = next((line.removeprefix("Start: ") for line in entry if line.startswith("Start: ")), "")
    yield from (line for line in dict.fromkeys(entry) if not (line[:5] == "End: " and line[5:15] == line[5:] <= start))


def _duration(value: str) -> str:
    """A length of time in words: `1 hour 30 minutes`."""
    parts = ((int(count), _SPANS[unit]) for count, unit in re.findall(r"(\d+)([WDHMS])", value))
    return " ".join(f"{count} {unit}{'s' * (count != 1)}" for count, unit in parts if count)


def _reminder(parameters: str, value: str) -> str:
    """When an alarm is given: at a time, or how long before or after the start or the end."""
    if _TIME.match(value):
        return _TIME.sub(_moment, value)
    point = "end" if "RELATED=END" in parameters.upper() else "start"
    long = _duration(value)
    return f"{long} {'before' if value.startswith('-') else 'after'} the {point}" if long else f"at the {point}"


def _value(name: str, parameters: str, value: str) -> str:
    told = {
        key.upper(): said.strip('"') for key, _, said in (one.partition("=") for one in parameters.split(";")) if said
    }
    if "QUOTED-PRINTABLE" in parameters.upper():
        value = decoded(quopri.decodestring(value.encode()), told.get("CHARSET", "utf-8")).text
    if name in _PEOPLE:
        address = re.sub("^mailto:", "", value, flags=re.IGNORECASE)
        answer = told.get("PARTSTAT", "NEEDS-ACTION").lower()
        return (f"{told['CN']} <{address}>" if told.get("CN") else address) + f" ({answer})" * (
            answer != "needs-action"
        )
    zone = f" ({told['TZID']})" if told.get("TZID") else ""
    if name == "DURATION":
        return _duration(value) or value
    if name == "DTEND" and len(value) == 8 and (last := _TIME.fullmatch(value)):
        try:
            return str(date(int(last[1]), int(last[2]), int(last[3])) - timedelta(1))
        except (ValueError, OverflowError):
            return _moment(last)
    if name in _MOMENTS and _TIME.match(value):
        return ", ".join(_TIME.sub(_moment, one) for one in value.split(",")) + zone
    if name in _LISTED:
        value = ", ".join(filter(None, map(str.strip, re.split(r"(?<!\\);", value))))
    plain = _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)
    return " ".join(plain.split())


def _kind(name: str, parameters: str) -> str:
    """Which of a person's numbers or addresses it is: ` (cell)`."""
    said = re.sub(r"(?<=;)TYPE=", "", parameters, flags=re.IGNORECASE).replace('"', "").replace(",", ";").split(";")
    kinds = [one.lower() for one in said if one and "=" not in one and one.upper() not in _NO_KINDS]
    return f" ({', '.join(kinds)})" if kinds and name in _OF_A_KIND else ""


def _moment(found: re.Match[str]) -> str:
    day = f"{found[1]}-{found[2]}-{found[3]}"
    if found[4] is None:
        return day
    seconds = f":{found[6]}" if found[6] != "00" else ""
    return f"{day} {found[4]}:{found[5]}{seconds}{' UTC' if found[7] else ''}"
