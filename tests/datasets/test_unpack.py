"""Archives that mean harm, are damaged, or are not what they should be."""

from __future__ import annotations

import contextlib
import gzip
import io
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lighttea.datasets import unpack as unpacking
from lighttea.datasets.download import Limits
from lighttea.datasets.registry import FILES as NAMES
from lighttea.datasets.registry import REGISTRY
from lighttea.datasets.unpack import unpack
from lighttea.errors import InputError
from tests.datasets.folders import CONTENTS, tar_of, zip_of

FILES = {f"top/made/{name}": text.encode() for name, text in CONTENTS.items()}
Make = Callable[[dict[str, bytes]], bytes]


def written(folder: Path, content: bytes) -> Path:
    path = folder / "archive"
    path.write_bytes(content)
    return path


def unpacked(path: Path, target: Path, limits: Limits | None = None) -> dict[str, bytes]:
    """The unpacked files by their paths in the archive."""
    target.mkdir(exist_ok=True)
    unpack(path, target, NAMES, limits)
    files = [file for file in target.rglob("*") if file.is_file()]
    return {file.relative_to(target).as_posix(): file.read_bytes() for file in files}


ARCHIVES = {
    "zip": zip_of(FILES),
    **{mode: tar_of(FILES, mode=f"w{mode}") for mode in ("", ":gz", ":bz2", ":xz")},
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_every_kind_of_archive(tmp_path: Path, kind: str) -> None:
    files = unpacked(written(tmp_path, ARCHIVES[kind]), tmp_path / "made")
    assert files == FILES


DANGEROUS = {
    "up": "../triples_1",
    "up, inside": "top/../../x",
    "up, by backslash": "top\\..\\..\\x",
    "absolute": "/etc/x",
    "absolute, by backslash": "\\x",
    "drive": "C:/x",
    "drive, relative": "C:x",
    "share": "//server/share/x",
}


@pytest.mark.parametrize("name", DANGEROUS.values(), ids=DANGEROUS.keys())
@pytest.mark.parametrize("make", [zip_of, tar_of])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, make: Make, name: str) -> None:
    content = make({**FILES, name: b"harm"})
    path = written(tmp_path, content)
    with pytest.raises(InputError, match="leads out of its folder"):
        unpacked(path, tmp_path / "made")
    assert sorted(tmp_path.rglob("*")) == [path, tmp_path / "made"]


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE],
    ids=["symlink", "hard link", "character device", "block device", "pipe"],
)
def test_a_tar_with_more_than_files_is_refused(tmp_path: Path, kind: bytes) -> None:
    member = tarfile.TarInfo("top/made/time_id2")
    member.type, member.linkname = kind, "triples_1"
    path = written(tmp_path, tar_of(FILES, member))
    with pytest.raises(InputError, match="a link or a device"):
        unpacked(path, tmp_path / "made")
    assert not any((tmp_path / "made").iterdir())


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_a_zip_with_more_than_files_is_refused(tmp_path: Path, kind: int) -> None:
    made = io.BytesIO(ARCHIVES["zip"])
    with zipfile.ZipFile(made, "a") as archive:
        member = zipfile.ZipInfo("top/made/link")
        member.external_attr = (kind | 0o777) << 16
        archive.writestr(member, "/etc/passwd")
    path = written(tmp_path, made.getvalue())
    with pytest.raises(InputError, match="'top/made/link' in the archive is a link or a device"):
        unpacked(path, tmp_path / "made")
    assert not any((tmp_path / "made").iterdir())


def test_a_symlink_for_a_folder_is_refused(tmp_path: Path) -> None:
    link = tarfile.TarInfo("top")
    link.type, link.linkname = tarfile.SYMTYPE, "/tmp"
    with pytest.raises(InputError, match="a link or a device"):
        unpacked(written(tmp_path, tar_of(FILES, link)), tmp_path / "made")


@pytest.mark.parametrize("make", [zip_of, tar_of])
def test_a_bomb_is_refused_before_it_goes_off(tmp_path: Path, make: Make) -> None:
    bomb = {**FILES, "top/bomb": bytes(20_000_000)}
    content = make(bomb)
    assert len(content) < 100_000
    path = written(tmp_path, content)
    limits = Limits(unpacked_bytes=10_000_000)
    with pytest.raises(InputError, match=r"more than .* 10,000,000 bytes unpacked"):
        unpacked(path, tmp_path / "made", limits)
    assert not any((tmp_path / "made").iterdir())


@pytest.mark.parametrize("make", [zip_of, tar_of])
def test_too_many_files_are_refused(tmp_path: Path, make: Make) -> None:
    many = {f"{number}": b"" for number in range(30)}
    path = written(tmp_path, make(many))
    with pytest.raises(InputError, match="more than 20 files"):
        unpacked(path, tmp_path / "made", Limits(unpacked_files=20))


def test_a_zip_that_lies_about_a_size_is_refused(tmp_path: Path) -> None:
    small = zip_of({**FILES, "top/made/triples_1": b"0\t0\t1\n" * 1_000})
    large = small.replace((6_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert large != small
    with pytest.raises(InputError):
        unpacked(written(tmp_path, large), tmp_path / "made")


@pytest.mark.parametrize("make", [zip_of, tar_of])
def test_other_files_are_not_unpacked(tmp_path: Path, make: Make) -> None:
    path = written(tmp_path, make({**FILES, "top/README.md": b"made", "setup.py": b"harm"}))
    assert unpacked(path, tmp_path / "made") == FILES


@pytest.mark.parametrize("make", [zip_of, tar_of])
@pytest.mark.parametrize(
    "name", ["top/made/triples_1/triples_2", f"{300 * 'x'}/triples_1"], ids=["nested", "long"]
)
def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path, make: Make, name: str) -> None:
    path = written(tmp_path, make({**FILES, name: b"0"}))
    with pytest.raises(InputError, match="damaged or cannot be read"):
        unpacked(path, tmp_path / "made")


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    content = bytearray(zip_of(FILES))
    for mark, at in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        place = content.find(mark)
        while place >= 0:
            content[place + at] |= 1
            place = content.find(mark, place + 4)
    with pytest.raises(InputError, match="encrypted"):
        unpacked(written(tmp_path, bytes(content)), tmp_path / "made")


@pytest.mark.parametrize("content", [b"", b"<!DOCTYPE html><title>Not here</title>"])
def test_what_is_no_archive_is_said(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match="neither a zip nor a tar archive; it begins with b'"):
        unpacked(written(tmp_path, content), tmp_path / "made")


@pytest.mark.parametrize("kind", ARCHIVES)
def test_damage_anywhere_is_an_input_error_or_harmless(tmp_path: Path, kind: str) -> None:
    whole, rng = ARCHIVES[kind], np.random.default_rng(3)
    for attempt in range(150):
        damaged = bytearray(whole)
        for place in rng.integers(0, len(whole), 3):
            damaged[place] = rng.integers(256)
        content = bytes(damaged[: rng.integers(1, len(whole) + 1)] if attempt % 2 else damaged)
        target = tmp_path / f"{attempt}"
        target.mkdir()
        with contextlib.suppress(InputError):
            unpack(written(tmp_path, content), target, NAMES)
        assert sorted(p.name for p in tmp_path.iterdir() if not p.name.isdecimal()) == ["archive"]


def tar_with_header(kind: bytes, content: bytes) -> bytes:
    """A packed tar that begins with a header of its own kind, such as a long name."""
    member = tarfile.TarInfo("././@LongLink")
    member.type, member.size = kind, len(content)
    padding = bytes(-len(content) % tarfile.BLOCKSIZE)
    header = member.tobuf(tarfile.GNU_FORMAT) + content + padding
    made = io.BytesIO(tar_of(FILES, mode="w:"))
    return gzip.compress(header + made.getvalue(), compresslevel=1)


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_a_header_without_end_is_refused(tmp_path: Path, kind: bytes) -> None:
    path = written(tmp_path, tar_with_header(kind, b"x" * 60_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="headers without end; refused"):
            unpacked(path, tmp_path / "made")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert not any((tmp_path / "made").iterdir())


def test_many_headers_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "_ALL_HEADERS", 100_000)
    many = {f"{number}": b"" for number in range(300)}
    with pytest.raises(InputError, match="headers without end; refused"):
        unpacked(written(tmp_path, tar_of(many)), tmp_path / "made")


@pytest.mark.parametrize("make", [zip_of, tar_of])
def test_a_long_name_is_refused(tmp_path: Path, make: Make) -> None:
    path = written(tmp_path, make({**FILES, "x/" * 3_000: b""}))
    with pytest.raises(InputError, match=r"a name of [56],[0-9]+ characters in the archive"):
        unpacked(path, tmp_path / "made")


@pytest.mark.parametrize("make", [zip_of, tar_of])
def test_a_file_larger_than_the_dataset_is_refused(tmp_path: Path, make: Make) -> None:
    path = written(tmp_path, make({**FILES, "top/made/triples_1": bytes(2_000_000)}))
    with pytest.raises(InputError, match="'top/made/triples_1' in the archive has 2,000,000 bytes"):
        unpacked(path, tmp_path / "made", Limits(file_bytes=1_000_000))
    assert not any((tmp_path / "made").iterdir())


@pytest.mark.parametrize("make", [zip_of, tar_of])
def test_large_files_beside_the_dataset_do_no_harm(tmp_path: Path, make: Make) -> None:
    path = written(tmp_path, make({**FILES, "top/paper.pdf": bytes(2_000_000)}))
    assert unpacked(path, tmp_path / "made", Limits(file_bytes=1_000_000)) == FILES


def test_a_member_without_a_name_is_refused(tmp_path: Path) -> None:
    content = zip_of({**FILES, "x": b"0"})
    for mark, at in ((b"PK\x01\x02", 28), (b"PK\x03\x04", 26)):
        place = content.rfind(mark)
        content = content[: place + at] + bytes(2) + content[place + at + 2 :]
    with pytest.raises(InputError, match="damaged or cannot be read"):
        unpacked(written(tmp_path, content), tmp_path / "made")


def test_names_in_messages_are_escaped(tmp_path: Path) -> None:
    path = written(tmp_path, zip_of({"../\x1b[2J\u202e": b""}))
    with pytest.raises(InputError) as caught:
        unpacked(path, tmp_path / "made")
    assert "\\x1b[2J\\u202e" in str(caught.value)


def test_the_limit_follows_the_published_size() -> None:
    for dataset in REGISTRY.values():
        assert 64 << 20 <= dataset.most_bytes < 1 << 30
        assert dataset.most_bytes >= 4 * (dataset.size_bytes or 0)
