"""Turns the garbage collection off while tests are imported and collected; tests/conftest.py imports it first.

All that is imported and collected stays; visiting it again and again takes a quarter of the time of collecting.
"""

import gc

gc.disable()


def pytest_collection_finish() -> None:
    """Turns the garbage collection on, without everything imported and collected so far.

    Each application that a test makes triggers a collection, which would visit all modules and tests.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_unconfigure() -> None:
    """Collects what is left once; pytest would visit what stays five times, for what is raised meanwhile."""
    gc.collect()
    gc.freeze()
