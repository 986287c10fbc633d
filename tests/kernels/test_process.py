"""Memory figures of this process are measured ones, and unknown where psutil is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lighttea.kernels.process import free_bytes, peak_bytes, resident_bytes

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
