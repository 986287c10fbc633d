"""Facts, literals and nodes of a file that is read piece by piece: numbers, not texts, are kept.

A fact costs 24 bytes, a literal 24, and each distinct name, time and value once its text. Names and
times are checked at the end, each once.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from lighttea.errors import SHOWN_PROBLEMS, InputError
from lighttea.graph.facts import Facts, Graph
from lighttea.graph.timeline import UNKNOWN, distinct_instants
from lighttea.io.assemble import Literals, Numbering, assemble
from lighttea.io.frames import LINE, note_missing_days
from lighttea.io.lines import file_digest
from lighttea.io.literals import codes_of
from lighttea.io.problems import Problems
from lighttea.io.times import ParsedTimes, is_unknown, parse_instants
from lighttea.types import Bools, Ints

_FORBIDDEN = re.compile(r"[\t\r\n\0]")  # in a name they would break the lines of links.tsv
_COLUMNS = ("head", "relation", "tail", "begin", "end", "line")


class TimeNumbering(dict[str | None, int]):
    """Time texts and their numbers; -1 for texts that mean unknown."""

    def __init__(self) -> None:
        self.texts = Numbering()

    def __missing__(self, text: str | None) -> int:
        unknown = text is None or is_unknown(text)
        number = self[text] = UNKNOWN if unknown else self.texts[str(text).strip()]
        return number


class _Table:
    """Rows of numbers that grow one by one or many at once."""

    def __init__(self) -> None:
        self._numbers = array("i")
        self.add = self._numbers.extend  # takes a row of six numbers

    def extend(self, *columns: Ints) -> None:
        """Add many rows."""
        rows = np.column_stack(columns).astype(np.int32)  # (n_rows, 6)
        self._numbers.frombytes(rows.tobytes())

    def cut(self, size: int) -> None:
        """Take back all rows but the first ones."""
        del self._numbers[len(_COLUMNS) * size :]

    def columns(self) -> dict[str, Ints]:
        """Return the columns by name."""
        rows = np.frombuffer(self._numbers, np.int32).reshape(-1, len(_COLUMNS))
        return {name: rows[:, place] for place, name in enumerate(_COLUMNS)}

    def __len__(self) -> int:
        return len(self._numbers) // len(_COLUMNS)


class GraphRows:
    """The facts, literals and nodes of one file, as they come."""

    def __init__(self, path: Path, problems: Problems) -> None:
        self.path = path
        self.problems = problems
        self.notes: list[str] = []
        self.names: dict[str, str] = {}
        self._nodes, self._relations, self._times = Numbering(), Numbering(), TimeNumbering()
        self._values: dict[tuple[str, str, str], int] = {}
        self._facts, self._literals = _Table(), _Table()
        self._standing = array("i")

    def __len__(self) -> int:
        return len(self._facts) + len(self._literals)

    @property
    def entities(self) -> Mapping[str, int]:
        """All entities so far and their numbers."""
        return self._nodes

    def mark(self) -> tuple[int, int, int]:
        """Return how much there is, for `take_back`."""
        return len(self._facts), len(self._literals), len(self._standing)

    def take_back(self, mark: tuple[int, int, int]) -> None:
        """Take back all that was added since a mark."""
        self._facts.cut(mark[0])
        self._literals.cut(mark[1])
        del self._standing[mark[2] :]

    def is_empty(self) -> bool:
        """Whether there is neither a fact nor a literal nor a node."""
        return not len(self) and not self._standing

    def add_problem(self, line: int, description: str) -> None:
        """Count a wrong line; many of them without a right one are an error."""
        self.problems.add(f"{self.path}:{line}: {description}")
        self.problems.give_up(found_any=not self.is_empty())

    def add_node(self, line: int, entity: str, name: str | None = None) -> bool:
        """Add an entity and what a person reads for it; return whether its id may be one."""
        if not entity.isprintable() and _FORBIDDEN.search(entity):
            self.add_problem(
                line, "the id of a node must not contain a tab or a line break or a NUL"
            )
            return False
        self._standing.append(self._nodes[entity])
        if name and name.strip():
            self.names.setdefault(entity, " ".join(name.split()))
        return True

    def add_fact(
        self,
        line: int,
        head: str,
        relation: str,
        tail: str,
        begin: str | None = None,
        end: str | None = None,
        time: str | None = None,
    ) -> None:
        """Add a fact; a point in time counts where there is neither a begin nor an end."""
        first, last = self._span(begin, end, time)
        nodes = self._nodes
        self._facts.add((nodes[head], self._relations[relation], nodes[tail], first, last, line))

    def add_literal(
        self,
        line: int,
        entity: str,
        attribute: str,
        value: str,
        datatype: str = "",
        language: str = "",
        begin: str | None = None,
        end: str | None = None,
        time: str | None = None,
    ) -> None:
        """Add a literal of an entity."""
        first, last = self._span(begin, end, time)
        key = (value, datatype, language)
        place = self._values.setdefault(key, len(self._values))
        head, relation = self._nodes[entity], self._relations[attribute]
        self._literals.add((head, relation, place, first, last, line))

    def add_frame(self, frame: pl.DataFrame) -> None:
        """Add the facts of a table of texts: line, head, relation, tail and time or begin, end."""
        times = {
            name: _codes(self._times, frame[name]) if name in frame.columns else None
            for name in ("begin", "end", "time")
        }
        unknown = np.full(len(frame), UNKNOWN, np.int32)
        begin, end, time = (unknown if codes is None else codes for codes in times.values())
        no_interval = (begin == UNKNOWN) & (end == UNKNOWN)
        self._facts.extend(
            _codes(self._nodes, frame["head"]),
            _codes(self._relations, frame["relation"]),
            _codes(self._nodes, frame["tail"]),
            np.where(no_interval, time, begin),
            np.where(no_interval, time, end),
            frame[LINE].cast(pl.Int32).to_numpy(),
        )

    def add_literal_frame(self, literals: pl.DataFrame) -> None:
        """Add literals without time: entity, attribute and value as texts."""
        size = len(literals)
        unknown = np.full(size, UNKNOWN, np.int32)
        values = self._values
        places = (values.setdefault((t, "", ""), len(values)) for t in literals["value"])
        self._literals.extend(
            _codes(self._nodes, literals["entity"]),
            _codes(self._relations, literals["attribute"]),
            np.fromiter(places, np.int32, size),
            unknown,
            unknown,
            np.zeros(size, np.int32),
        )

    def graph(self, *, only_of_facts: bool = False, references: bool = False) -> Graph:
        """Return the graph; rows with wrong names or times become problems.

        `only_of_facts` leaves out literals of entities without facts. With `references`, attributes
        whose values are all ids of nodes in the file are relations.
        """
        parsed = parse_instants(self._times.texts)
        facts, literals = self._facts.columns(), self._literals.columns()
        if references:
            facts, literals = self._with_references(facts, literals)
        facts = self._without_wrong_names(facts, ("head", "relation", "tail"))
        facts = self._without_wrong_times(facts, parsed)
        if only_of_facts:
            of_facts = np.union1d(facts["head"], facts["tail"])
            literals = _keep(literals, np.isin(literals["head"], of_facts))
        literals = self._without_wrong_names(literals, ("head", "relation"))
        literals = self._without_wrong_times(literals, parsed)
        self.problems.check()
        if self.problems.total and not len(facts["head"]) and not len(literals["head"]):
            raise self.problems.refusal()
        instants, code = distinct_instants(parsed.instants)
        codes = np.full(len(self._times.texts) + 1, UNKNOWN, np.int32)  # the last for unknown
        codes[:-1][[text not in parsed.problems for text in self._times.texts]] = code
        own = self._distinct_literals(literals)
        texts, datatypes, languages = zip(*self._values, strict=True) if self._values else ((),) * 3
        return assemble(
            self._nodes,
            self._relations,
            _facts(facts, codes),
            instants,
            names=self.names,
            predicate_names={},
            source=str(self.path),
            digest=file_digest(self.path),
            notes=(
                *self.problems.notes(),
                *self.notes,
                *note_missing_days(parsed.taken_as_month),
            ),
            literals=Literals(_facts(own, codes), texts, datatypes, languages),
            standing=np.frombuffer(self._standing, np.int32),
        )

    def _with_references(
        self, facts: dict[str, Ints], literals: dict[str, Ints]
    ) -> tuple[dict[str, Ints], dict[str, Ints]]:
        """Return facts and literals; attributes all of whose values are nodes become relations."""
        standing = set(self._standing)
        nodes = (self._nodes.get(text, UNKNOWN) for text, _, _ in self._values)
        node = np.fromiter((n if n in standing else UNKNOWN for n in nodes), np.int32)
        is_node = node[literals["tail"]] != UNKNOWN
        others = np.bincount(literals["relation"][~is_node], minlength=len(self._relations))
        refers = (others == 0)[literals["relation"]]
        if not refers.any():
            return facts, literals
        named = _keep(literals, refers)
        named["tail"] = node[named["tail"]]
        both = {name: np.concatenate([facts[name], named[name]]) for name in facts}
        return both, _keep(literals, ~refers)

    def _span(self, begin: str | None, end: str | None, time: str | None) -> tuple[int, int]:
        times = self._times
        first, last = times[begin], times[end]
        if first == last == UNKNOWN:
            first = last = times[time]
        return first, last

    def _without_wrong_names(
        self, rows: dict[str, Ints], columns: Sequence[str]
    ) -> dict[str, Ints]:
        """Return the rows whose names fit into one field of one line; others become problems."""
        checks = {
            "be empty": lambda name: not name.strip(),
            "contain a tab or a line break or a NUL": lambda name: bool(_FORBIDDEN.search(name)),
        }
        for rule, is_wrong in checks.items():
            wrong_nodes = np.fromiter(map(is_wrong, self._nodes), bool, len(self._nodes))
            wrong_relations = np.fromiter(
                map(is_wrong, self._relations), bool, len(self._relations)
            )
            if not wrong_nodes.any() and not wrong_relations.any():
                continue
            marks = {
                name: (wrong_relations if name == "relation" else wrong_nodes)[rows[name]]
                for name in columns
            }
            rows = self._without_marked(rows, marks, rule)
        return rows

    def _without_marked(
        self, rows: dict[str, Ints], marks: Mapping[str, Bools], rule: str
    ) -> dict[str, Ints]:
        wrong = np.logical_or.reduce(list(marks.values()))
        first = [
            f"{self.path}:{rows['line'][row]}: "
            f"{' and '.join(name for name, mark in marks.items() if mark[row])} must not {rule}"
            for row in np.flatnonzero(wrong)[:SHOWN_PROBLEMS].tolist()
        ]
        self.problems.add_many(first, total=int(wrong.sum()))
        return _keep(rows, ~wrong)

    def _without_wrong_times(self, rows: dict[str, Ints], parsed: ParsedTimes) -> dict[str, Ints]:
        """Return the rows whose times are understood; the others become problems."""
        if not parsed.problems:
            return rows
        texts = list(self._times.texts)
        is_wrong = np.array([*(text in parsed.problems for text in texts), False])
        marks = [is_wrong[rows[name]] for name in ("begin", "end")]
        wrong = marks[0] | marks[1]
        first = []
        for row in np.flatnonzero(wrong)[:SHOWN_PROBLEMS].tolist():
            text = texts[rows["begin" if marks[0][row] else "end"][row]]
            problem = f"{parsed.problems[text]}, or ~ for unknown"
            first.append(f"{self.path}:{rows['line'][row]}: {problem}")
        self.problems.add_many(first, total=int(wrong.sum()))
        return _keep(rows, ~wrong)

    def _distinct_literals(self, rows: dict[str, Ints]) -> dict[str, Ints]:
        """Return the literals with a text, equal ones once; the notes count the others."""
        has_text = np.fromiter((bool(text.strip()) for text, _, _ in self._values), bool)
        kept = rows if has_text.all() else _keep(rows, has_text[rows["tail"]])
        columns = _COLUMNS[:-1]
        frame = pl.DataFrame({name: kept[name] for name in columns})
        distinct = frame.unique(maintain_order=True)
        n_empty, n_repeated = len(rows["head"]) - len(frame), len(frame) - len(distinct)
        self.notes += [f"{n_empty:,} empty literals left out"] * bool(n_empty)
        if n_repeated:
            self.notes.append(f"{n_repeated:,} duplicate literals, counted once")
        return {name: distinct[name].to_numpy() for name in columns}


def _codes(numbering: Mapping[str, int] | Mapping[str | None, int], texts: pl.Series) -> Ints:
    """Return the number of each text; each distinct one is looked up once."""
    distinct = texts.unique(maintain_order=True)
    numbers = np.fromiter(map(numbering.__getitem__, distinct.to_list()), np.int32, len(distinct))
    known = distinct.drop_nulls()
    places = codes_of(texts, known)
    of_null = UNKNOWN if len(known) == len(distinct) else numbers[distinct.is_null().arg_max()]
    numbers = numbers[distinct.is_not_null().to_numpy()]
    return np.where(places == UNKNOWN, of_null, numbers[places]).astype(np.int32)


def _keep(rows: Mapping[str, Ints], mark: Bools) -> dict[str, Ints]:
    return {name: column[mark] for name, column in rows.items()}


def _facts(rows: Mapping[str, Ints], codes: Ints) -> Facts:
    """Return rows as facts; times are numbers of texts, -1 for unknown."""
    head, relation, tail = (rows[name] for name in ("head", "relation", "tail"))
    return Facts(head, relation, tail, codes[rows["begin"]], codes[rows["end"]])


def nothing_found(path: Path, expected: str, problems: Problems) -> InputError:
    """Return the error for a file without a fact and without a literal."""
    if problems.total:
        return problems.refusal()
    return InputError(f"{path}: no facts; expected {expected}")
