"""What changes something: decisions one by one and at once, undo, notes, names, alignments.

The handlers are plain functions: each runs in a thread of its own, so that a locked file keeps
nobody else waiting.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, quote, urlencode

import numpy as np
from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from lighttea.display import visible
from lighttea.errors import InputError
from lighttea.review.pages import parse_number
from lighttea.review.render import LONGEST_NAME, REVIEWER_COOKIE, Renderer, clean_name
from lighttea.review.selection import SIZES, Selection
from lighttea.review.session import ReviewSession
from lighttea.review.standing import ACCEPT, REJECT, Conflict
from lighttea.types import Ints

LONGEST_NOTE = 10_000
_YEAR = 365 * 86_400


class DecisionPages:
    """The handlers of all POSTs; each ends in a redirect, so that a reload repeats nothing."""

    def __init__(self, session: ReviewSession, render: Renderer) -> None:
        self.session, self.render = session, render

    def decide(self, request: Request, number: int) -> Response:
        """Accept, reject or skip a pair, and go to the next."""
        form, item = _form(request), self.session.queue.item(number)
        if form is None or item is None:
            return self.render.outdated()
        selection = Selection.of(form)
        right, seen = form.get("right", ""), parse_number(form.get("seen", "")) or 0
        candidates = self.session.explainer.candidates_of(item["left"])["right"]
        if right not in candidates:
            left = self.session.name_left(item["left"]).text
            return self.render.message(f"{visible(right)} is not a candidate of {left}.", 400)
        reviewer, verdict = self.render.reviewer_of(request), form.get("verdict", "")
        try:
            decision = self.session.decisions.decide(
                item["left"], right, verdict, seen=seen, reviewer=reviewer
            )
        except Conflict as conflict:
            back = f"/pair/{number}?{selection.query()}"
            return self.render.message(str(conflict), 409, back=back)
        except InputError as error:
            return self.render.message(str(error), 400)
        standing = self.session.decisions.standing()
        following = self.session.queue.following(number, selection, standing)
        where = "/" if following is None else f"/pair/{following}"
        return _see(f"{where}?{selection.query()}&done={decision.id}")

    def decide_many(self, request: Request) -> Response:
        """Decide on the pairs that are ticked, or on all of a selection once they were shown."""
        form = _form(request)
        if form is None:
            return self.render.outdated()
        selection, verdict = Selection.of(form), form.get("verdict", "")
        if verdict not in (ACCEPT, REJECT):
            return self.render.message("Many pairs can be accepted or rejected.", 400)
        if form.get("scope") == "all":
            return _see(f"/many?{selection.query(page=0)}&verdict={verdict}")
        standing = self.session.decisions.standing()
        most = parse_number(form.get("most", ""))
        if most is None:
            numbers = self._ticked(form.get("pick", ""))
            most = len(numbers)
        else:
            numbers = self.session.queue.select(selection, standing)
        if not len(numbers):
            text = "No pair is selected. Tick the pairs to decide on first."
            return self.render.message(text, 400, back=f"/?{selection.query()}")
        return self._decide_on(request, numbers, verdict, most, form)

    def _decide_on(
        self, request: Request, numbers: Ints, verdict: str, most: int, form: dict[str, str]
    ) -> Response:
        """Decide on items at once and go back to the queue, which says what was left out."""
        decisions, back = self.session.decisions, _queue_query(form)
        items = self.session.queue.items(numbers).sort("confidence", descending=True)
        pairs = items.select("left", "right").rows()
        reviewer = self.render.reviewer_of(request)
        try:
            batch = decisions.decide_many(pairs, verdict, reviewer=reviewer, most=most)
        except Conflict as conflict:
            again = f"/many?{Selection.of(form).query(page=0)}&verdict={verdict}"
            text = f"The decisions have changed since this page was shown. {conflict}"
            return self.render.message(text, 409, back=again)
        left_out = {"done": batch.number, "before": batch.n_before, "taken": batch.n_taken}
        return _see(f"/?{back}&{urlencode(left_out)}")

    def _ticked(self, text: str) -> Ints:
        """Return the numbers of the items that were ticked on a page."""
        numbers = [parse_number(part) for part in text.split(",")]
        known = {n for n in numbers if n is not None and n < len(self.session.queue)}
        return np.array(sorted(known)[: max(SIZES)], np.int64)

    def note(self, request: Request, number: int) -> Response:
        """Store a note."""
        form, item = _form(request), self.session.queue.item(number)
        if form is None or item is None:
            return self.render.outdated()
        text, seen = _lines(form.get("text", ""))[:LONGEST_NOTE], form.get("note_seen")
        back = f"/pair/{number}?{Selection.of(form).query()}"
        try:
            seen = None if seen is None else _lines(seen)
            self.session.decisions.set_note(item["left"], text, seen=seen)
        except Conflict as conflict:
            return self.render.message(str(conflict), 409, back=back, kept=text)
        return _see(back)

    def undo(self, request: Request) -> Response:
        """Undo the decision that the page names with its batch, or the last one."""
        form = _form(request)
        if form is None:
            return self.render.outdated()
        query = Selection.of(form).query()
        try:
            undone = self.session.decisions.undo(parse_number(form.get("done", "")))
        except Conflict as conflict:
            return self.render.message(str(conflict), 409, back=f"/?{query}")
        if not undone:
            text = "There is nothing to undo: it was undone already, in another tab perhaps."
            return self.render.message(text, 409, back=f"/?{query}")
        number = self.session.queue.number_of(undone[0].left)
        if len(undone) > 1 or number is None:
            return _see(f"/?{query}&undone={len(undone)}")
        return _see(f"/pair/{number}?{query}")

    def set_reviewer(self, request: Request) -> Response:
        """Keep the reviewer's name in the browser; an empty one forgets it."""
        form = _form(request)
        if form is None:
            return self.render.outdated()
        response = _see(_own_address(form.get("back", "/")))
        name = clean_name(form.get("name", ""))[:LONGEST_NAME]
        if name:
            value = quote(name, safe="")
            response.set_cookie(
                REVIEWER_COOKIE, value, max_age=_YEAR, httponly=True, samesite="strict", path="/"
            )
        else:
            response.delete_cookie(REVIEWER_COOKIE, path="/")
        return response

    def start_realign(self, request: Request) -> Response:
        """Start a realignment."""
        if _form(request) is None:
            return self.render.outdated()
        self.session.realignment.start()
        return _see("/realign")


def _form(request: Request) -> dict[str, str] | None:
    """Return the fields that the guard has read; None where the form is not the app's own."""
    form: dict[str, str] | None = request.state.form
    return form


def _see(address: str) -> RedirectResponse:
    return RedirectResponse(address, 303)


def _queue_query(form: dict[str, str]) -> str:
    """Return the selection to go back to: that of the queue before the preview."""
    given = dict(parse_qsl(form["queue"])) if "queue" in form else form
    return Selection.of(given).query()


def _own_address(text: str) -> str:
    """Return an address within the app; the queue for any other."""
    return text if text.startswith("/") and not text.startswith(("//", "/\\")) else "/"


def _lines(text: str) -> str:
    """Return a text with plain line ends; browsers send two signs for each."""
    return text.replace("\r\n", "\n").strip()
