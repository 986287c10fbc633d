"""A process that tries changed files of one kind, each within limits of time and memory.

    python -m tests.fuzz.worker KIND SEED BEGIN END FINDS FOLDER

How each file ended stands in a file of the folder, and beside it lies the one that is tried. (Lines
on a pipe would wake the reader up each time.) A file that takes too much processor time ends the
process; who started it begins another one behind that file.
"""

from __future__ import annotations

import random
import re
import resource
import signal
import sys
import traceback
from hashlib import sha256
from pathlib import Path

from tests.fuzz.kinds import KINDS, File, Kind, try_file

CPU_SECONDS = 10  # of one file
MEMORY = 6 << 30  # bytes of address space of the process, its libraries included
GROWTH = 256 << 10  # KiB by which one small file may raise the peak
ENDS, LAST = "ends", "last"  # files of the folder
MOST_KEPT = 300  # changed files that are changed further
_VALUES = re.compile(r"'[^']*'|\"[^\"]*\"|[\d.,]+")


class Fuzzer:
    """Files of a kind, and those that led somewhere new."""

    def __init__(self, kind: Kind, finds: Path) -> None:
        self.kind, self.finds = kind, finds
        self.files = kind.make()
        self.n_good = len(self.files)
        self.seen: set[str] = set()

    def changed_file(self, rng: random.Random) -> File:
        """Return a file with changes; every other time a good one that was not changed before."""
        files = self.files[: self.n_good] if rng.random() < 0.5 else self.files
        file = rng.choice(files)
        others = [one.content for one in self.files[: self.n_good]]
        return File(file.name, self.kind.change(file.content, rng, others))

    def try_one(self, place: Path, file: File) -> str:
        """Return `read`, `refused` or `find`, and keep what led somewhere new."""
        before = peak()
        try:
            result = try_file(self.kind, place, file)
        except BaseException as error:  # noqa: BLE001 - any other end is what is looked for
            self.keep_find(file, "".join(traceback.format_exception(error)))
            return "find"
        if self.seen and peak() - before > GROWTH:
            self.keep_find(file, f"{(peak() - before) >> 10} MiB more than before")
            return "find"
        form = file.name + _VALUES.sub("*", result)
        if form not in self.seen and len(self.files) < self.n_good + MOST_KEPT:
            self.files.append(file)
        self.seen.add(form)
        return result.split(":")[0].split()[0]

    def keep_find(self, file: File, story: str) -> None:
        """Write a find and its story; those that end in the same place once."""
        where = re.findall(r'File ".*?(src/lighttea/\S+)", line (\d+)', story)[-1:]
        last = story.strip().splitlines()[-1].split(":")[0]
        name = sha256(f"{where} {last}".encode()).hexdigest()[:8]
        place = self.finds / f"{self.kind.name}-{name}"
        if not place.exists():
            place.mkdir(parents=True)
            (place / file.name).write_bytes(file.content)
            (place / "story.txt").write_text(story, errors="replace")


def peak() -> int:
    """Return the largest memory of this process so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main(kind: str, seed: str, begin: int, end: int, finds: Path, folder: Path) -> None:
    """Try files with these numbers."""
    fuzzer = Fuzzer(KINDS[kind], finds)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with (folder / ENDS).open("ab", buffering=0) as ends:
        for number in range(begin, end):
            file = fuzzer.changed_file(random.Random(f"{kind} {seed} {number}"))
            (folder / LAST).write_bytes(file.name.encode() + b"\n" + file.content)
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)  # its signal ends the process
            how = fuzzer.try_one(folder / "place", file)
            signal.setitimer(signal.ITIMER_PROF, 0)
            ends.write(f"{how}\n".encode())


if __name__ == "__main__":
    _, kind_, seed_, begin_, end_, finds_, folder_ = sys.argv
    main(kind_, seed_, int(begin_), int(end_), Path(finds_), Path(folder_))
