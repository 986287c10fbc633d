"""How fast dumps are read, and how much memory that takes: Wikidata JSON, events, Neo4j, entities.

`python benchmarks/readers.py` makes a file of each kind and prints facts and literals a second and
the peak memory of a process that reads it. `--rows` says how large the files are, `--kinds` which.
Where orjson is installed, JSON is read with it and without.
The entities of Wikidata have terms in twenty languages, references and links to pages of wikis, as
in its dumps, which make up most of the bytes.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

LANGUAGES = (
    *("en", "de", "fr", "es", "it", "nl", "ru", "ja", "zh", "pt", "pl", "sv", "ar", "fa", "uk"),
    *("cs", "fi", "ko", "he", "tr"),
)
CALENDAR = "http://www.wikidata.org/entity/Q1985727"
_READ = """
import json, resource, sys, time
import lighttea
path, columns = sys.argv[1], sys.argv[2] or None
if sys.argv[3]:
    sys.modules["orjson"] = None
lighttea.graph_from([("a", "r", "b", 1999)])  # libraries are loaded before the clock starts
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
begin = time.process_time()
graph = lighttea.read_graph(path, columns=columns)
seconds = time.process_time() - begin
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
sizes = {"facts": len(graph.facts), "literals": len(graph.attributes)}
print(json.dumps({**sizes, "seconds": seconds, "peak_mib": peak, "base_mib": base}))
"""


def time_snak(number: str, year: int) -> dict[str, Any]:
    """A snak with a year."""
    value = {"time": f"+{year}-00-00T00:00:00Z", "timezone": 0, "before": 0, "after": 0}
    value |= {"precision": 9, "calendarmodel": CALENDAR}
    return snak(number, "time", "time", value)


def item_snak(number: str, item: int) -> dict[str, Any]:
    """A snak whose value is an entity."""
    value = {"entity-type": "item", "numeric-id": item, "id": f"Q{item}"}
    return snak(number, "wikibase-item", "wikibase-entityid", value)


def snak(number: str, datatype: str, kind: str, value: Any) -> dict[str, Any]:
    """A snak as dumps write it."""
    known = {"snaktype": "value", "property": number, "hash": "c9a58c8b37" * 4}
    return {**known, "datavalue": {"value": value, "type": kind}, "datatype": datatype}


def claim(main: dict[str, Any], item: int, qualifiers: list[dict[str, Any]]) -> dict[str, Any]:
    """A statement with a reference, and with qualifiers."""
    made: dict[str, Any] = {"mainsnak": main, "type": "statement", "id": f"Q{item}$0-1-2-3"}
    if qualifiers:
        made["qualifiers"] = {one["property"]: [one] for one in qualifiers}
        made["qualifiers-order"] = [one["property"] for one in qualifiers]
    source: dict[str, Any] = {"hash": "9a24f7c0208b" * 3, "snaks-order": ["P248", "P813"]}
    source["snaks"] = {"P248": [item_snak("P248", 36578)], "P813": [time_snak("P813", 2013)]}
    return {**made, "rank": "normal", "references": [source]}


def wikidata(n_rows: int, rng: np.random.Generator) -> Iterator[str]:
    """A dump: about eight facts and sixty literals for each entity."""
    n_entities = max(n_rows // 8, 2)
    yield "["
    for place in range(n_entities):
        item = place + 1
        tails = (rng.random(7) ** 2 * n_entities).astype(int).tolist()
        years = rng.integers(1900, 2020, 8).tolist()
        claims: dict[str, list[Any]] = {}
        for number, tail in enumerate(tails):
            times = [time_snak("P580", years[number])] * (number % 2)
            main = item_snak(f"P{number * 7 + 1}", tail + 1)
            claims[main["property"]] = [claim(main, item, times)]
        claims["P569"] = [claim(time_snak("P569", years[7]), item, [])]
        for number in range(4):
            text = snak(f"P{900 + number}", "external-id", "string", f"{item * 7 + number:09d}")
            claims[text["property"]] = [claim(text, item, [])]
        terms = {code: {"language": code, "value": f"Name {item} {code}"} for code in LANGUAGES}
        told = {code: {"language": code, "value": f"thing of kind {item % 50}"} for code in terms}
        aliases = {code: [one] for code, one in list(terms.items())[:10]}
        pages = {
            f"{code}wiki": {"site": f"{code}wiki", "title": f"Name {item}", "badges": []}
            for code in LANGUAGES
        }
        entity: dict[str, Any] = {"type": "item", "id": f"Q{item}", "labels": terms}
        entity |= {"descriptions": told, "aliases": aliases, "claims": claims, "sitelinks": pages}
        yield json.dumps(entity, separators=(",", ":")) + "," * (place + 1 < n_entities)
    yield "]"


def icews(n_rows: int, rng: np.random.Generator) -> Iterator[str]:
    """Events as ICEWS lays them out."""
    yield "\t".join(
        [
            *("Event ID", "Event Date", "Source Name", "Source Sectors", "Source Country"),
            *("Event Text", "CAMEO Code", "Intensity", "Target Name", "Target Sectors"),
            *("Target Country", "Story ID", "Sentence Number", "Publisher", "City", "District"),
            *("Province", "Country", "Latitude", "Longitude"),
        ]
    )
    actors = (rng.random((n_rows, 2)) ** 3 * 20_000).astype(int).tolist()
    days = rng.integers(0, 4_000, n_rows).tolist()
    for row, ((source, target), day) in enumerate(zip(actors, days, strict=True)):
        date = str(np.datetime64("2005-01-01") + day)
        yield (
            f"{row}\t{date}\tActor of the world {source}\tGovernment,Elite {source % 40}\tLand "
            f"{source % 200}\tMake a statement\t{source % 250:03d}\t0.0\tActor of the world "
            f"{target}\tParties,Elite {target % 40}\tLand {target % 200}\t{row * 3}\t5\tA daily "
            f"newspaper\tTown\t\tProvince\tLand {target % 200}\t28.6\t77.2"
        )


def apoc(n_rows: int, rng: np.random.Generator) -> Iterator[str]:
    """Nodes and relationships as apoc.export.json writes them, a node for five relationships."""
    n_nodes = max(n_rows // 5, 2)
    for node in range(n_nodes):
        properties = {"name": f"Person number {node}", "born": 1900 + node % 100, "code": node * 7}
        yield json.dumps(
            {"type": "node", "id": str(node), "labels": ["Person"], "properties": properties}
        )
    ends = (rng.random((n_rows, 2)) ** 2 * n_nodes).astype(int).tolist()
    for row, (start, end) in enumerate(ends):
        yield json.dumps(
            {
                "id": str(row),
                "type": "relationship",
                "label": f"KNOWS_{row % 30}",
                "properties": {"since": f"{1990 + row % 30}-05-06", "weight": row % 9},
                "start": {"id": str(start), "labels": ["Person"]},
                "end": {"id": str(end), "labels": ["Person"]},
            }
        )


def followthemoney(n_rows: int, rng: np.random.Generator) -> Iterator[str]:
    """Persons, companies, and ownerships between them, one entity for five of these."""
    n_entities = max(n_rows // 5, 2)
    for place in range(n_entities):
        properties = {"name": [f"Person number {place}", f"P. {place}"], "country": ["gb"]}
        properties |= {"birthDate": [f"{1900 + place % 90}-05-06"], "idNumber": [str(place * 7)]}
        yield json.dumps({"id": f"e-{place}", "schema": "Person", "properties": properties})
    ends = (rng.random((n_rows, 2)) ** 2 * n_entities).astype(int).tolist()
    for row, (owner, asset) in enumerate(ends):
        dates = {"startDate": [f"{1990 + row % 30}-05-06"], "endDate": [f"{2020 + row % 5}"]}
        own = {"owner": [f"e-{owner}"], "asset": [f"e-{asset}"], **dates}
        yield json.dumps({"id": f"o-{row}", "schema": "Ownership", "properties": own})


KINDS: dict[str, tuple[Callable[[int, np.random.Generator], Iterator[str]], str, str]] = {
    "wikidata": (wikidata, "dump.json", ""),
    "icews": (icews, "events.tab", "icews"),
    "neo4j": (apoc, "graph.json", ""),
    "followthemoney": (followthemoney, "entities.json", ""),
}


def measure(path: Path, columns: str, *, without_orjson: bool = False) -> str:
    """Read a file in a process of its own; return the figures as a sentence."""
    done = subprocess.run(
        [sys.executable, "-c", _READ, str(path), columns, "1" * without_orjson],
        check=True,
        capture_output=True,
        text=True,
    )
    one = json.loads(done.stdout)
    rows = one["facts"] + one["literals"]
    return (
        f"{one['facts']:,} facts and {one['literals']:,} literals in {one['seconds']:.1f} s "
        "of processor time: "
        f"{one['facts'] / one['seconds']:,.0f} facts and {rows / one['seconds']:,.0f} rows a "
        f"second, {path.stat().st_size / 2**20 / one['seconds']:,.0f} MiB a second; peak "
        f"{one['peak_mib']:,.0f} MiB, of which {one['peak_mib'] - one['base_mib']:,.0f} MiB are "
        f"the graph's"
    )


def main() -> None:
    """Write the files, read them, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="facts in each file, about")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--runs", type=int, default=1)
    given = parser.parse_args()
    has_orjson = importlib.util.find_spec("orjson") is not None
    with tempfile.TemporaryDirectory() as folder:
        for kind in given.kinds:
            make, name, columns = KINDS[kind]
            path = Path(folder) / name
            with path.open("w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in make(given.rows, np.random.default_rng(0)))
            print(f"{kind}: {path.stat().st_size / 2**20:,.0f} MiB")
            parsers = [False, True] if has_orjson and path.suffix == ".json" else [False]
            for without_orjson in parsers * given.runs:
                words = "  without orjson: " if without_orjson else "  "
                print(words + measure(path, columns, without_orjson=without_orjson), flush=True)


if __name__ == "__main__":
    main()
