"""`lighttea explain`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.text import Text

from lighttea.cli.console import print_sentence, print_table, say, shown, stdout
from lighttea.cli.json_output import JsonTarget, refuse_unwritable, write_json_result
from lighttea.cli.output import command
from lighttea.display import Named, isolate, visible
from lighttea.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from lighttea.explain.clusters import ClusterExplanation
    from lighttea.explain.explanation import Explanation
    from lighttea.explain.statements import Fact, Literal, MatchedFact

SHOWN_FACTS = 12
SHOWN_LITERALS = 12
SHOWN_ALONE = 6  # literals of one side
_BAR = 24


@command
def explain(
    run: Path,
    left: str | None = None,
    right: str | None = None,
    *,
    ids: Annotated[bool, Parameter(negative="")] = False,
    json: JsonTarget = None,
    alarms: Path | None = None,
    graph: str | None = None,
) -> None:
    """Show why two entities were linked: facts and literals, and how much each one counts.

    Parameters
    ----------
    run
        Run folder.
    left
        Left entity, by id or name; explains its link, or its best candidate if it has none. In a
        run of several graphs, an entity of any of them; explains its cluster.
    right
        Right entity, by id or name; one of the candidates of the left entity.
    ids
        Show the full id after every name.
    json
        Write the explanation to this file, or to stdout with -.
    alarms
        Write the temporal alarms of all links to this file: Parquet, or TSV by any other name.
    graph
        In a run of several graphs: the graph of the entity, where several have that id.
    """
    if left is None and alarms is None:
        raise InputError("name an entity to explain, or a file with --alarms")
    refuse_unwritable(json)
    refuse_unwritable(None if alarms is None else str(alarms))
    from lighttea.results.cluster_store import is_cluster_run
    from lighttea.results.store import load_run

    if is_cluster_run(run):
        _explain_cluster(run, left, right, graph, alarms, json, ids=ids)
        return
    if graph is not None:
        raise InputError("--graph goes with runs of several graphs alone")
    loaded = load_run(run)
    if alarms is not None:
        _write_alarms(loaded.alarms, alarms)
    if left is None:
        return
    explanation = loaded.explain(left, right)
    write_json_result(json, explanation.to_dict())
    if json != "-":
        print_explanation(stdout(), explanation, ids=ids)


def _explain_cluster(
    run: Path,
    entity: str | None,
    right: str | None,
    graph: str | None,
    alarms: Path | None,
    json: str | None,
    *,
    ids: bool,
) -> None:
    """Explain the cluster of an entity: its members, then each pair."""
    from lighttea.results.cluster_store import load_clusters

    if entity is None or right is not None or alarms is not None:
        pairs = ", ".join(sorted(str(path) for path in run.glob("pairs/*")))
        raise InputError(
            f"{run}: a run of several graphs; name one entity, with --graph where several have its "
            f"id; two entities and --alarms go with the runs of two graphs inside: {pairs}"
        )
    explanation = load_clusters(run).explain(entity, graph)
    write_json_result(json, explanation.to_dict())
    if json != "-":
        print_cluster(stdout(), explanation, ids=ids)


def print_cluster(console: Console, explained: ClusterExplanation, *, ids: bool = False) -> None:
    """Print the members of a cluster, the links given up, and the explanation of each pair."""
    own = explained.entity
    if not explained.cluster:
        print_sentence(
            console, Text.assemble(_title(own.named), f" of {own.graph} is in no cluster")
        )
    else:
        rows = [
            (visible(member.graph), shown(member.named, with_id=True), f"{member.confidence:.3f}")
            for member in explained.members
        ]
        headers = ("graph", "entity", "confidence")
        print_table(console, f"Cluster {explained.cluster}", headers, rows)
    for sentence in explained.given_up:
        print_sentence(console, f"given up: {visible(sentence)}", style="red")
    for link in explained.links:
        of_two = link.left_graph, link.right_graph
        pair = of_two if of_two[0] != of_two[1] else (link.left, link.right)
        ends = " and ".join(isolate(visible(end)) for end in pair)
        print_sentence(
            console,
            f"{ends}: confidence {link.confidence:.3f}, found: {visible(link.origin)}",
            "bold",
        )
        if link.explanation is not None:
            print_explanation(console, link.explanation, ids=ids)
            console.print()


def _write_alarms(alarms: pl.DataFrame, path: Path) -> None:
    from lighttea.io.outputs import writing
    from lighttea.io.tsv import write_tsv

    with writing(path):
        if path.suffix == ".parquet":
            alarms.write_parquet(path)
        else:
            write_tsv(alarms, path)
    say(f"{len(alarms):,} alarms in {path}")


def print_explanation(console: Console, explanation: Explanation, *, ids: bool = False) -> None:
    """Print an explanation, most important parts first; with `ids` behind the names."""
    _Page(console, explanation, ids).show()


class _Page:
    """The parts of an explanation in a terminal."""

    def __init__(self, console: Console, explanation: Explanation, ids: bool) -> None:
        self.console, self.explanation, self.ids = console, explanation, ids

    def show(self) -> None:
        """Print all parts."""
        self._print_title()
        self._print_aspects()
        self._print_facts()
        self._print_literals()
        self._print_other_parts()
        self._print_against()
        self._print_runner_up()
        self._print_assignment()
        for alarm in self.explanation.alarms:
            self._print(f"alarm: {isolate(visible(alarm.message))}", style="red")
        if not self.ids and _has_names(self.explanation):
            self._print("Names are shown instead of ids; --ids shows both.", style="dim")

    def _print(self, text: str | Text, style: str | None = None) -> None:
        print_sentence(self.console, text, style)

    def _print_title(self) -> None:
        explained = self.explanation
        word = "is linked to" if explained.is_link else "is not linked to"
        title = Text.assemble(
            _title(explained.named_left), f" {word} ", _title(explained.named_right)
        )
        self._print(title)
        margin = "" if explained.margin is None else f", margin {explained.margin:.3f}"
        fdr = "" if explained.fdr is None else f", fdr {explained.fdr:.4f}"
        self._print(
            f"score {explained.score:.4f}, confidence {explained.confidence:.3f}{margin}{fdr}, "
            f"rank {explained.rank} among its candidates\n"
        )

    def _print_aspects(self) -> None:
        terms = self.explanation.terms_in_words()
        largest = max([value for _, value in terms] + [0.0])
        rows = [(words, f"{value:.4f}", _bar(value, largest)) for words, value in terms]
        print_table(self.console, "What the score is made of", ("term", "adds", ""), rows)

    def _print_facts(self) -> None:
        facts, graphs = self.explanation.facts, self.explanation.graphs
        rows = [
            (*self._cells(match), match.verdict, f"{match.value:.4f}")
            for match in facts[:SHOWN_FACTS]
        ]
        title = f"Matching facts ({len(facts):,})"
        title += f", the first {len(rows)}" * (len(facts) > len(rows))
        headers = (graphs.left, "time", graphs.right, "time", "", "adds")
        print_table(self.console, title, headers, rows)

    def _print_literals(self) -> None:
        explained = self.explanation
        literals, graphs = explained.literals, explained.graphs
        rows = [
            (
                Text(self._literal(match.left)),
                match.sign,
                Text(self._literal(match.right)),
                *(match.verdict, f"{match.value:.4f}"),
            )
            for match in literals[:SHOWN_LITERALS]
        ]
        if rows:
            title = f"Literals side by side ({len(literals):,})"
            title += f", the first {len(rows)}" * (len(literals) > len(rows))
            headers = (graphs.left, "", graphs.right, "", "adds")
            print_table(self.console, title, headers, rows)
        alone = {"left": explained.only_left_literals, "right": explained.only_right_literals}
        for side, own in alone.items():
            if own:
                words = "; ".join(map(self._literal, own[:SHOWN_ALONE]))
                n_hidden = len(own) - SHOWN_ALONE
                words += f"; and {n_hidden:,} more" * (n_hidden > 0)
                text = f"Literals {graphs.place(side)} alone ({len(own):,}): {words}"
                self._print(text, style="dim")
        if any(alone.values()):
            self.console.print()

    def _print_other_parts(self) -> None:
        others = self.explanation.other_parts()[:SHOWN_FACTS]
        cells = [
            (words, f"{value:.4f}", "" if exact else "estimated")
            for words, value, exact in others
            if abs(value) >= 5e-5
        ]
        if cells:
            print_table(self.console, "What else counts", ("what", "adds", ""), cells)

    def _print_against(self) -> None:
        explained, graphs = self.explanation, self.explanation.graphs
        rows = [
            (*self._cells(match), f"{match.value:.4f}")
            for match in explained.contradictions[:SHOWN_FACTS]
        ]
        if rows:
            title = "Contradicting facts (only one can be true; they count against the link)"
            headers = (graphs.left, "time", graphs.right, "time", "adds")
            print_table(self.console, title, headers, rows)
        for side, facts in (("left", explained.only_left), ("right", explained.only_right)):
            if facts:
                place = graphs.place(side)
                title = f"{place[:1].upper()}{place[1:]} alone ({len(facts):,})"
                title += f", {SHOWN_FACTS} of them" * (len(facts) > SHOWN_FACTS)
                cells = [(Text(self._fact(fact)), fact.time) for fact in facts[:SHOWN_FACTS]]
                print_table(self.console, title, ("fact", "time"), cells)

    def _print_runner_up(self) -> None:
        other = self.explanation.runner_up
        if other is None:
            return
        word = "Runner-up" if self.explanation.rank == 1 else "Best other candidate"
        figures = f", score {other.score:.4f}, confidence {other.confidence:.3f}"
        self._print(Text.assemble(f"{word}: ", _title(other.named_right), figures))
        if compared := other.differences_in_words():
            self._print(f"Compared with it: {compared}")
        lacking = [
            f"{self._fact(f)} ({f.time})" if f.time else self._fact(f) for f in other.missing
        ]
        lacking += map(self._literal, other.missing_literals)
        if lacking:
            self._print(f"It lacks: {'; '.join(lacking)}")
        self.console.print()

    def _print_assignment(self) -> None:
        effect = self.explanation.assignment
        if effect is None:
            return
        left = self._named(self.explanation.named_left)
        self._print(
            f"Confidence: {effect.alone:.3f} from the candidates of {left} alone, "
            f"{effect.after:.3f} after {effect.by}"
        )
        rivals = ", ".join(
            f"{self._named(rival.named_left)} ({rival.score:.4f})" for rival in effect.rivals
        )
        if rivals:
            name = self.explanation.graphs.left
            self._print(f"Competing {name} entities (score): {rivals}")

    def _named(self, named: Named) -> str:
        return shown(named, with_id=self.ids)

    def _cells(self, match: MatchedFact) -> tuple[Text, str, Text, str]:
        left, right = match.left, match.right
        return Text(self._fact(left)), left.time, Text(self._fact(right)), right.time

    def _fact(self, fact: Fact) -> str:
        relation, neighbour = self._named(fact.named_relation), self._named(fact.named_neighbour)
        return f"{fact.arrow} {relation}: {neighbour}"

    def _literal(self, literal: Literal) -> str:
        attribute = (
            shown(literal.named_attribute, with_id=True)
            if self.ids
            else isolate(literal.short_attribute)
        )
        language = f" @{visible(literal.language)}" * bool(literal.language)
        time = f" ({literal.time})" * bool(literal.time)
        return f"{attribute}: {isolate(literal.short_text)}{language}{time}"


def _title(entity: Named) -> Text:
    """Return an entity in bold, by its name where it has one, with the id behind it."""
    shown_id = f" ({isolate(entity.shown_id)})" if entity.shown_id else ""
    return Text.assemble((isolate(entity.text), "bold"), shown_id)


def _bar(value: float, largest: float) -> str:
    return "█" * round(_BAR * max(value, 0.0) / largest) if largest > 0 else ""


def _has_names(explanation: Explanation) -> bool:
    """Whether any fact or literal is shown by another text than its ids."""
    facts = [fact for match in explanation.facts for fact in (match.left, match.right)]
    facts += [*explanation.only_left, *explanation.only_right]
    literals = [own for match in explanation.literals for own in (match.left, match.right)]
    named = [each for fact in facts for each in (fact.named_relation, fact.named_neighbour)]
    named += [literal.named_attribute for literal in literals]
    return any(each.shown_id for each in named)
