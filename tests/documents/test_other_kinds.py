"""Files of kinds that were made for programs: what a person sees in them is read, line by line, and what cannot be is refused by name."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from reading import one, read, refused

from decoct.data import Document

CHAT = [
    {"id": 1, "from": "Bo", "text": ["Call ", {"type": "phone", "text": "555 77"}, " now"]},
    {"id": 2, "name": {"first": "Ann", "last": "Lee"}, "source": {"page": 12}, "text": {"en": "Fee 12"}},
]


def test_pieces_of_a_text_are_one_and_fields_with_fields_in_them_are_told() -> None:
    first, second = (one for one in read("chat.json", json.dumps(CHAT)) if isinstance(one, Document))
    assert first.text == "Call 555 77 now"
    assert second.text == "name / first: Ann\nname / last: Lee\nsource / page: 12\ntext / en: Fee 12"


WIKI = "<mediawiki><page><title>Pump</title><id>7</id><text xml:space='preserve'>== Parts ==\n* Rotor\n** Blade</text></page></mediawiki>"
FEED = "<?xml version='1.0'?><item><encoded><![CDATA[<p>Now <del>12</del> 14</p><ul><li>a</li></ul>]]></encoded></item>"
EVERNOTE = "<?xml version='1.0'?><note><content><![CDATA[<en-note><div><en-todo checked='true'/>Milk</div></en-note>]]></content></note>"
OUTLINE = "<opml><head><title>Tasks</title></head><body><outline text='House'><outline text='Roof' _note='450'/></outline></body></opml>"
DRAWING = (
    "<svg xmlns='http://www.w3.org/2000/svg'><text><tspan x='1'>Tank</tspan><tspan x='1' dy='9'>900 l</tspan></text>"
    "<g display='none'><text>No</text></g></svg>"
)
PLIST = (
    "<plist version='1.0'><dict><key>On</key><true/><key>Parts</key><array><string>nut</string></array></dict></plist>"
)
STORAGE = (
    "<p>Code:</p><ac:structured-macro ac:name='code'><ac:parameter ac:name=\"language\">sh</ac:parameter><ac:plain-text-body>"
    "<![CDATA[a <b>\nc]]></ac:plain-text-body></ac:structured-macro><ac:task-list><ac:task><ac:task-id>1</ac:task-id>"
    "<ac:task-status>complete</ac:task-status><ac:task-body>Back up</ac:task-body></ac:task></ac:task-list>"
)


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("a.xml", WIKI, "page\ntitle: Pump\nid: 7\ntext: == Parts ==\n* Rotor\n** Blade"),
        ("a.rss", FEED, "encoded: Now ~~12~~ 14\n\n- a"),
        ("a.tmx", "<tmx><tu><tuv xml:lang='en'><seg>Nut</seg></tuv><tuv xml:lang='de'><seg>Mutter</seg></tuv></tu></tmx>",
         "tu / tuv\nlang: en\nseg: Nut\n\ntu / tuv\nlang: de\nseg: Mutter"),
        ("a.xlf", "<xliff><unit id='b'><source>Good <g>bye</g></source><target>Adieu</target></unit></xliff>",
         "unit\nid: b\nsource: Good bye\ntarget: Adieu"),
        ("a.html", '<p>Owner: <ac:link><ri:user ri:username="bo"/></ac:link></p>', "Owner: bo"),
        ("a.enex", EVERNOTE, "content: [x] Milk"),
        ("a.opml", OUTLINE, "Tasks\n\n- House\n\n  - Roof: 450"),
        ("a.svg", DRAWING, "Tank 900 l"),
        ("a.plist", PLIST, "On: true\nParts: nut"),
        ("a.html", STORAGE, "Code:\n\na <b>\nc\n\n- [x] Back up"),
        ("a.xml", f"<page>{STORAGE}</page>", "Code:\n\na <b>\nc\n\n- [x] Back up"),
        ("a.fb2", "<FictionBook><body><p>3 floors.<a type='note'>1</a></p></body></FictionBook>", "3 floors. (1)"),
        ("a.html", "<p>Area <script type='math/tex'>\\pi r^2</script> of it", "Area $\\pi r^2$ of it"),
        ("a.html", "<p><a href='#'>Call</a><img alt='a map of 3'>", "Call [picture: a map of 3]"),
        ("a.tmpl", "<div>{{ a }} <br> b</div>", "<div>{{ a }} <br> b</div>"),  # no XML
        ("a.ics", "BEGIN:VTODO\nSUMMARY:Pay\nPERCENT-COMPLETE:50\nEND:VTODO\n", "Summary: Pay\nPercent complete: 50"),
    ],
)  # fmt: skip
def test_lines_and_values_stay(name: str, data: str, text: str) -> None:
    assert one(name, data).text == text


def test_mail_that_flows_and_reports_of_delivery() -> None:
    flowed = "Content-Type: text/plain; format=flowed\n\nIt goes \non here. \n-- \nAnn\n> Is \n> it?\n"
    assert one("a.eml", flowed).text == "It goes on here.\n--\nAnn\n> Is it?"
    joined = "Content-Type: text/plain; format=flowed; delsp=yes\n\nIt flo \nws.\n"
    assert one("a.eml", joined).text == "It flows."
    head = "Content-Type: multipart/report; boundary=B\n\n--B\nContent-Type: text/plain\n\nNot delivered.\n--B\n"
    report = "Content-Type: message/delivery-status\n\nReporting-MTA: dns; a\n\n"
    report += "Final-Recipient: rfc822; bo@b.example\nStatus: 5.1.1\n--B--\n"
    assert one("a.eml", head + report).text.endswith("a\n\nFinal-Recipient: rfc822; bo@b.example\nStatus: 5.1.1")


@pytest.mark.parametrize("part", ["[Content_Types].xml", "Index/Document.iwa", "mimetype"])
def test_packages_of_other_programs_are_no_archives(part: str) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr(part, "<Types/>")
        package.writestr("visio/pages/page1.xml", "<Text>Start 12</Text>")
    assert "save it as one of these or as PDF" in refused("a.vsdx", file.getvalue())


def test_a_calendar_tells_last_days_and_reminders() -> None:
    """The end of an entry without times is the day after its last; so is an entry of one day told by that day."""
    alarms = "".join(
        f"BEGIN:VALARM\nTRIGGER{when}\nEND:VALARM\n" for when in (":-P1DT2H", ";RELATED=END:PT0S", ":20240601T080000Z")
    )
    fair = f"BEGIN:VEVENT\nSUMMARY:Fair\nDTSTART;VALUE=DATE:20240531\nDTEND;VALUE=DATE:20240603\n{alarms}END:VEVENT\n"
    day = "BEGIN:VEVENT\nDTEND;VALUE=DATE:20240301\nDTSTART;VALUE=DATE:20240229\nSUMMARY:Leap\nEND:VEVENT\n"
    text = one("a.ics", f"BEGIN:VCALENDAR\nX-WR-CALNAME:Town\n{fair}{day}END:VCALENDAR\n").text
    reminders = "1 day 2 hours before the start", "at the end", "2024-06-01 08:00 UTC"
    told = "\n".join(f"Reminder: {one}" for one in reminders)
    assert text == (
        f"Calendar: Town\n\nSummary: Fair\nStart: 2024-05-31\nEnd: 2024-06-02\n{told}\n\nStart: 2024-02-29\nSummary: Leap"
    )


ICONS = (
    "<table><tr><th>Hall<th>Lift<th>Loop</tr><tr><td>North<td><em class=t title='none'></em>"
    "<td><svg><title>built in</title><path/></svg></tr><tr><td>South<td><i class=ok aria-hidden=true></i><span class=sr-only>to 1st</span>"
    "<td><i class='mark-x'></i></tr></table><p>Rated <span aria-label='3 of 4'></span><a href='/e'><i title='Edit'></i></a></p>"
)


def test_icons_say_what_they_are_named() -> None:
    page = one("a.html", ICONS)
    assert page.text == "Hall | Lift | Loop\nNorth | none | built in\nSouth | to 1st | |\n\nRated 3 of 4"
    assert page.metadata["left_out"] == "signs without words (1)"


@pytest.mark.parametrize(
    "style", ["<style>.a li, .a{list-style: none}</style><ol class=a>", "<ol style='list-style-type: none'>"]
)
def test_a_list_without_marks_has_no_numbers(style: str) -> None:
    assert one("a.html", f"{style}<li>Oak<li>Elm</ol><ol><li>Ash</ol>").text == "- Oak\n- Elm\n\n1. Ash"


def test_a_cell_of_a_number_alone_shows_it() -> None:
    rows = "".join(
        f"<tr><td><ol start={n}><li></li></ol></td><td>{task}</td></tr>" for n, task in ((4, "Lock"), (5, "Key"))
    )
    assert one("a.html", f"<table><tr><th>No.<th>What</tr>{rows}</table>").text == "No. | What\n4. | Lock\n5. | Key"


def test_an_exam_keeps_its_numbers_and_points() -> None:
    body = (
        r"\begin{questions}\question Name \(x\).\begin{parts}\part[3] In m.\begin{solution}7 m\end{solution}\part Why?\end{parts}"
        r"\question[2] Which?\begin{choices}\choice 4\CorrectChoice 9\end{choices}\end{questions}"
    )
    written = r"\documentclass%s{exam}\begin{document}" + body + r"\end{document}"
    document = one("a.tex", written % "[11pt]")
    assert document.text == "1. Name \\(x\\).\n  (a) [3] In m.\n  (b) Why?\n2. [2] Which?\n  A. 4\n  B. 9"
    assert document.metadata["left_out"] == "solutions (1)"
    assert "7 m" in one("a.tex", written % "[answers]").text


def test_how_a_word_is_read_stands_behind_it() -> None:
    field = r"{\field{\*\fldinst EQ \\* jc2 \\* \"Font:X\" \\* hps9 \\o\\ad(\\s\\up 9(Lon),City)}{\fldrslt }}"
    assert one("a.rtf", rf"{{\rtf1\ansi To {field} 4.}}").text == "To City(Lon) 4."
