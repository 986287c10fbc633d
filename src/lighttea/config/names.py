"""Names of settings that are unknown, misspelt or out of date."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from lighttea.config.choices import did_you_mean
from lighttea.errors import ConfigError

RENAMED_SINCE = "0.2"
RENAMED: Mapping[str, str] = MappingProxyType(
    {
        "cluster": "scheduler",
        "evened": "whitening",
        "grains": "mixed_granularity",
        "names": "literals",
        "passes": "consensus_passes",
        "rebuild": "revise_promotions",
    }
)


def refuse_unknown(names: Iterable[str], known: Collection[str]) -> None:
    """Raise a ConfigError that names every unknown setting, each with the one that was meant."""
    problems = [unknown_name(name, known) for name in names if name not in known]
    if problems:
        raise ConfigError("\n".join(problems))


def unknown_name(name: str, known: Iterable[str]) -> str:
    """Return the message about a setting that does not exist: its new name, or a similar one."""
    plain = name.replace("-", "_")
    if plain in RENAMED:
        new = RENAMED[plain]
        return f"there is no setting {name!r}; it has been called {new!r} since {RENAMED_SINCE}"
    return f"there is no setting {name!r}{did_you_mean(plain, known)}"


def with_current_names(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored settings with old names replaced by those of today."""
    return {RENAMED.get(name, name): value for name, value in stored.items()}
