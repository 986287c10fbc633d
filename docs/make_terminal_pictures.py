"""The pictures of the terminal in README and docs: commands on the bundled example, as SVG."""

from __future__ import annotations

import io
import re
import shutil
import tempfile
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

from rich.console import Console
from rich.text import Text

from lighttea.cli import console, progress, run_command
from lighttea.cli.console import PlainConsole
from lighttea.cli.progress import ConsoleProgress
from lighttea.example import example_file
from lighttea.progress import Costs

IMAGES = Path(__file__).parent / "images"
WIDTH = 84  # columns
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
ALIGN = "lighttea align left.tsv right.csv --seeds seeds.tsv --out runs/first"
PICTURES = {
    "align": ALIGN,
    "inspect": "lighttea inspect left.tsv",
    "explain": "lighttea explain runs/first Giulio_Andreotti",
}


def main(images: Path = IMAGES) -> None:
    """Run each command in a folder with the example; its picture goes into `images`."""
    images = images.absolute()  # the folder changes below
    images.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for name in ("left.tsv", "right.csv", "seeds.tsv"):
            shutil.copy(example_file(name), folder)
        for name, command in PICTURES.items():
            picture_of(name, command, images)
    picture_of_progress(images)


def picture_of(name: str, command: str, images: Path) -> None:
    """Take a picture of a command and what it prints."""
    recorder = recording()
    recorder.print(Text(f"$ {command}", style="bold green"))
    unseen = PlainConsole(quiet=True)  # progress and warnings

    def choose(*, stderr: bool = False, **_: object) -> Console:
        return unseen if stderr else recorder

    with patch.object(console, "PlainConsole", choose):
        assert run_command(command.split()[1:]) == 0
    save(recorder, images / f"terminal-{name}.svg", command)


def picture_of_progress(images: Path) -> None:
    """Take a picture of the bar in the middle of a run."""
    recorder = recording()
    recorder.print(Text(f"$ {ALIGN}", style="bold green"))
    shown = ConsoleProgress(recorder, is_live=True)
    now = [0.0]
    shown._forecast = progress.Forecast(lambda: now[0])  # a clock that is turned by hand
    costs = {"propagate": 10.0, "search": 25.0, "sinkhorn": 10.0}
    shown.expect(Costs({"round 1": costs, "round 2": costs}))
    shown.round_begins(1, 2)
    shown.entered("propagate")
    now[0] = 12.0
    shown.left("propagate", 12.0)
    shown.entered("search")
    now[0] = 31.0
    recorder.print(shown.bar())
    save(recorder, images / "terminal-progress.svg", ALIGN)


def recording() -> Console:
    """Return a console that keeps what it prints."""
    return PlainConsole(record=True, width=WIDTH, force_terminal=True, file=io.StringIO())


def save(recorder: Console, path: Path, title: str) -> None:
    """Write a picture that needs no font of the web."""
    svg = recorder.export_svg(title=title.split(" --", maxsplit=1)[0], unique_id=path.stem)
    text = _FONTS.sub("", svg).replace("Fira Code, monospace", "monospace")
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
