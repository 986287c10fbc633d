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

from lighttea.errors import InputError
from lighttea.explain.explanation import TERM_WORDS, Explanation
from lighttea.results.run import Run
from lighttea.review.decisions import Conflict, Decision, Decisions, Standing, decisions_file
from lighttea.review.guard import Guard
from lighttea.review.queue import KINDS, STATES, Queue, View, state_of
from lighttea.review.realign import Realignment, links_text
from lighttea.review.timeline import timeline, waterfall

KEYS = 9  # candidates that a digit shows
SHOWN_CHANGES = 300
_STATIC = {"app.css": "text/css", "app.js": "text/javascript"}


class Desk:
    """All that the pages work on."""

    def __init__(self, run: Run, run_folder: Path) -> None:
        self.run, self.name = run, run_folder.resolve().name
        self.explainer = run.explainer
        self.explainer.prepare()
        self.queue = Queue(self.explainer)
        path = decisions_file(run_folder)
        rules = run.info.get("rules", {})
        self.decisions = Decisions(path, many_to_one=bool(rules.get("many_to_one")))
        self.realignment = Realignment(run, run_folder.resolve(), path.parent, self.decisions)
        self._lock = threading.Lock()
        self._explained = lru_cache(maxsize=256)(self.explainer.explain)

    def explain(self, left: str, right: str) -> Explanation:
        """One at a time: what explains is made for one caller."""
        with self._lock:
            return self._explained(left, right)


def build_app(desk: Desk, guard: Guard) -> FastAPI:
    """The app for one run."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    pages = _Pages(desk, guard)
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
    """What each address answers."""

    def __init__(self, desk: Desk, guard: Guard) -> None:
        self.desk, self.guard = desk, guard
        self._environment = jinja2.Environment(
            loader=jinja2.PackageLoader("lighttea.review"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters["figure"] = lambda value: f"{value:.3f}"
        folder = files("lighttea.review").joinpath("static")
        self._static = {name: folder.joinpath(name).read_bytes() for name in _STATIC}

    # ------------------------------------------------------------------------------- reading

    def queue(self, request: Request) -> Response:
        """The list."""
        view, standing = View.of(request.query_params), self.desk.decisions.standing()
        page = self.desk.queue.page(view, standing)
        return self._html("queue.html.j2", view=view, page=page, standing=standing)

    def pair(self, request: Request, number: int) -> Response:
        """One pair: both timelines, the waterfall, the alternatives."""
        item = self.desk.queue.item(number)
        if item is None:
            return self._message("There is no such pair in the queue.", 404)
        query = request.query_params
        candidates = self.desk.explainer.candidates_of(item["left"]).rows(named=True)
        choice = _number(query.get("choice", "")) or 0
        right = candidates[choice - 1]["right"] if 1 <= choice <= len(candidates) else item["right"]
        found = self.desk.explain(item["left"], right)
        view, standing = View.of(query), self.desk.decisions.standing()
        own, done = standing.get(item["left"]), _number(query.get("done", ""))
        return self._html(
            "pair.html.j2",
            view=view,
            standing=standing,
            item=item,
            found=found,
            candidates=candidates,
            n_keys=KEYS,
            own=own,
            seen=own.last.id if own and own.last else 0,
            state=state_of(own),
            note=self.desk.decisions.note(item["left"]),
            line=timeline(found, everything=query.get("facts") == "all"),
            steps=waterfall(found),
            aspects=_aspects(found),
            following=self.desk.queue.following(number, view, standing),
            before=self.desk.queue.following(number, view, standing, step=-1),
            done=done,
            last=_decision(standing, done),
        )

    def realign(self) -> Response:
        """What aligning again did, or is doing."""
        work = self.desk.realignment
        rows = work.found.rows.head(SHOWN_CHANGES).rows(named=True) if work.found else []
        return self._html(
            "realign.html.j2",
            view=View(),
            standing=self.desk.decisions.standing(),
            work=work,
            status=work.status(),
            rows=rows,
        )

    def realign_status(self) -> Response:
        """For the page that waits."""
        return JSONResponse(self.desk.realignment.status())

    def export_must(self) -> Response:
        """Accepted pairs."""
        return _download(links_text(self.desk.decisions.links()[0]), "must-link.tsv")

    def export_cannot(self) -> Response:
        """Rejected pairs."""
        return _download(links_text(self.desk.decisions.links()[1]), "cannot-link.tsv")

    def static(self, name: str) -> Response:
        """One of two files that are held in memory."""
        if name not in self._static:
            return self._message("There is no such page.", 404)
        return Response(self._static[name], media_type=_STATIC[name])

    # ------------------------------------------------------------------------------- writing

    async def decide(self, request: Request, number: int) -> Response:
        """Accept, reject or skip, then go on to the next."""
        form, item = await self.guard.form(request), self.desk.queue.item(number)
        if form is None or item is None:
            return self._message("This form is out of date; go back to the queue.", 403)
        view = View.of(form)
        right, seen = form.get("right", ""), _number(form.get("seen", "")) or 0
        candidates = self.desk.explainer.candidates_of(item["left"])["right"]
        if right not in candidates:
            return self._message(f"{right} is not a candidate of {item['left']}.", 400)
        try:
            made = self.desk.decisions.decide(
                item["left"], right, form.get("verdict", ""), seen=seen
            )
        except Conflict as conflict:
            return self._message(str(conflict), 409, back=f"/pair/{number}?{view.query()}")
        except InputError as error:
            return self._message(str(error), 400)
        standing = self.desk.decisions.standing()
        following = self.desk.queue.following(number, view, standing)
        where = f"/?{view.query()}" if following is None else f"/pair/{following}?{view.query()}"
        return RedirectResponse(f"{where}&done={made.id}", 303)

    async def note(self, request: Request, number: int) -> Response:
        """Keep a note."""
        form, item = await self.guard.form(request), self.desk.queue.item(number)
        if form is None or item is None:
            return self._message("This form is out of date; go back to the queue.", 403)
        self.desk.decisions.set_note(item["left"], form.get("text", "")[:10_000])
        return RedirectResponse(f"/pair/{number}?{View.of(form).query()}", 303)

    async def undo(self, request: Request) -> Response:
        """Take back the decision that the page speaks of, or the last one; show its pair."""
        form = await self.guard.form(request)
        if form is None:
            return self._message("This form is out of date; go back to the queue.", 403)
        view = View.of(form)
        try:
            undone = self.desk.decisions.undo(_number(form.get("done", "")))
        except Conflict as conflict:
            return self._message(str(conflict), 409, back=f"/?{view.query()}")
        if undone is None:
            return self._message("There is nothing to undo.", 409, back=f"/?{view.query()}")
        number = self.desk.queue.number_of(undone.left)
        where = "/" if number is None else f"/pair/{number}"
        return RedirectResponse(f"{where}?{view.query()}", 303)

    async def start_realign(self, request: Request) -> Response:
        """Begin to align again."""
        if await self.guard.form(request) is None:
            return self._message("This form is out of date; go back to the queue.", 403)
        self.desk.realignment.start()
        return RedirectResponse("/realign", 303)

    # ------------------------------------------------------------------------------- helpers

    def _html(self, template: str, code: int = 200, **values: Any) -> HTMLResponse:
        standing = values["standing"]
        page = self._environment.get_template(template).render(
            **values,
            run_name=self.desk.name,
            form_token=self.guard.form_token,
            counts=self.desk.queue.counts(standing),
            states=STATES,
            kinds=KINDS,
            realigning=self.desk.realignment.state == "running",
        )
        return HTMLResponse(page, code)

    def _message(self, text: str, code: int, back: str = "/") -> HTMLResponse:
        standing = self.desk.decisions.standing()
        return self._html(
            "message.html.j2", code, view=View(), standing=standing, text=text, back=back
        )


def _aspects(found: Explanation) -> list[tuple[str, float]]:
    """The terms of the score in words, the largest first."""
    terms: Mapping[str, float] = found.aspects
    named = [(TERM_WORDS.get(name, name), value) for name, value in terms.items()]
    return sorted(named, key=lambda one: -one[1])


def _decision(standing: Mapping[str, Standing], number: int | None) -> Decision | None:
    """The decision of this number, where it is the last one on its entity."""
    latest = (one.last for one in standing.values())
    return next((one for one in latest if one is not None and one.id == number), None)


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 16 else None


def _download(text: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/tab-separated-values; charset=utf-8", headers=headers)
