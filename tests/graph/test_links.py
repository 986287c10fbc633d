"""Known links: what two sets of them have in common."""

from __future__ import annotations

import numpy as np
import pytest

from lighttea.graph.pair import Links
from lighttea.types import LeftIds, RightIds

Couples = list[tuple[int, int]]


def links_of(*couples: tuple[int, int]) -> Links:
    left, right = np.array(couples, np.int32).reshape(-1, 2).T
    return Links(LeftIds(left), RightIds(right))


def couples_of(links: Links) -> Couples:
    return list(zip(links.left.tolist(), links.right.tolist(), strict=True))


FOUR = links_of((0, 5), (1, 6), (2, 7), (3, 8))
THREE = links_of((2, 7), (1, 9), (0, 5))  # two of them are among the four


def test_the_share_in_others_counts_links_that_are_the_same_on_both_sides() -> None:
    assert FOUR.share_in(THREE) == 2 / 4
    assert THREE.share_in(FOUR) == 2 / 3
    assert Links.none().share_in(FOUR) == FOUR.share_in(Links.none()) == 0


@pytest.mark.parametrize(
    ("share", "agrees"), [(0.0, False), (0.4, False), (0.5, False), (0.6, True)]
)
def test_links_agree_where_less_than_a_share_of_either_is_missing(
    share: float, agrees: bool
) -> None:
    """Half of the four is missing in the three, a third the other way."""
    assert FOUR.agrees_with(THREE, share) == THREE.agrees_with(FOUR, share) == agrees
    assert not Links.none().agrees_with(FOUR, 1.0)
    assert not FOUR.agrees_with(Links.none(), 1.0)


def test_links_are_taken_away_by_their_left_entity_and_put_behind_others() -> None:
    assert couples_of(FOUR.without(THREE)) == [(3, 8)]
    assert couples_of(THREE.extended(FOUR.without(THREE))) == [(2, 7), (1, 9), (0, 5), (3, 8)]
    assert couples_of(FOUR.take(np.array([2, 0]))) == [(2, 7), (0, 5)]


def test_the_digest_knows_sides_and_order() -> None:
    swapped = Links(LeftIds(FOUR.right), RightIds(FOUR.left))
    turned = FOUR.take(slice(None, None, -1))
    assert len({links.digest() for links in (FOUR, swapped, turned)}) == 3
    assert FOUR.digest() == links_of(*couples_of(FOUR)).digest()
