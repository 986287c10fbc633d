"""Checkpoints: what a killed run needs to go on after its last finished round."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from lighttea.config import Config
from lighttea.errors import EngineUnavailable, InputError
from lighttea.evidence.likelihood_model import LikelyPairs
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.io.outputs import writing
from lighttea.results.manifest import digest_of
from lighttea.similarity.carry import CarriedCandidates
from lighttea.solve.likely import Likely
from lighttea.solve.solve import State
from lighttea.types import LeftIds, RightIds
from lighttea.version import __version__

_NOT_IN_KEY = ("threads", "max_memory")  # how, not what, is computed
_STATE, _ARRAYS = "state.json", "arrays.npz"


@dataclass(frozen=True)
class Checkpoint:
    """A folder beside the run folder, written after each round and removed when the run is done."""

    folder: Path
    resume: bool

    @classmethod
    def beside(cls, run_folder: Path, *, resume: bool) -> Checkpoint:
        """Return the checkpoint of the run that will be written to this folder."""
        return cls(run_folder.with_name(f".{run_folder.name}.checkpoint"), resume)

    def load(self, key: str) -> State | None:
        """Return the state of a killed run; None where there is none or the run starts anew.

        Nothing of it is looked at before its digests are compared.
        """
        if not self.resume or not (self.folder / _STATE).exists():
            return None
        try:
            stored_key, state = _read_state(self.folder)
        except (
            *(OSError, EOFError, BadZipFile, ValueError, KeyError, TypeError, RecursionError),
        ) as error:
            raise InputError(
                f"{self.folder}: the checkpoint is damaged ({error}); run without `checkpoint`"
            ) from None
        if stored_key != key:
            raise InputError(
                f"{self.folder}: the checkpoint belongs to other graphs, seeds or settings; "
                "use the same ones as before, or run without `checkpoint`"
            )
        return state

    def save(self, key: str, state: State) -> None:
        """Write the state under a temporary name and rename it when it is complete."""
        self._remove_unfinished()
        with writing(self.folder):
            self._unfinished.mkdir(parents=True)
            _write_state(self._unfinished, key, state)
            self.remove()
            self._unfinished.rename(self.folder)

    @contextmanager
    def while_running(self) -> Iterator[None]:
        """Remove the state when the work inside is done, or failed without `resume`.

        The state of a killed process stays, because it does not reach the end of this block; so
        does that of a run whose engine was lost. With `resume` an existing state also stays after
        Ctrl-C and errors.
        """
        try:
            yield
        except BaseException as error:
            self._remove_unfinished()
            if not self.resume and not isinstance(error, EngineUnavailable):
                self.remove()
            raise
        self.remove()

    def remove(self) -> None:
        """Remove the state."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def _unfinished(self) -> Path:
        """The temporary name of a state that is being written."""
        return self.folder.with_name(f"{self.folder.name}.unfinished")

    def _remove_unfinished(self) -> None:
        """Remove a state that was not written completely."""
        shutil.rmtree(self._unfinished, ignore_errors=True)


def _write_state(folder: Path, key: str, state: State) -> None:
    """Write a state as two files."""
    np.savez(
        folder / _ARRAYS,
        left=state.seeds.left,
        right=state.seeds.right,
        links_left=state.likely.links.left,
        links_right=state.likely.links.right,
        pairs_left=state.likely.pairs.links.left,
        pairs_right=state.likely.pairs.links.right,
        pairs_chance=state.likely.pairs.chance,
        carried_rows=state.carried.rows,
        carried_index=state.carried.index,
    )
    content = {
        "key": key,
        "next_round": state.next_round,
        "generator": state.generator,
        "records": state.records,
        "compact": state.compact,
        "arrays": digest_of(folder / _ARRAYS),
    }
    content["digest"] = _digest(content)
    (folder / _STATE).write_text(json.dumps(content), encoding="utf-8")


def _read_state(folder: Path) -> tuple[str, State]:
    """Return the key of a run and its state, if both files are as they were written."""
    content = json.loads((folder / _STATE).read_text(encoding="utf-8"))
    if not isinstance(content, dict) or content.get("digest") != _digest(content):
        raise ValueError(f"{_STATE} is not what was written, or of an earlier version")
    packed = (folder / _ARRAYS).read_bytes()
    if hashlib.sha256(packed).hexdigest() != content["arrays"]:
        raise ValueError(f"{_ARRAYS} is not what was written")
    with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
        links, pairs = (
            Links(LeftIds(arrays[f"{name}_left"]), RightIds(arrays[f"{name}_right"]))
            for name in ("links", "pairs")
        )
        state = State(
            content["next_round"],
            Links(LeftIds(arrays["left"]), RightIds(arrays["right"])),
            CarriedCandidates(arrays["carried_rows"], arrays["carried_index"]),
            Likely(links, LikelyPairs(pairs, arrays["pairs_chance"])),
            content["generator"],
            content["records"],
            bool(content["compact"]),
        )
    return content["key"], state


def _digest(content: dict[str, Any]) -> str:
    """Return the digest of a state without its arrays."""
    rest = {name: value for name, value in content.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def run_key(left: Graph, right: Graph, seeds: Links, config: Config) -> str:
    """Return a digest of everything that decides the links: facts, seeds, options, version."""
    digest = hashlib.sha256(__version__.encode())
    for graph in (left, right):
        for column in (*vars(graph.facts).values(), graph.instants.second, graph.instants.grain):
            digest.update(np.ascontiguousarray(column).tobytes())
        digest.update(str((len(graph.entities), len(graph.relations))).encode())
        graph.attributes.update_digest(digest)
        if config.uses_literals:  # ids may be names
            digest.update("\n".join(graph.entities).encode("utf-8", "surrogatepass"))
    digest.update(seeds.left.tobytes() + seeds.right.tobytes())
    options = {k: v for k, v in asdict(config).items() if k not in _NOT_IN_KEY}
    digest.update(json.dumps(options, sort_keys=True).encode())
    return digest.hexdigest()
