"""Fill in the figures of the preset `best` in README and docs/results.md.

    lighttea bench paper --data DIR --out runs/best --only best --runs 1
    python docs/make_results.py runs/best/results.json [MORE.json...]

`make best` does both. A page marks what is made: <!-- best: DICEWS 200 -->.964<!-- end of best -->
holds Hits@1 of that set and number of seeds; marks of sets that were not measured stay.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", ROOT / "docs" / "results.md")
MARK = re.compile(
    r"(?P<begin><!-- best: (?P<dataset>\S+) (?P<seeds>\d+) -->).*?(?P<end><!-- end of best -->)"
)
Place = tuple[str, int]


def main(arguments: Sequence[str]) -> int:
    """Rewrite the pages by the results named on the command line; return 0."""
    figures: dict[Place, float] = {}
    for path in arguments:
        figures |= read_figures(json.loads(Path(path).read_text(encoding="utf-8")))
    for page in PAGES:
        page.write_text(fill(page.read_text(encoding="utf-8"), figures), encoding="utf-8")
    return 0


def read_figures(results: Mapping[str, object]) -> dict[Place, float]:
    """Return Hits@1 of the preset by dataset and number of seeds."""
    folders = {x["title"]: x["folder"] for x in results["datasets"]}  # type: ignore[attr-defined]
    return {
        (folders[x["dataset"]], x["seeds"]): x["mean"]
        for x in results["figures"]  # type: ignore[attr-defined]
        if x["section"] == "best" and x["metric"] == "hits@1"
    }


def fill(text: str, figures: Mapping[Place, float]) -> str:
    """Return a page with its marked figures as measured."""

    def share(match: re.Match[str]) -> str:
        measured = figures.get((match["dataset"], int(match["seeds"])))
        if measured is None:
            return match[0]
        return f"{match['begin']}{measured:.3f}{match['end']}".replace("-->0.", "-->.")

    return MARK.sub(share, text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
