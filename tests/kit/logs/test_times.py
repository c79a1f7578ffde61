"""Which times a log can hold."""

from pbem.kit.logs.entries import is_time_for_log
from tests.harness.cases import cases


@cases(
    "text",
    [
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-32T00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-12-31T23:59:60Z", "0000-01-01T00:00:00Z",
        "2026-01-01T00:00:00", "2026-01-01T00:00:00+25:00", "2026-01-01 00:00:00Z", "2026-01-01", "x",
    ],
)  # fmt: skip
def test_an_invalid_time_is_not_accepted_for_a_log(text: str) -> None:
    assert not is_time_for_log(text)


@cases("text", ["", "2026-01-01T00:00:00Z", "2024-02-29T23:59:59.5Z", "2026-03-12T12:04:00.000005+02:00"])
def test_a_valid_or_missing_time_is_accepted_for_a_log(text: str) -> None:
    assert is_time_for_log(text)
