"""A command that is killed at a moment: when it touches files, or after some processor time.

    python -m tests.faults.killed MOMENT FOLDER WORDS...

MOMENT is `none`, `event:7` (the seventh time that it opens, renames or removes something in the
folder) or `cpu:1.5` (seconds of processor time after the libraries are loaded). The process ends as
by `kill -9`: nothing is cleaned up. It prints how many such events and seconds there were.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree", "sqlite3.")


class Killer:
    """Counts what happens to the files of a folder, and ends the process at one of the events."""

    def __init__(self, folder: Path, last: int | None) -> None:
        self.folder, self.last, self.n = str(folder), last, 0

    def __call__(self, event: str, given: tuple[Any, ...]) -> None:
        """Count an event of Python's audit hooks."""
        if not event.startswith(EVENTS):
            return
        if any(self.folder in str(one) for one in given if isinstance(one, str | bytes | Path)):
            self.n += 1
            if self.n == self.last:
                os.kill(os.getpid(), signal.SIGKILL)


def use_torch_on_the_cpu() -> None:
    """Let the GPU engine run on torch's CPU device."""
    from lighttea.engines.gpu import engine

    engine.find_gpu = lambda: ("cpu", "")


def decide_again_and_again(path: Path) -> int:
    """Write decisions and notes, and print each that was acknowledged."""
    from lighttea.review.decisions import Decisions

    log = Decisions(path)
    for number in range(20):
        name = f"{os.getpid()} {number}"  # a later process decides on others
        decision = log.decide(name, f"right of {name}", "accept", seen=0)
        os.write(1, f"acknowledged {decision.left}\n".encode())
    log.back_up()
    return 0


def main(moment: str, folder: Path, words: list[str]) -> int:
    """Run a command and return its exit code, unless the moment comes first."""
    from lighttea.cli import run_command

    if "gpu" in words:
        use_torch_on_the_cpu()
    how, _, number = moment.partition(":")
    killer = Killer(folder, int(number) if how == "event" else None)
    sys.addaudithook(killer)
    begin = time.process_time()
    if how == "cpu":
        signal.setitimer(signal.ITIMER_PROF, float(number))  # its signal ends the process
    decides = words[0] == "decide"
    code = decide_again_and_again(Path(words[1])) if decides else run_command(words)
    signal.setitimer(signal.ITIMER_PROF, 0)
    os.write(1, f"\nevents {killer.n} seconds {time.process_time() - begin:.3f}\n".encode())
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
