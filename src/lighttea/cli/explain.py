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

    from lighttea.explain.explanation import Explanation, Fact, Literal

SHOWN_FACTS = 12
SHOWN_LITERALS = 12
SHOWN_ALONE = 6  # literals of one side
_BAR = 24


def explain(
    run: Path,
    left: str | None = None,
    right: str | None = None,
    *,
    json: JsonTarget = None,
    alarms: Path | None = None,
) -> None:
    """Show why two entities were linked: facts and literals, each with what it adds to the score.

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
    explanation = loaded.explain(left, right)
    write_json_result(json, explanation.to_dict())
    if json != "-":
        print_explanation(stdout(), explanation)


def _write_alarms(alarms: pl.DataFrame, path: Path) -> None:
    from lighttea.io.outputs import writing

    with writing(path):
        if path.suffix == ".parquet":
            alarms.write_parquet(path)
        else:
            alarms.write_csv(path, separator="\t", quote_style="never")
    stdout().print(f"{len(alarms):,} alarms in {path}", markup=False, soft_wrap=True)


def print_explanation(console: Console, explanation: Explanation) -> None:
    """Print an explanation, most important parts first."""
    word = "is linked to" if explanation.is_link else "is not linked to"
    left = _title(explanation.left, explanation.left_name)
    right = _title(explanation.right, explanation.right_name)
    console.print(f"{left} {word} {right}", soft_wrap=True)
    margin = "" if explanation.margin is None else f", margin {explanation.margin:.3f}"
    fdr = "" if explanation.fdr is None else f", fdr {explanation.fdr:.4f}"
    console.print(
        f"score {explanation.score:.4f}, confidence {explanation.confidence:.3f}{margin}{fdr}, "
        f"rank {explanation.rank} of its candidates\n",
        soft_wrap=True,
    )
    _print_aspects(console, explanation)
    _print_facts(console, explanation)
    _print_literals(console, explanation)
    _print_other_parts(console, explanation)
    _print_against(console, explanation)
    _print_runner_up(console, explanation)
    _print_assignment(console, explanation)
    for alarm in explanation.alarms:
        console.print(f"alarm: {alarm.message}", markup=False, soft_wrap=True, style="red")


def _title(entity: str, name: str | None) -> str:
    """Return an entity in bold, by its name where it has one, with the id behind it."""
    return (
        f"[bold]{escape(entity)}[/bold]"
        if name is None
        else (f"[bold]{escape(name)}[/bold] ({escape(entity)})")
    )


def _bar(value: float, largest: float) -> str:
    return "█" * round(_BAR * max(value, 0.0) / largest) if largest > 0 else ""


def _print_aspects(console: Console, explanation: Explanation) -> None:
    terms = explanation.terms_in_words()
    largest = max([value for _, value in terms] + [0.0])
    rows = [(words, f"{value:.4f}", _bar(value, largest)) for words, value in terms]
    print_table(console, "What the score is made of", ("term", "adds", ""), rows)


def _print_facts(console: Console, explanation: Explanation) -> None:
    rows = [
        (*_cells(match.left), *_cells(match.right), match.verdict, f"{match.value:.4f}")
        for match in explanation.facts[:SHOWN_FACTS]
    ]
    n_hidden = len(explanation.facts) - len(rows)
    title = f"Facts that match up ({len(explanation.facts):,})" + f", the first {len(rows)}" * (
        n_hidden > 0
    )
    print_table(console, title, ("left", "time", "right", "time", "", "adds"), rows)


def _print_literals(console: Console, explanation: Explanation) -> None:
    literals = explanation.literals
    rows = [
        (
            _literal_words(match.left),
            match.sign,
            _literal_words(match.right),
            match.verdict,
            f"{match.value:.4f}",
        )
        for match in literals[:SHOWN_LITERALS]
    ]
    if rows:
        title = f"Literals side by side ({len(literals):,})"
        title += f", the first {len(rows)}" * (len(literals) > len(rows))
        print_table(console, title, ("left", "", "right", "", "adds"), rows)
    for side, alone in (
        ("left", explanation.only_left_literals),
        ("right", explanation.only_right_literals),
    ):
        if alone:
            words = "; ".join(map(_literal_words, alone[:SHOWN_ALONE]))
            n_hidden = len(alone) - SHOWN_ALONE
            words += f"; and {n_hidden:,} more" * (n_hidden > 0)
            text = f"Literals on the {side} alone ({len(alone):,}): {words}"
            console.print(text, markup=False, soft_wrap=True, style="dim")
    if explanation.only_left_literals or explanation.only_right_literals:
        console.print()


def _literal_words(literal: Literal) -> str:
    language = f" @{literal.language}" * bool(literal.language)
    return f"{literal.short_attribute}: {literal.short_text}{language}" + (
        f" ({literal.time})" * bool(literal.time)
    )


def _print_other_parts(console: Console, explanation: Explanation) -> None:
    others = explanation.other_parts()[:SHOWN_FACTS]
    cells = [
        (words, f"{value:.4f}", "" if exact else "share")
        for words, value, exact in others
        if abs(value) >= 5e-5
    ]
    if cells:
        print_table(console, "What else adds to it", ("what", "adds", ""), cells)


def _cells(fact: Fact) -> tuple[str, str]:
    return fact.words, fact.time


def _print_against(console: Console, explanation: Explanation) -> None:
    rows = [
        (*_cells(match.left), *_cells(match.right), f"{match.value:.4f}")
        for match in explanation.contradictions[:SHOWN_FACTS]
    ]
    if rows:
        title = "Facts that contradict: they can be true only once, and count against"
        print_table(console, title, ("left", "time", "right", "time", "adds"), rows)
    for side, facts in (("left", explanation.only_left), ("right", explanation.only_right)):
        n_hidden = len(facts) - SHOWN_FACTS
        if facts:
            title = f"On the {side} alone ({len(facts):,})" + f", {SHOWN_FACTS} of them" * (
                n_hidden > 0
            )
            print_table(console, title, ("fact", "time"), [_cells(f) for f in facts[:SHOWN_FACTS]])


def _print_runner_up(console: Console, explanation: Explanation) -> None:
    other = explanation.runner_up
    if other is None:
        return
    ahead = sorted(other.differences.items(), key=lambda term: -abs(term[1]))
    word = "runner-up" if explanation.rank == 1 else "best other candidate"
    console.print(
        f"The {word}: [bold]{escape(other.right)}[/bold], score {other.score:.4f}, confidence "
        f"{other.confidence:.3f}. The difference: "
        + ", ".join(f"{name} {value:+.4f}" for name, value in ahead),
        soft_wrap=True,
    )
    lacking = [*map(_fact_words, other.missing), *map(_literal_words, other.missing_literals)]
    if lacking:
        console.print(f"It lacks: {'; '.join(lacking)}", markup=False, soft_wrap=True)
    console.print()


def _fact_words(fact: Fact) -> str:
    return f"{fact.words} ({fact.time})" if fact.time else fact.words


def _print_assignment(console: Console, explanation: Explanation) -> None:
    if explanation.assignment is None:
        return
    effect = explanation.assignment
    before, after = f"{effect.alone:.3f}", f"{effect.after:.3f}"
    verb = "raised" if effect.after > effect.alone else "lowered"
    change = f"{verb} the confidence from {before}, by its own candidates alone, to {after}"
    if before == after:
        change = f"left the confidence at {after}, what it is by its own candidates alone"
    rivals = ", ".join(f"{rival.left} ({rival.score:.4f})" for rival in effect.rivals)
    console.print(
        f"{effect.by} {change}"
        + (f"; others that want {explanation.right}: {rivals}" if rivals else ""),
        markup=False,
        soft_wrap=True,
    )
