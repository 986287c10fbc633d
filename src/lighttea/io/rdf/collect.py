"""Batches of triples to numbered tables: facts, dates, literals, and the parts of statements."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import numpy as np
import polars as pl

from lighttea.graph.timeline import UNKNOWN
from lighttea.io.assemble import Numbering
from lighttea.io.rdf.batches import Batch
from lighttea.io.rdf.dates import time_text
from lighttea.io.rdf.time_predicates import TimePredicates
from lighttea.io.rdf.vocabulary import (
    CONFORMS_TO,
    DATE_TYPES,
    DEPRECATED,
    FUSED_GRAPH,
    TIME_VALUE,
    Role,
    label_rank,
    meaning_of,
)
from lighttea.io.times import parse_instants
from lighttea.types import Bools, Ints

_MANY_LABELS = 500_000  # before they are reduced to one for each node
_LIKE_A_DATE = r"^\s*[+-]?\d{4}(?:$|[^\d])"  # longer numbers are rather codes than years
_TABLES = {
    "facts": ("head", "relation", "tail", "graph"),
    "claims": ("node", "head", "relation"),
    "values": ("node", "relation", "tail"),
    "full_values": ("node", "predicate", "value"),
    "dates": ("node", "predicate", "time", "graph"),
    "precisions": ("value", "precision"),
    "reified": ("node", "head", "relation", "tail"),
    "deprecated": ("node",),
    "literals": ("head", "relation", "tail", "graph"),
    "literal_values": ("node", "relation", "tail"),
    "reified_literals": ("node", "head", "relation", "tail"),
}


class Collector:
    """Numbers nodes, predicates and times, and sorts triples into tables by their role."""

    def __init__(self, times: TimePredicates) -> None:
        self.time_predicates = times
        self.nodes = Numbering()
        self.predicates = Numbering()  # as they are called in facts and dates
        self.times = Numbering()
        self.counts: Counter[str] = Counter()
        self._literals = Numbering()  # number of the kind, a blank, the text
        self._literal_kinds: dict[tuple[str, str], int] = {}  # datatype, language
        self._literal_keys: list[str] | None = None  # of the numbers, where they were asked for
        self.odd_dates: dict[str, None] = {}
        self._written = Numbering()  # predicates as they are in the file
        self._meanings = np.empty((0, 3), np.int32)  # number in facts, role, whether it is a time
        self.fused_base: str | None = None  # the namespace of a graph that `export` fused
        self._labels: list[pl.DataFrame] = []
        self._n_labels = 0
        self._parts: dict[str, list[pl.DataFrame]] = {name: [] for name in _TABLES}

    def add(self, batch: Batch) -> None:
        """Add a batch of triples."""
        self.counts["triples"] += len(batch)
        if len(batch.nodes):
            self._add_nodes(batch.nodes)
        if len(batch.literals):
            self._add_literals(batch.literals)
        if len(batch.reified):
            self._add_reified(batch.reified)
        if len(batch.reified_literals):
            self._add_reified_literals(batch.reified_literals)

    def table(self, name: str) -> pl.DataFrame:
        """Return one of the tables and release it."""
        parts, self._parts[name] = self._parts[name], []
        return pl.concat(parts) if parts else pl.DataFrame(schema=_schema(name))

    def put(self, name: str, table: pl.DataFrame) -> None:
        """Put a table back that was taken out."""
        self._parts[name] = [table]

    def distinct_literals(self) -> tuple[list[str], list[str], list[str]]:
        """Return texts, datatypes and languages of the distinct literals, and release these."""
        keys, kinds = self._literals, list(self._literal_kinds)
        self._literals, self._literal_keys = Numbering(), None
        parts = [key.split(" ", 1) for key in keys]
        texts, places = [text for _, text in parts], [int(kind) for kind, _ in parts]
        return texts, [kinds[place][0] for place in places], [kinds[place][1] for place in places]

    def literal_texts(self, numbers: pl.Series) -> pl.DataFrame:
        """Return tail, text, datatype and language of the distinct literals of these numbers."""
        if self._literal_keys is None or len(self._literal_keys) != len(self._literals):
            self._literal_keys = list(self._literals)
        numbers, kinds = numbers.unique(maintain_order=True), list(self._literal_kinds)
        parts = [self._literal_keys[number].split(" ", 1) for number in numbers]
        columns = {
            "text": [text for _, text in parts],
            "datatype": [kinds[int(kind)][0] for kind, _ in parts],
            "language": [kinds[int(kind)][1] for kind, _ in parts],
        }
        texts = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
        return texts.select(numbers.alias("tail"), "text", "datatype", "language")

    def times_of_literals(self, numbers: pl.Series) -> pl.DataFrame:
        """Return tail and time of the distinct literals that are dates, whatever their type."""
        texts = self.literal_texts(numbers).filter(pl.col("text").str.contains(_LIKE_A_DATE))
        places = self.time_places(texts["text"].to_list(), count_odd=False)
        times = pl.Series("time", [places[text] for text in texts["text"]], pl.Int32)
        return texts.select("tail", times).filter(pl.col("time") != UNKNOWN)

    def add_labels(self, labels: pl.DataFrame) -> None:
        """Add names of nodes that were found late: subject, predicate and number of a literal."""
        rows = labels.join(self.literal_texts(labels["tail"]), on="tail")
        self._add_labels(rows.select("subject", "predicate", "text", "language"))

    def labels(self) -> dict[str, str]:
        """Return the name of each node that has one: the best by language and predicate."""
        self._thin_out_labels()
        if not self._labels:
            return {}
        best = self._labels[0]
        return dict(zip(best["subject"], best["text"], strict=True))

    def _keep(self, name: str, *columns: Ints) -> None:
        named = dict(zip(_TABLES[name], columns, strict=True))
        self._parts[name].append(pl.DataFrame(named, schema=_schema(name)))

    def _add_nodes(self, rows: pl.DataFrame) -> None:
        relation, role, _ = self._interpret(rows["predicate"])
        if self.fused_base is None and CONFORMS_TO in self._written:
            self._find_fused_base(rows)
        plain = (role <= Role.LABEL) if role.any() else np.ones(len(rows), bool)
        facts = rows if plain.all() else rows.filter(plain)
        self._keep(
            "facts",
            self.nodes.codes_of_runs(facts["subject"]),
            relation[plain],
            self.nodes.codes(facts["object"].to_list()),
            self.nodes.codes_of_runs(facts["graph"]),
        )
        if not plain.all():
            self._add_layout(rows, relation, role)

    def _find_fused_base(self, rows: pl.DataFrame) -> None:
        """Remember the namespace of a fused graph where the file says that it is one."""
        says_so = (pl.col("predicate") == CONFORMS_TO) & (pl.col("object") == FUSED_GRAPH)
        self.fused_base = next(iter(rows.filter(says_so)["subject"]), None)

    def _add_layout(self, rows: pl.DataFrame, relation: Ints, role: Ints) -> None:
        """Add the parts of Wikibase's statement layout."""

        def ends(chosen: Bools) -> tuple[Ints, Ints]:
            selected = rows.filter(chosen)
            subject = self.nodes.codes(selected["subject"].to_list())
            return subject, self.nodes.codes(selected["object"].to_list())

        head, node = ends(role == Role.CLAIM)
        self._keep("claims", node, head, relation[role == Role.CLAIM])
        node, tail = ends(role == Role.STATEMENT)
        self._keep("values", node, relation[role == Role.STATEMENT], tail)
        node, value = ends(role == Role.FULL_VALUE)
        self._keep("full_values", node, relation[role == Role.FULL_VALUE], value)
        node, _ = ends((role == Role.RANK) & (rows["object"] == DEPRECATED).to_numpy())
        self._keep("deprecated", node)
        self.counts["technical"] += int((role == Role.TECHNICAL).sum())

    def _add_literals(self, rows: pl.DataFrame) -> None:
        predicate, role, timed = self._interpret(rows["predicate"])
        is_label = role == Role.LABEL
        is_precision = role == Role.PRECISION
        is_layout = (role == Role.TECHNICAL) | (role == Role.RANK)
        is_date = rows["datatype"].is_in(DATE_TYPES).to_numpy() & ~is_layout
        if self.fused_base is not None:  # its dates are literals; those of entities are statements
            is_date[:] = False
        is_date = (is_date | timed) & ~is_label & ~is_precision
        if is_label.any():
            self._add_labels(rows.filter(is_label))
        if is_date.any():
            is_date[is_date] = self._add_dates(rows.filter(is_date), predicate[is_date])
        if is_precision.any():
            self._add_precisions(rows.filter(is_precision))
        self.counts["technical"] += int(is_layout.sum())
        is_value = ~(is_date | is_precision | is_layout)
        is_empty = ~rows["text"].str.contains(r"[^\s\x1c-\x1f]").to_numpy()
        self.counts["empty literals"] += int((is_value & is_empty).sum())
        of_claims = role == Role.STATEMENT
        for name, kept in (("literal_values", of_claims), ("literals", ~of_claims)):
            chosen = is_value & ~is_empty & kept
            if chosen.any():
                self._add_values(name, rows.filter(chosen), predicate[chosen])

    def _add_values(self, name: str, rows: pl.DataFrame, predicate: Ints) -> None:
        """Add the literals of entities, or of statement nodes."""
        columns = [
            self.nodes.codes_of_runs(rows["subject"]),
            predicate,
            self._literal_codes(rows),
        ]
        if name == "literals":
            columns.append(self.nodes.codes_of_runs(rows["graph"]))
        self._keep(name, *columns)

    def _literal_codes(self, rows: pl.DataFrame) -> Ints:
        """Return the number of each literal; equal ones have text, datatype and language alike."""
        numbers, rows = self._literal_kinds, rows.with_columns(pl.col("language").fill_null(""))
        kinds = rows.select("datatype", "language").unique(maintain_order=True)
        places = [numbers.setdefault(kind, len(numbers)) for kind in kinds.rows()]
        kinds = kinds.with_columns(pl.Series("kind", places, pl.Int32))
        keyed = rows.join(kinds, on=["datatype", "language"], maintain_order="left")
        keys = keyed.select(pl.format("{} {}", "kind", "text")).to_series()
        return self._literals.codes(keys.to_list())

    def _add_labels(self, rows: pl.DataFrame) -> None:
        rows = rows.with_columns(pl.col("language").fill_null(""))
        kinds = rows.select("predicate", "language").unique()
        rank = [label_rank(*kind) for kind in kinds.rows()]
        ranked = rows.join(
            kinds.with_columns(pl.Series("rank", rank, pl.UInt8)), on=["predicate", "language"]
        )
        self._labels.append(ranked.select("subject", "rank", "language", "text"))
        self._n_labels += len(rows)
        if self._n_labels > _MANY_LABELS:
            self._thin_out_labels()

    def _thin_out_labels(self) -> None:
        """Keep the best label of each node; ties are decided by language and text."""
        if not self._labels:
            return
        best = (
            pl.concat(self._labels)
            .sort("subject", "rank", "language", "text")
            .unique("subject", keep="first", maintain_order=True)
        )
        self._labels = [best]
        self._n_labels = 0

    def _add_dates(self, rows: pl.DataFrame, predicate: Ints) -> Bools:
        """Add dates; return which of the rows are understood as such."""
        places = self.time_places(rows["text"].unique(maintain_order=True).to_list())
        time = np.array([places[text] for text in rows["text"]], np.int32)
        known: Bools = time != UNKNOWN
        self.counts["odd dates"] += int((~known).sum())
        rows = rows.filter(known)
        subject = self.nodes.codes(rows["subject"].to_list())
        self._keep(
            "dates", subject, predicate[known], time[known], self.nodes.codes_of_runs(rows["graph"])
        )
        return known

    def time_places(self, texts: list[str], *, count_odd: bool = True) -> dict[str, int]:
        """Return the number of each time by its text; -1 for a text that is no time."""
        times = {text: time_text(text) for text in texts}
        impossible = parse_instants(time for time in times.values() if time).problems
        places = {}
        for text, time in times.items():
            if time is None or time in impossible:
                places[text] = UNKNOWN
                if count_odd:
                    self.odd_dates[text] = None
            else:
                places[text] = self.times[time]
        return places

    def _add_precisions(self, rows: pl.DataFrame) -> None:
        precision = rows["text"].cast(pl.Int32, strict=False)
        known = precision.is_not_null()
        value = self.nodes.codes(rows.filter(known)["subject"].to_list())
        self._keep("precisions", value, precision.filter(known).to_numpy())

    def _add_reified(self, rows: pl.DataFrame) -> None:
        relation, _, _ = self._interpret(rows["predicate"])
        self._keep(
            "reified",
            self.nodes.codes(rows["reifier"].to_list()),
            self.nodes.codes(rows["subject"].to_list()),
            relation,
            self.nodes.codes_of_runs(rows["object"]),
        )

    def _add_reified_literals(self, rows: pl.DataFrame) -> None:
        """Add quoted triples whose object is a literal: an attribute that may have a time."""
        relation, _, _ = self._interpret(rows["predicate"])
        self._keep(
            "reified_literals",
            self.nodes.codes(rows["reifier"].to_list()),
            self.nodes.codes(rows["subject"].to_list()),
            relation,
            self._literal_codes(rows),
        )

    def _interpret(self, names: pl.Series) -> tuple[Ints, Ints, Bools]:
        """Return the number of each predicate in facts, its role, and whether it gives a time."""
        written = self._written.codes(names.to_list())
        if len(self._written) > len(self._meanings):
            self._add_meanings()
        interpreted = self._meanings[written]  # (n_names, 3)
        return interpreted[:, 0], interpreted[:, 1], interpreted[:, 2] == 1

    def _add_meanings(self) -> None:
        """Find out what the new predicates mean."""
        new = []
        for name in islice(self._written, len(self._meanings), None):
            meaning = meaning_of(name)
            is_time = self._is_time(name)
            number = self.predicates[name if is_time else meaning.stands_for]
            new.append((number, int(meaning.role), is_time))
        self._meanings = np.concatenate([self._meanings, np.array(new, np.int32)])

    def _is_time(self, predicate: str) -> bool:
        return self.time_predicates.role_of(predicate) is not None or predicate == TIME_VALUE

    def predicate_number(self, name: str) -> int:
        """Return the number that a predicate has in facts; a new one gets the next number."""
        return self.predicates[name if self._is_time(name) else meaning_of(name).stands_for]


def _schema(name: str) -> dict[str, type[pl.DataType]]:
    return dict.fromkeys(_TABLES[name], pl.Int32)
