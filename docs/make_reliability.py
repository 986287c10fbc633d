"""The picture of docs/confidence.md: confidence against the share that is right, by overlap.

On made-up graphs whose common facts are thinned out, so anyone can draw it again:

    python docs/make_reliability.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

IMAGES = Path(__file__).parent / "images"
SHARES = (1.0, 0.3, 0.1, 0.03)  # of the facts that both graphs have
ENTITIES, SEEDS = 3000, 60


def main() -> None:
    """Make the graphs, align them, draw the curves and print the table."""
    with tempfile.TemporaryDirectory() as place:
        runs = {share: measure(Path(place), share) for share in SHARES}
    rows = [row for share, run in runs.items() for row in rows_of(share, run)]
    IMAGES.mkdir(exist_ok=True)
    picture = vl_convert.vegalite_to_svg(chart(rows).to_dict())
    (IMAGES / "reliability.svg").write_text(picture)
    for share, run in runs.items():
        sys.stdout.write(table_row(share, run))


def measure(place: Path, share: float) -> dict[str, Any]:
    """Return the figures of one pair of graphs."""
    folder, figures = place / f"common-{share}", place / f"{share}.json"
    sizes = ["--entities", str(ENTITIES), "--seeds", str(SEEDS)]
    lighttea("synth", *sizes, "--common-facts", str(share), "--out", str(folder))
    options = ["--seeds", str(SEEDS), "--runs", "1", "--protocol", "open"]
    lighttea("bench", "run", str(folder), *options, "--json", str(figures))
    run: dict[str, Any] = json.loads(figures.read_text())["per_run"][0]
    return run


def lighttea(*arguments: str) -> None:
    """Run the command of this environment."""
    subprocess.run([sys.executable, "-m", "lighttea", *arguments], check=True, capture_output=True)


def rows_of(share: float, run: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the points of a curve: bins with at least ten links."""
    return [
        {
            "common facts": f"{share:.0%}",
            "confidence": bin_["mean_confidence"],
            "right": bin_["share_right"],
            "links": bin_["n"],
        }
        for bin_ in run["reliability"]
        if bin_["n"] >= 10
    ]


def chart(rows: list[dict[str, Any]]) -> alt.LayerChart:
    """Return one curve for each share of common facts, and the diagonal."""
    axis = alt.Scale(domain=[0, 1])
    curves = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("confidence:Q", scale=axis, title="confidence"),
        y=alt.Y("right:Q", scale=axis, title="share that is right"),
        color=alt.Color("common facts:N", sort=[f"{share:.0%}" for share in SHARES]),
    )
    ends = alt.Data(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}])
    diagonal = alt.Chart(ends).mark_line(strokeDash=[4, 4], color="#888").encode(x="x:Q", y="y:Q")
    points = curves.mark_circle(opacity=0.9).encode(size=alt.Size("links:Q", title="links"))
    return alt.layer(diagonal, curves.mark_line(), points).properties(
        width=420, height=420, background="white"
    )


def table_row(share: float, run: dict[str, Any]) -> str:
    """Return a row of the table in docs/confidence.md."""
    low, high = run["calibration_error_interval"]
    return (
        f"| {share:.0%} | {run['n_links']:,} | {run['mean_confidence'] or 0:.3f} "
        f"| {run['precision']:.3f} | {run['n_confident']:,} "
        f"| {run['confident_precision'] or 0:.3f} "
        f"| {run['calibration_error']:.3f} ({low:.3f} to {high:.3f}) |\n"
    )


if __name__ == "__main__":
    main()
