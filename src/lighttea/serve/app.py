"""The addresses of the service: version 0.2 at the root, the draft after it below /draft."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from lighttea.serve.answers import (
    SUGGESTIONS,
    Extender,
    candidate_json,
    propose_properties,
    suggest_entities,
    suggest_properties,
    suggest_types,
)
from lighttea.serve.catalogue import Catalogue
from lighttea.serve.describe import entity_page, no_such_entity
from lighttea.serve.guard import Answer, ServiceGuard, error_response
from lighttea.serve.limits import Deadline, Refused
from lighttea.serve.manifest import DRAFT_PATH, draft_manifest, manifest
from lighttea.serve.matching import Matcher
from lighttea.serve.queries import Query, QueryReader

_SUGGEST = {"entity": suggest_entities, "property": suggest_properties, "type": suggest_types}
MATCH_PATHS = ("/match", "/reconcile")  # of the draft as it is, and as it was
_MOST_FIELDS = 20  # of a form
_MOST_SKIPPED = 10_000  # suggestions


def build_app(catalogue: Catalogue, guard: ServiceGuard) -> FastAPI:
    """Return the app for one graph."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)

    async def guarded(request: Request, answer: Answer) -> Response:
        return await guard.answer(request, answer)

    def show_http(_: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        text = "there is no such address" if status == 404 else "this is not possible here"
        return error_response(status, text)

    app.middleware("http")(guarded)
    app.add_exception_handler(HTTPException, show_http)
    service = Service(catalogue, guard)
    app.api_route("/", methods=["GET", "POST"])(service.root)
    app.get(DRAFT_PATH)(service.draft_root)
    app.get(f"{DRAFT_PATH}/")(service.draft_root)
    for path in MATCH_PATHS:
        app.post(f"{DRAFT_PATH}{path}")(service.draft_reconcile)
    app.post(f"{DRAFT_PATH}/extend")(service.draft_extend)
    for base in ("", DRAFT_PATH):
        app.get(f"{base}/suggest/{{kind}}")(service.suggest)
        app.get(f"{base}/preview")(service.preview)
        app.get(f"{base}/view")(service.view)
        app.get(f"{base}/extend/propose")(service.propose)
    return app


class Service:
    """Answers the requests of both versions of the API."""

    def __init__(self, catalogue: Catalogue, guard: ServiceGuard) -> None:
        self._catalogue, self._limits = catalogue, guard.limits
        self._address = guard.own_host.address
        self._reader = QueryReader(guard.limits)
        self._matcher = Matcher(catalogue, guard.limits)
        self._extender = Extender(catalogue, guard.limits)

    # ------------------------------------------------------------------------- version 0.2

    async def root(self, request: Request) -> Response:
        """Return the manifest; with `queries` candidates, with `extend` values of properties."""
        fields = self._fields(request)
        _refuse_jsonp(request)
        if "queries" in fields:
            return await self._in_thread(self._reconcile, fields["queries"])
        if "extend" in fields:
            return await self._in_thread(self._extend, fields["extend"])
        if request.method == "POST":
            raise Refused(400, "expected a form with the field queries or extend")
        return JSONResponse(manifest(self._catalogue, self._limits, self._address))

    def _reconcile(self, text: str) -> Any:
        deadline = Deadline(self._limits.seconds)
        batch = self._reader.read_batch(text)
        return {key: {"result": self._candidates(q, deadline)} for key, q in batch.items()}

    def _extend(self, text: str) -> Any:
        asked = self._reader.read_extension(text)
        rows = self._extender.rows(asked, Deadline(self._limits.seconds))
        return {"meta": self._extender.meta(asked), "rows": rows}

    def _candidates(self, query: Query, deadline: Deadline) -> list[dict[str, Any]]:
        found = self._matcher.match(query, deadline)
        return [candidate_json(self._catalogue, each) for each in found]

    # --------------------------------------------------------------------------- the draft

    async def draft_root(self) -> Response:
        """Return the manifest of the draft."""
        address = f"{self._address}{DRAFT_PATH}"
        return JSONResponse(draft_manifest(self._catalogue, self._limits, address))

    async def draft_reconcile(self, request: Request) -> Response:
        """Return the candidates of each query."""
        return await self._in_thread(self._draft_reconcile, request.state.body)

    def _draft_reconcile(self, text: bytes) -> Any:
        deadline = Deadline(self._limits.seconds)
        batch = self._reader.read_draft_batch(text)
        return {"results": [{"candidates": self._candidates(q, deadline)} for q in batch]}

    async def draft_extend(self, request: Request) -> Response:
        """Return the values of properties."""
        return await self._in_thread(self._draft_extend, request.state.body)

    def _draft_extend(self, text: bytes) -> Any:
        asked = self._reader.read_extension(text)
        found = self._extender.rows(asked, Deadline(self._limits.seconds))
        rows = [
            {"id": own, "properties": [{"id": p, "values": v} for p, v in values.items()]}
            for own, values in found.items()
        ]
        return {"meta": self._extender.meta(asked), "rows": rows}

    # ------------------------------------------------------------------------ both versions

    async def suggest(self, kind: str, request: Request) -> Response:
        """Return entities, properties or types that begin with what a person typed.

        Version 0.2 calls the number of those to skip `cursor`, the draft `offset`.
        """
        _refuse_jsonp(request)
        if kind not in _SUGGEST:
            raise HTTPException(404)
        prefix = request.query_params.get("prefix", "")[: self._limits.letters].strip()
        skipped = [_whole(request, name, 0, _MOST_SKIPPED) for name in ("cursor", "offset")]
        limit = _whole(request, "limit", SUGGESTIONS, SUGGESTIONS)
        page = slice(max(skipped), max(skipped) + limit)
        return await self._in_thread(_SUGGEST[kind], self._catalogue, prefix, page)

    async def preview(self, request: Request) -> Response:
        """Return a small page about an entity."""
        return await run_in_threadpool(self._page, request.query_params.get("id", ""), True)

    async def view(self, request: Request) -> Response:
        """Return a page about an entity."""
        return await run_in_threadpool(self._page, request.query_params.get("id", ""), False)

    def _page(self, own_id: str, is_preview: bool) -> Response:
        number = self._catalogue.graph.entity_ids.get(own_id) if own_id else None
        if number is None:
            return HTMLResponse(no_such_entity(own_id), 404)
        return HTMLResponse(entity_page(self._catalogue, number, is_preview=is_preview))

    async def propose(self, request: Request) -> Response:
        """Return properties that can be asked for."""
        kind = request.query_params.get("type", "")[: self._limits.letters]
        limit = _whole(request, "limit", 50, 1_000)
        return await self._in_thread(propose_properties, self._catalogue, kind, limit)

    @staticmethod
    async def _in_thread(function: Any, *values: Any) -> Response:
        return JSONResponse(await run_in_threadpool(function, *values))

    @staticmethod
    def _fields(request: Request) -> dict[str, str]:
        """Return the fields of a form, or of the address."""
        if request.method != "POST":
            return dict(request.query_params)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/x-www-form-urlencoded":
            raise Refused(415, "expected a form (application/x-www-form-urlencoded)")
        try:
            text = request.state.body.decode("utf-8")
            fields = parse_qs(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
        except ValueError:
            raise Refused(400, "the form is not as forms are") from None
        return {name: values[0] for name, values in fields.items()}


def _refuse_jsonp(request: Request) -> None:
    if "callback" in request.query_params:
        raise Refused(400, "JSONP is not offered; ask without callback (CORS is)")


def _whole(request: Request, name: str, default: int, most: int) -> int:
    """Return a whole number of the address, within its bounds."""
    text = request.query_params.get(name) or str(default)
    if not (text.isascii() and text.isdecimal()) or len(text) > 9:
        raise Refused(400, f"{name}: expected a whole number")
    return min(int(text), most)
