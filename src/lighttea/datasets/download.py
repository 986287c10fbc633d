"""Download one file over HTTP by pooch: retried, limited in size, whole or not there."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import lighttea
from lighttea.errors import FetchError, InputError

if TYPE_CHECKING:
    from requests import RequestException, Response

_CHUNK = 1 << 16
_BUSY = (408, 425, 429, 500, 502, 503, 504)  # answers after which another attempt may succeed


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How long a fetch tries, and how much it accepts."""

    timeout_s: float = 30.0  # without a byte from the server
    attempts: int = 5
    download_bytes: int = 1 << 30
    unpacked_bytes: int = 8 << 30  # of all files, also of those that are passed over
    file_bytes: int = 1 << 30  # of one file that is unpacked; `fetch` ties it to the dataset
    unpacked_files: int = 50_000


class FetchProgress:
    """Receives the progress of a fetch and ignores it; subclasses show it."""

    def begin_step(self, step: str) -> None:
        """Called when a step begins."""

    def report_bytes(self, done: int, total: int | None) -> None:
        """Called with the bytes downloaded so far, and the size of the file if it is known."""


class _Meter:
    """The progress bar that pooch updates: reports the bytes and enforces the size limit."""

    total = 0  # set by pooch when the file begins; 0 where the server does not send its size

    def __init__(self, limit: int, progress: FetchProgress) -> None:
        self._limit, self._progress, self._done = limit, progress, 0

    def update(self, size: int) -> None:
        """Count a chunk; pooch counts the last one of a file as a full one."""
        self._done += size
        if max(self._done, self.total) > self._limit:
            raise InputError(f"the file is larger than {self._limit:,} bytes")
        self._progress.report_bytes(min(self._done, self.total or self._done), self.total or None)

    def reset(self) -> None:
        """Count from zero, as pooch does before it reports the whole file."""
        self._done = 0

    def close(self) -> None:
        """Do nothing: whoever shows the progress closes it."""


def download(
    url: str, path: Path, *, limits: Limits | None = None, progress: FetchProgress | None = None
) -> None:
    """Download a file to a path that does not exist yet; a download that fails leaves nothing."""
    import pooch
    from requests import RequestException

    limits, progress = limits or Limits(), progress or FetchProgress()
    options = {
        "timeout": limits.timeout_s,
        "headers": {
            "User-Agent": f"lighttea/{lighttea.__version__}",
            "Accept-Encoding": "identity",
        },
        "hooks": {"response": _refuse_downgrade},
    }

    def attempt(url: str, output: str, _: object) -> None:
        meter = _Meter(limits.download_bytes, progress)
        try:
            pooch.HTTPDownloader(meter, _CHUNK, **options)(url, output, None)
        except RequestException as error:
            if _may_pass(error):
                raise  # pooch tries again
            raise FetchError(f"{url}: the download failed: {_explain(error)}") from None

    pooch.get_logger().setLevel(logging.WARNING)
    files = {"registry": {path.name: None}, "urls": {path.name: url}}
    cache = pooch.create(path.parent, "", retry_if_failed=limits.attempts - 1, **files)
    try:
        cache.fetch(path.name, downloader=attempt)
    except RequestException as error:
        tries = f" (attempts: {limits.attempts})"
        raise FetchError(f"{url}: the download failed{tries}: {_explain(error)}") from None


def _refuse_downgrade(response: Response, **_: Any) -> None:
    """Refuse a redirect that leaves https; requests itself refuses other protocols than HTTP."""
    target = urljoin(response.url, response.headers.get("Location", ""))
    leaves_https = response.url.startswith("https:") and not target.startswith("https:")
    if response.is_redirect and leaves_https:
        raise FetchError(f"{response.url}: the server redirects to {target!r}, which is not https")


def _may_pass(error: RequestException) -> bool:
    """Return whether another attempt may succeed: the server is busy, or the connection broke."""
    from requests import exceptions
    from urllib3.exceptions import MaxRetryError

    if error.response is not None:
        return error.response.status_code in _BUSY
    if error.args and isinstance(error.args[0], MaxRetryError):  # no connection at all
        return False
    broken = (exceptions.ConnectionError, exceptions.ReadTimeout, exceptions.ChunkedEncodingError)
    return isinstance(error, broken)


def _explain(error: RequestException) -> str:
    """Return in a few printable words why a download failed; the innermost cause has them."""
    cause: BaseException = error
    while cause.__context__ is not None:
        cause = cause.__context__
    text = getattr(cause, "strerror", None) or str(cause)
    if isinstance(cause, TimeoutError):
        text = "the server does not answer"
    if error.response is not None:
        text = f"the server answers {error.response.status_code} {error.response.reason}"
    return "".join(filter(str.isprintable, text))  # a server's text must not control a terminal
