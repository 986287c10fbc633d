"""Run the notebooks of docs/notebooks, and write what they print and draw into them.

    make notebooks                             # or: python docs/make_notebooks.py
    python docs/make_notebooks.py --check      # say whether they print what they printed before

Needs `pip install "lighttea[docs]"`. The site shows the notebooks as they were last run.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent / "notebooks"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def executed(path: Path) -> Any:
    """Return a notebook after a run in an empty folder, without what differs from run to run."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell["id"], cell["metadata"] = f"cell-{number}", {}
        if "outputs" in cell:
            cell["outputs"] = [output for output in cell["outputs"] if not is_progress(output)]
    return notebook


def is_progress(output: Any) -> bool:
    """Whether an output is the line that shows how far an alignment is, and its seconds."""
    return str(output.get("data", {}).get("text/plain", "")).startswith("aligned in ")


def printed(notebook: Any) -> list[str]:
    """Return the text of all outputs, pictures aside."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    data = [output.get("data", {"text/plain": output.get("text", "")}) for output in outputs]
    return [str(x.get("text/plain", "")) for x in data if "image/svg+xml" not in x]


def same(now: str, then: str) -> bool:
    """Whether two texts have the same words, and numbers that differ by rounding alone."""
    if NUMBER.sub("#", now) != NUMBER.sub("#", then):
        return False
    pairs = zip(NUMBER.findall(now), NUMBER.findall(then), strict=True)
    return all(abs(float(a) - float(b)) <= (0.02 if "." in a else 1) for a, b in pairs)


def main(arguments: list[str]) -> int:
    """Run all notebooks; write them, or compare."""
    stale = []
    for path in sorted(FOLDER.glob("*.ipynb")):
        now = executed(path)
        if "--check" not in arguments:
            nbformat.write(now, path)
            continue
        then = printed(nbformat.read(path, as_version=4))
        if len(then) != len(printed(now)) or not all(map(same, printed(now), then)):
            stale.append(path.name)
    if stale:
        sys.stderr.write(f"{', '.join(stale)}: other output than before; run make notebooks\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
