"""`lighttea completion`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from lighttea.cli.console import say
from lighttea.cli.output import command


@command
def completion(
    shell: Literal["bash", "zsh", "fish"],
    *,
    install: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Print the script with which a shell completes commands, options and their values.

    Parameters
    ----------
    shell
        Shell that you use.
    install
        Put the script where the shell finds it, and load it in the shell's startup file.
    """
    from lighttea.cli import build_app

    app = build_app()
    if not install:
        sys.stdout.write(app.generate_completion(prog_name="lighttea", shell=shell))
        return
    path = app.install_completion(shell=shell)
    say(f"Installed {path}; open a new shell to use it")
    if shell == "zsh" and not _starts_completion(Path.home() / ".zshrc"):
        say("zsh completes once ~/.zshrc has this line below: autoload -Uz compinit && compinit")


def _starts_completion(startup: Path) -> bool:
    """Return whether a startup file of zsh loads completion, itself or by a framework."""
    text = startup.read_text(encoding="utf-8", errors="replace") if startup.is_file() else ""
    return any(word in text for word in ("compinit", "oh-my-zsh", "zprezto", "zinit", "antigen"))
