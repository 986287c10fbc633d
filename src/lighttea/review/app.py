"""The pages of the review app."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from markupsafe import Markup

from lighttea.display import Named, html_text, visible
from lighttea.errors import InputError
from lighttea.explain.explanation import Explanation
from lighttea.results.run import Run
from lighttea.review.decisions import Conflict, Decision, Decisions, Standing, decisions_file
from lighttea.review.guard import Guard
from lighttea.review.literals import make_literal_rows
from lighttea.review.queue import KINDS, ORDERS, STATES, Queue, Selection, state_of
from lighttea.review.realign import Realignment, links_tsv
from lighttea.review.timeline import make_timeline, make_waterfall

KEYS = 9  # candidates with a digit key
SHOWN_CHANGES = 300
_STATIC = {"app.css": "text/css", "app.js": "text/javascript"}


class ReviewSession:
    """The run, its queue and its decisions, shared by all pages."""

    def __init__(self, run: Run, run_folder: Path) -> None:
        self.run, self.name = run, run_folder.resolve().name
        self.explainer = run.explainer
        self.explainer.prepare()
        self.queue = Queue(self.explainer)
        path = decisions_file(run_folder)
        rules = run.info.get("rules", {})
        self.decisions = Decisions(
            path,
            many_to_one=bool(rules.get("many_to_one")),
            describe=lambda left, right: (self.name_left(left).text, self.name_right(right).text),
        )
        self.realignment = Realignment(run, run_folder.resolve(), path.parent, self.decisions)
        self._lock = threading.Lock()
        self._explained = lru_cache(maxsize=256)(self.explainer.explain)

    def name_left(self, entity: str) -> Named:
        """Return a left entity with its name."""
        return Named.of(entity, self.explainer.names[0])

    def name_right(self, entity: str) -> Named:
        """Return a right entity with its name."""
        return Named.of(entity, self.explainer.names[1])

    def explain(self, left: str, right: str) -> Explanation:
        """Explain a pair, one at a time: the explainer is not safe for threads."""
        with self._lock:
            return self._explained(left, right)


def build_app(session: ReviewSession, guard: Guard) -> FastAPI:
    """Return the app for one run."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    pages = _Pages(session, guard)
    app.middleware("http")(guard)
    app.get("/")(pages.queue)
    app.get("/pair/{number}")(pages.pair)
    app.post("/pair/{number}/decide")(pages.decide)
    app.post("/pair/{number}/note")(pages.note)
    app.post("/undo")(pages.undo)
    app.get("/realign")(pages.realign)
    app.post("/realign")(pages.start_realign)
    app.get("/realign/status")(pages.realign_status)
    app.get("/export/must-link.tsv")(pages.export_must)
    app.get("/export/cannot-link.tsv")(pages.export_cannot)
    app.get("/static/{name}")(pages.static)
    return app


class _Pages:
    """The handlers of all URLs."""

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
        self._environment.filters["figure"] = lambda value: f"{value:.3f}"
        self._environment.filters["percent"] = lambda value: f"{100 * value:.2f}\xa0%"
        folder = files("lighttea.review").joinpath("static")
        self._static = {name: folder.joinpath(name).read_bytes() for name in _STATIC}

    # ------------------------------------------------------------------------------- reading

    def queue(self, request: Request) -> Response:
        """Show the queue."""
        selection, standing = Selection.of(request.query_params), self.session.decisions.standing()
        page = self.session.queue.page(selection, standing)
        return self._html(
            "queue.html.j2", selection=selection, page=page, standing=standing, orders=ORDERS
        )

    def pair(self, request: Request, number: int) -> Response:
        """Show one pair: both timelines, the waterfall, the candidates."""
        item = self.session.queue.item(number)
        if item is None:
            return self._message("There is no such pair in the queue.", 404)
        query = request.query_params
        candidates = self.session.explainer.candidates_of(item["left"]).rows(named=True)
        choice = _number(query.get("choice", "")) or 0
        right = candidates[choice - 1]["right"] if 1 <= choice <= len(candidates) else item["right"]
        explanation = self.session.explain(item["left"], right)
        selection, standing = Selection.of(query), self.session.decisions.standing()
        own, decision_number = standing.get(item["left"]), _number(query.get("done", ""))
        return self._html(
            "pair.html.j2",
            selection=selection,
            standing=standing,
            item=item,
            explanation=explanation,
            candidates=candidates,
            n_keys=KEYS,
            own=own,
            seen=own.last.id if own and own.last else 0,
            state=state_of(own),
            note=self.session.decisions.note(item["left"]),
            line=make_timeline(explanation, all_rows=query.get("facts") == "all"),
            literals=make_literal_rows(explanation),
            steps=make_waterfall(explanation),
            aspects=explanation.terms_in_words(),
            following=self.session.queue.following(number, selection, standing),
            previous=self.session.queue.following(number, selection, standing, step=-1),
            decision_number=decision_number,
            last=_decision(standing, decision_number),
        )

    def realign(self) -> Response:
        """Show the realignment, running or done."""
        work = self.session.realignment
        rows = work.changes.rows.head(SHOWN_CHANGES).rows(named=True) if work.changes else []
        return self._html(
            "realign.html.j2",
            selection=Selection(),
            standing=self.session.decisions.standing(),
            work=work,
            status=work.status(),
            rows=rows,
        )

    def realign_status(self) -> Response:
        """Return the state of the realignment as JSON."""
        return JSONResponse(self.session.realignment.status())

    def export_must(self) -> Response:
        """Download the accepted pairs."""
        return _download(links_tsv(self.session.decisions.links()[0]), "must-link.tsv")

    def export_cannot(self) -> Response:
        """Download the rejected pairs."""
        return _download(links_tsv(self.session.decisions.links()[1]), "cannot-link.tsv")

    def static(self, name: str) -> Response:
        """Return one of the two static files."""
        if name not in self._static:
            return self._message("There is no such page.", 404)
        return Response(self._static[name], media_type=_STATIC[name])

    # ------------------------------------------------------------------------------- writing

    async def decide(self, request: Request, number: int) -> Response:
        """Accept, reject or skip a pair, and go to the next."""
        form, item = await self.guard.form(request), self.session.queue.item(number)
        if form is None or item is None:
            return self._message("This form is out of date; go back to the queue.", 403)
        selection = Selection.of(form)
        right, seen = form.get("right", ""), _number(form.get("seen", "")) or 0
        candidates = self.session.explainer.candidates_of(item["left"])["right"]
        if right not in candidates:
            left = self.session.name_left(item["left"]).text
            return self._message(f"{visible(right)} is not a candidate of {left}.", 400)
        try:
            decision = self.session.decisions.decide(
                item["left"], right, form.get("verdict", ""), seen=seen
            )
        except Conflict as conflict:
            return self._message(str(conflict), 409, back=f"/pair/{number}?{selection.query()}")
        except InputError as error:
            return self._message(str(error), 400)
        standing = self.session.decisions.standing()
        following = self.session.queue.following(number, selection, standing)
        where = (
            f"/?{selection.query()}"
            if following is None
            else f"/pair/{following}?{selection.query()}"
        )
        return RedirectResponse(f"{where}&done={decision.id}", 303)

    async def note(self, request: Request, number: int) -> Response:
        """Store a note."""
        form, item = await self.guard.form(request), self.session.queue.item(number)
        if form is None or item is None:
            return self._message("This form is out of date; go back to the queue.", 403)
        self.session.decisions.set_note(item["left"], form.get("text", "")[:10_000])
        return RedirectResponse(f"/pair/{number}?{Selection.of(form).query()}", 303)

    async def undo(self, request: Request) -> Response:
        """Undo the decision that the page names, or the last one, and show its pair."""
        form = await self.guard.form(request)
        if form is None:
            return self._message("This form is out of date; go back to the queue.", 403)
        selection = Selection.of(form)
        try:
            undone = self.session.decisions.undo(_number(form.get("done", "")))
        except Conflict as conflict:
            return self._message(str(conflict), 409, back=f"/?{selection.query()}")
        if undone is None:
            return self._message("There is nothing to undo.", 409, back=f"/?{selection.query()}")
        number = self.session.queue.number_of(undone.left)
        where = "/" if number is None else f"/pair/{number}"
        return RedirectResponse(f"{where}?{selection.query()}", 303)

    async def start_realign(self, request: Request) -> Response:
        """Start a realignment."""
        if await self.guard.form(request) is None:
            return self._message("This form is out of date; go back to the queue.", 403)
        self.session.realignment.start()
        return RedirectResponse("/realign", 303)

    # ------------------------------------------------------------------------------- helpers

    def _html(self, template: str, code: int = 200, **values: Any) -> HTMLResponse:
        standing = values["standing"]
        page = self._environment.get_template(template).render(
            **values,
            run_name=self.session.name,
            graphs=self.session.explainer.source.graph_names,
            name_left=self.session.name_left,
            name_right=self.session.name_right,
            form_token=self.guard.form_token,
            counts=self.session.queue.counts(standing),
            states=STATES,
            kinds=KINDS,
            realigning=self.session.realignment.state == "running",
        )
        return HTMLResponse(page, code)

    def _message(self, text: str, code: int, back: str = "/") -> HTMLResponse:
        standing = self.session.decisions.standing()
        return self._html(
            "message.html.j2", code, selection=Selection(), standing=standing, text=text, back=back
        )


def _decision(standing: Mapping[str, Standing], number: int | None) -> Decision | None:
    """Return the decision of this number, where it is the last one of its entity."""
    last = (state.last for state in standing.values())
    return next((decision for decision in last if decision and decision.id == number), None)


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 16 else None


def _download(text: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/tab-separated-values; charset=utf-8", headers=headers)
