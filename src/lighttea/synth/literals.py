"""Made-up literals: names, phone numbers and birth years, written in another way on each side.

Several entities may have the same name. On the left a name is in two attributes, on the right in
one, family name first, sometimes with a letter missing. Further sides are like the right one.
Both ids of an entity that is there twice have its literals, each but for some.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from lighttea.synth.sides import LAST_YEAR, Side, make_rng
from lighttea.synth.world import LEFT, World
from lighttea.types import Ints

_LITERALS = 9  # the generator of this purpose
_FIRST = ("Ba", "Da", "Fe", "Go", "Ha", "Jo", "Ka", "Li", "Mo", "Na", "Pe", "Ro", "Sa", "Te", "Vi")
_MIDDLE = ("lan", "mer", "nis", "ran", "sel", "tin", "vol", "wen", "bor", "dek", "gar", "hul")
_LAST = ("a", "berg", "dt", "er", "in", "ley", "man", "o", "sen", "ska", "son", "y")
_AREAS, _GROUPS, _NUMBERS = 800, 1000, 10_000  # of a phone number
_YEARS = 120  # in which entities were born
_LOST = 0.3  # literals that an id of an entity that is there twice does not have


def make_literals(world: World, side: Side) -> pl.DataFrame:
    """Return entity, attribute and value of all literals of a side, in random order."""
    first, second = (np.flatnonzero(ids >= 0) for ids in (side.entity_id, side.second_id))
    members = np.concatenate([first, second])
    rng = make_rng(world.config, _LITERALS)  # the same for both sides, up to the typos
    n_world = len(side.entity_id)
    given, family = (_draw_words(n_world, rng)[members.tolist()] for _ in range(2))
    phone = [rng.integers(0, n, n_world)[members] for n in (_AREAS, _GROUPS, _NUMBERS)]
    born = LAST_YEAR - rng.integers(0, _YEARS, n_world)[members]
    own = make_rng(world.config, _LITERALS, side.side)
    if side.side == LEFT:
        values = {"given name": given, "family name": family, "phone": _write_phone(phone, "-")}
    else:
        whole = _with_typos(family, world.config.typo_rate, own) + ", " + given
        values = {"name": whole, "telephone": _write_phone(phone, "/")}
    values["born" if side.side == LEFT else "year of birth"] = pl.Series(born).cast(pl.String)
    entity = pl.Series(np.concatenate([side.entity_id[first], side.second_id[second]]))
    rows = pl.concat(
        pl.DataFrame({"entity": entity, "value": value}).select(
            "entity", pl.lit(attribute).alias("attribute"), "value"
        )
        for attribute, value in values.items()
    )
    rows = rows.select(pl.all().gather(own.permutation(len(rows))))
    if not len(second):
        return rows
    twice = np.concatenate([side.entity_id[second], side.second_id[second]])
    lost = rows["entity"].is_in(twice.tolist()) & pl.Series(own.random(len(rows)) < _LOST)
    return rows.filter(~lost)


def _draw_words(n: int, rng: np.random.Generator) -> pl.Series:
    """Return n words of three syllables; some are more common than others."""
    syllables = (
        pl.Series(choices).gather((rng.random(n) ** 1.5 * len(choices)).astype(np.int64))
        for choices in (_FIRST, _MIDDLE, _LAST)
    )
    first, middle, last = syllables
    return first + middle + last


def _write_phone(parts: Sequence[Ints], separator: str) -> pl.Series:
    """Return phone numbers such as 213-467-1108 or 213/467-1108."""
    area, group, number = (
        pl.Series(part).cast(pl.String).str.zfill(width)
        for part, width in zip((200 + parts[0], *parts[1:]), (3, 3, 4), strict=True)
    )
    return area + separator + group + "-" + number


def _with_typos(words: pl.Series, share: float, rng: np.random.Generator) -> pl.Series:
    """Return the words, that share of them without one of their letters."""
    place = rng.integers(1, 4, len(words))
    shorter = pl.col("word").str.slice(0, pl.col("place")) + pl.col("word").str.slice(
        pl.col("place") + 1
    )
    table = pl.DataFrame({"word": words, "place": place, "wrong": rng.random(len(words)) < share})
    chosen = pl.when("wrong").then(shorter).otherwise("word")
    return table.select(word=chosen)["word"]
