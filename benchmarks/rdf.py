"""How fast a plain N-Triples file is read, and with how much memory.

    python benchmarks/rdf.py                        # 5 million facts, three times
    python benchmarks/rdf.py --facts 500000 --runs 1
    python benchmarks/rdf.py --facts 500000 --literals 3    # of each entity

The file is made up in the layout of a truthy dump: facts stand by subject, objects are skewed, one
line in twenty is a name. Every reading runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ENTITY, RELATION = "http://www.wikidata.org/entity/Q", "http://www.wikidata.org/prop/direct/P"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
FACTS_OF_ONE = 5
_READ = """
import json, resource, sys, time
import lighttea
begin, busy = time.perf_counter(), time.process_time()
graph = lighttea.read_graph(sys.argv[1])
seconds, busy = time.perf_counter() - begin, time.process_time() - busy
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
rows = {"facts": len(graph.facts), "literals": len(graph.attributes)}
print(json.dumps({**rows, "seconds": seconds, "busy": busy, "peak_mib": peak}))
"""


def write_file(path: Path, n_facts: int, n_literals: int = 0, random_seed: int = 0) -> None:
    """A file of so many facts, some names, and so many other literals of each entity."""
    rng = np.random.default_rng(random_seed)
    n_entities = max(n_facts // FACTS_OF_ONE, 2)
    numbers = rng.permutation(np.arange(1, 20 * n_entities, 20))
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, n_facts, 100_000):
            rows = np.arange(first, min(first + 100_000, n_facts))
            head = numbers[rows // FACTS_OF_ONE % n_entities]
            relation = (rng.random(len(rows)) ** 3 * 800).astype(int)
            tail = numbers[(rng.random(len(rows)) ** 2 * n_entities).astype(int)]
            lines = []
            for first_row, h in zip(rows.tolist(), head.tolist(), strict=True):
                if first_row % FACTS_OF_ONE == 0:
                    lines += [
                        f'<{ENTITY}{h}> <{RELATION}9{n}> "id {h * 7 + n}" .\n'
                        for n in range(n_literals)
                    ]
            for h, r, t in zip(head.tolist(), relation.tolist(), tail.tolist(), strict=True):
                lines.append(f"<{ENTITY}{h}> <{RELATION}{r}> <{ENTITY}{t}> .\n")
                if h % 2 and len(lines) % 10 == 0:
                    lines.append(f'<{ENTITY}{h}> <{LABEL}> "the name of {h}"@en .\n')
            file.writelines(lines)


def main() -> None:
    """Write the file, read it a few times, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=5_000_000)
    parser.add_argument("--literals", type=int, default=0, help="of each entity, beside names")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.nt"
        write_file(path, given.facts, given.literals)
        print(f"{path.stat().st_size / 2**20:,.0f} MiB of N-Triples")
        for _ in range(given.runs):
            done = subprocess.run(
                [sys.executable, "-c", _READ, str(path)], check=True, capture_output=True, text=True
            )
            one = json.loads(done.stdout)
            print(
                f"{one['facts']:,} facts and {one['literals']:,} literals in "
                f"{one['seconds']:.1f} s: {one['facts'] / one['seconds']:,.0f} facts a second, "
                f"peak {one['peak_mib']:,.0f} MiB, {one['busy']:.1f} s of processor time"
            )


if __name__ == "__main__":
    main()
