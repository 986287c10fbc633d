"""One file over HTTP: streamed to NAME.part, and resumed there when it broke off.

Beside the part stands a note of which version of the file it is part of, so that the halves of
two versions are never joined.
"""

from __future__ import annotations

import json
import re
import time
import urllib.request
from dataclasses import asdict, dataclass
from email.message import Message
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from lighttea.errors import FetchError, InputError

_CHUNK = 1 << 16
_BUSY = (408, 425, 429, 500, 502, 503, 504)  # worth another attempt
_COUNT = r"[0-9]{1,18}"
_RANGE = re.compile(rf"bytes (?:({_COUNT})-{_COUNT}|\*)/({_COUNT}|\*)")


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long to try, and how much to take."""

    timeout_s: float = 30.0  # of silence
    attempts: int = 5
    pause_s: float = 1.0  # before the second attempt, then doubled each time
    max_bytes: int = 4 << 30


class Listener:
    """Told how a fetch goes on; subclasses show it."""

    def entered(self, step: str) -> None:
        """Called when a step begins; does nothing here."""

    def downloaded(self, done: int, total: int | None) -> None:
        """Called with the bytes that are here; does nothing here."""


@dataclass(frozen=True, kw_only=True)
class Version:
    """What tells one version of a remote file from another."""

    url: str
    total: int | None = None
    etag: str | None = None
    modified: str | None = None

    @property
    def is_marked(self) -> bool:
        """Whether another version could be told from this one at all."""
        return (self.total, self.etag, self.modified) != (None, None, None)

    def may_be(self, other: Version) -> bool:
        """Whether nothing that both know of themselves differs."""
        pairs = zip(asdict(self).values(), asdict(other).values(), strict=True)
        return all(None in (mine, theirs) or mine == theirs for mine, theirs in pairs)


@dataclass(frozen=True)
class Part:
    """What has been downloaded so far, and the note of what it is part of."""

    path: Path

    @property
    def note(self) -> Path:
        """Where the version is written down."""
        return self.path.with_name(f"{self.path.name}.json")

    @property
    def size(self) -> int:
        """Bytes that are here."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def read_note(self) -> tuple[Version | None, bool]:
        """The version it is part of, and whether it is whole; a note that is damaged is none."""
        try:
            note = json.loads(self.note.read_text(encoding="utf-8"))
            version = Version(**note["version"])
            return version, note["whole_size"] == self.size
        except (OSError, ValueError, KeyError, TypeError):
            return None, False

    def write_note(self, version: Version, *, whole: bool = False) -> None:
        """Remember the version, and whether the part is all of it."""
        note = {"version": asdict(version), "whole_size": self.size if whole else None}
        self.note.write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")

    def begun(self, url: str) -> Version | None:
        """The version to go on with; None where nothing of use is here."""
        version, _ = self.read_note()
        usable = version is not None and version.url == url and version.is_marked
        return version if usable and self.size else None

    def discard(self) -> None:
        """Remove the part and its note."""
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)


class _Broken(Exception):  # noqa: N818 - a state, not an error that anyone else sees
    """An attempt that did not come through; another one may."""


class _Unreachable(_Broken):
    """No connection at all."""


def download(
    url: str, part: Part, *, patience: Patience | None = None, listener: Listener | None = None
) -> None:
    """Download a file into its part, going on where an earlier download of it broke off."""
    patience, listener = patience or Patience(), listener or Listener()
    version, is_whole = part.read_note()
    if is_whole and version is not None and version.url == url:
        return
    for attempt in range(1, patience.attempts + 1):
        try:
            _attempt(url, part, patience, listener)
            return
        except _Broken as broken:
            problem = str(broken)
            # who is offline is told at once; who was connected a moment ago may be again
            if isinstance(broken, _Unreachable) and attempt == 1:
                break
        if attempt < patience.attempts:
            time.sleep(patience.pause_s * 2 ** (attempt - 1))
    tries = f" (attempts: {attempt})" if attempt > 1 else ""
    raise FetchError(f"{url}: the download failed{tries}: {problem}")


def _attempt(url: str, part: Part, patience: Patience, listener: Listener) -> None:
    """Ask for what is missing and take what comes."""
    begun = part.begun(url)
    try:
        response = _opener().open(_request(url, part, begun), timeout=patience.timeout_s)
    except HTTPError as error:
        with error:
            _refused(url, error, part, begun)
        return
    except URLError as error:
        raise _Unreachable(_reason(error.reason)) from None
    except (HTTPException, OSError) as error:
        raise _Broken(_reason(error)) from None
    with response:
        if response.status not in (200, 206):
            raise FetchError(f"{url}: the server answers {response.status}, which is no file")
        version, offset = _version(url, response), 0
        if response.status == 206:
            offset = _resumed_at(response, version, part, begun)
        if not offset:
            part.discard()
        part.write_note(version)
        _stream(response, part, version.total, patience, listener)
    part.write_note(version, whole=True)


def _request(url: str, part: Part, begun: Version | None) -> urllib.request.Request:
    """The whole file, or the rest of the version that was begun."""
    headers = {"User-Agent": "lighttea", "Accept-Encoding": "identity"}
    if begun is not None:
        headers["Range"] = f"bytes={part.size}-"
        mark = begun.etag if begun.etag and not begun.etag.startswith("W/") else begun.modified
        if mark:  # asks the server itself to send the whole file if it has changed
            headers["If-Range"] = mark
    return urllib.request.Request(url, headers=headers)


def _refused(url: str, error: HTTPError, part: Part, begun: Version | None) -> None:
    """Judge an answer that is no file. 416 says that there is nothing after our last byte."""
    if error.code == 416 and begun is not None:
        _, total = _content_range(error.headers)
        if total == part.size and begun.may_be(Version(url=url, total=total)):
            part.write_note(begun, whole=True)
            return
        part.discard()
        raise _Broken("the file on the server is no longer the one that was begun")
    problem = f"the server answers {error.code} {_printable(str(error.reason))}"
    if error.code in _BUSY:
        raise _Broken(problem)
    raise FetchError(f"{url}: {problem}")


def _version(url: str, response: HTTPResponse) -> Version:
    headers = response.headers
    length = str(headers.get("Content-Length", "")).strip()
    is_count = re.fullmatch(_COUNT, length) and not headers.get("Transfer-Encoding")
    total = int(length) if is_count else None
    if response.status == 206:
        _, total = _content_range(headers)
    etag, modified = headers.get("ETag"), headers.get("Last-Modified")
    return Version(url=url, total=total, etag=etag, modified=modified)


def _resumed_at(response: HTTPResponse, version: Version, part: Part, begun: Version | None) -> int:
    """Where the rest begins, if it is the rest of what is here."""
    start, _ = _content_range(response.headers)
    if begun is None or start != part.size or not begun.may_be(version):
        part.discard()
        raise _Broken("the file on the server is no longer the one that was begun")
    return start


def _content_range(headers: Message) -> tuple[int | None, int | None]:
    """First byte and total of a Content-Range."""
    found = _RANGE.fullmatch(str(headers.get("Content-Range", "")).strip())
    start, total = found.groups() if found else (None, None)
    return int(start) if start else None, int(total) if total and total != "*" else None


def _stream(
    response: HTTPResponse,
    part: Part,
    total: int | None,
    patience: Patience,
    listener: Listener,
) -> None:
    """Append what comes; the end of the connection is the end of the file only if it is all."""
    done = part.size
    with part.path.open("ab") as file:
        listener.downloaded(done, total)
        while chunk := _read(response):
            done += len(chunk)
            if max(done, total or 0) > patience.max_bytes:
                part.discard()
                limit = f"{patience.max_bytes:,}"
                raise InputError(f"{part.path.name}: the file is larger than {limit} bytes")
            file.write(chunk)
            listener.downloaded(done, total)
    if total is not None and done < total:
        raise _Broken(f"the connection ended after {done:,} of {total:,} bytes")


def _read(response: HTTPResponse) -> bytes:
    """The next bytes. Trouble with the connection is worth another attempt; a full disk is not."""
    try:
        return response.read(_CHUNK)
    except (HTTPException, OSError) as error:
        raise _Broken(_reason(error)) from None


def _reason(error: object) -> str:
    if isinstance(error, TimeoutError):
        return "the server is silent"
    text = (error.strerror if isinstance(error, OSError) else None) or str(error) or repr(error)
    return _printable(text)


def _printable(text: str) -> str:
    """A stranger's text without what would steer a terminal."""
    return "".join(letter for letter in text if letter.isprintable())


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a server elsewhere, but not to another protocol and never out of https."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """The request to the new place."""
        before, after = urlsplit(req.full_url).scheme, urlsplit(newurl).scheme
        if after not in ("http", "https") or (before, after) == ("https", "http"):
            raise FetchError(
                f"{req.full_url}: the server sends us on to {_printable(newurl)}; not followed"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> urllib.request.OpenerDirector:
    """HTTP and HTTPS, through the environment's proxies, and nothing else."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        _Redirects(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener
