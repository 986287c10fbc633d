"""What a graph gained and lost since a run, fact by fact, and the graph as it is now."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from lighttea.errors import InputError
from lighttea.graph.facts import Graph
from lighttea.io.frames import frame_of_graph, graph_of_frames
from lighttea.io.literals import frame_of_attributes
from lighttea.io.objects import GraphSource, graph_from
from lighttea.progress import Progress
from lighttea.results.names import graph_names, with_names
from lighttea.results.run import Run

FACT = ["head", "relation", "tail", "begin", "end"]
LITERAL = ["entity", "attribute", "value", "datatype", "language", "begin", "end"]


@dataclass(frozen=True)
class SideInputs:
    """What is given for one side: facts that came in, that were withdrawn, or all of them anew."""

    added: GraphSource | None = None
    removed: GraphSource | None = None
    replaced: GraphSource | None = None

    @property
    def is_given(self) -> bool:
        """Whether there is anything."""
        return any(part is not None for part in (self.added, self.removed, self.replaced))


@dataclass(frozen=True)
class Statements:
    """Facts and literals as a run keeps them, each once."""

    facts: pl.DataFrame
    literals: pl.DataFrame

    @classmethod
    def of_graph(cls, graph: Graph) -> Statements:
        """Return what a graph says."""
        return cls(frame_of_graph(graph), frame_of_attributes(graph)).distinct()

    def distinct(self) -> Statements:
        """Return each of them once, in their order."""
        return Statements(
            self.facts.unique(maintain_order=True), self.literals.unique(maintain_order=True)
        )

    def without(self, others: Statements) -> Statements:
        """Return those that are not among the others."""
        return Statements(
            _anti(self.facts, others.facts, FACT), _anti(self.literals, others.literals, LITERAL)
        )

    def among(self, others: Statements) -> Statements:
        """Return those that are among the others."""
        return self.without(self.without(others))

    def extended(self, others: Statements) -> Statements:
        """Return these, then the others."""
        return Statements(
            pl.concat([self.facts, others.facts]), pl.concat([self.literals, others.literals])
        )

    def __len__(self) -> int:
        return len(self.facts) + len(self.literals)

    def entities(self) -> pl.Series:
        """Return the entities that they name, each once."""
        named = self.facts["head"], self.facts["tail"], self.literals["entity"]
        return pl.concat(named).unique(maintain_order=True)


def _anti(rows: pl.DataFrame, others: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    if rows.is_empty() or others.is_empty():
        return rows
    return rows.join(others, on=columns, how="anti", nulls_equal=True, maintain_order="left")


@dataclass(frozen=True)
class SideChanges:
    """One graph as it is now, and how it differs from the one that a run was made of."""

    graph: Graph
    gained: Statements
    lost: Statements

    def __len__(self) -> int:
        return len(self.gained) + len(self.lost)

    def changed(self) -> Statements:
        """Return everything that came in or went."""
        return self.gained.extended(self.lost)


def change_side(run: Run, side: str, inputs: SideInputs, progress: Progress) -> SideChanges:
    """Return one graph of a run with the changes that are given for it.

    What is withdrawn goes first; facts count once, and those that the run has already are no gain.
    """
    facts, literals = (getattr(run, f"{table}_{side}") for table in ("facts", "attributes"))
    before = Statements(facts, literals)
    called = graph_names(run).graph(side)
    if inputs.replaced is not None:
        if inputs.added is not None or inputs.removed is not None:
            raise InputError(
                f"`replace_{side}` is the whole new version of {called}; give it alone, or what "
                f"came in with `{side}` and what was withdrawn with `remove_{side}`"
            )
        graph = graph_from(inputs.replaced, name=f"replace_{side}")
        after = Statements.of_graph(graph)
        return SideChanges(graph, after.without(before), before.distinct().without(after))
    gained = lost = Statements(facts.clear(), literals.clear())
    fresh: Graph | None = None
    if inputs.removed is not None:
        given = Statements.of_graph(graph_from(inputs.removed, name=f"remove_{side}"))
        lost = given.among(before)
        _tell_of_unknown(given, lost, before, side, called, progress)
    if inputs.added is not None:
        fresh = graph_from(inputs.added, name=side)
        given = Statements.of_graph(fresh)
        gained = given.without(before.without(lost) if len(lost) else before)
        if len(given) > len(gained):
            progress.warn(
                f"{len(given) - len(gained):,} of {len(given):,} new facts or literals are in "
                f"{called} already; they change nothing"
            )
    after = (before.without(lost) if len(lost) else before).extended(gained)
    both = gained.among(lost)  # withdrawn and given again: nothing changed
    graph = with_names(graph_of_frames(after.facts, after.literals), run, side)
    return SideChanges(
        graph if fresh is None else _with_further_names(graph, fresh),
        gained.without(both),
        lost.without(both),
    )


def _with_further_names(graph: Graph, fresh: Graph) -> Graph:
    """Return a graph with the names that the facts which came in bring."""
    return replace(
        graph,
        entity_names={**graph.entity_names, **fresh.entity_names},
        relation_names={**graph.relation_names, **fresh.relation_names},
        notes=fresh.notes,
    )


def _tell_of_unknown(
    given: Statements,
    lost: Statements,
    before: Statements,
    side: str,
    called: str,
    progress: Progress,
) -> None:
    """Warn of withdrawn facts that a run never had; where it had none of them, raise an error."""
    unknown = given.without(before)
    if not len(unknown):
        return
    strangers = unknown.entities()
    strangers = strangers.filter(~strangers.is_in(before.entities().implode()))
    named = f"; {len(strangers):,} entities that they name are unknown there" * bool(len(strangers))
    advice = "a fact is withdrawn where head, relation, tail, begin and end are the same"
    if not len(lost):
        raise InputError(
            f"`remove_{side}`: none of the {len(given):,} facts and literals is in {called}{named};"
            f" {advice}; are the sides swapped?"
        )
    progress.warn(
        f"`remove_{side}`: {len(unknown):,} of {len(given):,} facts and literals were never in "
        f"{called}{named}; {advice}"
    )
