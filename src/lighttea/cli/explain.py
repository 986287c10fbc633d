"""`lighttea explain`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from lighttea.cli.console import print_table, stdout
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from lighttea.explain.explanation import Explanation, Fact

SHOWN_FACTS = 12
_BAR = 24


def explain(
    run: Path,
    left: str | None = None,
    right: str | None = None,
    *,
    json: JsonTarget = None,
    alarms: Path | None = None,
) -> None:
    """Show why two entities were linked: facts matched up, each with what it adds to the score.

    Parameters
    ----------
    run
        Run folder.
    left
        Left entity; its link is explained, or else its best candidate.
    right
        Right entity, one of the left one's candidates.
    json
        Write the explanation to this file, or to stdout with -.
    alarms
        Write the temporal alarms of all links to this file: Parquet, or TSV by any other name.
    """
    if left is None and alarms is None:
        raise InputError("name a left entity to explain, or a file for --alarms")
    refuse_unwritable(json)
    refuse_unwritable(None if alarms is None else str(alarms))
    from lighttea.results.store import load_run

    loaded = load_run(run)
    if alarms is not None:
        _write_alarms(loaded.alarms, alarms)
    if left is None:
        return
    found = loaded.explain(left, right)
    write_json_result(json, found.to_dict())
    if json != "-":
        print_explanation(stdout(), found)


def _write_alarms(alarms: pl.DataFrame, path: Path) -> None:
    from lighttea.io.outputs import writing

    with writing(path):
        if path.suffix == ".parquet":
            alarms.write_parquet(path)
        else:
            alarms.write_csv(path, separator="\t", quote_style="never")
    stdout().print(f"{len(alarms):,} alarms in {path}", markup=False, soft_wrap=True)


def print_explanation(console: Console, found: Explanation) -> None:
    """One explanation, most important first."""
    word = "is linked to" if found.is_link else "is not linked to"
    console.print(
        f"[bold]{escape(found.left)}[/bold] {word} [bold]{escape(found.right)}[/bold]",
        soft_wrap=True,
    )
    margin = "" if found.margin is None else f", margin {found.margin:.3f}"
    console.print(
        f"score {found.score:.4f}, confidence {found.confidence:.3f}{margin}, "
        f"rank {found.rank} of its candidates\n",
        soft_wrap=True,
    )
    _print_aspects(console, found)
    _print_facts(console, found)
    _print_against(console, found)
    _print_runner_up(console, found)
    _print_assignment(console, found)
    for alarm in found.alarms:
        console.print(f"alarm: {alarm.message}", markup=False, soft_wrap=True, style="red")


def _bar(value: float, most: float) -> str:
    return "█" * round(_BAR * max(value, 0.0) / most) if most > 0 else ""


def _print_aspects(console: Console, found: Explanation) -> None:
    from lighttea.explain.explanation import TERM_WORDS

    most = max([*found.aspects.values(), 0.0])
    rows = [
        (TERM_WORDS.get(name, name), f"{value:.4f}", _bar(value, most))
        for name, value in sorted(found.aspects.items(), key=lambda one: -one[1])
    ]
    print_table(console, "What the score is made of", ("term", "adds", ""), rows)


def _print_facts(console: Console, found: Explanation) -> None:
    rows = [
        (*_cells(one.left), *_cells(one.right), one.verdict, f"{one.value:.4f}")
        for one in found.facts[:SHOWN_FACTS]
    ]
    more = len(found.facts) - len(rows)
    title = f"Facts that match up ({len(found.facts):,})" + f", the first {len(rows)}" * (more > 0)
    print_table(console, title, ("left", "time", "right", "time", "", "adds"), rows)
    others = found.other_parts()[:SHOWN_FACTS]
    cells = [
        (words, f"{value:.4f}", "" if exact else "share")
        for words, value, exact in others
        if abs(value) >= 5e-5
    ]
    if cells:
        print_table(console, "What else adds to it", ("what", "adds", ""), cells)


def _cells(fact: Fact) -> tuple[str, str]:
    return fact.words, fact.time


def _print_against(console: Console, found: Explanation) -> None:
    rows = [(*_cells(one.left), *_cells(one.right)) for one in found.contradictions[:SHOWN_FACTS]]
    if rows:
        title = "Facts that contradict: same neighbour and relation, times that exclude each other"
        print_table(console, title, ("left", "time", "right", "time"), rows)
    for side, facts in (("left", found.only_left), ("right", found.only_right)):
        rest = len(facts) - SHOWN_FACTS
        if facts:
            title = f"On the {side} alone ({len(facts):,})" + f", {SHOWN_FACTS} of them" * (
                rest > 0
            )
            print_table(console, title, ("fact", "time"), [_cells(f) for f in facts[:SHOWN_FACTS]])


def _print_runner_up(console: Console, found: Explanation) -> None:
    other = found.runner_up
    if other is None:
        return
    ahead = sorted(other.differences.items(), key=lambda one: -abs(one[1]))
    word = "runner-up" if found.rank == 1 else "best other candidate"
    console.print(
        f"The {word}: [bold]{escape(other.right)}[/bold], score {other.score:.4f}, confidence "
        f"{other.confidence:.3f}. The difference: "
        + ", ".join(f"{name} {value:+.4f}" for name, value in ahead),
        soft_wrap=True,
    )
    if other.missing:
        said = "; ".join(
            f"{one.words} ({one.time})" if one.time else one.words for one in other.missing
        )
        console.print(f"It lacks: {said}", markup=False, soft_wrap=True)
    console.print()


def _print_assignment(console: Console, found: Explanation) -> None:
    if found.assignment is None:
        return
    one = found.assignment
    before, after = f"{one.alone:.3f}", f"{one.after:.3f}"
    did = "raised" if one.after > one.alone else "lowered"
    said = f"{did} the confidence from {before}, by its own candidates alone, to {after}"
    if before == after:
        said = f"left the confidence at {after}, what it is by its own candidates alone"
    rivals = ", ".join(f"{rival.left} ({rival.score:.4f})" for rival in one.rivals)
    console.print(
        f"{one.by} {said}" + (f"; others that want {found.right}: {rivals}" if rivals else ""),
        markup=False,
        soft_wrap=True,
    )
