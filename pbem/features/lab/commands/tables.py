"""The counts of a simulation, as a table or as JSON."""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from pbem.features.lab.paces import DAY_S
from pbem.features.lab.plans import NONE, Plan
from pbem.features.lab.tallies import Spread, Tally, spread
from pbem.kit.bots import RANDOM
from pbem.kit.contract import AnyGame
from pbem.kit.notation import seat_letter

Row = tuple[str, list[str]]


def heading(game: AnyGame, plan: Plan) -> str:
    """Returns the game, the given options and the bots, in words."""
    options = "".join(f", {name} {value}" for name, value in sorted(plan.options.items()))
    played = "random play" if set(plan.bots) == {RANDOM} else f"bots {', '.join(plan.bots)}"
    ordered = "" if set(plan.orders) == {NONE} else f", orders {', '.join(plan.orders)}"
    return f"{game.meta.title['en']}{options}, {played}{ordered}"


def as_json(game: AnyGame, plans: Sequence[Plan], tallies: Sequence[Tally]) -> str:
    """Returns the counts as JSON."""
    first = plans[0]
    numbers = {str(t.seats): _numbers(game, plan, t) for plan, t in zip(plans, tallies, strict=True)}
    head = {
        "game": game.meta.slug,
        "seed": first.seed,
        "bots": first.bots,
        "orders": first.orders,
        "options": first.options,
    }
    return json.dumps({**head, "seats": numbers}, indent=2)


def _numbers(game: AnyGame, plan: Plan, tally: Tally) -> dict[str, Any]:
    return {
        "matches": tally.matches,
        "decisions": msgspec.to_builtins(spread(tally.decisions)),
        "waits": msgspec.to_builtins(spread(tally.waits)),
        "by_order": msgspec.to_builtins(spread(tally.by_order)),
        "days": {name: round(seconds / DAY_S, 1) for name, seconds in _named(spread(tally.seconds))},
        "endings": {reason: tally.endings.get(reason, 0) for reason in game.meta.endings},
        "wins": [tally.wins.get(seat, 0) for seat in range(tally.seats)],
        "unwon": tally.unwon,
        "won_by": {bot: round(won, 3) for bot, won in won_by(plan, tally).items()},
        "scores": _scores(tally),
        "events": {event.__name__: tally.events.get(event.__name__, 0) for event in game.meta.events},
    }


def _named(found: Spread) -> list[tuple[str, int]]:
    return [(name, getattr(found, name)) for name in found.__struct_fields__]


def won_by(plan: Plan, tally: Tally) -> dict[str, float]:
    """Returns the matches that each bot, or it with the same orders, won on any of its seats; shared ones in parts."""
    won = dict.fromkeys((plan.player_of(seat) for seat in range(tally.seats)), 0.0)
    for seat, share in enumerate(tally.shares):
        won[plan.player_of(seat)] += share
    return won


def _scores(tally: Tally) -> dict[str, Any] | None:
    if not tally.scores:
        return None
    return {
        "mean": [round(mean, 2) for mean in _means(tally)],
        "winner_mean": round(sum(tally.winning) / len(tally.winning), 2) if tally.winning else None,
    }


def _means(tally: Tally) -> list[float]:
    return [sum(column) / len(tally.scores) for column in zip(*tally.scores, strict=True)]


def table(game: AnyGame, plans: Sequence[Plan], tallies: Sequence[Tally]) -> str:
    """Returns the counts as a table: a column for each number of seats, and an empty line between sections."""
    sections = [section for section in _sections(game, plans, tallies) if section]
    rows = [row for section in sections for row in section]
    first = max(len(label) for label, _ in rows)
    width = max(len(cell) for _, cells in rows for cell in cells)
    lines = [f"{heading(game, plans[0])}, seed {plans[0].seed}"]
    for section in sections:
        lines += ["", *(f"{label:<{first}}  {_cells(cells, width)}".rstrip() for label, cells in section)]
    return "\n".join(lines)


def _sections(game: AnyGame, plans: Sequence[Plan], tallies: Sequence[Tally]) -> list[list[Row]]:
    events = [event.__name__ for event in game.meta.events]
    return [
        [("seats", [str(t.seats) for t in tallies]), ("matches", [str(t.matches) for t in tallies])],
        _spread_rows("decisions", [t.decisions for t in tallies]),
        _spread_rows("waits", [t.waits for t in tallies]),
        _spread_rows("by order", [t.by_order for t in tallies]) if any(any(t.by_order) for t in tallies) else [],
        _day_rows(tallies),
        [(f"ended: {r}", [_share(t.endings.get(r, 0), t) for t in tallies]) for r in game.meta.endings],
        _seat_rows(tallies),
        _bot_rows(plans, tallies),
        _score_rows(tallies),
        [(f"event: {name}", [str(t.events.get(name, 0)) for t in tallies]) for name in events],
    ]


def _seat_rows(tallies: Sequence[Tally]) -> list[Row]:
    rows: list[Row] = []
    for seat in range(max(t.seats for t in tallies)):
        cells = [_share(t.wins.get(seat, 0), t) if seat < t.seats else "" for t in tallies]
        rows.append((f"won: seat {seat_letter(seat)}", cells))
    return [*rows, ("won: nobody", [_share(t.unwon, t) for t in tallies])]


def _bot_rows(plans: Sequence[Plan], tallies: Sequence[Tally]) -> list[Row]:
    """Returns each bot's victories beside its share of the seats; nothing if one bot has all seats."""
    names = list(dict.fromkeys(map(plans[-1].player_of, range(plans[-1].seats))))
    if len(names) == 1:
        return []
    rows: list[Row] = []
    for name in names:
        won = [won_by(plan, t).get(name, 0.0) for plan, t in zip(plans, tallies, strict=True)]
        seats = [sum(plan.player_of(s) == name for s in range(t.seats)) for plan, t in zip(plans, tallies, strict=True)]
        rows.append((f"won: {name}", [_share(w, t) for w, t in zip(won, tallies, strict=True)]))
        rows.append((f"seats: {name}", [f"{n} of {t.seats}" for n, t in zip(seats, tallies, strict=True)]))
    return rows


def _score_rows(tallies: Sequence[Tally]) -> list[Row]:
    if not any(t.scores for t in tallies):
        return []
    rows: list[Row] = []
    for seat in range(max(t.seats for t in tallies)):
        cells = [f"{_means(t)[seat]:.2f}" if t.scores and seat < t.seats else "" for t in tallies]
        rows.append((f"score: seat {seat_letter(seat)}, mean", cells))
    winners = [f"{sum(t.winning) / len(t.winning):.2f}" if t.winning else "" for t in tallies]
    return [*rows, ("score: winner, mean", winners)]


def _cells(cells: Sequence[str], width: int) -> str:
    return "  ".join(cell.rjust(width) for cell in cells)


def _spread_rows(name: str, numbers: Sequence[Sequence[int]]) -> list[Row]:
    spreads = [spread(n) for n in numbers]
    return [(f"{name}: {f}", [str(getattr(s, f)) for s in spreads]) for f in ("min", "median", "p95", "max")]


def _day_rows(tallies: Sequence[Tally]) -> list[Row]:
    spreads = [dict(_named(spread(tally.seconds))) for tally in tallies]
    return [(f"days: {name}", [f"{found[name] / DAY_S:.1f}" for found in spreads]) for name in spreads[0]]


def _share(count: float, tally: Tally) -> str:
    return f"{count:.10g} = {100 * count / tally.matches:.1f} %"
