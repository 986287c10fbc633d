"""What a run folder holds: its tables with their columns, and what `run.json` must say.

The only declaration: runs are written, read and checked by it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

FORMAT_VERSION = 1
RECORD, FILES = "run.json", "files.json"  # the record of a run, and the list of its files
CLUSTERS = "clusters"  # the kind of a run of several graphs
PAIRS = "pairs"  # the folder in it that has a run of each two graphs


@dataclass(frozen=True)
class Column:
    """A column of a table: its name and its type, by the name that polars has for it."""

    name: str
    type: str = "String"
    nullable: bool = False
    finite: bool = False  # neither NaN nor infinite
    optional: bool = False  # some runs have none
    filled: bool = False  # where there is none, every row has the default
    default: Any = None

    @property
    def dtype(self) -> pl.DataType:
        """The type as polars has it."""
        import polars as pl

        dtype: pl.DataType = getattr(pl, self.type)()
        return dtype


@dataclass(frozen=True)
class Table:
    """A table of a run: a Parquet file of the same name. Further columns may follow these."""

    name: str
    columns: tuple[Column, ...]
    later: bool = False  # runs of earlier versions have none

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.name}.parquet"

    def empty(self) -> pl.DataFrame:
        """Return the table without rows."""
        import polars as pl

        needed = [column for column in self.columns if column.filled or not column.optional]
        return pl.DataFrame(schema={column.name: column.dtype for column in needed})


def _texts(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name) for name in names)


def _numbers(*names: str, type: str = "Float32") -> tuple[Column, ...]:  # noqa: A002 - as in Column
    return tuple(Column(name, type) for name in names)


_PAIR = _texts("left", "right")
_TIMES = (Column("begin", nullable=True), Column("end", nullable=True))
_FACT = (*_texts("head", "relation", "tail"), *_TIMES)
_LITERAL = (
    *_texts("entity", "attribute", "value"),
    *(Column(name, nullable=True) for name in ("datatype", "language")),
    *_TIMES,
)
_NAME = _texts("kind", "id", "name")
_FIGURES = tuple(Column(name, "Float32", finite=True) for name in ("score", "confidence"))
_LINK = (
    *_PAIR,
    *_FIGURES,
    *_numbers("margin"),
    # runs of earlier versions have neither
    Column("fdr", "Float32", nullable=True, optional=True, filled=True),
    Column("alarms", optional=True, filled=True, default=""),
)
_LINK_WITHOUT_TIME = (*_PAIR, *(replace(c, optional=True, filled=False) for c in _LINK[2:]))
# a run without consensus, likelihood or contradictions has no such terms
_OPTIONAL_TERMS = tuple(
    Column(name, "Float32", optional=True) for name in ("consensus", "likelihood", "contradiction")
)
_CANDIDATE = (
    *_PAIR,
    Column("rank", "Int32"),
    *_numbers("relational", "temporal", "time"),
    *_OPTIONAL_TERMS,
    *_FIGURES,
)
_RELATION = (
    *_PAIR,
    Column("inverse", "Boolean"),
    Column("shared", "Int32"),
    *_numbers("agreement"),
)
_SUSPICIOUS_SEED = (
    *_PAIR,
    Column("better", nullable=True),
    *_numbers("score"),
    Column("better_score", "Float32", nullable=True),
    Column("why"),
)
_TYPE = _texts("entity", "type")
_CHANGE = (*_PAIR, *_texts("change", "why"))
_ATTRIBUTE_MATCH = (
    *_PAIR,
    *_numbers("known", "agreeing", type="Int64"),
    *_numbers("chance", "log_ratio", "bits", type="Float64"),
    *(Column(name, "Float64", nullable=True) for name in ("similar", "different")),
)

TABLES = (
    Table("links", _LINK),
    Table("candidates", _CANDIDATE),
    Table("relations", _RELATION),
    Table("evidence_links", _PAIR),
    Table("likely_pairs", (*_PAIR, *_numbers("chance")), later=True),
    Table("seeds", _PAIR),
    Table("facts_left", _FACT),
    Table("facts_right", _FACT),
    Table("attributes_left", _LITERAL, later=True),
    Table("attributes_right", _LITERAL, later=True),
    Table("names_left", _NAME, later=True),
    Table("names_right", _NAME, later=True),
    Table("attribute_matches", _ATTRIBUTE_MATCH, later=True),
    Table("cannot_links", _PAIR, later=True),
    Table("links_without_time", _LINK_WITHOUT_TIME, later=True),
    Table("suspicious_seeds", _SUSPICIOUS_SEED, later=True),
    Table("types_left", _TYPE, later=True),
    Table("types_right", _TYPE, later=True),
    Table("changes", _CHANGE, later=True),
)
_GRAPH_PAIR = _texts("graph_left", "left", "graph_right", "right")
_CHANCE = Column("confidence", "Float32", finite=True)
# of a run of several graphs
CLUSTER_TABLES = (
    Table("clusters", (*_texts("cluster", "graph", "entity"), _CHANCE)),
    Table("cluster_links", (Column("cluster"), *_GRAPH_PAIR, _CHANCE, Column("found"))),
    Table(
        "conflicts",
        (
            *_GRAPH_PAIR,
            _CHANCE,
            Column("graph", nullable=True),
            Column("left_has", nullable=True),
            Column("left_confidence", "Float32", nullable=True),
            Column("right_has", nullable=True),
            Column("right_confidence", "Float32", nullable=True),
            Column("evidence"),
        ),
    ),
    Table("changes", _texts("cluster", "graph", "entity", "change", "why"), later=True),
)
NO_CHANGES = CLUSTER_TABLES[-1].empty
_BY_NAME = {table.name: table for table in TABLES}


def table_of(name: str) -> Table:
    """Return the declaration of a table."""
    return _BY_NAME[name]


def empty_table(name: str) -> pl.DataFrame:
    """Return a table of a run without rows."""
    return table_of(name).empty()


@dataclass(frozen=True)
class Entry:
    """An entry of `run.json`: where it stands, and what it is.

    `input.left.facts` is an entry of an entry, `rounds[].seeds` one of each item of a list. An
    entry inside another is looked at where the outer one is there.
    """

    path: str
    kind: str
    needed: bool = True  # else it may be missing or null


COUNT, NUMBER, TEXT, FLAG = "a count", "a number", "a text", "true or false"
MAPPING, LIST, TEXTS, NUMBERS = "an object", "a list", "a list of texts", "an object of numbers"
NUMBER_LIST = "a list of numbers"


def _of_side(side: str) -> tuple[Entry, ...]:
    place = f"input.{side}"
    return (
        Entry(place, MAPPING),
        *(Entry(f"{place}.{size}", COUNT) for size in ("entities", "relations", "facts")),
        Entry(f"{place}.source", TEXT),
        *(Entry(f"{place}.{text}", TEXT, needed=False) for text in ("name", "digest")),
        Entry(f"{place}.literals", COUNT, needed=False),
    )


ENTRIES = (
    Entry("files", TEXT, needed=False),  # the list of its files, where it has one
    Entry("preset", TEXT),
    Entry("config", MAPPING),
    Entry("versions", MAPPING),
    Entry("versions.lighttea", TEXT),
    Entry("input", MAPPING),
    *_of_side("left"),
    *_of_side("right"),
    Entry("seeds", COUNT),
    Entry("warnings", TEXTS),
    Entry("links", COUNT),
    Entry("duplicates", FLAG, needed=False),  # of one graph and itself
    Entry("rounds", LIST),
    *(Entry(f"rounds[].{name}", COUNT) for name in ("seeds", "left_with_candidates", "promoted")),
    Entry("rounds[].sinkhorn_marginal_gap", NUMBER),
    Entry("rounds[].settings", MAPPING, needed=False),
    Entry("rounds[].search", TEXT, needed=False),
    *(
        Entry(f"rounds[].{name}", NUMBER, needed=False)
        for name in (
            *("share_with_counterpart", "promoted_precision_estimate", "found_seeds"),
            *("found_seeds_precision", "recall_best", "recall_top_k"),
        )
    ),
    Entry("seconds", NUMBERS),
    Entry("peak_mb", NUMBERS),
    Entry("peak_rss_mb", NUMBER),
    Entry("expected_peak_mb", NUMBER, needed=False),
    Entry("literals", MAPPING, needed=False),
    Entry("literals.used", FLAG),
    Entry("literals.ids_used", MAPPING, needed=False),
    *(Entry(f"literals.ids_used.{side}", FLAG) for side in ("left", "right")),
    Entry("literals.left_out", MAPPING, needed=False),
    *(Entry(f"literals.left_out.{side}", TEXTS) for side in ("left", "right")),
    Entry("decoys", MAPPING, needed=False),
    *(Entry(f"decoys.{name}", COUNT) for name in ("targets", "decoys")),
    *(Entry(f"decoys.{name}", NUMBER) for name in ("per_entity", "share_right")),
    Entry("decoys.curve", MAPPING, needed=False),
    *(Entry(f"decoys.curve.{name}", NUMBER_LIST) for name in ("confidence", "targets", "decoys")),
    Entry("decoys.warning", TEXT, needed=False),
    Entry("in_parts", FLAG, needed=False),
    Entry("rules", MAPPING, needed=False),
    Entry("seed_check", MAPPING, needed=False),
    Entry("seed_check.warning", TEXT, needed=False),
    Entry("alarmed_links_left_out", COUNT, needed=False),
    Entry("cannot_links", COUNT, needed=False),
    Entry("types", FLAG, needed=False),
    Entry("update", MAPPING, needed=False),
    *(Entry(f"update.{name}", MAPPING, needed=False) for name in ("of", "inputs", "links")),
    *(
        Entry(f"update.{change}.{side}", COUNT)
        for change in ("gained", "lost")
        for side in ("left", "right")
    ),
    Entry("update.anew", TEXT, needed=False),
    Entry("update.worked_on", COUNT, needed=False),
    Entry("update.confidence", TEXT),
)

CLUSTER_ENTRIES = (
    Entry("files", TEXT, needed=False),
    Entry("preset", TEXT),
    Entry("config", MAPPING),
    Entry("versions", MAPPING),
    Entry("versions.lighttea", TEXT),
    Entry("graphs", LIST),
    Entry("graphs[].name", TEXT),
    Entry("graphs[].source", TEXT),
    *(Entry(f"graphs[].{size}", COUNT) for size in ("entities", "relations", "facts")),
    Entry("pairs", LIST),
    *(Entry(f"pairs[].{text}", TEXT) for text in ("left", "right", "folder")),
    *(Entry(f"pairs[].{size}", COUNT) for size in ("links", "seeds")),
    Entry("unaligned", LIST),
    *(Entry(f"unaligned[].{text}", TEXT) for text in ("left", "right", "why")),
    Entry("unaligned[].cannot_links", LIST, needed=False),
    Entry("several_per_graph", FLAG),
    Entry("clusters", COUNT),
    Entry("conflicts", COUNT),
    Entry("update", MAPPING, needed=False),
    Entry("warnings", TEXTS),
    Entry("seconds", NUMBERS),
    Entry("peak_rss_mb", NUMBER),
)
