"""E-mail: headers, the text, what is attached."""

from __future__ import annotations

from reading import one, refused
from small_files import message


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
    text = one("a.eml", both.as_bytes()).text
    assert "plain words" in text
    assert "styled" not in text
    assert text.endswith("Attachments: plan.pdf, list.bin")


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
    for depth in range(3_000):
        deep += b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (depth, depth)
    deep += b"\nwords\n"
    assert "damaged, or nested too deeply" in refused("a.eml", deep)
    many = (
        b"Subject: many\nContent-Type: multipart/mixed; boundary=b\n\n"
        + b"--b\nContent-Type: text/plain\n\nx\n" * 5_000
    )
    assert "damaged, or nested too deeply" in refused("a.eml", many)
