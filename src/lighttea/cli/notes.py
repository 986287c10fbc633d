"""Warnings of the library, as lines on stderr."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lighttea.display import visible
from lighttea.errors import LightteaWarning


@contextmanager
def shown_notes() -> Iterator[None]:
    """Write lighttea's own warnings inside the block as a line each; others stay as they are."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", LightteaWarning)
        show_others = warnings.showwarning

        def show(
            message: Warning | str, category: type[Warning], *place: Any, **more_place: Any
        ) -> None:
            if issubclass(category, LightteaWarning):
                sys.stderr.write(f"note: {visible(str(message))}\n")
            else:
                show_others(message, category, *place, **more_place)

        warnings.showwarning = show
        yield
