"""Who may import whom: the data flows one way, and the core needs few libraries."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lighttea

ROOT = Path(lighttea.__file__).parent
BASE = {"errors", "types", "settings", "config", "progress", "display"}
# each room and the rooms it may import from, itself and BASE aside
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "types": set(),
    "settings": set(),
    "config": set(),
    "progress": set(),
    "display": set(),
    "kernels": set(),
    "graph": set(),
    "io": {"graph"},
    "propagate": {"graph", "kernels"},
    "similarity": {"graph", "kernels"},
    "assign": {"similarity", "kernels"},
    "evidence": {"graph", "kernels"},
    "engines": {
        *("graph", "propagate", "similarity", "evidence", "assign", "kernels", "solve"),
    },
    "inputs": {"graph", "io", "similarity"},
    "solve": {
        *("graph", "kernels", "propagate", "similarity", "evidence", "assign", "engines"),
    },
    "results": {
        *("graph", "evidence", "engines", "solve", "inputs", "io", "evaluate", "explain", "export"),
    },
    "export": {"io", "results"},
    "explain": {"evidence", "graph", "io", "results"},
    "evaluate": {"results", "inputs"},
    "api": {
        *("inputs", "graph", "evidence", "io", "engines", "kernels", "solve", "results"),
        "similarity",
    },
    "example": set(),
    "synth": {"io", "results"},
    "bench": {
        *("api", "graph", "io", "engines", "assign", "solve", "evaluate", "kernels"),
        *("datasets", "evidence", "similarity", "synth", "report"),
    },
    "report": {"evaluate", "explain", "io", "results", "inputs"},
    "review": {"explain", "graph", "io", "results"},
    "datasets": {"io", "results"},
    "cli": {
        *("engines", "io", "graph", "evaluate", "explain", "bench", "example", "results", "synth"),
        *("datasets", "export", "report", "review"),
    },
}
CORE = ("kernels", "graph", "propagate", "similarity", "evidence", "assign", "engines", "solve")
CORE_LIBRARIES = {"numpy", "scipy", "numba", "threadpoolctl", "lighttea"}
ENGINE_LIBRARIES = {
    "dask": {"dask", "distributed"},
    "gpu": {"torch"},
}  # loaded where an engine is started


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def modules() -> list[Path]:
    return [p for p in sorted(ROOT.rglob("*.py")) if room_of(p) not in ("__init__", "__main__")]


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_room_imports_only_what_it_may(path: Path) -> None:
    room = room_of(path)
    assert room in ALLOWED, f"{room} is a new room: say here what it may import"
    allowed = ALLOWED[room] | BASE | {room}
    used = {name.split(".")[1] for name in imports(path) if name.startswith("lighttea.")}
    assert used <= allowed, f"{room} imports {sorted(used - allowed)}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_the_core_needs_few_libraries(path: Path) -> None:
    if room_of(path) not in CORE:
        return
    outside = {name.split(".")[0] for name in imports(path)} - set(sys.stdlib_module_names)
    own = ENGINE_LIBRARIES.get(path.parent.name, set())
    assert outside - {"__future__"} <= CORE_LIBRARIES | own


def test_the_core_runs_without_the_readers() -> None:
    code = (
        "import sys\n"
        "for name in ('polars', 'rich', 'cyclopts'): sys.modules[name] = None\n"
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
    names = ("dicews", "icews05", "yago-wiki", "yago_wiki", "yagowiki", "dbp15k")
    for path in modules():
        if room_of(path) not in ("bench", "datasets"):
            text = path.read_text(encoding="utf-8").lower()
            assert not [name for name in names if name in text], path


def test_all_public_names_are_there() -> None:
    for name in lighttea.__all__:
        assert getattr(lighttea, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'algin'"):
        lighttea.algin  # noqa: B018
