"""Downloads from this machine: no proxy, and no pause between two attempts."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that would have been waited between attempts."""
    waited: list[float] = []
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr("pooch.core.time.sleep", waited.append)
    return waited
