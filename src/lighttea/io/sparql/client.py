"""One request to a SPARQL endpoint: retried while the server is busy, limited in time and size."""

from __future__ import annotations

import email.utils
import logging
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin, urlsplit, urlunsplit

from lighttea.errors import FetchError, InputError
from lighttea.io.sparql.limits import MEBIBYTE, FetchLimits
from lighttea.version import __version__

if TYPE_CHECKING:
    from requests import Response

LOG = logging.getLogger("lighttea.sparql")
T = TypeVar("T")

_ACCEPTED = "application/sparql-results+json"
_BUSY = (408, 425, 429, 500, 502, 503, 504)  # answers after which another attempt may succeed
_LONGEST_ADDRESS = 2_000  # characters; longer queries are posted
_CHUNK = 1 << 16
_SHOWN = 200  # characters of an answer in a message
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.I | re.S)
_TAG = re.compile(r"<[^>]*>")


class PassingError(Exception):
    """Something went wrong that another attempt may cure; `pause_s` is what the server asks for."""

    def __init__(self, reason: str, pause_s: float | None = None) -> None:
        super().__init__(reason)
        self.pause_s = pause_s


class Endpoint:
    """A SPARQL endpoint; one connection is kept for all requests."""

    def __init__(self, url: str, limits: FetchLimits) -> None:
        import requests

        self.name = shown_address(url)
        self._url, self._limits = url, limits
        self._session = requests.Session()
        self._session.hooks["response"].append(_refuse_downgrade)
        self._session.headers.update({"User-Agent": f"lighttea/{__version__}", "Accept": _ACCEPTED})

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def ask(self, query: str, parse: Callable[[bytes, str], T]) -> T:
        """Return what `parse` makes of the answer and its media type.

        Where the server is busy, the connection breaks or the answer is cut short, another attempt
        follows after a pause.
        """
        reason = ""
        for attempt in range(1, self._limits.attempts + 1):
            try:
                return parse(*self._request(query))
            except PassingError as error:
                reason, asked_for = str(error), error.pause_s
            if attempt < self._limits.attempts:
                self._wait(attempt, reason, asked_for)
        tries = f" (attempts: {self._limits.attempts})"
        raise FetchError(
            f"{self.name}: the query failed{tries}: {reason}; try again later (pages that "
            "arrived are kept); if the server ran out of time, ask for less"
        )

    def _wait(self, attempt: int, reason: str, asked_for: float | None) -> None:
        pause = self._limits.pause_s * 2 ** (attempt - 1) if asked_for is None else asked_for
        if pause > self._limits.longest_pause_s:
            raise FetchError(
                f"{self.name}: {reason}, and asks to wait {pause:,.0f} s; try again then (pages "
                "that arrived are kept)"
            )
        LOG.info("%s: %s; another attempt in %g s", self.name, reason, pause)
        time.sleep(pause)

    def _request(self, query: str) -> tuple[bytes, str]:
        """Return the body of an answer and its media type."""
        from requests import RequestException

        try:
            with self._send(query) as response:
                body = self._read(response)
                self._check(response, body)
                return body, response.headers.get("Content-Type", "").partition(";")[0].strip()
        except RequestException as error:
            reason = _explain(error)
            if _is_no_use(error):
                raise FetchError(f"{self.name}: the query failed: {reason}") from None
            raise PassingError(reason) from None

    def _send(self, query: str) -> Any:
        options: dict[str, Any] = {"timeout": self._limits.timeout_s, "stream": True}
        if len(self._url) + len(query) <= _LONGEST_ADDRESS:
            return self._session.get(self._url, params={"query": query}, **options)
        return self._session.post(self._url, data={"query": query}, **options)

    def _read(self, response: Response) -> bytes:
        """Return the body; one that is too long, or takes too long, is an error."""
        deadline = time.monotonic() + 10 * self._limits.timeout_s
        parts, size = [], 0
        for part in response.iter_content(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > self._limits.page_bytes:
                limit = f"{self._limits.page_bytes / MEBIBYTE:,.0f} MiB"
                raise FetchError(
                    f"{self.name}: an answer exceeds {limit}; ask for smaller pages with page_size"
                )
            if time.monotonic() > deadline:
                raise FetchError(
                    f"{self.name}: a page takes longer than {10 * self._limits.timeout_s:g} s; ask "
                    "for smaller pages with page_size"
                )
        return b"".join(parts)

    def _check(self, response: Response, body: bytes) -> None:
        """Raise an error for an answer that says that something went wrong."""
        code = response.status_code
        answer = f"the server answers {code} {response.reason or ''}".rstrip() + _quoted(body)
        if code in _BUSY:
            raise PassingError(answer, _pause_asked_for(response))
        if code == 400:
            raise InputError(f"{self.name}: the query is refused: {answer}")
        if not response.ok:
            raise FetchError(f"{self.name}: {answer}")
        if "X-SQL-State" in response.headers:  # Virtuoso's sign of rows that are missing
            message = response.headers.get("X-SQL-Message", "the query ran out of time")
            raise FetchError(f"{self.name}: the answer is incomplete: {message}; ask for less")
        if _is_html(body):
            raise FetchError(
                f"{self.name}: expected SPARQL results in JSON, found HTML{_quoted(body)}; is this "
                "the address of the endpoint, or of a page about it?"
            )


def shown_address(url: str) -> str:
    """Return an address as messages show it: without a password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def check_address(url: str) -> None:
    """Raise an error for what is no address of an endpoint."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"{shown_address(url)!r}: expected the address of a SPARQL endpoint, such as "
            "https://query.wikidata.org/sparql"
        )


def _refuse_downgrade(response: Response, **_: Any) -> None:
    """Refuse a redirect that leaves https."""
    target = urljoin(response.url, response.headers.get("Location", ""))
    leaves_https = response.url.startswith("https:") and not target.startswith("https:")
    if response.is_redirect and leaves_https:
        raise FetchError(
            f"{shown_address(response.url)}: the server redirects to {target!r}, which is not https"
        )


def _pause_asked_for(response: Response) -> float | None:
    """Return the seconds of the header Retry-After, a number or a date; None without it."""
    text = response.headers.get("Retry-After", "").strip()
    if text.isdecimal():
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, moment.timestamp() - time.time())


def _is_html(body: bytes) -> bool:
    start = body[:1000].lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html"))


def _quoted(body: bytes) -> str:
    """Return the title or the first line of an answer in brackets; nothing where it is empty."""
    text = body[:10_000].decode("utf-8", "replace")
    title = _TITLE.search(text)
    text = title[1] if title else _TAG.sub(" ", text) if _is_html(body) else text
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    line = "".join(filter(str.isprintable, line))  # a server's text must not control a terminal
    return f" ({line[:_SHOWN]}{'...' * (len(line) > _SHOWN)})" if line else ""


def _is_no_use(error: Exception) -> bool:
    """Whether another attempt would fail in the same way: nobody is there, no valid certificate."""
    from requests import exceptions
    from urllib3.exceptions import MaxRetryError

    wrong = (exceptions.SSLError, exceptions.InvalidURL, exceptions.TooManyRedirects)
    no_connection = bool(error.args) and isinstance(error.args[0], MaxRetryError)
    return isinstance(error, wrong) or no_connection


def _explain(error: Exception) -> str:
    """Return in a few printable words why a request failed; the innermost cause has them."""
    from requests import exceptions

    if isinstance(error, exceptions.Timeout):
        return "the server does not answer"
    cause: BaseException = error
    while cause.__context__ is not None:
        cause = cause.__context__
    text = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
    return "".join(filter(str.isprintable, text))
