"""Write the files of docs/descriptions.md: a made-up league of ball players, told twice."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
_GIVEN = ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ines", "Jon", "Kira", "Leo"]
_FAMILY = [
    "Ash",
    "Birch",
    "Cedar",
    "Elm",
    "Fir",
    "Hazel",
    "Larch",
    "Maple",
    "Oak",
    "Pine",
    "Rowan",
    "Yew",
]
_CITIES = ["Bern", "Cork", "Graz", "Lyon", "Oslo", "Porto"]
_TEAMS = {"HIL": "Hill", "LAK": "Lake", "MIL": "Mill", "ORC": "Orchard"}
_N_PLAYERS = 60


def files() -> dict[str, str]:
    """Return the text of each file by its name."""
    rng = random.Random(7)
    names = rng.sample([(g, f) for g in _GIVEN for f in _FAMILY], _N_PLAYERS)
    people = ["playerID,nameFirst,nameLast,bats,weight,birthCity,birthDate"]
    stints = ["playerID,teamID,yearID,G"]
    players: list[object] = []
    memberships: list[object] = []
    truth = []
    for number, (given, family) in enumerate(names, 1):
        player, other = f"{family.lower()[:4]}{number:02}", f"p/{rng.randrange(10_000, 99_999)}"
        year, city = rng.randrange(1950, 1990), rng.choice(_CITIES)
        day = f"{year}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
        weight = str(rng.randrange(140, 220)) if rng.random() < 0.9 else "NA"
        people.append(f"{player},{given},{family},{rng.choice('LR')},{weight},{city},{day}")
        born = "/".join(reversed(day.split("-")))
        person = {"id": other, "name": {"given": given, "family": family}, "born": born}
        players.append({**person, "birthplace": {"city": city}})
        for season in sorted(rng.sample(range(year + 18, year + 30), 3)):
            team = rng.choice(list(_TEAMS))
            stints.append(f"{player},{team},{season},{rng.randrange(1, 160)}")
            club = f"{_TEAMS[team]} Club"
            memberships.append({"player": other, "club": club, "season": str(season)})
        truth.append(f"{player}\t{other}")
    rng.shuffle(players)
    rng.shuffle(memberships)
    truth += [f"{team}\t{name} Club" for team, name in _TEAMS.items()]
    return {
        "people.csv": "\n".join(people) + "\n",
        "appearances.csv": "\n".join(stints) + "\n",
        "league.json": f'{{"players": {_list(players)}, "memberships": {_list(memberships)}}}\n',
        "truth.tsv": "\n".join([*truth, *(f"{city}\t{city}" for city in _CITIES)]) + "\n",
    }


def _list(records: Sequence[object]) -> str:
    """Return JSON with one record a line."""
    return "[\n" + ",\n".join(json.dumps(record) for record in records) + "\n]"


if __name__ == "__main__":
    for name, text in files().items():
        (HERE / name).write_text(text, encoding="utf-8")
