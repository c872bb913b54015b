"""E-mail: headers, the text, what is attached."""

from __future__ import annotations

import base64
from collections import Counter

import pytest
from reading import one, read, refused
from small_files import message

from decoct.data import Document
from decoct.documents.base import Failure, Source
from decoct.documents.messages.mail import quoted_page
from decoct.documents.messages.mbox import parse as messages
from decoct.errors import ParseError
from decoct.text.quotable import introductions, is_quoted


def test_headers_text_and_metadata() -> None:
    document = one("a.eml", message("Dear Bob,\n\n  it costs 5 €.\n").as_bytes())
    assert document.text == (
        "From: Ann Müller <ann@example.org>\nTo: bob@example.org\nDate: Mon, 05 Feb 2024 10:00:00 +0100\nSubject: The größte plan"
        "\n\nDear Bob,\n\n  it costs 5 €."
    )
    assert document.title == "The größte plan"
    assert document.metadata == {
        "from": "Ann Müller <ann@example.org>",
        "to": "bob@example.org",
        "date": "2024-02-05T10:00:00+01:00",
    }


def test_the_plain_text_before_the_page_and_attachments_by_name() -> None:
    both = message("plain words", "<p>styled words</p>", {"plan.pdf": b"%PDF-", "list.bin": b"\0"})
    document = one("a.eml", both.as_bytes())
    assert "plain words" in document.text
    assert "styled" not in document.text
    assert document.text.endswith("Attachments: plan.pdf, list.bin")
    assert document.metadata["left_out"] == "attachments (2)"


def test_a_page_alone_is_read_as_a_page() -> None:
    made = message()
    made.set_content("<h2>Head</h2><p>2<sup>8</sup> words</p><script>x</script>", subtype="html")
    document = one("a.eml", made.as_bytes())
    assert document.text.endswith("\n\nHead\n\n2^8 words")
    assert [document.text[start:end] for start, end in document.headings] == ["Head"]


def test_forwarded_messages_are_read() -> None:
    inner = message("The inner words.")
    outer = message("See below.")
    outer.add_attachment(inner)
    text = one("a.eml", outer.as_bytes()).text
    assert text.index("See below.") < text.index("The inner words.")
    assert text.count("Subject: The größte plan") == 2


def test_encodings_of_parts() -> None:
    raw = (
        b"Subject: x\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: 8bit\n\n"
        + "Привет, мир".encode("koi8-r")
    )
    assert one("a.eml", raw).text.endswith("Привет, мир")
    wrong = b"Subject: x\nContent-Type: text/plain; charset=no-such\n\n" + "Grüße".encode()
    assert one("a.eml", wrong).text.endswith("Grüße")


def test_what_cannot_be_read_says_why() -> None:
    assert "only headers or attachments" in refused("a.eml", b"Subject: nothing\n\n")
    assert refused("a.eml", b"") == "it is empty"


def test_nested_parts_end() -> None:
    deep = b"Subject: deep\n"
    for depth in range(1_200):  # beyond what the parser itself goes down
        deep += b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (depth, depth)
    deep += b"\nwords\n"
    assert "damaged, or nested too deeply" in refused("a.eml", deep)
    many = (
        b"Subject: many\nContent-Type: multipart/mixed; boundary=b\n\n"
        + b"--b\nContent-Type: text/plain\n\nx\n" * 1_200  # parts, of which a thousand are read
    )
    assert "damaged, or nested too deeply" in refused("a.eml", many)


def mime(*parts: tuple[str, str], kind: str = "mixed") -> bytes:
    """A message of parts, each with its headers (one a line) and its body."""
    head = f"Subject: x\nMIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary=b\n\n"
    return (head + "".join(f"--b\n{headers}\n\n{body}\n" for headers, body in parts) + "--b--\n").encode()


PLAIN, HTML, PICTURE = (
    "Content-Type: text/plain",
    "Content-Type: text/html",
    "Content-Type: image/png; name=map.png\nContent-Disposition: inline; filename=map.png\nContent-Transfer-Encoding: base64",
)


def test_text_goes_on_behind_a_picture() -> None:
    text = one("a.eml", mime((PLAIN, "The lift stops."), (PICTURE, "aGk="), (PLAIN, "It costs 640 euros."))).text
    assert "The lift stops.\n\nIt costs 640 euros." in text
    assert text.endswith("Attachments: map.png")
    text = one("a.eml", mime((HTML, "<p>The crane lifts</p>"), (PICTURE, "aGk="), (HTML, "<p>210 kg</p>"))).text
    assert "The crane lifts\n\n210 kg" in text


def test_an_attached_text_is_named_and_not_read() -> None:
    attached = "Content-Type: text/plain\nContent-Disposition: attachment; filename=log.txt"
    text = one("a.eml", mime((PLAIN, "See the log."), (attached, "line of the log"))).text
    assert "line of the log" not in text
    assert text.endswith("Attachments: log.txt")


def test_a_blank_plain_part_gives_way_to_the_page_beside_it() -> None:
    assert "Call 77-1203." in one("a.eml", mime((PLAIN, " "), (HTML, "<p>Call 77-1203.</p>"), kind="alternative")).text
    both = one("a.eml", mime((PLAIN, "Call 77-1203."), (HTML, "<p>Call us</p>"), kind="alternative")).text
    assert "Call us" not in both


def test_an_alternative_with_pictures_inside_is_read() -> None:
    inner = (
        "--c\nContent-Type: text/html\n\n<p>The map shows <img src=cid:m> the pier.</p>\n--c\n"
        + PICTURE
        + "\n\naGk=\n--c--"
    )
    data = mime((PLAIN, ""), ("Content-Type: multipart/related; boundary=c", inner), kind="alternative")
    text = one("a.eml", data).text
    assert "The map shows the pier." in text
    assert "Attachments: map.png" in text


def test_what_is_quoted_is_told_from_the_reply() -> None:
    body = "It costs 35 euros.\n\nOn Mon, 5 Feb 2024, Ann wrote:\n> It costs 40 euros.\n> Yours"
    document = one("a.eml", mime((PLAIN, body)))
    assert [document.text[slice(*found)] for found in document.headings] == ["On Mon, 5 Feb 2024, Ann wrote:"]
    quoted = "<blockquote><p>It costs 40 euros.</p><blockquote>50</blockquote></blockquote>"
    page = f"<p>It costs 35 euros.</p><div>Ann wrote:{quoted}</div><h2>End</h2>"
    document = one("a.eml", mime((HTML, page)))
    assert "Ann wrote:\n\n> It costs 40 euros.\n>\n> > 50\n\nEnd" in document.text
    assert [document.text[slice(*found)] for found in document.headings] == ["Ann wrote:", "End"]
    assert list(introductions("Yes.\n\n-----Original Message-----\nFrom: A\nSent: B\nTo: C\n\nNo.")) == [(6, 32)]
    assert quoted_page("<p>one</p><blockquote>two</blockquote>", Counter())[0] == "one\n\n> two"


def test_a_mailbox_gives_every_message() -> None:
    first = b"From ann@example.org Mon Feb  5 10:00:00 2024\nSubject: One\n\nThe first.\n>From here on.\n\n"
    second = b"From bob@example.org Tue Feb  6 10:00:00 2024\nSubject: Two\n\n"
    third = b"From bob@example.org Tue Feb  6 10:00:00 2024\nSubject: Three\n\nThe third.\n"
    items = read("in/box.mbox", first + second + third)
    assert [item.code if isinstance(item, Failure) else (item.id, item.title) for item in items] == [
        ("in/box.mbox#1", "One"),
        "record",
        ("in/box.mbox#10", "Three"),
    ]
    assert isinstance(items[0], Document)
    assert items[0].text.endswith("The first.\nFrom here on.")
    assert "not a mailbox" in refused("a.mbox", "Some words.")
    with pytest.raises(ParseError, match="not a mailbox"):
        next(messages(Source.of("a.mbox", b"x\n" + first)))


def test_a_header_without_end_is_cut_before_it_is_decoded() -> None:
    """Decoding encoded words one by one takes the square of their number: 1 MB of them took the parser's whole time."""
    words = b" =?utf-8?q?Bridge?=" * 50_000
    document = one("a.eml", b"From: ada@example.org\nSubject:" + words + b"\n\nThe bridge is open.\n")
    subject = next(line for line in document.text.splitlines() if line.startswith("Subject: "))
    assert subject.startswith("Subject: BridgeBridge")
    assert len(subject) < 10_000
    assert "The bridge is open." in document.text


def test_what_is_quoted_is_told_by_its_signs_behind_an_introduction_or_by_the_rule() -> None:
    signed = "It costs 48.\n\nOn Monday Bob wrote:\n> It cost 52.\n> Bob\n\nAnn"
    ruled = "It costs 48.\n\n-----Original Message-----\nFrom: Bob\nSent: Monday\nTo: Ann\n\nIt cost 52."
    headed = "It costs 48.\n\nFrom: Bob <bob@x.example>\nSent: Monday\nTo: Ann\n\nIt cost 52."
    for text in (signed, ruled, headed):
        assert is_quoted(text, text.index("It cost 52"))
        assert not is_quoted(text, text.index("It costs 48"))
    assert not is_quoted(signed, signed.index("Ann"))
    note = "> Note: it costs 52.\n\nIt costs 48."
    assert not is_quoted(note, note.index("it costs"))
    listed = "The office:\n\nE-mail: ann@x.example\nPhone: 4417\nRoom: 12\n\nIt costs 48."
    assert not is_quoted(listed, listed.index("It costs"))
    assert is_quoted("> It cost 52.", 2, "Crane > On Monday Bob wrote:")


def test_bytes_of_a_header_that_nobody_coded_are_read() -> None:
    message = "From: Größe <a@example.org>\nSubject: Größe der Brücke\n\nIt is open.\n"
    assert one("a.eml", message.encode("latin-1")).title == "Größe der Brücke"
    assert one("a.eml", message.encode("latin-1")).metadata["encoding_unsure"]


@pytest.mark.parametrize("charset", ["windows-1251", "koi8-r", "shift_jis", "iso-2022-jp", "gb2312", "iso-8859-1"])
def test_headers_that_nobody_coded_are_in_the_encoding_of_the_text(charset: str) -> None:
    words = {"shift_jis": "会議", "iso-2022-jp": "会議", "gb2312": "报告", "iso-8859-1": "Größe"}.get(charset, "Отчёт")
    head = f"From: {words} <a@example.org>\nSubject: {words} 7\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
    file = f'--b\nContent-Type: application/pdf; name="{words}, 2.pdf"\n\nx\n--b--\n'
    document = one(
        "a.eml", f"{head}Content-Type: text/plain; charset={charset}\n\nIt is {words}.\n{file}".encode(charset)
    )
    assert document.title == f"{words} 7"
    assert document.text.endswith(f"It is {words}.\n\nAttachments: {words}, 2.pdf")
    assert document.metadata == {"from": f"{words} <a@example.org>", "left_out": "attachments (1)"}


def test_a_header_that_nobody_coded_is_guessed_with_the_text_and_said() -> None:
    text = "Добрый день! Отправляем вам отчёт о поставке насосов за ноябрь."
    ascii_ = "Content-Type: text/plain; charset=us-ascii\n"
    for declared in ("", ascii_):
        document = one("a.eml", f"Subject: Отчёт\n{declared}\n{text}".encode("koi8-r"))
        assert (document.title, document.metadata) == ("Отчёт", {"encoding_guessed": "koi8-r"})
    utf8 = f"Subject: Größe\nContent-Type: text/plain; charset=koi8-r\n\n{text}".encode("koi8-r", "ignore")
    assert one("a.eml", utf8.replace(b"Gre", "Größe".encode())).metadata == {}
    lost = one("a.eml", "Subject: Отчёт\n\nSee the file.".encode("koi8-r"))
    assert lost.metadata == {"left_out": "headers in an encoding that could not be told (1)"}


def test_coded_words_of_another_charset_than_they_say_are_read() -> None:
    def coded(data: bytes, charset: str) -> bytes:
        return b"=?%s?B?%s?=" % (charset.encode(), base64.b64encode(data))

    meeting = "会議のお知らせ".encode("shift_jis")
    for said, subject in (
        ("朱镕基", coded("朱镕基".encode("gbk"), "gb2312")),
        ("会議のお知らせ", coded(meeting[:5], "shift_jis") + b"\n " + coded(meeting[5:], "shift_jis")),
        ("Größe", coded("Größe".encode("latin-1"), "x-unknown")),
    ):
        assert one("a.eml", b"Subject: " + subject + b"\n\nIt is open.").title == said
    lost = one("a.eml", b"Subject: " + coded("報告".encode("cp932"), "iso-2022-jp") + b"\n\nIt is open.")
    assert lost.metadata["left_out"] == "headers in an encoding that could not be told (1)"


def test_parts_are_divided_by_signs_that_nobody_quoted() -> None:
    part = "------=_Next\nContent-Type: text/plain\n\nIt is open.\n------=_Next--\n"
    raw = f"Subject: x\nMIME-Version: 1.0\nContent-Type: multipart/alternative;\n boundary=----=_Next\n\n{part}"
    assert one("a.eml", raw).text == "Subject: x\n\nIt is open."


def test_struck_words_of_a_page_are_told() -> None:
    told = one("a.eml", bytes(message(" ", "<p>It is <s>40</s> 35.<p><s>Bye.</s>")))
    assert (told.text.split("\n\n")[-1], told.metadata["left_out"]) == ("It is ~~40~~ 35.", "struck-out text (1)")
