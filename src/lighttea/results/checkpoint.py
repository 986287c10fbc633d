"""Checkpoints: what a killed run needs to go on after its last finished round."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from lighttea.config import Config
from lighttea.errors import EngineUnavailable, InputError
from lighttea.graph.facts import Graph
from lighttea.graph.pair import Links
from lighttea.io.outputs import writing
from lighttea.similarity.carry import CarriedCandidates
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
        """Return the state of a killed run; None where there is none or the run starts anew."""
        if not self.resume or not (self.folder / _STATE).exists():
            return None
        try:
            state = json.loads((self.folder / _STATE).read_text(encoding="utf-8"))
            with (self.folder / _ARRAYS).open("rb") as file, np.load(file) as arrays:
                seeds = Links(LeftIds(arrays["left"]), RightIds(arrays["right"]))
                links = Links(LeftIds(arrays["links_left"]), RightIds(arrays["links_right"]))
                rows, index = arrays["carried_rows"], arrays["carried_index"]
            stored_key, number = state["key"], state["next_round"]
            generator, records = state["generator"], state["records"]
            compact = bool(state["compact"])
        except (OSError, EOFError, BadZipFile, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{self.folder}: the checkpoint is damaged ({error}); run without --resume"
            ) from None
        if stored_key != key:
            raise InputError(
                f"{self.folder}: the checkpoint is of other graphs, seeds or options; "
                "give the same command as before, or run without --resume"
            )
        carried = CarriedCandidates(rows, index)
        return State(number, seeds, carried, links, generator, records, compact)

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
        """Remove the state when the work inside is done, or failed without --resume.

        The state of a killed process stays, because it does not reach the end of this block; so
        does that of a run whose engine was lost. With --resume an existing state also stays after
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
        links_left=state.links.left,
        links_right=state.links.right,
        carried_rows=state.carried.rows,
        carried_index=state.carried.index,
    )
    content = {
        "key": key,
        "next_round": state.next_round,
        "generator": state.generator,
        "records": state.records,
        "compact": state.compact,
    }
    (folder / _STATE).write_text(json.dumps(content), encoding="utf-8")


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
