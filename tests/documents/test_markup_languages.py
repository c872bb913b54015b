"""reStructuredText and man pages, read as text."""

from __future__ import annotations

import gzip
import subprocess

import pytest
from reading import one, refused

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.markup import man
from decoct.documents.markup.man import carried_out
from decoct.documents.prose import Prose
from decoct.errors import ParseError

RST = """:orphan:

.. _label:

=====
Peas
=====

.. toctree::

   other

Use :func:`~garden.sow` and :ref:`the words <label>`, :doc:`other </page>`, 2\\ :sup:`64`, ``code``, |version| and `a site <http://e.org>`_.

.. versionadded:: 1.2
   The *depth* option.

.. py:function:: sow(bed, depth=2) -> int

   Sows.

.. unknown-thing:: Its argument
   :option: x

   Its content.

Beds
----

.. code-block:: python

   sow(1)
     # deeper

.. include:: /etc/hostname

.. raw:: html

   <b>raw</b>

.. csv-table:: T
   :file: /etc/hostname

====  =====
Name  Depth
====  =====
pea   2
====  =====

Broken ``literal and *emphasis
"""


def _headings(document: Document) -> list[str]:
    return [document.text[start:end] for start, end in document.headings]


def test_rst_is_read_as_text() -> None:
    document = one("docs/peas.rst", RST)
    assert document.title == "Peas"
    assert _headings(document) == ["Peas", "Beds"]
    assert document.text == (
        "Peas\n\nUse sow and the words, other, 2^64, code, |version| and a site.\n\nAdded in version 1.2: The depth option.\n\n"
        "sow(bed, depth=2) -> int\n\nSows.\n\nIts argument\n\nIts content.\n\nBeds\n\nsow(1)\n  # deeper\n\nraw\n\n"
        "Name | Depth\npea | 2\n\nBroken ``literal and *emphasis"
    )
    assert [(document.text[a.start : a.end], a.target) for a in document.links] == [
        ("other", "/page"),
        ("a site", "http://e.org"),
    ]


def test_an_rst_file_of_orders_alone_says_so() -> None:
    assert "no text" in refused("a.rst", ".. toctree::\n\n   a\n   b\n")


PAGE = r"""'\" t
.\" A comment
.TH SOW 1 "May 2024" "garden 2.0" "Garden Commands"
.SH NAME
sow \- put peas into a bed
.SH SYNOPSIS
.B sow
[\fB\-d\fR \fIdepth\fR]
.SH OPTIONS
.TP
.BR \-d ", " \-\-depth =\fIn\fR
How deep, in
.I inches
of earth.
.SH "SEE ALSO"
.BR dig (1)
"""
MDOC = r""".Dd May 1, 2024
.Dt DIG 8
.Os
.Sh NAME
.Nm dig
.Nd makes holes
.Sh OPTIONS
.Bl -tag -width Ds
.It Fl d Ar depth
How deep.
.El
"""
HOSTILE = (
    PAGE
    + r""".so /etc/passwd
.ds q so
.\*q /etc/passwd
.mso /etc/passwd
.cf /etc/passwd
.pso cat /etc/passwd
"""
)
AVAILABLE = [name for name, (found, _) in man.CONVERTERS.items() if found()]


def _reads_mdoc(name: str) -> bool:
    """Not every pandoc does; where it does not, the next converter is asked."""
    program = man.CONVERTERS[name][0]()
    listed = subprocess.run([program, "--list-input-formats"], capture_output=True, check=False).stdout
    return name != "pandoc" or b"mdoc" in listed.split()


def _by(name: str, text: str) -> Prose:
    found, write = man.CONVERTERS[name]
    return write(found(), text)


@pytest.mark.parametrize("name", man.CONVERTERS)
@pytest.mark.parametrize("page", [PAGE, MDOC])
def test_each_converter_gives_text_and_sections(name: str, page: str) -> None:
    if name not in AVAILABLE:
        pytest.skip(f"{name} is not installed")
    if page is MDOC and not _reads_mdoc(name):
        pytest.skip(f"this {name} does not know mdoc")
    prose = _by(name, page)
    headings = [prose.text[start:end] for start, end in prose.headings]
    assert headings[0] == "NAME"
    assert "OPTIONS" in headings
    for markup in (".SH", ".Sh", "\\f", "\\-", ".TP", "Garden Commands"):
        assert markup not in prose.text
    assert "How deep" in prose.text
    assert "-d" in prose.text.replace("‐", "-").replace("−", "-")


@pytest.mark.parametrize("name", man.CONVERTERS)
def test_no_converter_reads_another_file(name: str) -> None:
    if name not in AVAILABLE:
        pytest.skip(f"{name} is not installed")
    assert "root:" not in _by(name, HOSTILE).text


@pytest.mark.skipif(not AVAILABLE, reason="nothing here reads man pages")
@pytest.mark.parametrize("name", ["sow.1", "sow.1.gz", "sow.man", "sow.3pm", "page"])
def test_man_pages_are_known_by_name_and_macros(name: str) -> None:
    document = one(name, gzip.compress(PAGE.encode()) if name.endswith(".gz") else PAGE)
    assert document.title == "sow(1)"
    assert _headings(document) == ["NAME", "SYNOPSIS", "OPTIONS", "SEE ALSO"]


@pytest.mark.skipif(not AVAILABLE, reason="nothing here reads man pages")
@pytest.mark.parametrize(
    "name", [r"seed\-drill", r'"seed\-drill"', r"\fBseed\-drill\fP", r"seed\(hydrill", r"seed\[hy]drill\&"]
)
def test_escapes_in_the_name_of_a_page_are_read(name: str) -> None:
    assert one("drill.5", PAGE.replace(".TH SOW 1", f".TH {name} 5")).title == "seed-drill(5)"


def test_formatted_pages_have_titles_and_headings() -> None:
    text = "SOW(1)        Garden Commands        SOW(1)\n\nNAME\n       sow - peas\n\nSEE ALSO\n       dig(1)\n\ngarden 2  SOW(1)\n"
    document = one("sow.txt", text)
    assert (document.text, document.title, _headings(document)) == (text, "sow(1)", ["NAME", "SEE ALSO"])
    assert one("a.txt", "Of peas\nSOW(1) is a page, see SOW(1)\n").title == ""


def test_what_only_looks_like_one_is_text() -> None:
    assert one("app.log.1", "12:00 started\n.and more\n").text.startswith("12:00")


def test_a_page_that_is_a_reference_names_the_other() -> None:
    assert "only a reference to man1/sow.1" in refused("reap.1", ".so man1/sow.1\n")


def test_without_a_converter_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing() -> str:
        return ""

    monkeypatch.setattr(man, "CONVERTERS", {"none": (nothing, man.by_mandoc)})
    with pytest.raises(Exception, match=r"install mandoc or groff, or pip install 'decoct\[man\]'"):
        list(man.parse(Source.of("sow.1", PAGE.encode())))


def test_what_one_converter_cannot_read_the_next_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_program: str, _text: str) -> Prose:
        raise ParseError("no")

    def reading(_program: str, text: str) -> Prose:
        prose = Prose()
        prose.say(text)
        return prose

    monkeypatch.setattr(man, "CONVERTERS", {"a": (lambda: "a", failing), "b": (lambda: "b", reading)})
    (document,) = man.parse(Source.of("sow.1", PAGE.encode()))
    assert "sow" in document.text


@pytest.mark.skipif("pandoc" not in AVAILABLE, reason="needs pandoc")
def test_bullets_and_translated_characters_are_as_they_are_shown() -> None:
    text = _by("pandoc", PAGE + ".tr \\(*W-\n.SH NOTES\n.IP o\nfirst \\(*W last\n.IP o\nsecond\n").text
    assert text.endswith("NOTES\n\n- first - last\n- second")


@pytest.mark.skipif("groff" not in AVAILABLE, reason="needs groff")
def test_groff_divides_no_word() -> None:
    text = _by("groff", MDOC + ".Sh NOTES\n" + "an incomprehensible authentication requirement " * 40).text
    assert text.split("NOTES")[1].split() == ["an", "incomprehensible", "authentication", "requirement"] * 40


def test_bibliographic_fields_of_restructuredtext_are_metadata_and_lines() -> None:
    text = ":Author: Ida Holm\n:Date: 2024-08-30\n\nSurvey\n======\n\nForty tunnels.\n"
    document = one("a.rst", text)
    assert (document.metadata["author"], document.metadata["date"]) == ("Ida Holm", "2024-08-30")
    assert document.text.startswith("Author: Ida Holm\nDate: 2024-08-30\n")
    behind = one("a.rst", "Survey\n======\n\n:Version: draft 2\n\nForty tunnels.\n")
    assert behind.metadata["version"] == "draft 2"


def test_lines_of_restructuredtext_without_a_sign_of_markup_are_words() -> None:
    text = "One word.\n\nSee https://x.org/a, ann@x.org, *this* and\\ that.\n\n- a-b [1]\n- |sub|\n\n.. |sub| replace:: Ten\n"
    document = one("a.rst", text)
    assert document.text == "One word.\n\nSee https://x.org/a, ann@x.org, this andthat.\n\n- a-b [1]\n- Ten"
    assert [link.target for link in document.links] == ["https://x.org/a"]


RULED = """.TH SOW 1
.SH CODES
.TS
box center;
l|l.
T{
Code
T}\tT{
Limit
T}
_
T{
C1
T}\tT{
16 A
T}
_
C2\t10 A
=
C3\t8 A
.TE
"""


@pytest.mark.parametrize("name", man.CONVERTERS)
def test_rules_between_the_rows_of_a_table_of_a_manual_are_no_rows(name: str) -> None:
    if name not in AVAILABLE:
        pytest.skip(f"{name} is not installed")
    text = _by(name, RULED).text
    assert all(said in text for said in ("Limit", "16 A", "10 A", "8 A"))
    if name == "pandoc":
        assert text.endswith("Code | Limit\nC1 | 16 A\nC2 | 10 A\nC3 | 8 A")


OWN_MACROS = r""".ig
not for anyone
..
.de Vb \" Begin verbatim text
.ft CW
.nf
.ne \\$1
..
.de Ve \" End verbatim text
.ft R
.fi
..
.de Sp \" A gap
.if t .sp .5v
.if n .sp
..
.de Named
.ie !"\\$2"" .B \\$1 (\\$2)
.el \{\
.I \\$1
.\}
..
.ie \n(.g .ds Aq \(aq
.el       .ds Aq '
.if !\n(Zz-1 .if \n(Zz>9 \
\{\
.    ds Aq nothing
.\}
.TH SOW 1 "" "" "Garden Commands"
.SH NAME
sow \- plant \*(Aqpeas\*(Aq
.SH USE
\*(Aq\-q\*(Aq is quiet.
.Vb 2
\& sow \-\-deep
\& sow \-\-wide
.Ve
.Sp
It isn\*(Aqt slow.
.Sp
It ends.
.Named Seed
.Named Peas green
.IP "1. Beds and rows" 4
Dig first.
.IP 2 4
Wet soil.
.IP 4 4
Frost.
.TS
allbox tab(:);
cs
lB fCW.
Depths
pea:two
.TE
See
.UR https://garden.example/
.UE .
"""


@pytest.mark.parametrize("name", man.CONVERTERS)
def test_what_a_page_defines_for_itself_is_carried_out(name: str) -> None:
    """Code keeps its lines, quotes stay, and no tag, row or address is lost or counted anew."""
    if name not in AVAILABLE:
        pytest.skip(f"{name} is not installed")
    text = _by(name, OWN_MACROS).text.replace("’", "'")
    lines = [line.strip() for line in text.split("\n")]
    assert "sow - plant 'peas'" in lines
    assert lines.index("sow --wide") == lines.index("sow --deep") + 1
    assert "It isn't slow." in lines
    for said in ("'-q' is quiet.", "It ends.", "Peas (green)", "1. Beds and rows", "Depths", "https://garden.example/"):
        assert said in " ".join(text.split())
    assert [line.split()[0] for line in lines if line[:1] in "24" and line] == ["2", "4"]
    assert not any(word in text for word in ("Vb", "Named", "not for anyone", "nothing", ".TH"))


def test_macros_that_have_no_end_are_refused() -> None:
    with pytest.raises(ParseError, match="no end"):
        carried_out(".de a\n.a \\\\$* \\\\$*\n.a\n..\n.a more\n")
    assert "x" not in carried_out(".as y x\n" + ".as y \\*y\\*y\n" * 60)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            "<x>Of May<p><sku>A17</sku><n>40</n></p><p><sku>B18</sku><n>9</n></p></x>",
            "Of May\n\np\nsku: A17\nn: 40\n\np\nsku: B18\nn: 9",
        ),
        ("<x><i k='7'><n>Dams</n><e>30</e></i><![CDATA[raw 5]]></x>", "i\nk: 7\nn: Dams\ne: 30\n\nraw 5"),
        ("<x>note<a>40</a><b>5</b></x>", "note\na: 40\nb: 5"),
        ("<x>It is <a>4</a><b>th</b> of <c><d>May</d></c>.</x>", "It is 4th of May."),  # a sentence
    ],
)
def test_words_beside_records_glue_no_values(written: str, read: str) -> None:
    assert one("a.xml", written).text == read


def test_numbers_of_an_element_and_of_one_in_it_do_not_fuse() -> None:
    assert "free 5 3" in one("a.xml", "<stock><item><n>12</n></item><item>free 5<n>3</n></item></stock>").text


def test_lists_in_lists_keep_their_depth_and_numbers() -> None:
    inner = "<list type='ordered:arabic'><item><p>gate A</p></item></list>"
    text = one(
        "a.tei", f"<text><list rend='bulleted'><item><p>Open</p>{inner}</item><item><p>Close</p></item></list></text>"
    ).text
    assert text == "- Open\n\n  1. gate A\n\n- Close"


def test_data_tells_the_names_of_what_values_stand_in() -> None:
    """Who owes and who is owed, and which of the lines of an order a count is of; a comment parts no words."""
    parties = "<debtor><name>Ann</name></debtor><creditor><name>Bo <!-- ? -->Ek</name></creditor>"
    lines = "".join(
        f"<line no='{no}'><count unit='kg'>{no * 4}</count><of><item>I{no}</item></of></line>" for no in (1, 2)
    )
    text = one("a.xml", f"<orders><order>{parties}<date>May 2</date>{lines}<sum>9</sum></order></orders>").text
    first, *rest = text.split("\n\n")
    assert first == "order\ndebtor / name: Ann\ncreditor / name: Bo Ek\ndate: May 2"
    assert rest[0] == "order / line\nno: 1\ncount (unit kg): 4\nof / item: I1"
    assert [*map(str.splitlines, rest[1:])] == [
        ["order / line", "no: 2", "count (unit kg): 8", "of / item: I2"],
        ["order", "sum: 9"],
    ]


def test_records_of_attributes_stand_apart() -> None:
    stops = "<stop at='9:05' name='Mill'/><stop at='9:20' name='Quay' closed='yes'/><zone a='1' b='2'/>"
    text = one("a.xml", f"<route line='7'>{stops}</route>").text
    assert (
        text == "line: 7\n\nstop\nat: 9:05\nname: Mill\n\nstop\nat: 9:20\nname: Quay\nclosed: yes\n\nzone\na: 1\nb: 2"
    )
