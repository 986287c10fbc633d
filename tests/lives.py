"""People with facts that can be true only once: born, won a prize, died."""

from __future__ import annotations

from collections.abc import Sequence

import lighttea
from lighttea.results.run import Run
from tests.worlds import Fact, fact_frame

N_PEOPLE = 60
KNUTH, FLOYD = "Donald Knuth", "Robert Floyd"


def person(name: str, born: int, prize: int, died: int | None, number: int) -> list[Fact]:
    """One life: where and when born, where taught, which prize, when died."""
    facts: list[Fact] = [
        (name, "born in", f"town {number % 7}", str(born), str(born)),
        (name, "taught at", f"university {number % 6}", str(born + 30), str(born + 60)),
        (name, "won", f"prize {number % 4}", str(prize), str(prize)),
        (name, "studies", f"field {number % 5}", None, None),
    ]
    if died is not None:
        facts.append((name, "died in", f"town {(number + 3) % 7}", str(died), str(died)))
    return facts


def people() -> list[Fact]:
    """Lives that both graphs tell alike."""
    facts = []
    for number in range(N_PEOPLE):
        born = 1850 + (number * 37) % 97
        facts += person(f"person {number}", born, born + 35 + number % 9, born + 71, number)
    return facts


def right_names(facts: Sequence[Fact]) -> list[Fact]:
    """The facts of the right graph: other names for everything."""
    return [(f"x {a}", f"y {name}", f"x {b}", begin, end) for a, name, b, begin, end in facts]


def align_people(
    left: Sequence[Fact], right: Sequence[Fact], n_free: int = 30, **settings: object
) -> Run:
    """Align both, with all but a few of the common people and all places as seeds."""
    names = {end for fact in people() for end in (fact[0], fact[2])}
    free = {f"person {number}" for number in range(n_free)}
    return lighttea.align(
        fact_frame(*people(), *left),
        fact_frame(*right_names([*people(), *right])),
        seeds=[(name, f"x {name}") for name in sorted(names - free)],
        **{"dim": 64, "rounds": 2, **settings},  # type: ignore[arg-type]
    )


def knuth_and_floyd() -> tuple[list[Fact], list[Fact]]:
    """Two people with the same places, field and prize: born, prized and dead in other years."""
    left = person(KNUTH, 1938, 1974, None, 3)
    return left, person(FLOYD, 1936, 1978, 2001, 3)
