"""The review app: the addresses of its pages, and the pages for errors."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from lighttea.review.deciding import DecisionPages
from lighttea.review.guard import Answer, Guard
from lighttea.review.pages import ReadingPages
from lighttea.review.render import Renderer
from lighttea.review.session import ReviewSession
from lighttea.review.standing import Locked


def build_app(session: ReviewSession, guard: Guard) -> FastAPI:
    """Return the app for one run."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    render = Renderer(session, guard)

    async def guarded(request: Request, answer: Answer) -> Response:
        return await guard.answer(request, answer, render.failure)

    app.middleware("http")(guarded)
    reading, deciding = ReadingPages(session, render), DecisionPages(session, render)
    app.get("/")(reading.queue)
    app.get("/pair/{number}")(reading.pair)
    app.get("/many")(reading.many)
    app.get("/realign")(reading.realign)
    app.get("/realign/status")(reading.realign_status)
    app.get("/export/{name}")(reading.export)
    app.get("/static/{name}")(render.static)
    app.post("/pair/{number}/decide")(deciding.decide)
    app.post("/pair/{number}/note")(deciding.note)
    app.post("/many")(deciding.decide_many)
    app.post("/undo")(deciding.undo)
    app.post("/reviewer")(deciding.set_reviewer)
    app.post("/realign")(deciding.start_realign)
    _add_error_pages(app, render)
    return app


def _add_error_pages(app: FastAPI, render: Renderer) -> None:
    """Give every error a page in plain words; the guard adds the headers of all pages."""

    def show_locked(_: Request, error: Exception) -> Response:
        return render.message(str(error), 503, again=True)

    def show_invalid(_: Request, __: Exception) -> Response:
        return render.message("There is no such page.", 422)

    def show_http(_: Request, error: Exception) -> Response:
        code = error.status_code if isinstance(error, HTTPException) else 500
        text = "There is no such page." if code == 404 else "This is not possible here."
        return render.message(text, code)

    app.add_exception_handler(Locked, show_locked)
    app.add_exception_handler(RequestValidationError, show_invalid)
    app.add_exception_handler(HTTPException, show_http)
