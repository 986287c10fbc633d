"""Runs and explanations as small pieces of HTML, for notebooks; styles are inline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from lighttea.explain.explanation import TERM_WORDS, Explanation
from lighttea.results.run import Run

_SHOWN = 10
_CELL = "text-align:left;padding:2px 10px 2px 0;vertical-align:top"


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A plain table; every cell is escaped."""
    head = "".join(f'<th style="{_CELL}">{escape(one)}</th>' for one in headers)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def explanation_html(found: Explanation) -> str:
    """The score, its terms, the facts that match up and what speaks against."""
    word = "is linked to" if found.is_link else "is not linked to"
    title = f"<b>{escape(found.left)}</b> {word} <b>{escape(found.right)}</b>"
    said = f"score {found.score:.4f}, confidence {found.confidence:.3f}"
    terms = sorted(found.aspects.items(), key=lambda one: -one[1])
    parts = [
        f"<p>{title}<br>{said}</p>",
        table(("term", "adds"), [(TERM_WORDS.get(n, n), f"{v:.4f}") for n, v in terms]),
        table(
            ("left", "time", "right", "time", "", "adds"),
            [
                (
                    *(one.left.words, one.left.time, one.right.words, one.right.time),
                    *(one.verdict, f"{one.value:.4f}"),
                )
                for one in found.facts[:_SHOWN]
            ],
        ),
    ]
    if found.runner_up is not None:
        other = found.runner_up
        name = f"<b>{escape(other.right)}</b>"
        parts.append(f"<p>runner-up: {name}, confidence {other.confidence:.3f}</p>")
    parts += [f"<p>⚠ {escape(alarm.message)}</p>" for alarm in found.alarms]
    return f"<div>{''.join(parts)}</div>"


def run_html(run: Run) -> str:
    """What went in, how many links came out, and the first of them."""
    sides = [
        (
            side,
            *(f"{run.info['input'][side][name]:,}" for name in ("entities", "relations", "facts")),
        )
        for side in ("left", "right")
    ]
    confidence = run.links["confidence"]
    sure, likely = int((confidence >= 0.9).sum()), int((confidence >= 0.5).sum())
    said = (
        f"{len(run.links):,} links, {sure:,} with a confidence of .9 or more, {likely:,} of .5 or "
        f"more; {run.info['seeds']:,} seeds; preset {escape(str(run.info['preset']))}"
    )
    rows = run.links.head(_SHOWN).select("left", "right", "score", "confidence", "margin").rows()
    shown = [(str(a), str(b), *(f"{figure:.3f}" for figure in rest)) for a, b, *rest in rows]
    return (
        f"<div><p><b>Run</b>: {said}</p>"
        + table(("graph", "entities", "relations", "facts"), sides)
        + table(("left", "right", "score", "confidence", "margin"), shown)
        + "</div>"
    )
