"""The files of a release: one version, a Dockerfile by the rules, workflows, a valid citation."""

from __future__ import annotations

import re
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

import lighttea

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def docker_steps() -> list[tuple[str, str]]:
    """Instruction and arguments, continued lines joined."""
    lines = re.sub(r"\\\n\s*", " ", DOCKERFILE).splitlines()
    steps = [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]
    return [(step[0], step[1]) for step in steps]


def arguments(instruction: str) -> list[str]:
    return [text for name, text in docker_steps() if name == instruction]


# ----------------------------------------------------------------------------------- version


def test_the_version_is_stated_once() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/lighttea/version.py"
    assert re.fullmatch(r"\d+\.\d+\.\d+", lighttea.__version__)


def test_the_changelog_tells_of_this_version() -> None:
    assert lighttea.__version__ in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_citation_has_the_version_of_the_package() -> None:
    assert CITATION["version"] == lighttea.__version__


# ---------------------------------------------------------------------------------- citation


def test_the_citation_has_what_the_format_asks_for() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert all(CITATION[name] for name in ("message", "title", "authors"))
    assert CITATION["license"] == PROJECT["project"]["license"]
    assert CITATION["keywords"] == PROJECT["project"]["keywords"]
    assert CITATION["abstract"] == PROJECT["project"]["description"]


def test_the_citation_prefers_the_paper() -> None:
    paper = CITATION["preferred-citation"]
    assert paper["type"] == "conference-paper"
    assert paper["year"] == 2023
    assert "Two-aspect Three-view Label Propagation" in paper["title"]
    assert [author["family-names"] for author in paper["authors"]] == [
        *("Cai", "Mao", "Xiao", "Wu", "Lan"),
    ]


# -------------------------------------------------------------------------------- Dockerfile


def test_each_stage_begins_with_a_version_of_python() -> None:
    stages = arguments("FROM")
    assert len(stages) == 2
    for stage in stages:
        assert re.match(r"python:3\.\d+-slim\b", stage), stage
    assert stages[0].endswith(" AS build")
    assert any(text.startswith("--from=build ") for text in arguments("COPY"))


def test_the_image_does_not_run_as_root() -> None:
    steps = [name for name, _ in docker_steps()]
    assert arguments("USER")[-1] not in ("root", "0")
    assert steps.index("USER") > max(i for i, name in enumerate(steps) if name == "RUN")
    assert arguments("ENTRYPOINT") == ['["lighttea"]']


def test_no_cache_is_left_in_a_layer() -> None:
    for step in arguments("RUN"):
        for install in re.findall(r"pip install[^&]*", step):
            assert "--no-cache-dir" in install
        if "apt-get install" in step:
            assert "--no-install-recommends" in step
            assert "rm -rf /var/lib/apt/lists/*" in step
    assert "ADD" not in [name for name, _ in docker_steps()]


def test_the_image_is_made_of_what_it_copies() -> None:
    """All else is ignored, and what is copied is not."""
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
    assert "*" in ignored
    copied = [
        name for text in arguments("COPY") if "--from" not in text for name in text.split()[:-1]
    ]
    assert copied
    for name in copied:
        assert (ROOT / name).exists(), name
        assert f"!{name}" in ignored, name
    for needed in (PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]):
        assert needed in copied, "the wheel is made of it"


def test_the_extras_of_the_image_exist() -> None:
    (extras,) = re.findall(r"\{wheel\}\[([^]]+)\]", DOCKERFILE)
    assert set(extras.split(",")) <= set(PROJECT["project"]["optional-dependencies"])
    assert "gpu" not in extras


# --------------------------------------------------------------------------------- workflows


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_pinned_and_may_only_read(path: Path) -> None:
    flow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert flow["permissions"] == {"contents": "read"}
    for job in flow["jobs"].values():
        assert job["timeout-minutes"]
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"]), step["uses"]


def commands(name: str) -> list[str]:
    flow: dict[str, Any] = yaml.safe_load(
        (ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8")
    )
    return [step["run"] for job in flow["jobs"].values() for step in job["steps"] if "run" in step]


def test_workflows_run_the_project_s_own_commands() -> None:
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "release.yml"]
    assert commands("ci.yml") == [".ci/run", "make test PYTHON=python"]
    assert "python -m build" in commands("release.yml")


# -------------------------------------------------------------------------------- try_wheel


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))


def wheel_with(folder: Path, *lines: str) -> Path:
    path = folder / "lighttea-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("lighttea-1.0.0.dist-info/METADATA", "\n".join(lines) + "\n\n")
    return path


@pytest.mark.usefixtures("tools")
def test_extras_are_read_from_the_wheel(tmp_path: Path) -> None:
    from try_wheel import check_extras, requirements_by_extra

    wheel = wheel_with(
        tmp_path,
        "Name: lighttea",
        "Requires-Dist: numpy>=1.26",
        "Provides-Extra: gpu",
        "Provides-Extra: all",
        "Requires-Dist: torch>=2.6; extra == 'gpu'",
        "Requires-Dist: torch>=2.6; extra == 'all'",
    )
    needs = requirements_by_extra(wheel)
    assert needs == {"": ["numpy>=1.26"], "gpu": ["torch>=2.6"], "all": ["torch>=2.6"]}
    check_extras(needs)


@pytest.mark.usefixtures("tools")
def test_extras_that_lack_something_are_told() -> None:
    from try_wheel import check_extras

    with pytest.raises(SystemExit, match="the extra all lacks jinja2"):
        check_extras({"": [], "gpu": ["torch>=2.6"], "report": ["jinja2"], "all": ["torch>=2.6"]})
    with pytest.raises(SystemExit, match="needs torch alone"):
        check_extras({"": [], "gpu": ["torch>=2.6", "cupy"], "all": []})
