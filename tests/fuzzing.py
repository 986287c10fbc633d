"""How many examples property tests try, and whether they are the same every time.

`make test` and `make test-all` try the same examples whenever they run, so that no test fails by
chance. `make fuzz` tries others, at random, and LIGHTTEA_FUZZ times as many; what it finds becomes
an `@example(...)` of the test.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("LIGHTTEA_FUZZ") or 0)  # 0: the same examples every time
_USUAL = 100


def examples(count: int) -> settings:
    """Return settings that try this many examples; times LIGHTTEA_FUZZ where that is set."""
    return settings(max_examples=count * max(TIMES, 1))


def load_profile() -> None:
    """Make the profile that fits LIGHTTEA_FUZZ the default of all property tests.

    No profile looks at a clock: a busy machine is slow, not wrong. Examples share the fixtures of
    their test: a folder, into which each of them writes the same files anew.
    """
    ignored = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    settings.register_profile(
        "fixed", derandomize=True, database=None, deadline=None, suppress_health_check=ignored
    )
    settings.register_profile(
        "fuzz",
        derandomize=False,  # Hypothesis takes CI=true for the wish to have the same ones
        max_examples=_USUAL * max(TIMES, 1),
        print_blob=True,
        deadline=None,
        suppress_health_check=ignored,
    )
    settings.load_profile("fuzz" if TIMES else "fixed")
