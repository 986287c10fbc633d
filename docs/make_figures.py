"""Fill in the figures of README and docs that come from the bundled example and the tutorials.

    make figures            # or: python docs/make_figures.py [PAGE...]

A page marks what is made. Blocks of `sh` and `python` run in their order, in a folder of their own
with the files that the page is about. Then

    <!-- output: lighttea evaluate runs/first --truth truth.tsv -->
    <!-- end of output -->

holds what a command prints, without the lines that differ from run to run; with
`| from: WORDS` behind the command, the paragraph that begins with these words; with
`| before: WORDS`, all that stands before it. `output: python` holds what the last block of Python
prints. And

    <!-- figures: demo --> ... <!-- end of figures -->

holds what a function of `SENTENCES` returns. A test makes all of them again and compares.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import lighttea
from lighttea.cli import run_command
from lighttea.example import example_file

DOCS = Path(__file__).parent
ROOT = DOCS.parent
EXAMPLE = ("left.tsv", "right.csv", "seeds.tsv", "truth.tsv")
# pages that are about other files than those of the bundled example
FOLDERS = {
    "tutorial.md": "tutorial",
    "literals.md": "literals",
    "explain.md": "literals",
    "descriptions.md": "descriptions",
}
OUTPUT = re.compile(
    r"(?P<begin><!-- output: (?P<command>.+?)(?: \| (?P<how>from|before): (?P<words>.+?))? -->\n)"
    r".*?(?P<end><!-- end of output -->)",
    flags=re.S,
)
SENTENCE = re.compile(
    r"(?P<begin><!-- figures: (?P<name>.+?) -->).*?(?P<end><!-- end of figures -->)", flags=re.S
)
BLOCK = re.compile(r"^```(?P<language>sh|python)\n(?P<lines>.*?)^```", flags=re.S | re.M)
WIDTH = {"COLUMNS": "100", "NO_COLOR": "1"}
VARYING = re.compile(r"\d s \(|^report: |peak memory")  # seconds, memory, an optional file


def pages() -> list[Path]:
    """Return the pages that have something to fill in, and all how-to pages: their commands run."""
    paths = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    marked = [path for path in paths if "<!-- end of " in path.read_text(encoding="utf-8")]
    return marked + sorted((DOCS / "howto").glob("*.md"))


def filled(path: Path) -> str:
    """Return the text of a page with all its figures made anew."""
    text = path.read_text(encoding="utf-8")
    with Workshop(path) as workshop:
        for block in BLOCK.finditer(text):
            if block["language"] == "python":
                workshop.run_python(block["lines"])
            else:
                for line in block["lines"].splitlines():
                    workshop.printed(line)
        text = OUTPUT.sub(lambda m: m["begin"] + workshop.shown(m) + m["end"], text)
    return SENTENCE.sub(lambda m: m["begin"] + SENTENCES[m["name"]]() + m["end"], text)


class Workshop:
    """A folder with the files that a page is about, in which its commands run once each."""

    def __init__(self, page: Path) -> None:
        self.page = page
        self.outputs: dict[str, str] = {}
        self.stack = contextlib.ExitStack()

    def __enter__(self) -> Workshop:
        folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        if name := FOLDERS.get(self.page.name):
            shutil.copytree(DOCS / name, folder, dirs_exist_ok=True)
        else:
            for file in EXAMPLE:
                shutil.copy(example_file(file), folder)
        self.stack.enter_context(contextlib.chdir(folder))
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def printed(self, line: str) -> str:
        """Return what a command prints, run at most once."""
        words = shlex.split(line, comments=True)
        command = shlex.join(words)
        if words and command not in self.outputs:
            self.outputs[command] = run(words, self.page)
        return self.outputs.get(command, "")

    def run_python(self, code: str) -> None:
        """Run a block of Python; `output: python` is what the last one prints."""
        command = [sys.executable, "-W", "error", "-c", code]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **WIDTH}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        if done.returncode:
            sys.exit(f"{self.page.name}: its Python fails: {done.stderr}")
        self.outputs["python"] = done.stdout

    def shown(self, match: re.Match[str]) -> str:
        """Return the block of text that a mark asks for."""
        lines = [x for x in self.printed(match["command"]).splitlines() if not VARYING.search(x)]
        text = "\n".join(line.rstrip() for line in lines)
        if match["words"]:
            everything = text.split("\n\n")
            paragraphs = [p for p in everything if p.startswith(match["words"])]
            if not paragraphs:
                begins = [part.splitlines()[0] for part in text.split("\n\n") if part]
                said = f"no paragraph that begins with {match['words']!r}, but {begins}"
                sys.exit(f"{self.page.name}: {match['command']} prints {said}")
            text = paragraphs[0]
            if match["how"] == "before":
                text = "\n\n".join(everything[: everything.index(text)])
        return f"```text\n{text.strip()}\n```\n"


def run(words: list[str], page: Path) -> str:
    """Return what one command of ours prints; a failure ends all."""
    printed, said = io.StringIO(), io.StringIO()
    with plain_terminal(), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
        code = run_command(words[1:])
    if code or words[0] != "lighttea":
        sys.exit(f"{page.name}: {shlex.join(words)} failed: {said.getvalue()}")
    return printed.getvalue()


@contextlib.contextmanager
def plain_terminal() -> Iterator[None]:
    """A terminal of 100 columns without colours."""
    before = dict(os.environ)
    os.environ.update(WIDTH)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


# ---------------------------------------------------------------- sentences


@cache
def demo() -> str:
    """Return what `lighttea demo` prints."""
    with tempfile.TemporaryDirectory() as folder:
        return run(["lighttea", "demo", "--out", f"{folder}/demo"], ROOT / "README.md")


def demo_hits() -> str:
    """Return Hits@1 of the demo, without time, with time, and with names too."""
    ways = ("without time", "with time", "with time and names")
    told = {way: re.search(rf"^{way} +0(\.\d+)", demo(), flags=re.M) for way in ways}
    figures = [match[1] for match in told.values() if match]
    return (
        f"Hits@1 {figures[0]} without time, {figures[1]} with time, "
        f"and {figures[2]} with time and names"
    )


def mistaken_pair() -> str:
    """Return an entity of the demo that is mistaken for another without time."""
    match = re.search(r"For example, (\S+) is \S+ without time it is mistaken for (\S+)\.", demo())
    if match is None:
        sys.exit("the demo names no pair")
    return f"{match[1].replace('_', ' ')} is mistaken for `{match[2]}`"


@cache
def example_run(**settings: object) -> lighttea.Run:
    """Return the run of the bundled example with some settings."""
    left, right = (lighttea.read_graph(example_file(name)) for name in EXAMPLE[:2])
    seeds = lighttea.read_links(example_file("seeds.tsv"))
    return lighttea.align(left, right, seeds=seeds, **settings)  # type: ignore[arg-type]


def n_wrong(links: object) -> int:
    """Return how many links are not in the truth of the example."""
    truth = lighttea.read_links(example_file("truth.tsv"))
    return len(links.join(truth, on=["left", "right"], how="anti"))  # type: ignore[attr-defined]


def contradictions() -> str:
    """Return what the term `contradiction` changes on the example, without names."""
    runs = [example_run(literals=False, contradictions=on) for on in (True, False)]
    told = [f"{n_wrong(r.links)} of {len(r.links)} links are wrong" for r in runs]
    return f"{told[0]} with the term, {told[1]} without it"


def alarms() -> str:
    """Return how many links of the example raise an alarm, and how many of those are wrong."""
    parts = []
    for words, settings in (("", {"literals": False}), ("the preset `paper`", {"preset": "paper"})):
        run = example_run(**settings)
        alarmed = run.links.filter(run.links["alarms"] != "")
        told = f"{len(alarmed)} of {len(run.links)} links have an alarm, and {n_wrong(alarmed)} of"
        told += f" these are wrong ({n_wrong(run.links)} of all links are)"
        parts.append(f"With {words}, {told}." if words else f"Without names, {told}.")
    return "\n".join(parts)


def estimate() -> str:
    """Return how many links of the example are wrong by its own estimate, without names."""
    match = re.search(r"^[\d,]+ links, about .+$", demo(), flags=re.M)
    return f"\n```text\n{match[0]}\n```\n" if match else sys.exit("the demo says no estimate")


SENTENCES: dict[str, Callable[[], str]] = {
    "demo": demo_hits,
    "mistaken": mistaken_pair,
    "contradictions": contradictions,
    "alarms": alarms,
    "estimate": estimate,
}


def main(names: list[str]) -> None:
    """Write the pages, all of them or those that are named."""
    for path in [Path(name) for name in names] or pages():
        path.write_text(filled(path.resolve()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
