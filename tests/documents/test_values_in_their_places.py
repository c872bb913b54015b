"""Values that formats keep beside their words: in attributes, under labels of their own, in places of a list, in attachments."""

from __future__ import annotations

import pytest
from reading import one


@pytest.mark.parametrize(
    ("name", "written", "text"),
    [
        (
            "a.plist",
            "<plist><dict><key>Made</key><date>2024-01-05T00:00:00Z</date></dict></plist>",
            "Made: 2024-01-05T00:00:00Z",
        ),
        (
            "a.fb2",
            "<FictionBook><description><title-info><book-title>Tides</book-title></title-info></description><body><section><p>It rose."
            "</p></section></body></FictionBook>",
            "Tides\n\nIt rose.",
        ),
        (
            "a.xml",
            '<herd year="2020"><cow name="Elsa"><p role="owner">Mia</p></cow><cow name="Bella" sold="true"/></herd>',
            "year: 2020\n\ncow\nname: Elsa\np (role owner): Mia\n\ncow\nname: Bella\nsold: true",
        ),
        (
            "a.xml",
            '<Letter><title>Note</title><sent value="20240301"/><section><p>He came home.</p></section></Letter>',
            "Note\n\nsent: 20240301\n\nHe came home.",
        ),
        (
            "a.dbk",
            '<article version="5.0"><para>A boat.</para><mediaobject/><imagedata width="4"/></article>',
            "A boat.",
        ),
        (
            "a.vcf",
            "BEGIN:VCARD\nFN:Mia\nitem1.TEL:12 34\nitem1.X-ABLabel:Barn\nitem2.X-ABDATE:2019-05-04\n"
            "item2.X-ABLabel:_$!<Anniversary>!$_\nGEO:52.1;-1.2\nEND:VCARD",
            "Name: Mia\nPhone (Barn): 12 34\nDate (Anniversary): 2019-05-04\nPosition: 52.1, -1.2",
        ),
        ("a.json", '{"rows": [["a", null, 3], [1, 2, 3]], "series": [null, 4]}', "rows: a, , 3; 1, 2, 3\nseries: , 4"),
        (
            "a.json",
            '{"columns": ["cow", "age"], "data": [["Elsa", 4], ["Bella", null]]}',
            "columns: cow, age\ndata | cow: Elsa | age: 4\ndata | cow: Bella",
        ),
    ],
)
def test_values_are_told_in_their_places(name: str, written: str, text: str) -> None:
    assert one(name, written).text == text


def test_a_table_attached_to_a_message_is_read() -> None:
    parts = (
        "text/plain\n\nSee below.",
        'text/csv; name="a.csv"\nContent-Disposition: attachment\n\nCow,Age\nElsa,4\nBella,7\n',
    )
    body = "".join(f"--B\nContent-Type: {part}\n" for part in parts)
    message = one("a.eml", f"Subject: Herd\nContent-Type: multipart/mixed; boundary=B\n\n{body}--B--\n")
    assert message.text == "Subject: Herd\n\nSee below.\n\na.csv:\n\nCow: Elsa\nAge: 4\n\nCow: Bella\nAge: 7"
    assert "left_out" not in message.metadata


def test_a_cell_that_is_struck_out_stays_as_a_blank() -> None:
    page = (
        "<table><tr><th>Item</th><th>Old</th><th>New</th></tr><tr><td>Kettle</td>"
        "<td style='text-decoration: line-through'>6.40 <b>each</b></td><td>7.00</td></tr></table>"
    )
    found = one("a.html", page)
    assert "Kettle | | 7.00" in found.text
    assert found.metadata["left_out"] == "struck-out text (1)"
