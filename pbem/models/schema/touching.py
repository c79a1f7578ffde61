"""The triggers that raise `matches.touched`, while a match is played, where something changes without a new version.

They stand for all its moves depend on: the match, who sits there and is present, and their hours and holidays. As the
database does it, no statement can forget it, and no older program that runs beside. Not part of it is what others must
not learn from how long a move takes: orders, what somebody has seen, who would stand in for them.

Migration 0026 makes them so: once it is on main, this module never changes. A later revision brings others.
"""

from collections.abc import Iterator

_OF_MATCH = (
    "game", "options", "status", "seed", "commitment", "words", "turn_s", "window_s", "bank_s", "increment_s",
    "untimed", "deal_id", "silent", "undone", "takebacks", "undoing", "archived_at",
)  # fmt: skip
_OF_SEAT = ("player_id", "bot", "status", "absent", "resigned")
_OF_PLAYER = ("zone", "weekends_off", "quiet_from", "quiet_to")
_PLAYED = "status IN ('running', 'paused')"
_RAISE = "UPDATE matches SET touched = touched + 1 WHERE"
_NAMES = ("touched", "touched_at_seat", "touched_by_hours", "touched_by_holidays")
_SQLITE_NAMES = (*_NAMES, "touched_by_other_holidays", "touched_by_holidays_gone")


def create(dialect: str) -> Iterator[str]:
    """Yields the statements that make them, for `postgresql` or `sqlite`."""
    server = dialect == "postgresql"
    whens = [
        f"UPDATE ON {name} FOR EACH ROW WHEN{_differ(columns, 'IS DISTINCT FROM' if server else 'IS NOT')}"
        for name, columns in (("matches", _OF_MATCH), ("seats", _OF_SEAT), ("players", _OF_PLAYER))
    ]
    whens[0] = whens[0].replace("WHEN", f"WHEN (OLD.{_PLAYED} AND OLD.version = NEW.version AND", 1) + ")"
    at_seat = f"{_RAISE} id = NEW.match_id AND {_PLAYED}"
    if not server:
        whens += [f"{what} ON vacations FOR EACH ROW" for what in ("INSERT", "UPDATE", "DELETE")]
        theirs = [f"{_RAISE} {_of_player(who)}" for who in ("NEW.id", *["NEW.player_id"] * 2, "OLD.player_id")]
        for name, when, do in zip(
            _SQLITE_NAMES, whens, (f"{_RAISE} id = NEW.id", at_seat, *theirs), strict=True
        ):  # fmt: skip
            yield f"CREATE TRIGGER {name} AFTER {when} BEGIN {do}; END"
        return
    whens.append("INSERT OR UPDATE OR DELETE ON vacations FOR EACH ROW")
    bodies = ["NEW.touched = OLD.touched + 1; RETURN NEW", f"{at_seat}; RETURN NULL"]
    for these in map(_of_player, ("NEW.id", "COALESCE(NEW.player_id, OLD.player_id)")):
        locked = f"PERFORM id FROM matches WHERE {these} ORDER BY id FOR NO KEY UPDATE"
        bodies.append(f"{locked}; {_RAISE} {these}; RETURN NULL")
    for name, when, body in zip(_NAMES, whens, bodies, strict=True):
        yield f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body}; END $$"
        at = "BEFORE" if name == _NAMES[0] else "AFTER"
        yield f"CREATE TRIGGER {name} {at} {when} EXECUTE FUNCTION {name}()"


def drop(dialect: str) -> Iterator[str]:
    """Yields the statements that remove them."""
    if dialect == "postgresql":
        yield from (f"DROP FUNCTION {name} CASCADE" for name in _NAMES)
    else:
        yield from (f"DROP TRIGGER {name}" for name in _SQLITE_NAMES)


def _differ(columns: tuple[str, ...], unlike: str) -> str:
    return f" ({' OR '.join(f'OLD.{one} {unlike} NEW.{one}' for one in columns)})"


def _of_player(player: str) -> str:
    return f"{_PLAYED} AND id IN (SELECT match_id FROM seats WHERE player_id = {player})"  # noqa: S608  # a column of the row
