"""How time and memory grow with the number of entities, on made-up graphs; and a plot of it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lighttea.synth.config import SynthConfig
from lighttea.synth.write import write_synth

SETTINGS = ("--protocol", "open")
FEWER = {"paper": ("--top-k", "100")}  # a preset that does not look at size itself
LARGE = 100_000  # entities from which on growth is judged
STAGES = ("propagate", "search")  # shown beside the total
_WIDTH, _HEIGHT = 320, 260


def growth(sizes: Sequence[int], more: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """One run of each size: 5 facts an entity, 1 % seeds, open candidates."""
    for size in sizes:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "made"
            made = write_synth(folder, SynthConfig(entities=size, seeds=max(1, size // 100)))
            result = bench(folder, made.seeds, *SETTINGS, *more)
        facts = made.left_facts + made.right_facts
        yield {"entities": size, "facts": facts, **figures(result)}


def bench(folder: Path, seeds: int, *more: str, out: Path | None = None) -> dict[str, Any]:
    """`bench run` in a process of its own, so that its peak memory is its own."""
    out = out or folder.parent / "result.json"
    words = ["bench", "run", str(folder), "--seeds", str(seeds), "--runs", "1", *more]
    command = [sys.executable, "-m", "lighttea", *words, "--json", str(out)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr.strip() or f"exit {done.returncode}"}
    result: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return result


def figures(result: dict[str, Any]) -> dict[str, Any]:
    """What a run says of itself, in one flat row; whatever numbers it has beside the known ones."""
    if "error" in result:
        return {"error": result["error"]}
    of_run = {n: v for n, v in result["per_run"][0].items() if isinstance(v, int | float | str)}
    del of_run["random_seed"]
    last = result["per_run"][0]["rounds"][-1]
    searched = {"searched": last["search"]}
    searched |= {name: last[name] for name in ("recall_best", "recall_top_k") if name in last}
    memory = {"processor": result["cpu_seconds"], "peak_gib": result["peak_rss_mb"] / 1024}
    return {**result["seconds"], **memory, **searched, **of_run, **result["mean"]}


def exponent(rows: Sequence[dict[str, Any]], name: str, least: int = 0) -> float | None:
    """The slope of a figure over entities, both in logarithms; None for fewer than two sizes."""
    used = [row for row in rows if row["entities"] >= least and row.get(name, 0) > 0]
    if len(used) < 2:
        return None
    x, y = (np.log([row[column] for row in used]) for column in ("entities", name))
    return float(np.polyfit(x, y, 1)[0])


def exponents(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, float | None]]:
    """Of seconds and of memory, over all sizes and over the large ones."""
    return {
        name: {"all": exponent(rows, name), f"from_{LARGE}": exponent(rows, name, LARGE)}
        for name in ("total", *STAGES, "peak_gib")
    }


def write_plot(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Seconds and memory over entities, both axes in logarithms, on a light background."""
    try:
        import altair as alt
        import vl_convert  # noqa: F401 - altair draws with it
    except ImportError:
        sys.stderr.write("no plot: it needs altair and vl-convert-python\n")
        return
    done = [row for row in rows if "error" not in row]
    panels = [
        _panel(alt, _seconds(done), "seconds", f"Seconds{_fit(done, 'total')}"),
        _panel(alt, _memory(done), "GiB", f"Peak memory, GiB{_fit(done, 'peak_gib')}"),
    ]
    chart = alt.hconcat(*panels, spacing=40).resolve_scale(color="independent")
    chart = chart.configure(background="white").configure_axis(gridColor="#e5e5e5")
    path.parent.mkdir(parents=True, exist_ok=True)
    chart.configure_view(stroke=None).save(str(path))


def _fit(rows: Sequence[dict[str, Any]], name: str) -> str:
    """The exponent of the large sizes, or of all, for a title."""
    power = exponent(rows, name, LARGE)
    where = f" from {LARGE:,} on" if power is not None else ""
    power = exponent(rows, name) if power is None else power
    return "" if power is None else f": entities to the power {power:.2f}{where}"


def _seconds(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"entities": row["entities"], "seconds": row[name], "part": name}
        for row in rows
        for name in ("total", *STAGES)
        if row.get(name, 0) > 0
    ]


def _memory(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"entities": row["entities"], "GiB": row["peak_gib"], "part": "peak"} for row in rows]


def _panel(alt: Any, values: list[dict[str, Any]], figure: str, title: str) -> Any:
    parts = list(dict.fromkeys(value["part"] for value in values))
    colours = alt.Scale(domain=parts, range=["#1b1b1b", "#2a6fbb", "#c2571a"][: len(parts)])
    legend = alt.Legend(title=None, orient="top-left") if len(parts) > 1 else None
    return (
        alt.Chart(alt.Data(values=values), title=title)
        .mark_line(point=True)
        .encode(
            x=alt.X("entities:Q", scale=alt.Scale(type="log"), title="entities a side"),
            y=alt.Y(f"{figure}:Q", scale=alt.Scale(type="log"), title=figure),
            color=alt.Color("part:N", scale=colours, legend=legend),
        )
        .properties(width=_WIDTH, height=_HEIGHT)
    )
