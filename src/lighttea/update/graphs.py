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

    added: Graph | None = None
    removed: Graph | None = None
    replaced: Graph | None = None
    names: tuple[str, str, str] = ("added", "removed", "replaced")  # what a user calls them

    @classmethod
    def of(
        cls,
        side: str,
        added: GraphSource | None,
        removed: GraphSource | None,
        replaced: GraphSource | None,
    ) -> SideInputs:
        """Return graphs of what is given, which may be tables."""
        return cls.named((side, f"remove_{side}", f"replace_{side}"), added, removed, replaced)

    @classmethod
    def named(
        cls,
        names: tuple[str, str, str],
        added: GraphSource | None,
        removed: GraphSource | None,
        replaced: GraphSource | None,
    ) -> SideInputs:
        """Return graphs of what is given under these names, which may be tables."""
        new, gone, whole = (
            None if table is None else graph_from(table, name=name)
            for table, name in zip((added, removed, replaced), names, strict=True)
        )
        return cls(new, gone, whole, names)

    @property
    def is_given(self) -> bool:
        """Whether there is anything."""
        return any(part is not None for part in (self.added, self.removed, self.replaced))

    def sources(self) -> dict[str, dict[str, str]]:
        """Return source and digest of what is given, by the name that it is given with."""
        given = self.added, self.removed, self.replaced
        return {
            name: {"source": graph.source, "digest": graph.digest}
            for name, graph in zip(self.names, given, strict=True)
            if graph is not None
        }


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

    def none(self) -> Statements:
        """Return no facts and no literals."""
        return Statements(self.facts.clear(), self.literals.clear())

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
                f"`{inputs.names[2]}` is the whole new version of {called}; give either that, or "
                f"what came in and what was withdrawn"
            )
        after = Statements.of_graph(inputs.replaced)
        lost = before.distinct().without(after)
        return SideChanges(inputs.replaced, after.without(before), lost)
    lost = _lost(before, inputs, called, progress)
    rest = before.without(lost) if len(lost) else before
    gained = _gained(rest, inputs.added, called, progress)
    after = rest.extended(gained)
    graph = graph_of_frames(
        after.facts, after.literals, entities=_without_statements(run, side, before)
    )
    graph = with_names(graph, run, side)
    if inputs.added is not None:
        graph = _with_further_names(graph, inputs.added)
    both = gained.among(lost)  # withdrawn and given again: nothing changed
    return SideChanges(graph, gained.without(both), lost.without(both))


def _lost(before: Statements, inputs: SideInputs, called: str, progress: Progress) -> Statements:
    """Return what was withdrawn, as far as the run had it."""
    if inputs.removed is None:
        return before.none()
    given = Statements.of_graph(inputs.removed)
    lost = given.among(before)
    _tell_of_unknown(given, lost, before, inputs.names[1], called, progress)
    return lost


def _gained(before: Statements, added: Graph | None, called: str, progress: Progress) -> Statements:
    """Return what came in, without what was there already."""
    if added is None:
        return before.none()
    given = Statements.of_graph(added)
    gained = given.without(before)
    if len(given) > len(gained):
        progress.warn(
            f"{len(given) - len(gained):,} of {len(given):,} new facts or literals are in "
            f"{called} already; they change nothing"
        )
    return gained


def _without_statements(run: Run, side: str, before: Statements) -> list[str]:
    """Return the entities of a run that links name and that never had a fact or a literal."""
    named = pl.concat([table[side] for table in (run.seeds, run.evidence_links, run.links)])
    known = before.entities()
    named = named.unique(maintain_order=True)
    return named.filter(~named.is_in(known.implode())).to_list()


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
    option: str,
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
            f"`{option}`: none of the {len(given):,} facts and literals is in {called}{named};"
            f" {advice}; are the sides swapped?"
        )
    progress.warn(
        f"`{option}`: {len(unknown):,} of {len(given):,} facts and literals were never in "
        f"{called}{named}; {advice}"
    )
