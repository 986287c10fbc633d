"""The report of a run: one self-contained page; needs the extra `report`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from lighttea.display import Named, html_text, visible
from lighttea.errors import EngineUnavailable
from lighttea.inputs.links import LinkTable
from lighttea.io.files import write_whole
from lighttea.io.outputs import writing
from lighttea.kernels.threads import limited_threads, worthwhile_threads
from lighttea.report.blocks import Bar, Heading, Section
from lighttea.report.drawing import page_script
from lighttea.report.figures import TimeFigures
from lighttea.report.overview import Overview, overview_of
from lighttea.report.sections import sections_of
from lighttea.report.theme import INSTALL
from lighttea.results.run import Run

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

FILE = "report.html"
_LONGEST = 12  # letters of a word without a chance to break
_SHORT = 24  # characters that stay on one line where the page is wide
_UNBROKEN = re.compile(r"[^\s/#?&=:;,._-]{25,}")  # nothing to break a line at


def can_report() -> bool:
    """Whether the libraries of the extra `report` are installed."""
    return all(find_spec(name) for name in ("jinja2", "vl_convert"))


def refuse_without_libraries() -> None:
    """Raise an error with the cure where a library of the extra `report` is missing."""
    if not can_report():
        raise EngineUnavailable(f"report.html needs vl-convert and jinja2: {INSTALL}")


def write_report(run: Run, folder: Path, *, truth: LinkTable | None = None) -> Path:
    """Write report.html into the run folder and return its path."""
    name = Path(folder).resolve().name
    return write_page(report_html(run, name=name, folder=str(folder), truth=truth), folder)


def write_page(page: str, folder: Path) -> Path:
    """Write a page as report.html into a folder and return its path."""
    path = Path(folder) / FILE
    with writing(path):
        write_whole(path, page)
    return path


def report_html(
    run: Run, *, name: str = "run", folder: str = "RUN", truth: LinkTable | None = None
) -> str:
    """Return the report as HTML; `folder` is the run folder in the commands that it names."""
    refuse_without_libraries()  # before any figure is computed
    sizes = [run.info["input"][side]["entities"] for side in ("left", "right")]
    with limited_threads(worthwhile_threads(*sizes)):  # as `align`: the same loops are loaded
        time = TimeFigures.of(run)
        return render_page(
            f"Alignment report: {name}",
            overview_of(run, folder, time),
            sections_of(run, truth, time),
        )


def render_page(title: str, overview: Overview, sections: Iterable[Section]) -> str:
    """Return a first screen and the sections that have blocks as HTML."""
    refuse_without_libraries()
    from markupsafe import Markup

    sources = files("lighttea.report")
    template = _environment().from_string(sources.joinpath("run.html.j2").read_text("utf-8"))
    style = "".join(sources.joinpath(name).read_text("utf-8") for name in ("page.css", "run.css"))
    return template.render(
        title=title,
        overview=overview,
        sections=[section for section in sections if section.blocks],
        style=Markup(style),
        script=page_script(),
    )


def _environment() -> jinja2.Environment:
    """Return the settings of the template, and the words that it uses."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["visible"] = visible
    environment.filters["breakable"] = lambda text: Markup(html_text(text, longest=_LONGEST))
    environment.filters["prose"] = _mark_code
    environment.tests["named"] = lambda cell: isinstance(cell, Named)
    environment.tests["bar"] = lambda cell: isinstance(cell, Bar)
    environment.tests["heading"] = lambda row: isinstance(row, Heading)
    environment.tests["unbroken"] = _is_unbroken
    environment.tests["short"] = lambda cell: len(_text_of(cell)) <= _SHORT
    return environment


def _mark_code(text: str) -> Markup:
    """Return a paragraph as HTML: words between backquotes are code."""
    from markupsafe import Markup

    parts = [
        f"<code>{_options_whole(part)}</code>" if i % 2 else html_text(part)
        for i, part in enumerate(text.split("`"))
    ]
    return Markup("".join(parts))


def _options_whole(code: str) -> str:
    """Return code as HTML; an option is never broken after its dashes."""
    words = [
        f'<span class="option">{escape(word)}</span>' if word.startswith("-") else html_text(word)
        for word in code.split(" ")
    ]
    return " ".join(words)


def _is_unbroken(cell: str | Named | Bar) -> bool:
    """Whether a cell has a word that has to be broken between letters where space is short."""
    return _UNBROKEN.search(_text_of(cell)) is not None


def _text_of(cell: str | Named | Bar) -> str:
    """Return all text of a cell."""
    if isinstance(cell, Named):
        return f"{cell.text} {cell.shown_id}".strip()
    return cell.text if isinstance(cell, Bar) else cell
