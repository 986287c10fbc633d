"""Downloads that succeed, break off, are tried again, or must not be followed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from requests import Response

from lighttea.datasets.download import FetchProgress, Limits, _refuse_downgrade, download
from lighttea.errors import FetchError, InputError
from tests.datasets.site import Site, serving

CONTENT = np.random.default_rng(1).bytes(300_000)
QUICK = Limits(timeout_s=5, attempts=3)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site(CONTENT)) as site:
        yield site


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder" / "data"


def assert_nothing_written(path: Path) -> None:
    assert list(path.parent.iterdir()) == []


class Recorder(FetchProgress):
    def __init__(self) -> None:
        self.seen: list[tuple[int, int | None]] = []

    def report_bytes(self, done: int, total: int | None) -> None:
        self.seen.append((done, total))


def test_a_whole_download(site: Site, path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    recorder = Recorder()
    download(site.url, path, limits=QUICK, progress=recorder)
    assert path.read_bytes() == CONTENT
    assert [file.name for file in path.parent.iterdir()] == ["data"]
    assert len(recorder.seen) > 3
    assert recorder.seen[-1] == (300_000, 300_000)
    assert sorted(recorder.seen) == recorder.seen
    assert capfd.readouterr() == ("", "")  # pooch's own messages are not shown


def test_a_download_of_unknown_size(site: Site, path: Path) -> None:
    site.sends_length = False
    recorder = Recorder()
    download(site.url, path, limits=QUICK, progress=recorder)
    assert path.read_bytes() == CONTENT
    assert {total for _, total in recorder.seen} == {None}


def test_a_broken_connection_is_tried_again(site: Site, path: Path, pauses: list[float]) -> None:
    site.cuts = [100_000, 0]
    recorder = Recorder()
    download(site.url, path, limits=QUICK, progress=recorder)
    assert path.read_bytes() == CONTENT
    assert site.requests == 3
    assert max(done for done, _ in recorder.seen) == 300_000
    assert pauses == [1, 2]


def test_attempts_are_bounded_and_counted(site: Site, path: Path) -> None:
    site.cuts = [10, 10, 10, 10]
    with pytest.raises(FetchError, match=r"failed \(attempts: 3\): .*10 bytes read, 299990 more"):
        download(site.url, path, limits=QUICK)
    assert site.requests == 3
    assert_nothing_written(path)


def test_not_found_is_reported_at_once(site: Site, path: Path) -> None:
    site.statuses = [404, 404]
    with pytest.raises(FetchError, match="the download failed: the server answers 404 Not Found"):
        download(site.url, path, limits=QUICK)
    assert site.requests == 1
    assert_nothing_written(path)


def test_a_busy_server_is_asked_again(site: Site, path: Path) -> None:
    site.statuses = [503, 429]
    download(site.url, path, limits=QUICK)
    assert path.read_bytes() == CONTENT


def test_a_server_that_stays_busy(site: Site, path: Path) -> None:
    site.statuses = [503] * 9
    with pytest.raises(FetchError, match=r"\(attempts: 3\): the server answers 503 Service Un"):
        download(site.url, path, limits=QUICK)
    assert_nothing_written(path)


def test_no_connection_is_reported_at_once(path: Path, pauses: list[float]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/data.zip"
        with pytest.raises(FetchError, match=r"the download failed: Connection refused$"):
            download(url, path)
    assert pauses == []


def test_a_silent_server_is_not_waited_for(path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/data.zip"
        with pytest.raises(FetchError, match=r"\(attempts: 2\): the server does not answer"):
            download(url, path, limits=Limits(timeout_s=0.05, attempts=2))


def test_a_server_that_falls_silent(path: Path) -> None:
    with serving(Site(CONTENT, holds_after=100_000)) as site:
        with pytest.raises(FetchError, match=r"\(attempts: 2\): the server does not answer"):
            download(site.url, path, limits=Limits(timeout_s=0.2, attempts=2))
        site.released.set()
    assert_nothing_written(path)


def test_an_answer_that_is_not_http(path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"\x1b[31mhello\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/data.zip"
        with pytest.raises(FetchError, match="hello") as caught:
            download(url, path, limits=Limits(timeout_s=5, attempts=1))
        thread.join()
    assert "\x1b" not in str(caught.value)


def test_a_redirect_is_followed(site: Site, path: Path) -> None:
    with serving(Site(b"", redirect=site.url)) as first:
        download(first.url, path, limits=QUICK)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("target", ["file:///etc/hostname", "ftp://127.0.0.1/x"])
def test_a_redirect_to_another_protocol_is_not_followed(path: Path, target: str) -> None:
    with (
        serving(Site(b"", redirect=target)) as site,
        pytest.raises(FetchError, match="No connection adapters were found"),
    ):
        download(site.url, path, limits=QUICK)
    assert site.requests == 1
    assert_nothing_written(path)


@pytest.mark.parametrize(
    ("source", "target", "is_refused"),
    [
        ("https://example.org/data.zip", "http://example.org/x", True),
        ("https://example.org/data.zip", "https://mirror.example/x", False),
        ("https://example.org/data.zip", "/x", False),
        ("http://example.org/data.zip", "https://example.org/x", False),
    ],
)
def test_a_redirect_out_of_https_is_not_followed(
    source: str, target: str, is_refused: bool
) -> None:
    response = Response()
    response.url, response.status_code = source, 302
    response.headers["Location"] = target
    if not is_refused:
        _refuse_downgrade(response)
        return
    with pytest.raises(FetchError, match=f"redirects to '{target}', which is not https"):
        _refuse_downgrade(response)


@pytest.mark.parametrize("sends_length", [True, False])
def test_a_file_that_is_too_large_is_refused(site: Site, path: Path, sends_length: bool) -> None:
    site.sends_length = sends_length
    recorder = Recorder()
    with pytest.raises(InputError, match="larger than 200,000 bytes"):
        download(site.url, path, limits=Limits(download_bytes=200_000), progress=recorder)
    assert site.requests == 1
    assert len(recorder.seen) == (0 if sends_length else 3)  # refused before, or on the way
    assert_nothing_written(path)


def test_an_interrupt_leaves_nothing(site: Site, path: Path) -> None:
    class Interrupts(FetchProgress):
        def report_bytes(self, done: int, total: int | None) -> None:
            if done > 100_000:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(site.url, path, progress=Interrupts())
    assert_nothing_written(path)


def test_a_full_disk_is_not_taken_for_a_broken_connection(site: Site, path: Path) -> None:
    class FullDisk(FetchProgress):
        def report_bytes(self, done: int, total: int | None) -> None:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        download(site.url, path, progress=FullDisk())
    assert site.requests == 1
    assert_nothing_written(path)
