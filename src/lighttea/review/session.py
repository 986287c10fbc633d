"""What the pages of the review app share."""

from __future__ import annotations

import threading
from functools import cached_property, lru_cache
from pathlib import Path

from lighttea.display import Named
from lighttea.explain.explanation import Explanation
from lighttea.results.run import Run
from lighttea.review.decisions import Decisions, decisions_file
from lighttea.review.queue import Queue
from lighttea.review.realign import Realignment


class ReviewSession:
    """The run, its queue and its decisions, shared by all pages."""

    def __init__(self, run: Run, run_folder: Path, *, reviewer: str = "") -> None:
        self.run, self.name, self.reviewer = run, run_folder.resolve().name, reviewer
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

    @cached_property
    def holders(self) -> dict[str, str]:
        """The left entity of each linked right one."""
        return dict(self.run.best_links.select("right", "left").rows())
