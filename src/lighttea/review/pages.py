"""The pages that show something: queue, pair, preview of many decisions, alignment, exports."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from lighttea.review.choice import compare_candidates
from lighttea.review.literals import make_literal_rows
from lighttea.review.many import list_thresholds, preview_many, threshold_selection
from lighttea.review.realign import links_tsv
from lighttea.review.render import Renderer
from lighttea.review.selection import KINDS, ORDERS, SIZES, STATES, Selection
from lighttea.review.session import ReviewSession
from lighttea.review.standing import ACCEPT, REJECT, state_of
from lighttea.review.timeline import make_timeline, make_waterfall

KEYS = 9  # candidates with a digit key
LONGEST_TEXT = 600  # characters of a literal that stand in its row
SHOWN_CHANGES = 100


class ReadingPages:
    """The handlers of all URLs that change nothing."""

    def __init__(self, session: ReviewSession, render: Renderer) -> None:
        self.session, self.render = session, render

    def queue(self, request: Request) -> Response:
        """Show the queue."""
        query = request.query_params
        selection, standing = Selection.of(query), self.session.decisions.standing()
        queue = self.session.queue
        return self.render.page(
            "queue.html.j2",
            request,
            standing,
            selection=selection,
            page=queue.page(selection, standing),
            facets=queue.facets,
            alarm_kinds=queue.alarm_kinds,
            orders=ORDERS,
            states=STATES,
            kinds=KINDS,
            sizes=SIZES,
            turn=lambda page: f"/?{selection.query(page=page)}",
            done=parse_number(query.get("done", "")),
            n_before=parse_number(query.get("before", "")) or 0,
            n_taken=parse_number(query.get("taken", "")) or 0,
            n_undone=parse_number(query.get("undone", "")) or 0,
        )

    def pair(self, request: Request, number: int) -> Response:
        """Show one pair: both timelines, the waterfall, the candidates."""
        item = self.session.queue.item(number)
        if item is None:
            return self.render.message("There is no such pair in the queue.", 404)
        query, left = request.query_params, item["left"]
        candidates = self.session.explainer.candidates_of(left).rows(named=True)
        choice = parse_number(query.get("choice", "")) or 0
        right = candidates[choice - 1]["right"] if 1 <= choice <= len(candidates) else item["right"]
        selection, standing = Selection.of(query), self.session.decisions.standing()
        own = standing.get(left)
        return self.render.page(
            "pair.html.j2",
            request,
            standing,
            selection=selection,
            item=item,
            candidates=candidates,
            n_keys=KEYS,
            longest=LONGEST_TEXT,
            own=own,
            seen=own.last.id if own and own.last else 0,
            state=state_of(own),
            note=self.session.decisions.note(left),
            following=self.session.queue.following(number, selection, standing),
            previous=self.session.queue.following(number, selection, standing, step=-1),
            done=parse_number(query.get("done", "")),
            **self._explained(left, right, all_rows=query.get("facts") == "all"),
        )

    def _explained(self, left: str, right: str, *, all_rows: bool) -> dict[str, Any]:
        """Return the explanation of a pair, and what the page draws of it."""
        explanation = self.session.explain(left, right)
        names = self.session.explainer.names[0]
        return {
            "explanation": explanation,
            "line": make_timeline(explanation, all_rows=all_rows),
            "literals": make_literal_rows(explanation),
            "steps": make_waterfall(explanation),
            "choice": compare_candidates(explanation, self.session.holders, names),
        }

    def many(self, request: Request) -> Response:
        """Show what deciding on many pairs at once would do, before anything is written."""
        query = request.query_params
        verdict = query.get("verdict", ACCEPT)
        verdict = verdict if verdict in (ACCEPT, REJECT) else ACCEPT
        chosen, standing = Selection.of(query), self.session.decisions.standing()
        by_threshold = query.get("by") == "threshold"
        low = chosen.low if chosen.low is not None else 0.95
        selection = threshold_selection(chosen, low) if by_threshold else chosen
        queue = self.session.queue
        preview = preview_many(
            queue,
            queue.select(selection, standing),
            standing,
            verdict,
            many_to_one=self.session.decisions.many_to_one,
        )
        return self.render.page(
            "many.html.j2",
            request,
            standing,
            selection=selection,
            preview=preview,
            by_threshold=by_threshold,
            thresholds=list_thresholds(queue, chosen, standing) if by_threshold else [],
            queue_query=chosen.query(page=0, **{"low": None} if by_threshold else {}),
        )

    def realign(self, request: Request) -> Response:
        """Show the realignment, running or done."""
        work, query = self.session.realignment, request.query_params
        kind = query.get("change", "")
        rows = work.changes.of_kind(kind) if work.changes else None
        n_pages = max(1, -(-len(rows) // SHOWN_CHANGES)) if rows is not None else 1
        place = min(parse_number(query.get("page", "")) or 0, n_pages - 1)
        shown = rows.slice(place * SHOWN_CHANGES, SHOWN_CHANGES) if rows is not None else None
        return self.render.page(
            "realign.html.j2",
            request,
            self.session.decisions.standing(),
            work=work,
            status=work.status(),
            rows=[] if shown is None else shown.rows(named=True),
            kind=kind if work.changes and kind in work.changes.counts else "",
            place=place,
            n_pages=n_pages,
            turn=lambda page: f"/realign?{urlencode({'change': kind, 'page': page})}",
        )

    def realign_status(self) -> Response:
        """Return the state of the realignment as JSON."""
        return JSONResponse(self.session.realignment.status())

    def export(self, name: str) -> Response:
        """Download the accepted pairs, the rejected pairs, all decisions, or what changed."""
        decisions, changes = self.session.decisions, self.session.realignment.changes
        if name in ("must-link.tsv", "cannot-link.tsv"):
            return _download(links_tsv(decisions.links()[name == "cannot-link.tsv"]), name)
        if name == "decisions.tsv":
            return _download(links_tsv(decisions.reviews()), name)
        if name == "changes.tsv" and changes is not None:
            return _download(links_tsv(changes.rows), name)
        return self.render.message("There is no such file.", 404)


def parse_number(text: str) -> int | None:
    """Return a number of a URL or a form; None for anything else."""
    return int(text) if text.isdecimal() and len(text) < 16 else None


def _download(text: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/tab-separated-values; charset=utf-8", headers=headers)
