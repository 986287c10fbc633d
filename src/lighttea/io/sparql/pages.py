"""All pages of a query, kept in a folder, so that a broken fetch goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import polars as pl

from lighttea.errors import FetchError, InputError
from lighttea.io.files import whole_file, write_whole
from lighttea.io.outputs import writing
from lighttea.io.parquet.read import PARQUET_ERRORS, decode_parquet
from lighttea.io.sparql.answers import Answers, parse_answers, schema_of
from lighttea.io.sparql.client import LOG, Endpoint
from lighttea.io.sparql.limits import FetchLimits
from lighttea.io.sparql.queries import find_variables, first_row_of, page_of

_BEGUN, _COMPLETE = "query.json", "complete.json"
_PAGE = "page-{:012d}.parquet"


@dataclass(frozen=True)
class Fetched:
    """All answers of a query, when they were asked for, and what a user should know."""

    answers: Answers
    begun: datetime
    was_kept: bool  # nothing was asked for this time
    notes: tuple[str, ...] = ()


def fetch_answers(endpoint: Endpoint, query: str, limits: FetchLimits) -> Fetched:
    """Return all rows of a query, page after page; pages that are kept are not asked for again."""
    folder = _PageFolder.of(endpoint.name, query, limits)
    folder.remove_outdated(limits.max_age_hours)
    variables, begun = folder.begin(lambda: _variables(endpoint, query))
    pages = list(folder.pages())
    n_kept = sum(map(len, pages))
    was_complete = folder.is_complete(n_kept)
    if not was_complete:
        for offset, page in _further_pages(endpoint, query, variables, n_kept, limits):
            folder.keep(page, offset)
            pages.append(page)
        folder.finish(sum(map(len, pages)))
    rows = pl.concat([pl.DataFrame(schema=schema_of(variables)), *pages])
    distinct = rows.unique(maintain_order=True)
    notes = _note_repeated(len(rows) - len(distinct))
    return Fetched(Answers(variables, distinct), begun, was_complete, notes)


def _note_repeated(n_repeated: int) -> tuple[str, ...]:
    if not n_repeated:
        return ()
    return (
        f"{n_repeated:,} rows came on two pages and count once: the data changed meanwhile or "
        "the endpoint keeps no order, so rows may also be missing",
    )


def _variables(endpoint: Endpoint, query: str) -> tuple[str, ...]:
    """Return the variables of a query; the endpoint is asked where the query is not understood."""
    variables, problem = find_variables(query)
    if variables:
        return variables
    try:
        return endpoint.ask(first_row_of(query), parse_answers).variables
    except InputError as error:
        raise InputError(f"{error}; the query is not understood here either: {problem}") from None


def _further_pages(
    endpoint: Endpoint, query: str, variables: tuple[str, ...], offset: int, limits: FetchLimits
) -> Iterator[tuple[int, pl.DataFrame]]:
    """Yield the place of the first row and the rows of each page, up to the one without rows.

    A short page need not be the last one: servers have limits of their own.
    """
    before = None
    while True:
        asked = page_of(query, variables, limits.page_size, offset)
        page = _with_variables(endpoint, endpoint.ask(asked, parse_answers), variables)
        if page.is_empty():
            return
        if before is not None and page.equals(before):
            raise FetchError(
                f"{endpoint.name}: two pages are the same: the endpoint ignores OFFSET and gives "
                "one page only; ask for larger pages with page_size"
            )
        if offset + len(page) > limits.max_rows:
            raise FetchError(
                f"{endpoint.name}: the query has more than {limits.max_rows:,} rows; ask for less, "
                "or raise max_rows"
            )
        yield offset, page
        offset, before = offset + len(page), page
        LOG.info("%s: %s rows", endpoint.name, f"{offset:,}")


def _with_variables(
    endpoint: Endpoint, answers: Answers, variables: tuple[str, ...]
) -> pl.DataFrame:
    """Return a page with the variables in the order of the query, whatever that of the server."""
    if set(answers.variables) != set(variables):
        raise FetchError(
            f"{endpoint.name}: asked for {', '.join(variables)}, got {', '.join(answers.variables)}"
        )
    return answers.frame.select(list(schema_of(variables)))


class _PageFolder:
    """The pages of one query, each in a file that is there whole or not at all."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self._path, self._about = path, about

    @classmethod
    def of(cls, address: str, query: str, limits: FetchLimits) -> _PageFolder:
        """Return the folder for this query; another page size is another query."""
        about = {"endpoint": address, "query": query, "page_size": limits.page_size}
        key = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:20]
        return cls(limits.folder() / f"{urlsplit(address).hostname}-{key}", about)

    def remove_outdated(self, max_age_hours: float) -> None:
        """Remove all that is older than it may be, or damaged."""
        if not self._path.exists():
            return
        try:
            _, begun = self.begun()
            age_hours = (time.time() - begun.timestamp()) / 3600
        except (OSError, ValueError, KeyError):
            age_hours = float("inf")
        if not 0 <= age_hours < max_age_hours:
            shutil.rmtree(self._path, ignore_errors=True)

    def begin(
        self, find_variables: Callable[[], tuple[str, ...]]
    ) -> tuple[tuple[str, ...], datetime]:
        """Return the variables of the query and when it was first asked, which is written down."""
        path = self._path / _BEGUN
        if not path.exists():
            now = datetime.now(UTC).isoformat(timespec="seconds")
            about = {**self._about, "variables": find_variables(), "begun": now}
            with writing(path):
                self._path.mkdir(parents=True, exist_ok=True)
                write_whole(path, json.dumps(about, indent=1))
        return self.begun()

    def begun(self) -> tuple[tuple[str, ...], datetime]:
        """Return the variables of the query, and when it was first asked."""
        about = json.loads((self._path / _BEGUN).read_text(encoding="utf-8"))
        return tuple(about["variables"]), datetime.fromisoformat(about["begun"])

    def pages(self) -> Iterator[pl.DataFrame]:
        """Yield the pages that follow each other without a gap; a damaged one is a gap."""
        offset = 0
        while (path := self._path / _PAGE.format(offset)).exists():
            try:
                page = decode_parquet(path)
            except PARQUET_ERRORS:
                return
            offset += len(page)
            yield page

    def keep(self, page: pl.DataFrame, offset: int) -> None:
        """Write a page."""
        path = self._path / _PAGE.format(offset)
        with writing(path), whole_file(path) as unfinished:
            page.write_parquet(unfinished)

    def is_complete(self, n_rows: int) -> bool:
        """Whether this is the number of rows with which the fetch ended."""
        path = self._path / _COMPLETE
        return path.exists() and json.loads(path.read_text(encoding="utf-8"))["rows"] == n_rows

    def finish(self, n_rows: int) -> None:
        """Write down that there is no further page."""
        with writing(self._path / _COMPLETE):
            write_whole(self._path / _COMPLETE, json.dumps({"rows": n_rows}))
