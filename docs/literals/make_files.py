"""Write the files of docs/literals.md: the players of a league, told by two made-up sources."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).parent
_GIVEN = "Ada André Boris Chloé Diego Elif Émile Fatima Greta Hank Ivo Jelena João Kofi Léa Nils"
_FAMILY = "Aaron Brandt Çelik Dvořák Eriksen Fournier Gómez Horvat Ivanov Müller O'Brien Petrov"
_CYRILLIC = {"Ivanov": "Иванов", "Petrov": "Петров", "Boris": "Борис", "Jelena": "Јелена"}
_TEAMS = ("Harbour", "Hill", "Lake", "Mill", "Orchard", "River")
_N_PLAYERS, _N_COMMON = 80, 64  # of each side, and of both
_COLUMNS = ("head", "relation", "tail", "begin", "value")
Row = tuple[str, str, str, str, str]


def files() -> dict[str, str]:
    """Return the text of each file by its name."""
    rng = random.Random(18)
    names = [(given, family) for given in _GIVEN.split() for family in _FAMILY.split()]
    people = [_Player(*name, rng) for name in rng.sample(names, 2 * _N_PLAYERS - _N_COMMON)]
    left, right = people[:_N_PLAYERS], people[-_N_PLAYERS:]
    rng.shuffle(right)
    pairs = [(left.index(p), right.index(p)) for p in left if p in right]
    truth = [f"e{own + 1}\te{other + 1}\n" for own, other in pairs]
    truth += [f"team {team}\t{team} Club\n" for team in _TEAMS]
    return {
        "league.csv": _csv(row for i, p in enumerate(left, 1) for row in p.league_rows(i)),
        "club.csv": _csv(row for i, p in enumerate(right, 1) for row in p.club_rows(i)),
        "truth.tsv": "left\tright\n" + "".join(truth),
    }


class _Player:
    """One player, and how either source writes about them."""

    def __init__(self, given: str, family: str, rng: random.Random) -> None:
        self._given, self._family = given, family
        self._phone = [f"{rng.randrange(10**n):0{n}}" for n in (3, 3, 4)]
        self._height = rng.randint(158, 204)  # centimetres
        self._team, self._year = rng.choice(_TEAMS), rng.randint(2001, 2020)
        self._is_short = rng.random() < 0.2

    def league_rows(self, number: int) -> list[Row]:
        """Given and family name, metres, dashes."""
        values = {
            "given name": self._given,
            "family name": self._family,
            "phone": "-".join(self._phone),
            "height": f"{self._height / 100:.2f} m",
            "row": str(number),
        }
        return _rows(f"e{number}", "plays for", f"team {self._team}", str(self._year), values)

    def club_rows(self, number: int) -> list[Row]:
        """One name, family name first, some in Cyrillic or with an initial; feet, brackets."""
        given, family = (_CYRILLIC.get(n, n) for n in (self._given, self._family))
        values = {
            "name": f"{family}, {given[0] + '.' if self._is_short else given}",
            "telephone": "({}) {}/{}".format(*self._phone),
            "size": f"{self._height / 30.48:.2f} ft",
            "row": str(number),
        }
        return _rows(f"e{number}", "member of", f"{self._team} Club", str(self._year), values)


def _rows(head: str, relation: str, tail: str, begin: str, values: dict[str, str]) -> list[Row]:
    literals = [(head, name, "", "", value) for name, value in values.items()]
    return [(head, relation, tail, begin, ""), *literals]


def _csv(rows: Iterable[Row]) -> str:
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(rows)
    return made.getvalue()


if __name__ == "__main__":
    for name, text in files().items():
        (HERE / name).write_text(text, encoding="utf-8")
