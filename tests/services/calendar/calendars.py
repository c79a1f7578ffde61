"""Calendars, moments and times, drawn at random."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import strategies as st

from pbem.services.calendar.calendar import (
    Calendar,
)

ZONES = (
    "UTC", "Europe/Paris", "Europe/London", "America/New_York", "America/Santiago", "America/Havana",
    "Australia/Lord_Howe", "Pacific/Chatham", "Asia/Tokyo", "Africa/Cairo", "Atlantic/Azores",
)  # fmt: skip
moments = st.integers(0, 3 * 365 * 1440).map(lambda n: datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=n))
times = st.timedeltas(timedelta(minutes=1), timedelta(days=20))
days = st.dates(date(2025, 1, 1), date(2027, 12, 1))
holidays = st.lists(st.tuples(days, st.integers(0, 29)), max_size=3).map(
    lambda found: tuple((first, first + timedelta(days=more)) for first, more in found)
)
hours = st.integers(0, 23)
quiets = st.none() | st.tuples(hours, hours).filter(lambda pair: pair[0] != pair[1])
calendars = st.builds(Calendar, st.sampled_from(ZONES), st.booleans(), quiets, holidays)
