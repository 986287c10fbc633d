"""The runs whose pages `make look` takes pictures of."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import polars as pl

import lighttea
from lighttea.graph.facts import Graph
from lighttea.io.frames import graph_of_frame
from lighttea.results.run import Run
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth

N_LINKS = 50_000  # of the large run, at least
N_ENTITIES = 90
_LARGE = SynthConfig(entities=58_000)
_LONG = "The Entirely Made-Up Society for the Advancement of Long and Unwieldy Labels"
_UNBROKEN = "Madeupwordwithoutanyplacetobreakaline" * 3
_KINDS = (  # of labels: "a made-up example", "an imaginary person" and their like
    "דוגמה בדויה מספר {}",
    "شخص خيالي رقم {}",
    f"{_LONG}, Chapter {{}}, {_LONG}",
    f"{_UNBROKEN}{{}}",
    "דוגמה Example مثال {} (mixed)",
    "Person {}",
)
_RELATIONS = {"r0": "נולד במקום בדוי", "r1": "يعمل في مكان خيالي", "r2": f"is a member of {_LONG}"}
_COLUMNS = dict.fromkeys(("head", "relation", "tail", "begin", "end", "value"), pl.String)
Row = tuple[str, str, str | None, str | None, str | None, str | None]


@dataclass(frozen=True)
class World:
    """A run to make, and the left entity whose pair is shown; None: the first of the queue."""

    make_run: Callable[[], Run] | None = None  # None: that of the pictures in docs
    shown: str | None = None
    is_large: bool = False


def all_worlds() -> dict[str, World]:
    """Return the worlds by the names that they have in the names of pictures."""
    return {
        "example": World(shown="George_Porter"),
        "scripts": World(align_scripts, _identify("left", 2)),
        "large": World(align_large, is_large=True),
    }


def align_scripts() -> Run:
    """Return a run on labels that are long, cannot be broken, or run from right to left."""
    rng = random.Random(7)
    facts = [
        (rng.randrange(N_ENTITIES), f"r{rng.randrange(3)}", rng.randrange(N_ENTITIES), year)
        for year in (rng.randrange(1900, 2000) for _ in range(6 * N_ENTITIES))
    ]
    left, right = (_graph_of(side, facts) for side in ("left", "right"))
    seeds = [(_identify("left", i), _identify("right", i)) for i in range(40, 60)]
    return lighttea.align(left, right, seeds=seeds, min_confidence=0.0)


def _graph_of(side: str, facts: list[tuple[int, str, int, int]]) -> Graph:
    """Return one side: the right one lacks some facts, and some of its years are off."""
    rng = random.Random(side)
    is_right = side == "right"
    kept = [fact for fact in facts if not is_right or rng.random() < 0.9]
    rows = [_fact_row(side, fact, 15 * (is_right and rng.random() < 0.1)) for fact in kept]
    frame = pl.DataFrame([*rows, *_literal_rows(side)], schema=_COLUMNS, orient="row")
    return replace(
        graph_of_frame(frame, source=f"made-up-{side}.tsv"),
        entity_names={_identify(side, i): _label(i, side) for i in range(N_ENTITIES)},
        relation_names=_RELATIONS,
    )


def _fact_row(side: str, fact: tuple[int, str, int, int], n_years_off: int) -> Row:
    head, relation, tail, year = fact
    begin = year + n_years_off
    ids = _identify(side, head), _identify(side, tail)
    return ids[0], relation, ids[1], str(begin), str(begin + 5), None


def _literal_rows(side: str) -> Iterator[Row]:
    """Yield a name, a number and a long text of each entity."""
    for i in range(N_ENTITIES):
        texts = {"name": _label(i, side), "number": f"{7919 * i % 10_007:05d}"}
        texts["remark"] = f"{_LONG}. {_label(i + 1, side)}. " * 4
        for attribute, text in texts.items():
            yield _identify(side, i), attribute, None, None, None, text


def _identify(side: str, number: int) -> str:
    return f"http://{side}.example/a/path/of/some/length/entity#{number}"


def _label(number: int, side: str) -> str:
    label = _KINDS[number % len(_KINDS)].format(number)
    return f"{label} ({side})" if number % 4 == 0 else label


def align_large() -> Run:
    """Return a run with more than 50,000 links."""
    with tempfile.TemporaryDirectory() as folder:
        write_synth(folder, _LARGE)
        dataset = lighttea.read_dataset(folder)
    seeds = dataset.pairs.head(_LARGE.n_seeds)  # they stand first
    left, right = (  # where the files lay says nothing
        replace(graph, source=f"made-up-{side}.tsv")
        for side, graph in (("left", dataset.left), ("right", dataset.right))
    )
    run = lighttea.align(left, right, seeds=seeds, min_confidence=0.0)
    assert run.links.height >= N_LINKS, f"the large run has {run.links.height:,} links"
    return run
