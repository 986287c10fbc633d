"""How fast the reconciliation service answers, how much memory it takes, and how long it prepares.

`python benchmarks/serve.py` makes up a graph of 100,000 entities with names and prints processor
milliseconds by kind of question, queries a second of one processor, and memory. `--entities` says
how large the graph is, `--questions` how many of each kind are asked, `--http` asks through a
server on 127.0.0.1 too.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

import psutil
import uvicorn

from lighttea.graph.facts import Graph
from lighttea.io.benchmark import read_dataset
from lighttea.serve.answers import SUGGESTIONS, suggest_entities
from lighttea.serve.catalogue import Catalogue
from lighttea.serve.guard import ServiceGuard
from lighttea.serve.limits import Deadline, Limits
from lighttea.serve.matching import Matcher
from lighttea.serve.queries import Condition, Query, Value
from lighttea.serve.server import server_settings
from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth
from lighttea.web.hosts import OwnHost
from lighttea.web.sockets import listen

BATCH = 10


@dataclass(frozen=True)
class Row:
    """A row of a client: the entity, its name, and one of its facts."""

    entity: int
    name: str
    relation: str
    value: str


def make_graph(entities: int) -> Graph:
    """Return the right side of a made-up pair, whose entities have whole names."""
    with tempfile.TemporaryDirectory() as folder:
        write_synth(Path(folder) / "pair", SynthConfig(entities=entities, literals=True))
        return read_dataset(Path(folder) / "pair").right


def index_mib(graph: Graph) -> float:
    """Return the memory that the indexes take beside the graph."""
    tracemalloc.start()
    catalogue = Catalogue(graph)
    catalogue.prepare()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken / 2**20


def draw_rows(catalogue: Catalogue, n: int, rng: random.Random) -> list[Row]:
    """Return rows about entities of the graph that have a fact, with one of their names."""
    graph, index = catalogue.graph, catalogue.names
    rows: list[Row] = []
    shown = set(graph.entity_names.values()) | set(graph.entities)
    while len(rows) < n:
        place = rng.randrange(len(index.texts))
        entity = int(index.owner[place])
        facts = [s for s in catalogue.all_statements(entity, 5) if s.relation is not None]
        facts = [s for s in facts if not s.is_inverse]
        if facts and index.texts[place] not in shown:
            fact = rng.choice(facts)
            relation = graph.relations[fact.relation or 0]
            rows.append(Row(entity, index.texts[place], relation, catalogue.value_text(fact)))
    return rows


def misspell(name: str, rng: random.Random) -> str:
    """Return a name with two neighbouring letters swapped."""
    place = rng.randrange(1, max(len(name) - 2, 2))
    return name[:place] + name[place + 1 : place + 2] + name[place] + name[place + 2 :]


def measure(ask: Callable[[Row], bool], rows: Sequence[Row]) -> tuple[float, float]:
    """Return processor milliseconds a question, and the share of right answers."""
    begin = time.process_time()
    right = sum(ask(row) for row in rows)
    return 1e3 * (time.process_time() - begin) / len(rows), right / len(rows)


def questions(catalogue: Catalogue, rng: random.Random) -> dict[str, Callable[[Row], bool]]:
    """Return the kinds of questions; each says whether the right entity came first."""
    matcher = Matcher(catalogue, Limits())

    def is_first(query: Query, row: Row) -> bool:
        found = matcher.match(query, Deadline(60))
        return bool(found) and found[0].entity == row.entity

    def with_property(row: Row) -> bool:
        condition = Condition(row.relation, (Value(row.value),))
        return is_first(Query(misspell(row.name, rng), (condition,)), row)

    return {
        "name": lambda row: is_first(Query(row.name), row),
        "misspelt name": lambda row: is_first(Query(misspell(row.name, rng)), row),
        "misspelt name and a property": with_property,
        "suggest, three letters": lambda row: bool(
            suggest_entities(catalogue, row.name[:3], slice(SUGGESTIONS))["result"]
        ),
        "suggest, one letter": lambda row: bool(
            suggest_entities(catalogue, row.name[:1], slice(SUGGESTIONS))["result"]
        ),
    }


def measure_http(catalogue: Catalogue, rows: Sequence[Row]) -> float:
    """Return queries a second through a server of this process, in batches of ten."""
    listening = listen("127.0.0.1", 0)
    own_host = OwnHost("127.0.0.1", listening.getsockname()[1])
    guard = ServiceGuard(own_host, Limits(rate=1e6))
    server = uvicorn.Server(server_settings(catalogue, guard))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    begin = time.process_time()
    for start in range(0, len(rows), BATCH):
        batch = {str(i): {"query": row.name} for i, row in enumerate(rows[start : start + BATCH])}
        body = urlencode({"queries": json.dumps(batch)}).encode()
        with urlopen(f"{own_host.address}/", body) as answer:
            json.load(answer)
    seconds = time.process_time() - begin
    server.should_exit = True
    thread.join()
    return len(rows) / seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--http", action="store_true")
    options = parser.parse_args()
    rng, graph = random.Random(0), make_graph(options.entities)
    taken = index_mib(graph)
    begin = time.process_time()
    catalogue = Catalogue(graph)
    catalogue.prepare()
    seconds = time.process_time() - begin
    print(f"{len(graph.entities):,} entities, {len(graph.facts):,} facts, ", end="")
    print(f"{len(graph.attributes):,} literals, {len(catalogue.names.texts):,} names")
    print(f"preparing: {seconds:.1f} s of processor time; the indexes take {taken:.0f} MiB")
    rows = draw_rows(catalogue, options.questions, rng)
    print("\n| question | ms | a second | right first |\n|---|---|---|---|")
    for name, ask in questions(catalogue, rng).items():
        ms, right = measure(ask, rows)
        print(f"| {name} | {ms:.2f} | {1e3 / ms:,.0f} | {right:.3f} |")
    if options.http:
        print(f"\nthrough HTTP, batches of {BATCH}: {measure_http(catalogue, rows):,.0f} a second")
    print(f"\n{psutil.Process().memory_info().rss / 2**20:.0f} MiB in all")


if __name__ == "__main__":
    main()
