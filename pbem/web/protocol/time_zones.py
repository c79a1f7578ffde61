"""The time zones that forms offer."""

from zoneinfo import available_timezones

COMMON_ZONES = (
    "Europe/Paris", "Europe/Brussels", "Europe/Zurich", "Europe/Luxembourg", "Europe/London", "Europe/Berlin",
    "America/Montreal", "America/New_York", "America/Los_Angeles", "America/Martinique", "Indian/Reunion",
    "Pacific/Noumea", "Asia/Tokyo", "UTC",
)  # fmt: skip


def zones() -> tuple[list[str], list[str]]:
    """Returns the time zones to choose from: common ones first, then all that are named after a place."""
    known = available_timezones()
    placed = sorted(
        zone for zone in known if "/" in zone and not zone.startswith(("Etc/", "SystemV/", "posix", "right"))
    )
    return [zone for zone in COMMON_ZONES if zone in known], placed
