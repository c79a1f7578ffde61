"""What leagues add to results, erasure, retention and the clock."""

from pbem.features.leagues import erasing, ratings
from pbem.features.leagues.entry import entering
from pbem.features.leagues.scores import feed
from pbem.services.hooks import Fate, Hooks, Moments, Personal, Results

HOOKS = Hooks(
    results=Results(ratings.note_results, ratings.rate_with_bots, after=feed.publish_results),
    personal=Personal(
        fates={
            "leagues.owner_id": Fate("forgotten", export=("id", "name", "game", "terms", "created_at", "ended_at")),
            "entrants.player_id": Fate(
                "forgotten", export=("season_id", "name", "status", "division", "points", "place", "at")
            ),
        },
        leave=erasing.end_leagues,
        has_left=erasing.has_ended,
        forget_player=erasing.forget_name,
        forget_old={"entrants": entering.forget_old},
    ),
    moments=Moments(
        happened={"entrants": ("at",), "leagues": ("created_at", "ended_at"), "seasons": ("closed_at", "created_at")},
        left={
            "seasons": {
                "starts_at": "a date of the organiser", "ends_at": "a date of the organiser",
                "due_at": "one of these dates, or a claim; seasons go on only while the clock is settled",
            },
        },
    ),
)  # fmt: skip
