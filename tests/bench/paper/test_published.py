"""The published figures are all there, and typed as printed."""

from __future__ import annotations

from typing import Any

import pytest

from lighttea.bench.paper.published import METRICS, published
from lighttea.bench.paper.sets import known_sets
from lighttea.config import make_config
from lighttea.datasets.registry import REGISTRY

PLACES = [("DICEWS", 1_000), ("DICEWS", 200), ("YAGO-WIKI50K", 5_000), ("YAGO-WIKI50K", 1_000)]
SUPERVISED = [
    *("MTransE", "JAPE", "AlignE", "GCN-Align", "MRAEA", "LightEA*"),
    *("TEA-GNN", "TREA", "STEA*", "LightTEA*"),
]
# the sum of each printed column of Table 2: MRR, Hits@1, Hits@10
SUMS = {
    ("DICEWS", 1_000): (10.853, 10.228, 11.973),
    ("DICEWS", 200): (10.076, 9.473, 11.169),
    ("YAGO-WIKI50K", 5_000): (11.519, 11.062, 12.308),
    ("YAGO-WIKI50K", 1_000): (10.002, 9.520, 10.835),
}


def test_table_2_is_complete() -> None:
    assert list(published().results) == PLACES
    for place, results in published().results.items():
        supervised, semi = results.categories["supervised"], results.categories["semi-supervised"]
        assert list(supervised) == SUPERVISED
        boot = ["BootEA"] if place[0] == "DICEWS" else []  # the paper has a dash elsewhere
        assert list(semi) == [*boot, "RREA", "LightEA", "STEA", "LightTEA"]
        assert list(results.p_values) == ["LightTEA*", "LightTEA"]
        assert all(len(row) == len(METRICS) for _, _, row in results.rows())
        assert all(0 < p < 1e-3 for row in results.p_values.values() for p in row)


@pytest.mark.parametrize("place", PLACES)
def test_table_2_adds_up(place: tuple[str, int]) -> None:
    rows = [figures for _, _, figures in published().results[place].rows()]
    sums = [sum(row[number] for row in rows) for number in range(3)]
    assert sums == pytest.approx(SUMS[place], abs=1e-9)
    for mrr, hits_at_1, hits_at_10 in rows:
        assert hits_at_1 <= mrr <= hits_at_10 <= 1  # whatever the method


def test_the_other_tables_agree_with_table_2() -> None:
    """Their first row, or their bold column, repeats the main result."""
    for place in (("DICEWS", 200), ("YAGO-WIKI50K", 1_000)):
        ablation = published().ablation[place]
        assert ablation["LightTEA"] == published().results[place].figures("LightTEA")
        assert list(ablation) == ["LightTEA", "w/o TLP", "w/o TC", "w/o SO"]
        assert list(published().times[place]) == [
            *("TEA-GNN", "TREA", "LightTEA*", "STEA", "LightTEA")
        ]
    dimensions = published().dimensions["DICEWS", 200]
    for method, by_dimension in dimensions.items():
        assert list(by_dimension) == [64, 128, 256, 512, 1024, 2048]
        figures = published().results["DICEWS", 200].figures(method)
        assert figures is not None
        assert by_dimension[512] == figures[1]
    assert sum(sum(row.values()) for row in dimensions.values()) == pytest.approx(11.416)
    rows = [row for table in published().ablation.values() for row in table.values()]
    assert sum(map(sum, rows)) == pytest.approx(23.263)
    assert sum(sum(times.values()) for times in published().times.values()) == 15_504


def test_table_1_is_the_registry() -> None:
    counted = {"DICEWS": (7_566, 8_366), "YAGO-WIKI50K": (44_172, 48_172)}  # the paper's |C|
    for name, test_pairs in counted.items():
        pairs, seeds = REGISTRY[name].statistics.pairs, known_sets()[name].seeds
        assert pairs is not None
        assert tuple(pairs - n for n in seeds) == test_pairs


def test_the_strongest_baseline_is_of_the_same_category_and_never_ours() -> None:
    results = published().results
    assert results["DICEWS", 1_000].strongest("LightTEA*", "hits@1") == ("STEA*", 0.928)
    assert results["DICEWS", 1_000].strongest("LightTEA*", "hits@10") == ("TREA", 0.966)
    assert results["YAGO-WIKI50K", 5_000].strongest("LightTEA*", "mrr") == ("LightEA*", 0.960)
    assert results["DICEWS", 200].strongest("LightTEA", "mrr") == ("STEA", 0.954)


def test_every_setting_is_of_a_known_dataset_and_makes_a_config() -> None:
    for name, setting in known_sets().items():
        assert name in REGISTRY
        assert setting.study in setting.seeds
        make_config("paper", **setting.options)
        for swept, points in setting.points.items():
            assert list(points) == sorted(set(points))
            for point in points:
                options: dict[str, Any] = {swept: point}
                make_config("paper", **options)
    assert known_sets()["DICEWS"].options == {"alpha": 0.6}
    assert known_sets()["YAGO-WIKI20K"].options == {"temperature": 0.02}


def test_every_figure_from_elsewhere_has_its_place_year_and_source() -> None:
    for one in published().elsewhere:
        assert one.seeds in known_sets()[one.dataset].seeds
        assert 2015 < one.year < 2030
        assert one.source
        assert 0 < one.figures["hits@1"] < 1
    places = [(x.dataset, x.seeds, x.method) for x in published().elsewhere]
    assert len(set(places)) == len(places)
