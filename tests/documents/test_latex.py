"""LaTeX: the text, its sections, formulas and tables, and none of its commands."""

from __future__ import annotations

from reading import one, refused

from decoct.documents.base import Source
from decoct.documents.latex import parse

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
    assert [document.text[slice(*found)] for found in document.headings] == ["The haärbour", "Rates"]
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
