"""Memory figures of this process are measured ones, and unknown where psutil is missing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from lighttea.kernels.process import (
    free_bytes,
    peak_bytes,
    resident_bytes,
    share_one_heap,
    wait_asleep,
    without_interrupts,
)

MIB = 1 << 20


def test_an_array_is_resident_while_it_is_held() -> None:
    before = resident_bytes()
    array = np.ones(64 * MIB, np.uint8)
    assert resident_bytes() - before == pytest.approx(array.nbytes, rel=0.2)
    assert peak_bytes() >= resident_bytes() - MIB
    del array
    assert resident_bytes() - before < 32 * MIB


def test_the_peak_stays_after_the_memory_is_given_back() -> None:
    code = (
        "import numpy as np\n"
        "from lighttea.kernels.process import peak_bytes, resident_bytes\n"
        "array = np.ones(200 << 20, np.uint8)\n"
        "del array\n"
        "print(peak_bytes() - resident_bytes())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(done.stdout) > 150 * MIB


def test_free_memory_is_what_the_machine_has_and_no_more() -> None:
    import psutil

    assert 0 < free_bytes() <= psutil.virtual_memory().total


def test_without_psutil_memory_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert resident_bytes() == 0
    assert free_bytes() == 8 << 30


@pytest.mark.skipif(sys.platform == "win32", reason="cannot run here: Windows tells it to psutil")
def test_the_peak_needs_neither_psutil_nor_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)
    by_kernel = peak_bytes()

    def unreadable(*_: object, **__: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", unreadable)
    assert peak_bytes() >= by_kernel > 10 * MIB


_TWO_THREADS = """
import sys, threading
import numpy as np
from lighttea.kernels.process import resident_bytes, share_one_heap
if sys.argv[1] == "shared":
    assert share_one_heap()
def work(turn, barrier):
    for number in range(8):
        barrier.wait()
        if number % 2 == turn:  # never both at once
            kept = [np.ones(1 << 16) for _ in range(100)]  # 50 MiB: one piece of a heap holds 64
            del kept[::2], kept
barrier = threading.Barrier(2)
threads = [threading.Thread(target=work, args=(turn, barrier)) for turn in (0, 1)]
before = resident_bytes()
for thread in threads: thread.start()
for thread in threads: thread.join()
print(resident_bytes() - before)
"""


@pytest.mark.skipif(not share_one_heap(), reason="the C library has one heap, or another way")
def test_threads_take_again_what_others_gave_back() -> None:
    """Threads that work in turns hold less together from one heap than from one each."""
    held = {}
    for how in ("shared", "apart"):
        command = [sys.executable, "-c", _TWO_THREADS, how]
        env = {
            **os.environ,
            "MALLOC_TRIM_THRESHOLD_": str(1 << 30),  # nothing goes back to the system
            "MALLOC_MMAP_THRESHOLD_": str(1 << 25),  # arrays of half a MiB lie in the heap
        }
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
        held[how] = int(done.stdout)
    assert held["apart"] > 80 * MIB  # each thread keeps its own 50 MiB
    assert held["shared"] < 0.8 * held["apart"]


def test_waiting_threads_sleep_unless_the_user_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "")
    monkeypatch.delenv("OMP_WAIT_POLICY")  # put back as it was at the end
    wait_asleep()
    assert os.environ["OMP_WAIT_POLICY"] == "passive"
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    wait_asleep()
    assert os.environ["OMP_WAIT_POLICY"] == "active"


_CHILD = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


def interrupt_inside(thread: threading.Thread, steps: list[str]) -> None:
    with without_interrupts():
        signal.pthread_kill(thread.ident or 0, signal.SIGINT)
        time.sleep(0.05)
        steps.append("after the interrupt")


@pytest.mark.skipif(sys.platform == "win32", reason="cannot run here: no masks of signals")
def test_an_interrupt_is_held_back_and_not_lost() -> None:
    steps: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        interrupt_inside(threading.main_thread(), steps)
    assert steps
    with without_interrupts():
        pass  # nothing came, nothing is raised
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.mark.skipif(sys.platform == "win32", reason="cannot run here: no masks of signals")
def test_a_thread_that_was_there_before_lets_no_interrupt_through() -> None:
    over, steps = threading.Event(), list[str]()
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupt_inside(thread, steps)
    finally:
        over.set()
        thread.join()
    assert steps


@pytest.mark.skipif(sys.platform == "win32", reason="cannot run here: no masks of signals")
def test_processes_started_without_interrupts_see_none() -> None:
    command = [sys.executable, "-c", _CHILD]
    with without_interrupts():
        inside = subprocess.run(command, capture_output=True, text=True, check=True)
    outside = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (inside.stdout.strip(), outside.stdout.strip()) == ("True", "False")
