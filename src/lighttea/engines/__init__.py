"""Where the work runs. Stages call kernels by name and do not know what is behind them."""

from lighttea.errors import ConfigError

ENGINES = ("cpu",)


def checked_engine(name: str) -> str:
    """The engine's name, if there is such an engine."""
    if name not in ENGINES:
        raise ConfigError(f"there is no engine {name!r}; known: {', '.join(ENGINES)}")
    return name
