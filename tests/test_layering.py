"""Who may import whom: the data flows one way, and the core needs few libraries."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import lighttea
from tests.imports import HOMES, PACKAGE, private_names, used_modules, used_names

BASE = {"errors", "types", "version", "config", "progress", "display"}
# each room and the rooms it may import from, itself and BASE aside
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "types": set(),
    "version": set(),
    "config": set(),
    "progress": {"kernels"},
    "display": set(),
    "kernels": set(),
    "graph": set(),
    "io": {"graph"},
    "engines": {"graph", "kernels"},
    "propagate": {"graph", "kernels", "engines"},
    "similarity": {"graph", "kernels", "engines", "propagate"},
    "assign": {"kernels", "engines", "propagate", "similarity"},
    "literals": {"graph"},
    "evidence": {"graph", "engines", "literals"},
    "alarms": {"graph", "engines", "evidence"},
    "inputs": {"graph", "io", "engines", "similarity"},
    "solve": {
        *("graph", "kernels", "engines", "propagate", "similarity", "evidence", "assign"),
        "literals",
    },
    "clusters": set(),
    "duplicates": {
        *("graph", "engines", "similarity", "evidence", "assign", "solve", "literals"),
    },
    "results": {
        *("graph", "similarity", "evidence", "assign", "solve", "inputs", "io", "alarms"),
        "literals",
        *("evaluate", "explain", "export", "update"),
    },
    "export": {"graph", "io", "results"},
    "explain": {"engines", "evidence", "graph", "io", "literals", "results"},
    "evaluate": {"results", "inputs"},
    "api": {
        *("inputs", "graph", "evidence", "io", "engines", "kernels", "solve", "results"),
        "similarity",
    },
    "many": {"api", "clusters", "graph", "inputs", "io", "results"},
    "update": {
        *("api", "inputs", "graph", "io", "engines", "kernels", "similarity", "assign", "solve"),
        *("clusters", "many", "results"),
    },
    "single": {
        *("assign", "clusters", "duplicates", "graph", "inputs", "io", "kernels", "results"),
        "solve",
    },
    "example": set(),
    "synth": {"io", "results"},
    "bench": {
        *("api", "graph", "io", "engines", "assign", "solve", "evaluate", "kernels"),
        *("datasets", "evidence", "similarity", "synth", "report"),
    },
    "report": {"evaluate", "explain", "graph", "io", "results", "inputs", "kernels"},
    "review": {"explain", "graph", "io", "results", "web"},
    "serve": {"explain", "graph", "io", "literals", "results", "web"},
    "web": set(),
    "datasets": {"io", "results"},
    "cli": {
        *("engines", "io", "graph", "evaluate", "explain", "bench", "example", "results", "synth"),
        *("datasets", "export", "report", "review", "serve", "api", "kernels", "many"),
        *("inputs", "single", "update"),
    },
}
# methods of public objects that load another room when they are called, as `Run.export` does
FACADES: dict[str, set[str]] = {"graph/facts.py": {"export"}}
CORE = (
    *("kernels", "graph", "literals", "propagate", "similarity", "evidence", "assign", "engines"),
    "solve",
)
# anyascii is loaded for texts in other scripts alone
CORE_LIBRARIES = {"numpy", "scipy", "numba", "threadpoolctl", "psutil", "anyascii", "lighttea"}
ENGINE_LIBRARIES = {  # by folder; loaded where an engine is started
    "engines/dask": {"dask", "distributed"},
    "engines/gpu": {"torch"},
    "engines/gpu/compiled": {"torch", "triton"},
}


MOST_FILES = 10  # on the top level


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def modules() -> list[Path]:
    return [p for p in sorted(PACKAGE.rglob("*.py")) if room_of(p) not in ("__init__", "__main__")]


def short(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def source_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", modules(), ids=short)
def test_a_room_imports_only_what_it_may(path: Path) -> None:
    room = room_of(path)
    assert room in ALLOWED, f"{room} is a new room: say here what it may import"
    used = {name for name in used_modules(source_of(path)) if name.split(".")[0] == "lighttea"}
    assert "lighttea" not in used, "name what is used of the package: lighttea.align, not lighttea"
    rooms = {name.split(".")[1] for name in used} - BASE - {room}
    allowed = ALLOWED[room] | FACADES.get(path.relative_to(PACKAGE).as_posix(), set())
    assert rooms <= allowed, f"{room} imports {sorted(rooms - allowed)}"


@pytest.mark.parametrize("path", modules(), ids=short)
def test_no_module_uses_an_underscore_name_of_another(path: Path) -> None:
    assert not private_names(source_of(path))


def test_few_files_stand_on_the_top_level() -> None:
    files = sorted(path.name for path in PACKAGE.glob("*.py"))
    assert 0 < len(files) <= MOST_FILES, files


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*/__init__.py")), ids=short)
def test_each_folder_says_in_one_sentence_what_it_is(path: Path) -> None:
    said = ast.get_docstring(ast.parse(source_of(path))) or ""
    first = " ".join(said.split("\n\n")[0].split())
    assert first.endswith("."), f"a sentence, please: {first!r}"
    assert ". " not in first, f"one sentence, then an empty line: {first!r}"


@pytest.mark.parametrize("path", modules(), ids=short)
def test_the_core_needs_few_libraries(path: Path) -> None:
    if room_of(path) not in CORE:
        return
    outside = {name.split(".")[0] for name in used_names(source_of(path))}
    own = ENGINE_LIBRARIES.get(path.relative_to(PACKAGE).parent.as_posix(), set())
    assert outside - {"__future__", *sys.stdlib_module_names} <= CORE_LIBRARIES | own


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("import lighttea\nlighttea.align(1)", {"lighttea.api"}),
        ("import lighttea as lt\ndef f():\n    return lt.align", {"lighttea.api"}),
        ("import lighttea\nprint(lighttea.__version__)", {"lighttea.version"}),
        ("import lighttea", set()),
        ("import lighttea\ngetattr(lighttea, 'align')", {"lighttea"}),
        ("from lighttea import align", {"lighttea.api"}),
        ("from lighttea import io", {"lighttea.io"}),
        ("from lighttea.io import tables\ntables.read_graph", {"lighttea.io.tables"}),
        ("import lighttea.io.tables\nlighttea.align", {"lighttea.io.tables", "lighttea.api"}),
        ("import lighttea\nlighttea.example.example_file", {"lighttea.example"}),
        ("import importlib\nimportlib.import_module('lighttea.api')", {"lighttea.api"}),
    ],
)
def test_plain_imports_are_seen(source: str, used: set[str]) -> None:
    assert {name for name in used_modules(source) if name.startswith("lighttea")} == used


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("from lighttea.io.lines import _URL", {"lighttea.io.lines._URL"}),
        ("from lighttea.io import lines\nlines._URL", {"lighttea.io.lines._URL"}),
        ("import lighttea.io.lines\nlighttea.io.lines._URL", {"lighttea.io.lines._URL"}),
        ("import lighttea.io.lines as text\ntext._URL", {"lighttea.io.lines._URL"}),
        ("import lighttea\nlighttea.__version__\n_own = 1", set()),
        ("import _thread\nfrom os import _exit\nself._mine", set()),
    ],
)
def test_underscore_names_are_seen(source: str, used: set[str]) -> None:
    assert private_names(source) == used


def test_relative_imports_are_refused() -> None:
    with pytest.raises(ValueError, match="line 1: a relative import"):
        used_names("from . import lines")


def test_the_core_runs_without_the_readers() -> None:
    code = (
        "import sys\n"
        "for name in ('polars', 'rich', 'cyclopts', 'psutil', 'pooch'): sys.modules[name] = None\n"
        "import lighttea.solve.rounds, lighttea.graph.views, lighttea.config\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, lighttea\n"
        "heavy = {'numpy', 'numba', 'polars', 'scipy', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_help_page_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from lighttea.cli import run_command\n"
        "code = run_command(['--help'])\n"
        "heavy = {'numpy', 'numba', 'polars', 'scipy'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else code)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_no_dataset_is_named_outside_its_rooms() -> None:
    names = ("dicews", "icews05", "yago-wiki", "yago_wiki", "yagowiki", "dbp15k", "srprs")
    for path in modules():
        if room_of(path) not in ("bench", "datasets"):
            text = path.read_text(encoding="utf-8").lower()
            assert not [name for name in names if name in text], path


def test_all_public_names_are_there_and_know_their_home() -> None:
    assert set(HOMES) == set(lighttea.__all__)
    for name, home in HOMES.items():
        assert getattr(lighttea, name) is getattr(import_module(home), name)
    with pytest.raises(AttributeError, match="no attribute 'algin'"):
        lighttea.algin  # noqa: B018
