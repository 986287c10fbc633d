"""Entities by what people call them: those that are called so, and those that are spelt alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

import polars as pl

from lighttea.display import Named, isolate, short_form

SUGGESTED = 5  # entities that an error names
_COMPARED_LETTERS = 200  # of each text: comparing takes the product of both lengths
_COMPARED = 200  # that are compared letter by letter
_PIECES = 24  # of a text, at most, by which these are chosen
_SHORT = 8  # letters up to which a piece has two letters, beyond three
_LEAST_ALIKE = 0.6  # share of the letters, as `difflib` counts it
_WITHIN = 0.75  # what a text that holds all of the other counts at least


def fold(texts: pl.Series) -> pl.Series:
    """Return texts to be compared: without case and accents, an underscore as a space."""
    plain = texts.str.normalize("NFKD").str.replace_all(r"\p{Mn}|[\x{2066}-\x{2069}]", "")
    plain = plain.str.to_lowercase().str.replace_all("ß", "ss", literal=True)
    return plain.str.replace_all(r"[\s_]+", " ").str.strip_chars()


def fold_text(text: str) -> str:
    """Return one text to be compared with folded ones."""
    return str(fold(pl.Series([text], dtype=pl.String))[0])


@dataclass(frozen=True, repr=False)
class EntityIndex:
    """The entities of one graph by their names, and by the last parts of their ids."""

    ids: pl.Series
    names: pl.Series  # of these ids; null where there is none

    @classmethod
    def of(cls, entities: Sequence[str], names: Mapping[str, str]) -> EntityIndex:
        """Return the index of entities, of which some have a name; an empty id is left out."""
        ids = [entity for entity in entities if entity]
        own = [names.get(entity) for entity in ids]
        return cls(pl.Series(ids, dtype=pl.String), pl.Series(own, dtype=pl.String))

    @cached_property
    def _folded_names(self) -> pl.Series:
        return fold(self.names)

    @cached_property
    def _folded_ids(self) -> pl.Series:
        """What a person reads for an id without a name, to be compared."""
        return fold(pl.Series([short_form(own) for own in self.ids], dtype=pl.String))

    def find(self, written: str) -> list[str]:
        """Return the ids of the entities that are called so: one, several or none.

        Names that are the same letter by letter come before those that differ in case and accents,
        and these before ids that do.
        """
        folded = fold_text(written)
        if not folded:
            return []
        exact = self.ids.filter(self.names == written).to_list()
        if exact:
            return exact
        named = self.ids.filter(self._folded_names == folded).to_list()
        return named or self.ids.filter(self._folded_ids == folded).to_list()

    def name(self, ids: Iterable[str]) -> list[Named]:
        """Return a few ids with their names."""
        listed = list(ids)
        own = self.names.filter(self.ids.is_in(listed))
        names = dict(zip(self.ids.filter(self.ids.is_in(listed)), own, strict=True))
        return [Named(own_id, names.get(own_id)) for own_id in listed]

    def nearest(self, written: str, n: int = SUGGESTED) -> list[Named]:
        """Return the entities whose names or ids are spelt most alike, the closest first."""
        folded = fold_text(written)
        if not folded or self.ids.is_empty():
            return []
        places = self._places_with_pieces(folded)
        texts = zip(
            places.to_list(),
            self._folded_names.gather(places),
            self._folded_ids.gather(places),
            strict=True,
        )
        scored = [
            (max(_likeness(folded, text or "") for text in own), place) for place, *own in texts
        ]
        best = sorted((-score, place) for score, place in scored if score >= _LEAST_ALIKE)[:n]
        return [Named(self.ids[place], self.names[place]) for _, place in best]

    def _places_with_pieces(self, folded: str) -> pl.Series:
        """Return the places of the entities that have most pieces of a text, few at most."""
        frame = pl.DataFrame({"name": self._folded_names, "id": self._folded_ids})
        pieces = _pieces(folded)
        counts = [
            pl.sum_horizontal(
                pl.col(c).str.contains(p, literal=True).fill_null(False) for p in pieces
            )
            for c in ("name", "id")
        ]
        lengths = [
            (pl.col(c).str.len_chars().cast(pl.Int64) - len(folded)).abs() for c in ("name", "id")
        ]
        return (
            frame.lazy()
            .select(shared=pl.max_horizontal(counts), gap=pl.min_horizontal(lengths))
            .with_row_index("place")
            .filter(pl.col("shared") > 0)
            .sort("shared", "gap", "place", descending=[True, False, False])
            .head(_COMPARED)
            .collect()["place"]
        )


def _pieces(folded: str) -> list[str]:
    """Return runs of letters of a text, evenly spread where it has many."""
    size = min(2 if len(folded) <= _SHORT else 3, len(folded))
    pieces = list(dict.fromkeys(folded[i : i + size] for i in range(len(folded) - size + 1)))
    return pieces[:: -(-len(pieces) // _PIECES)]


def _likeness(folded: str, text: str) -> float:
    """Return how alike two folded texts are, from 0 to 1."""
    folded, text = folded[:_COMPARED_LETTERS], text[:_COMPARED_LETTERS]
    alike = SequenceMatcher(None, folded, text, autojunk=False).ratio()
    is_within = len(folded) > 2 and f" {folded} " in f" {text} "
    return max(alike, _WITHIN * is_within)


# ----------------------------------------------------------------------------------- messages


def quote_entity(entity: Named) -> str:
    """Return an entity for a message: its id in quotes, its name before it where it has one."""
    return repr(entity.id) if entity.name is None else f"{isolate(entity.text)} ({entity.id!r})"


def describe_nearest(entities: Sequence[Named]) -> str:
    """Return the likely entities as the end of a message; empty where none is likely."""
    if not entities:
        return ""
    if len(entities) == 1:
        return f"; did you mean {quote_entity(entities[0])}?"
    return "; did you mean one of these?" + _lines(entities)


def describe_homonyms(written: str, graph: str, ids: Sequence[str], index: EntityIndex) -> str:
    """Return the message for a name that several entities have."""
    n_more = len(ids) - SUGGESTED
    message = f"{written!r} is the name of {len(ids):,} entities of {graph}; give an id"
    rest = f"\n  and {n_more:,} more" * (n_more > 0)
    return f"{message}; did you mean one of these?{_lines(index.name(ids[:SUGGESTED]))}{rest}"


def _lines(entities: Iterable[Named]) -> str:
    return "".join(f"\n  {quote_entity(entity)}" for entity in entities)
