"""Write the tutorial's files from the bundled example: prize winners, as Turtle and as CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path
from urllib.parse import quote

from lighttea.example import example_file

HERE = Path(__file__).parent
_PEOPLE = "https://people.example/id/"
_PREFIXES = """\
@prefix id: <https://people.example/id/> .
@prefix p: <https://people.example/ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
_TYPES = ("gYear", "gYearMonth", "date")
Fact = tuple[str, str, str, str, str]


def files() -> dict[str, str]:
    """The text of each file by its name."""
    left = _about_winners(_rows("left.tsv", "\t"), "hasWonPrize")
    right = _about_winners(_rows("right.csv", ","), "award received")
    here = ({name for fact in side for name in (fact[0], fact[2])} for side in (left, right))
    known_left, known_right = here
    links = {
        name: [(a, b) for a, b in _links(name) if a in known_left and b in known_right]
        for name in ("seeds.tsv", "truth.tsv")
    }
    texts = {"people.ttl": _turtle(left), "catalogue.csv": _csv(right)}
    for name, rows in links.items():
        lines = [f"{_PEOPLE}{_local(a)}\t{b}\n" for a, b in rows]
        texts[name] = "left\tright\n" + "".join(lines)
    return texts


def _rows(name: str, separator: str) -> list[Fact]:
    with example_file(name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=separator))
    return [(row[0], row[1], row[2], row[3], row[4]) for row in rows[1:]]


def _links(name: str) -> list[tuple[str, str]]:
    lines = example_file(name).read_text(encoding="utf-8").splitlines()[1:]
    return [(a, b) for a, _, b in (line.partition("\t") for line in lines)]


def _about_winners(facts: list[Fact], won: str) -> list[Fact]:
    """The facts of those who won a prize, and where the places among them lie."""
    winners = {fact[0] for fact in facts if fact[1] == won}
    known = {fact[2] for fact in facts if fact[0] in winners}
    kept = [fact for fact in facts if fact[0] in winners or (fact[0] in known and fact[2] in known)]
    return list(dict.fromkeys(kept))


def _turtle(facts: list[Fact]) -> str:
    """Times as annotations, or, where a triple stands once with both ends, as two statements."""
    entities = sorted({name for fact in facts for name in (fact[0], fact[2])})
    labels = [f'id:{_local(e)} rdfs:label "{e.replace("_", " ")}"@en .\n' for e in entities]
    times_told = Counter(fact[:3] for fact in facts)
    parts = [_PREFIXES, "\n", *labels, "\n"]
    for head, relation, tail, begin, end in facts:
        triple = f"id:{_local(head)} p:{relation} id:{_local(tail)}"
        ends = [f"schema:startDate {_time(begin)}"] * bool(begin)
        ends += [f"schema:endDate {_time(end)}"] * bool(end)
        apart = relation == "holdsOffice" and len(ends) == 2
        if apart and times_told[head, relation, tail] == 1:
            parts += [f"{triple} .\n", *(f"<< {triple} >> {one} .\n" for one in ends)]
        else:
            parts.append(f"{triple} {{| {' ; '.join(ends)} |}} .\n" if ends else f"{triple} .\n")
    return "".join(parts)


def _csv(facts: list[Fact]) -> str:
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(("who", "fact", "what", "since", "till"))
    writer.writerows(facts)
    return made.getvalue()


def _local(name: str) -> str:
    """A local name that Turtle takes as it is."""
    return quote(name, safe="").replace(".", "%2E").replace("~", "%7E")


def _time(text: str) -> str:
    return f'"{text}"^^xsd:{_TYPES[text.count("-")]}'


if __name__ == "__main__":
    for name, text in files().items():
        (HERE / name).write_text(text, encoding="utf-8")
