"""Checkpoints that are damaged: refused in a sentence, and nothing in them is executed."""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lighttea.errors import InputError
from lighttea.evidence.likelihood_model import LikelyPairs
from lighttea.graph.pair import Links
from lighttea.results.checkpoint import Checkpoint, _digest
from lighttea.results.manifest import digest_of
from lighttea.similarity.carry import CarriedCandidates
from lighttea.solve.likely import Likely
from lighttea.solve.solve import State
from lighttea.types import LeftIds, RightIds
from tests.fuzzing import examples


def numbers(n: int) -> np.ndarray[Any, Any]:
    return np.arange(n, dtype=np.int32)


def state() -> State:
    links = Links(LeftIds(numbers(9)), RightIds(numbers(9)))
    carried = CarriedCandidates(numbers(5).astype(np.int64), numbers(50).reshape(5, 10))
    generator = dict(np.random.default_rng(1).bit_generator.state)
    likely = Likely(links, LikelyPairs(links, np.linspace(0.1, 1, 9, dtype=np.float32)))
    return State(2, links, carried, likely, generator, [{"next_settings": {}}], False)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    made = Checkpoint.beside(tmp_path / "run", resume=True)
    made.save("key", state())
    return made


def assert_same(one: State | None, other: State) -> None:
    assert one is not None
    np.testing.assert_equal(asdict(one), asdict(other))


def test_what_is_saved_is_loaded(checkpoint: Checkpoint) -> None:
    assert_same(checkpoint.load("key"), state())


class Malicious:
    """Makes a file where it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.place),)


def test_nothing_is_unpickled(checkpoint: Checkpoint, tmp_path: Path) -> None:
    """Not even where the digest of the arrays was made to fit."""
    packed = io.BytesIO()
    np.savez(packed, left=np.array([Malicious(tmp_path / "executed")], dtype=object))
    (checkpoint.folder / "arrays.npz").write_bytes(packed.getvalue())
    with pytest.raises(InputError, match=r"arrays\.npz is not what was written"):
        checkpoint.load("key")
    path = checkpoint.folder / "state.json"
    content = json.loads(path.read_text())
    content["arrays"] = digest_of(checkpoint.folder / "arrays.npz")
    content["digest"] = _digest(content)
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="the checkpoint is damaged"):
        checkpoint.load("key")
    (checkpoint.folder / "arrays.npz").write_bytes(pickle.dumps(Malicious(tmp_path / "executed")))
    with pytest.raises(InputError, match="the checkpoint is damaged"):
        checkpoint.load("key")
    assert not (tmp_path / "executed").exists()


@examples(60)
@given(number=st.integers(0, 2**32))
def test_a_damaged_checkpoint_is_the_same_or_refused(tmp_path: Path, number: int) -> None:
    shutil.rmtree(tmp_path / ".run.checkpoint", ignore_errors=True)
    made = Checkpoint.beside(tmp_path / "run", resume=True)
    made.save("key", state())
    rng = random.Random(number)
    path = made.folder / rng.choice(("state.json", "arrays.npz"))
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 3, 30))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(bytes(content[: rng.choice((len(content), rng.randrange(len(content))))]))
    refusal = ""
    try:
        loaded = made.load("key")
    except InputError as error:
        refusal = str(error)
    if refusal:
        assert "the checkpoint is damaged" in refusal
    else:
        assert_same(loaded, state())
