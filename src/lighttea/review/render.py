"""Templates of the review app filled in, messages and static files."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

import jinja2
from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup

from lighttea.display import html_text, visible
from lighttea.review.guard import Guard
from lighttea.review.selection import Selection
from lighttea.review.session import ReviewSession
from lighttea.review.standing import PAST, Standing

REVIEWER_COOKIE = "lighttea-reviewer"
LONGEST_NAME = 100
_STATIC = {"app.css": "text/css", "app.js": "text/javascript"}
_LOG = logging.getLogger("uvicorn.error")


def format_figure(value: float) -> str:
    """Return a figure with three digits; what rounds to nothing has no sign."""
    return f"{value:z.3f}"


class Renderer:
    """Fills in the templates with what every page shows."""

    def __init__(self, session: ReviewSession, guard: Guard) -> None:
        self.session, self.guard = session, guard
        self._environment = jinja2.Environment(
            loader=jinja2.PackageLoader("lighttea.review"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters["visible"] = visible
        self._environment.filters["breakable"] = lambda text: Markup(html_text(text))
        self._environment.filters["unbroken"] = keep_words_whole
        self._environment.filters["figure"] = format_figure
        self._environment.filters["percent"] = lambda value: f"{value:.2%}"
        self._environment.filters["count"] = count_words
        self._environment.filters["about"] = round_expected
        self._environment.globals["past"] = PAST
        folder = files("lighttea.review").joinpath("static")
        self._static = {name: folder.joinpath(name).read_bytes() for name in _STATIC}

    def page(
        self, template: str, request: Request, standing: Mapping[str, Standing], **values: Any
    ) -> HTMLResponse:
        """Return a page with the run's figures, the last decision and the reviewer's name."""
        last = self.session.decisions.last()
        return self._html(
            template,
            200,
            counts=self.session.queue.counts(standing),
            last_decision=last[0] if last else None,
            n_last=last[1] if last else 0,
            reviewer=self.reviewer_of(request),
            realigning=self.session.realignment.state == "running",
            **{"selection": Selection(), "here": _address(request), **values},
        )

    def message(
        self, text: str, code: int, *, back: str = "/", again: bool = False, kept: str = ""
    ) -> HTMLResponse:
        """Return a page with one message; it reads no decisions, which may be what failed.

        `again` offers to try again, `kept` is the reviewer's text that could not be stored.
        """
        values = {"text": text, "back": back, "again": again, "kept": kept}
        return self._html("message.html.j2", code, selection=Selection(), counts=None, **values)

    def outdated(self) -> HTMLResponse:
        """Return the message for a form that the app did not make, or made before it restarted."""
        return self.message("This form is out of date. Go back to the queue.", 403)

    def failure(self, error: Exception) -> HTMLResponse:
        """Return the page for an unexpected error, and log the error."""
        _LOG.error("the review app failed", exc_info=error)
        text = "The app failed and may not have done what you asked for; the terminal shows why."
        return self.message(text, 500, again=True)

    def static(self, name: str) -> Response:
        """Return one of the two static files."""
        if name not in self._static:
            return self.message("There is no such page.", 404)
        return Response(self._static[name], media_type=_STATIC[name])

    def reviewer_of(self, request: Request) -> str:
        """Return the reviewer's name: the one given in the browser, else the one of the command."""
        given = unquote(request.cookies.get(REVIEWER_COOKIE, ""), errors="replace")
        return clean_name(given) or self.session.reviewer

    def _html(self, template: str, code: int, **values: Any) -> HTMLResponse:
        page = self._environment.get_template(template).render(
            run_name=self.session.name,
            graphs=self.session.explainer.source.graph_names,
            name_left=self.session.name_left,
            name_right=self.session.name_right,
            form_token=self.guard.form_token,
            **values,
        )
        return HTMLResponse(page, code)


def clean_name(text: str) -> str:
    """Return a reviewer's name on one line, without signs that cannot be seen."""
    return visible(" ".join(text.split()))[:LONGEST_NAME]


def keep_words_whole(text: str) -> Markup:
    """Return a text that breaks between its words alone, so that a date stays on one line."""
    return Markup(" ").join(
        Markup("<span>{}</span>").format(visible(word)) for word in text.split()
    )


def count_words(number: int, singular: str, plural: str = "") -> str:
    """Return a number and its noun: 1 link, 2,000 links."""
    return f"{number:,}\xa0{singular if number == 1 else plural or singular + 's'}"


def round_expected(number: float) -> str:
    """Return an expected number of mistakes, as exactly as it is worth."""
    if number < 0.1:
        return "fewer than 0.1"
    return f"about {number:.1f}" if number < 100 else f"about {number:,.0f}"


def _address(request: Request) -> str:
    """Return the address of a page within the app."""
    query = request.url.query
    return request.url.path + f"?{query}" * bool(query)
