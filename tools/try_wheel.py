"""Try a wheel in a fresh environment: the steps of the Dockerfile one by one, and every extra.

    python tools/try_wheel.py FOLDER

FOLDER holds the wheel, and `env`, an environment with it and without extras; `make wheel-test`
makes both.
"""

from __future__ import annotations

import email
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

NOBODY = 65534
# resolved by what they name: torch comes in builds of gigabytes; `make` installs dev itself
NOT_RESOLVED = ("gpu", "all", "dev")


def main(folder: Path) -> None:
    """Check metadata and extras, then run the demo as a user without rights."""
    (wheel,) = folder.glob("lighttea-*.whl")
    needs = requirements_by_extra(wheel)
    check_extras(needs)
    for extra in sorted(set(needs) - {*NOT_RESOLVED, ""}):
        pip(folder, "install", "--dry-run", "--quiet", f"{wheel}[{extra}]")
        tell(f"extra {extra} resolves")
    tell(run_demo(folder))


def requirements_by_extra(wheel: Path) -> Mapping[str, Sequence[str]]:
    """Return what each extra of a wheel needs; without extras under the empty name."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    needs: dict[str, list[str]] = {
        "": [],
        **{e: [] for e in metadata.get_all("Provides-Extra", [])},
    }
    for line in metadata.get_all("Requires-Dist", []):
        requirement, _, condition = line.partition(";")
        extra = condition.partition("extra == ")[2].strip().strip("'\"")
        needs[extra].append(requirement.strip())
    return needs


def check_extras(needs: Mapping[str, Sequence[str]]) -> None:
    """Raise an error unless `gpu` is torch alone and `all` has what the others have."""
    if [name.partition(">")[0] for name in needs["gpu"]] != ["torch"]:
        raise SystemExit(f"the extra gpu needs torch alone, not {', '.join(needs['gpu'])}")
    single = set(needs) - {"", "all", "dev", "docs"}  # for users: docs builds the site
    missing = {name for extra in single for name in needs[extra]} - set(needs["all"])
    if missing:
        raise SystemExit(f"the extra all lacks {', '.join(sorted(missing))}")


def pip(folder: Path, *words: str) -> None:
    """Run pip of the fresh environment."""
    base = [str(folder / "env" / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*base, *words], check=True)


def run_demo(folder: Path) -> str:
    """Return how the demo ran: as nobody where root may become that, else as who runs this."""
    command = (folder / "env" / "bin" / "lighttea").resolve()
    with tempfile.TemporaryDirectory() as place:
        settings = {"HOME": place, "PATH": os.environ["PATH"], "NUMBA_CACHE_DIR": f"{place}/numba"}
        user = nobody_if_possible(command)
        if user is not None:
            os.chown(place, user, user)
        words = [str(command), "demo", "--out", "demo"]
        rights: dict[str, Any] = {}
        if user is not None:
            rights = {"user": user, "group": user, "extra_groups": []}
        subprocess.run(
            words, check=True, cwd=place, env=settings, stdout=subprocess.DEVNULL, **rights
        )
        if not (Path(place) / "demo" / "links.tsv").stat().st_size:
            raise SystemExit("the demo left no links")
    return "the demo runs" + (" as nobody" if user is not None else "")


def nobody_if_possible(command: Path) -> int | None:
    """Return the number of nobody; None where this is not root, or nobody cannot run Python."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return None
    rights: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    try:
        subprocess.run([str(command), "--version"], capture_output=True, check=True, **rights)
    except (OSError, subprocess.CalledProcessError):
        tell("nobody cannot run this Python (it lies in a folder of root): tried as root")
        return None
    return NOBODY


def tell(message: str) -> None:
    """Write a line."""
    sys.stdout.write(f"{message}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
