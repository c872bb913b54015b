"""LaTeX: the text, its sections, formulas and tables, and none of its commands."""

from __future__ import annotations

from itertools import pairwise

import pytest
from reading import one, refused

from decoct.documents.base import Source
from decoct.documents.markup.latex import parse
from decoct.errors import ParseError

PAPER = r"""\documentclass{article}
\usepackage{amsmath}
\title{On \emph{Tides}}
\begin{document}
\maketitle
\section{The ha{\"a}rbour} \label{sec:one}
Water rises by \textbf{12}\,cm % not this
each hour, as $h = 2^{n}$ says~\cite{newton}.\footnote{In May only.}

\subsection*{Rates}
\begin{itemize}
\item one pump
\item two pumps
\end{itemize}
\begin{tabular}{ll}
Part & Stock \\
Rotor & 12 \\
\end{tabular}
\includegraphics[width=3cm]{a.png}
\end{document}
"""


def test_the_text_of_a_paper() -> None:
    document = one("a.tex", PAPER)
    assert document.title == "On Tides"
    assert [document.text[slice(*found)] for found in document.headings] == ["1 The haärbour", "Rates"]
    assert document.levels == (2, 3)
    assert "Water rises by 12" in document.text
    assert "$h = 2^{n}$" in document.text
    assert "[newton]" in document.text
    assert "(In May only.)" in document.text
    assert "- one pump\n- two pumps" in document.text
    assert "Part | Stock" in document.text
    assert "Rotor | 12" in document.text
    for markup in ("\\", "usepackage", "not this", "sec:one", "a.png", "itemize", "\ue001"):
        assert markup not in document.text.replace("\\,", ""), markup


def test_a_part_without_a_preamble_and_an_empty_one() -> None:
    (document,) = parse(Source.of("a.tex", rb"\section{One} Words."))
    assert document.text == "One\n\nWords."
    assert "no text" in refused("a.tex", "\\begin{document}\n\\end{document}")


def test_macros_of_the_file_are_put_in_where_they_are_used() -> None:
    document = one(
        "a.tex",
        r"\newcommand{\pump}{Pump KX-4410}\newcommand{\val}[2]{#1~#2}\newcommand\ph[1][bar]{in #1}\def\most#1{at most #1}"
        "\n% \\newcommand{\\pump}{none}\n\\title{On \\pump}"
        "\\begin{document}The \\pump{} opens at \\val{8}{bar}, \\ph, \\ph[kPa], \\most{9}."
        r"\end{document}",
    )
    assert document.text == "The Pump KX-4410 opens at 8\xa0bar, in bar, in kPa, at most 9."
    assert document.title == "On Pump KX-4410"


def test_macros_that_grow_without_end_are_refused() -> None:
    bomb = r"\newcommand{\a}{xxxxxxxxxx}" + "".join(
        rf"\newcommand{{\{name}}}{{{10 * (chr(92) + before + '{}')}}}" for before, name in pairwise("abcdefgh")
    )
    with pytest.raises(ParseError, match="grow without end"):
        next(parse(Source.of("a.tex", (bomb + r"\begin{document}\h\end{document}").encode())))


def test_links_listings_units_and_spans_lose_nothing() -> None:
    document = one(
        "a.tex",
        r"\begin{document}\href{https://x.org}{Words}, \verb|a_b 7|, \SI{7.5}{\kilo\watt}, \qty{3}{\meter\per\second}, "
        r"H\textsubscript{2}O, 10\textsuperscript{5}, see \ref{t}." + "\n"
        r"\begin{lstlisting}x = 5 % 3\end{lstlisting}\begin{enumerate}\item one\item two\end{enumerate}\begin{comment}no\end{comment}"
        r"\begin{tabular}{l|rr}Part & \multicolumn{2}{c}{2024} \\ \cline{2-3} & Q1 & Q2 \\ \hline Rotor & & 12 \\ "
        r"\multirow{2}{*}{Shaft} & 3 & 4 \\ & 5 & 6 \\ \end{tabular}\end{document}",
    )
    assert document.text.split("\n")[0] == "Words, a_b 7, 7.5 kW, 3 m/s, H2O, 10^5, see t."
    assert "x = 5 % 3\n\n1. one\n2. two" in document.text
    assert document.text.endswith("Part | 2024 / Q1 | 2024 / Q2\nRotor | | 12\nShaft | 3 | 4\nShaft | 5 | 6")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"in \texttt{K7} \textsf{A} \mbox{30 h}", "in K7 A 30 h"),
        (r"\SIrange{1}{2}{\metre}, \numrange{3}{4}, \sfrac{3}{4}, \tfrac12", "1–2 m, 3–4, 3/4, 1/2"),
        (r"\begin{minipage}[t]{0.5\textwidth}8 bar\end{minipage} \raisebox{2pt}{9}", "8 bar\n\n9"),
        (r"\begin{tabulary}{9cm}[t]{|T|T|}A & B\\1\sphinxhyphen{}2 & 3\end{tabulary}", "A | B\n1-2 | 3"),
        (r"12\unknown{}34 and H\unknown{}a", "12 34 and Ha"),
        (r"\LaTeX{} by \TeX\ users, \BibTeX's \CTAN; \Large Big", "LaTeX by TeX users, BibTeX's CTAN; Big"),
        (r"\edtext{Lorem}{\note{lorim}} \law{bgb}{BGB} {\small A}{\it B}", "Lorem lorim bgb BGB AB"),
        (r"\vskip.05\baselineskip One \parindent0pt two \kern -.1em x \hskip 6pt plus 2pt Use", "One two x Use"),
        ("One\\vskip 1ex\n\nNow", "One\n\nNow"),
        (r"\bigskip 12 cm wide, $\theta=3$ \textwidth=10cm.", r"12 cm wide, $\theta=3$ ."),
        (r"\S 18, \copyright{} 2026, \pounds5, a\slash b", "§18, © 2026, £5, a/b"),
        (r"one\par two\newline three", "one\n\ntwo\nthree"),
        (r"\iffalse Draft: 99 \iftrue x \fi \else Final: 12\fi. $a \iff b$", r"Final: 12. $a \iff b$"),
        (r"\newif\ifdraft \drafttrue \ifdraft A 5 \else B 6\fi \ifother C\fi", "A 5 C"),
        (r"see \eqref{eq:a}, \cref{fig:b} \cite[p.~15]{k}", "see (eq:a), fig:b [k, p. 15]"),
        (r"\begin{frame}<1>[t]{Prices}{Of 2026} 7\end{frame}", "Prices\n\nOf 2026\n\n7"),
        ("\\begin{lstlisting}[language=C]\nint a; % 1\n\\end{lstlisting}", "int a; % 1"),
        (r"\begin{figure}\includegraphics{a}\caption{Flow}\end{figure}x", "Flow\n\nx"),
        (r"\begin{tikzpicture}\draw (0,0) -- (1,1);\end{tikzpicture}x", "x"),
        (
            r"\begin{tikzpicture}\node[b] (a) at (0,1) {Pump 12};\draw (a) -- node[above] {4 bar} (1,1);{\small}"
            r"\begin{scope}\node {Tank};\end{scope}\end{tikzpicture}",
            "Pump 12\n\n4 bar\n\nTank",
        ),
        (r"\begin{enumerate}\item one \item[7.] seven\end{enumerate}", "1. one\n7. seven"),
    ],
)
def test_commands_lose_no_word_and_glue_no_number(written: str, read: str) -> None:
    said = one("a.tex", f"\\begin{{document}}{written}\\end{{document}}").text
    assert "\n".join(" ".join(line.split()) for line in said.split("\n")).replace("( ", "(") == read


def test_what_commands_are_in_bookmarks_alone_they_are_nowhere_else() -> None:
    preamble = r"\newcommand{\site}{North}\pdfstringdefDisableCommands{\renewcommand{\sout}{}\def\site{x}}"
    document = one("a.tex", preamble + r"\begin{document}\site: \sout{Old time 50 min.} 45 min.\end{document}")
    assert " ".join(document.text.split()) == "North: 45 min."
    assert document.metadata["left_out"] == "struck-out text (1)"


def test_what_a_file_reads_in_and_what_is_struck_out_is_told() -> None:
    document = one("a.tex", r"\begin{document}Ten. \input{b} \sout{Old: 26} \include{c}\end{document}")
    assert document.text == "Ten."
    assert document.metadata["left_out"] == "files that are read in from elsewhere (2); struck-out text (1)"


def test_an_example_of_a_document_does_not_end_it() -> None:
    example = r"\begin{sourcecode}\begin{document}Six\end{document}\end{sourcecode}"
    assert "Seven" in one("a.tex", rf"\begin{{document}}{example} Seven \end{{document}} Eight").text
    assert "Eight" not in one("a.tex", rf"\begin{{document}}{example} Seven \end{{document}} Eight").text
    assert one("a.tex", r"\title{The \pkg Package}\begin{document}Nine").title == "The Package"


def test_the_heads_of_a_long_table_are_read_once_and_its_foot_at_its_end() -> None:
    marks = r"\caption{Long}\\ A & B\\ \endfirsthead A & B\\ \endhead \multicolumn{2}{r}{continued}\\ \endfoot x & 1\\ y & 2\\"
    document = one("a.tex", rf"\begin{{document}}\begin{{longtable}}{{ll}}{marks}\end{{longtable}}\end{{document}}")
    assert document.text == "Long\n\nA | B\nx | 1\ny | 2\ncontinued"


def test_who_wrote_a_text_and_when_is_told() -> None:
    head = r"\title[D]{Dams}\author{Ann {\it Vik}\\ Lund \and Bo Li}\author{Cy Po}\date{March 2024}"
    document = one("a.tex", rf"{head}\begin{{document}}\maketitle Ten.\end{{document}}")
    assert document.text == "Author: Ann Vik, Lund, Bo Li, Cy Po\nDate: March 2024\n\nTen."
    assert (document.title, document.metadata["date"]) == ("Dams", "March 2024")


def test_a_rule_over_some_columns_is_no_head() -> None:
    rule = r"\\ \cmidrule(lr){2-3} & {low} & {high} \\ \midrule"
    body = r"East & 0.4 & 3.9 \\ West & 0.2 & 4"
    table = rf"\begin{{tabular}}{{lll}} Site & \multicolumn{{2}}{{c}}{{Height}} {rule} {body} \end{{tabular}}"
    text = one("a.tex", rf"\documentclass{{article}}\begin{{document}}{table}\end{{document}}").text
    assert text == "Site | Height / low | Height / high\nEast | 0.4 | 3.9\nWest | 0.2 | 4"


def test_numbers_that_are_counted_stand_before_titles_and_for_references() -> None:
    figure = r"\begin{figure}\caption{A map}\label{f}\end{figure}"
    body = rf"\section{{One}}\label{{s}}\subsection{{Two}}\label{{t}}{figure}\begin{{theorem}}\label{{x}}Odd.\end{{theorem}}"
    told = r"See \ref{s}, \ref{t}, \cref{f}, \autoref{s,t}, \ref{x}.\appendix\section{Three}\label{a} \Cref{a}"
    text = one("a.tex", rf"\documentclass{{article}}\begin{{document}}{body} {told}\end{{document}}").text
    assert text.startswith(
        "1 One\n\n1.1 Two\n\nFigure 1: A map\n\nTheorem\nOdd.\n\nSee 1, 1.1, figure 1, Section 1, 1.1, x.\n\nA Three"
    )
    german = one(
        "a.tex",
        rf"\documentclass{{book}}\usepackage[ngerman]{{babel}}\begin{{document}}\chapter{{C}}{figure} \cref{{f}}\end{{document}}",
    )
    assert german.text == "1 C\n\nA map\n\n1.1"
    assert one("a.tex", rf"\documentclass{{letter}}\begin{{document}}{body}\end{{document}}").text.startswith("One")


def test_lists_in_lists_keep_their_depth() -> None:
    inner = r"\begin{enumerate}\item gate A\item gate B\end{enumerate}"
    text = one("a.tex", rf"\begin{{itemize}}\item Open {inner} \item Close\end{{itemize}}").text
    assert text == "- Open\n  1. gate A\n  2. gate B\n- Close"
