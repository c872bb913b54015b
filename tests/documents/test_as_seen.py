"""What a person sees in a page or a message is read: whatever its element is called, and apart where it is shown apart."""

from __future__ import annotations

import pytest
from reading import one


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p><span class=k>Tel</span><span class=v>555</span></p>", "Tel 555"),
        ("<a href=x><span>Motor 4</span><b></b><span>220 W</span></a>", "Motor 4 220 W"),
        ("<dt><span>os.</span><span>getcwd</span><span>()</span></dt>", "os.getcwd()"),  # code
        ("<ul><li><span class=k>Motor 4</span><span class=v>220 W</span></li></ul>", "- Motor 4 220 W"),
        ("<div><strong>Deck 3</strong><a href=#d>42 seats</a></div>", "Deck 3 42 seats"),
        (
            '<p>Tel:<span style="display:block">555</span>Fax:<i style="display: inline-block">556</i>9</p>',
            "Tel:\n555\nFax: 556 9",
        ),
        ("<p><label>Size</label><b>12</b></p>", "Size 12"),
        ("<p>(<label>Size</label>)</p>", "(Size)"),
        ("<p><label>Size</label>: 12 (<label>cm</label>)</p>", "Size: 12 (cm)"),
        (
            "<p><b>Hydro</b><i>gen</i></p><div><span>T</span><span>he dam</span></div>",
            "Hydrogen\n\nThe dam",
        ),  # of one word
        ("<div><span>The </span><span>da</span><span>m</span></div>", "The dam"),
        ('<pre><span style="display:flex">a\n\n</span><span style="display:flex">b</span></pre>', "a\n\nb"),
    ],
)
def test_pieces_that_a_style_sets_apart_are_not_one_word(page: str, text: str) -> None:
    assert one("a.html", page).text == text


def test_a_table_by_its_roles_is_a_table() -> None:
    rows = [("columnheader", "City", "People"), ("cell", "Oslo 2", "700"), ("gridcell", "Rome", "2800")]
    said = "".join(
        f"<div role=row>{''.join(f'<span role={role}>{cell}</span>' for cell in cells)}</div>" for role, *cells in rows
    )
    table = f"<div role=table><div role=rowgroup>{said}</div></div>"
    assert one("a.html", table).text == "City | People\nOslo 2 | 700\nRome | 2800"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>Was <span aria-hidden=true>$25.00</span> last year.</p>", "Was $25.00 last year."),
        ("<p>It was (now <b>7</b><span aria-hidden=true>$5</span>).</p>", "It was (now 7 $5)."),
        ("<p><span>$19</span><span aria-hidden=true>$19</span></p>", "$19"),  # the same again
        ("<p>Rating: <span class=sr-only>4.5 of 5</span><span aria-hidden=true>★★★★½</span></p>", "Rating: 4.5 of 5"),
        ("<p>Name <span class=sr-only>sorted</span><span aria-hidden=true>▲</span></p>", "Name"),  # an ornament
        ("<p>Home <span class=icons aria-hidden=true>home</span></p>", "Home"),
        ("<p>A<!-- c --><span aria-hidden=true>12 m</span><!-- c --></p>", "A 12 m"),
        ("<p>Text<a href=#a aria-hidden=true>link</a></p><div aria-hidden=true>A window to come</div>", "Text"),
        ("<p>x <span><math><mi>y</mi></math></span><span aria-hidden=true>yy</span></p>", "x y"),
    ],
)
def test_what_is_hidden_from_ears_alone_is_seen(page: str, text: str) -> None:
    assert one("a.html", page).text == text


@pytest.mark.parametrize("part", ["blockquote", "section", "article"])
def test_the_footer_of_a_part_is_text_and_that_of_the_page_is_none(part: str) -> None:
    body = f"<{part}><p>It never failed.</p><footer>— Rita Quist</footer></{part}><footer>Imprint</footer>"
    links = f"<{part}><p>And more.</p><footer><a href=x>Share it</a></footer></{part}>"
    assert one("a.html", f"<body>{body}{links}").text == "It never failed.\n\n— Rita Quist\n\nAnd more."


@pytest.mark.parametrize(
    ("plain", "read"),
    [
        ("Please view this message in an HTML mail reader.", "Your bill is 88 euro, due 3 May, for a pump."),
        ("Your bill for a pump is due on 3 May: 88 euro.", "Your bill for a pump is due on 3 May: 88 euro."),
    ],
)
def test_a_plain_text_that_only_points_to_the_page_is_not_read_for_it(plain: str, read: str) -> None:
    head = "Subject: Bill\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=B\n\n"
    page = "<p>Your bill is <b>88 euro</b>, due 3 May, for a pump.</p>"
    parts = f"--B\nContent-Type: text/plain\n\n{plain}\n--B\nContent-Type: text/html\n\n{page}\n--B--\n"
    assert one("a.eml", head + parts).text == f"Subject: Bill\n\n{read}"
