"""Downloads that go well, break off, are resumed, or must not be."""

from __future__ import annotations

import json
import socket
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lighttea.datasets.download import Listener, Part, Patience, Version, _Redirects, download
from lighttea.errors import FetchError, InputError
from tests.datasets.site import Site, serving

CONTENT = np.random.default_rng(1).bytes(300_000)
OTHER = np.random.default_rng(2).bytes(300_000)
QUICK = Patience(timeout_s=5, attempts=3, pause_s=0)
ONCE = Patience(timeout_s=5, attempts=1, pause_s=0)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site(CONTENT)) as site:
        yield site


@pytest.fixture
def part(tmp_path: Path) -> Part:
    return Part(tmp_path / "data.part")


def broken_off(site: Site, part: Part, after: int = 100_000) -> None:
    """Download until the connection ends too early."""
    site.cuts = [after]
    with pytest.raises(FetchError, match=f"ended after {after:,} of 300,000 bytes"):
        download(site.url, part, patience=ONCE)
    site.asked.clear()


def test_a_whole_download(site: Site, part: Part) -> None:
    class Heard(Listener):
        seen: list[tuple[int, int | None]] = []  # noqa: RUF012

        def downloaded(self, done: int, total: int | None) -> None:
            self.seen.append((done, total))

    heard = Heard()
    download(site.url, part, patience=QUICK, listener=heard)
    assert part.path.read_bytes() == CONTENT
    assert heard.seen[0] == (0, 300_000)
    assert heard.seen[-1] == (300_000, 300_000)
    assert sorted(heard.seen) == heard.seen


def test_what_is_whole_is_not_asked_for_again(site: Site, part: Part) -> None:
    download(site.url, part, patience=QUICK)
    download(site.url, part, patience=QUICK)
    assert site.asked == [None]


def test_the_whole_of_another_url_is_asked_for(site: Site, part: Part) -> None:
    download(site.url, part, patience=QUICK)
    download(f"{site.url}?again", part, patience=QUICK)
    assert site.asked == [None, None]


def test_a_broken_connection_is_resumed_at_once(site: Site, part: Part) -> None:
    site.cuts = [100_000, 70_000]
    download(site.url, part, patience=QUICK)
    assert part.path.read_bytes() == CONTENT
    assert site.asked == [None, "bytes=100000-", "bytes=170000-"]


def test_attempts_are_bounded_and_counted(site: Site, part: Part) -> None:
    site.cuts = [10, 10, 10, 10]
    with pytest.raises(FetchError, match=r"failed \(attempts: 3\): .* after 30 of 300,000"):
        download(site.url, part, patience=QUICK)
    assert part.size == 30


def test_a_broken_download_is_resumed_later(site: Site, part: Part) -> None:
    broken_off(site, part)
    download(site.url, part, patience=QUICK)
    assert part.path.read_bytes() == CONTENT
    assert site.asked == ["bytes=100000-"]


def test_a_server_without_ranges_sends_all_again(site: Site, part: Part) -> None:
    site.has_ranges = False
    broken_off(site, part)
    download(site.url, part, patience=QUICK)
    assert part.path.read_bytes() == CONTENT


@pytest.mark.parametrize("mark", ["etag", "modified", None])
def test_halves_of_two_versions_are_not_joined(site: Site, part: Part, mark: str | None) -> None:
    if mark:
        setattr(site, mark, '"one"' if mark == "etag" else "Mon, 01 Jan 2024 00:00:00 GMT")
    broken_off(site, part)
    site.content = OTHER + b"longer"
    if mark:
        setattr(site, mark, '"two"' if mark == "etag" else "Tue, 02 Jan 2024 00:00:00 GMT")
    download(site.url, part, patience=QUICK)
    assert part.path.read_bytes() == OTHER + b"longer"


def test_a_server_that_knows_no_if_range_is_seen_through(site: Site, part: Part) -> None:
    site.etag = 'W/"one"'  # a weak mark is not sent, so the rest of the other version comes
    broken_off(site, part)
    site.content, site.etag = OTHER, 'W/"two"'
    download(site.url, part, patience=QUICK)
    assert part.path.read_bytes() == OTHER
    assert site.asked == ["bytes=100000-", None]


def test_without_any_mark_nothing_is_resumed(site: Site, part: Part) -> None:
    site.says_length = False
    part.path.write_bytes(OTHER[:5])
    part.write_note(Version(url=site.url))
    download(site.url, part, patience=QUICK)
    assert site.asked == [None]
    assert part.path.read_bytes() == CONTENT


def test_nothing_after_the_last_byte_means_whole(site: Site, part: Part) -> None:
    part.path.write_bytes(CONTENT)
    part.write_note(Version(url=site.url, total=300_000))
    download(site.url, part, patience=QUICK)
    assert site.asked == ["bytes=300000-"]
    assert part.path.read_bytes() == CONTENT


def test_more_bytes_than_the_server_has_are_thrown_away(site: Site, part: Part) -> None:
    part.path.write_bytes(OTHER + OTHER)
    part.write_note(Version(url=site.url, total=900_000))
    download(site.url, part, patience=QUICK)
    assert part.path.read_bytes() == CONTENT
    assert site.asked == ["bytes=600000-", None]


@pytest.mark.parametrize("note", ["", "{", "[]", '{"version": {"url": 1, "what": 2}}'])
def test_a_damaged_note_means_from_the_start(site: Site, part: Part, note: str) -> None:
    part.path.write_bytes(OTHER[:100])
    part.note.write_text(note, encoding="utf-8")
    download(site.url, part, patience=QUICK)
    assert part.path.read_bytes() == CONTENT
    assert site.asked == [None]


def test_the_note_says_what_it_is_part_of(site: Site, part: Part) -> None:
    site.etag = '"one"'
    broken_off(site, part)
    note = json.loads(part.note.read_text(encoding="utf-8"))
    assert note["version"] == {
        "url": site.url,
        "total": 300_000,
        "etag": '"one"',
        "modified": None,
    }
    assert note["whole_size"] is None


def test_not_found_is_said_at_once(site: Site, part: Part) -> None:
    site.statuses = [404, 404]
    with pytest.raises(FetchError, match="the server answers 404 Not Found"):
        download(site.url, part, patience=QUICK)
    assert len(site.asked) == 1
    assert not part.path.exists()


def test_a_busy_server_is_asked_again(site: Site, part: Part) -> None:
    site.statuses = [503, 429]
    download(site.url, part, patience=QUICK)
    assert part.path.read_bytes() == CONTENT


def test_a_server_that_has_no_file(site: Site, part: Part) -> None:
    site.statuses = [204]
    with pytest.raises(FetchError, match="answers 204, which is no file"):
        download(site.url, part, patience=QUICK)


def test_nobody_there_is_said_at_once(part: Part) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/data.zip"
        with pytest.raises(FetchError, match="the download failed: Connection refused"):
            download(url, part, patience=Patience(pause_s=60))


def test_a_silent_server_is_not_waited_for(part: Part) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/data.zip"
        with pytest.raises(FetchError, match="the server is silent"):
            download(url, part, patience=Patience(timeout_s=0.05, attempts=2, pause_s=0))


def test_an_answer_that_is_not_http(part: Part) -> None:
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
            download(url, part, patience=ONCE)
        thread.join()
    assert "\x1b" not in str(caught.value)


def test_a_redirect_is_followed_and_resumed(site: Site, part: Part) -> None:
    with serving(Site(b"", redirect=site.url)) as first:
        site.cuts = [100_000]
        download(first.url, part, patience=QUICK)
    assert part.path.read_bytes() == CONTENT
    assert site.asked == [None, "bytes=100000-"]


@pytest.mark.parametrize("where", ["file:///etc/hostname", "ftp://127.0.0.1/x"])
def test_a_redirect_elsewhere_is_not_followed(part: Part, where: str) -> None:
    with (
        serving(Site(b"", redirect=where)) as site,
        pytest.raises(FetchError, match=r"not (followed|allowed)"),
    ):
        download(site.url, part, patience=QUICK)
    assert not part.path.exists()


def test_a_redirect_out_of_https_is_not_followed() -> None:
    request = urllib.request.Request("https://example.org/data.zip")
    with pytest.raises(FetchError, match=r"sends us on to http://example.org/x; not followed"):
        _Redirects().redirect_request(request, None, 302, "", {}, "http://example.org/x")


def test_a_file_that_is_too_large_is_refused(site: Site, part: Part) -> None:
    with pytest.raises(InputError, match="larger than 1,000 bytes"):
        download(site.url, part, patience=Patience(max_bytes=1_000))
    site.says_length = False
    with pytest.raises(InputError, match="larger than 200,000 bytes"):
        download(site.url, part, patience=Patience(max_bytes=200_000))
    assert not part.path.exists()
    assert not part.note.exists()


def test_an_interrupt_leaves_what_came(site: Site, part: Part) -> None:
    class Interrupts(Listener):
        def downloaded(self, done: int, total: int | None) -> None:
            if done > 100_000:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(site.url, part, listener=Interrupts())
    size = part.size
    assert 100_000 < size < 300_000
    assert part.path.read_bytes() == CONTENT[:size]
    download(site.url, part, patience=QUICK)
    assert part.path.read_bytes() == CONTENT
    assert site.asked == [None, f"bytes={size}-"]


def test_a_full_disk_is_not_taken_for_a_broken_connection(
    site: Site, part: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Part, "write_note", full)
    with pytest.raises(OSError, match="No space left"):
        download(site.url, part, patience=QUICK)
    assert len(site.asked) == 1
