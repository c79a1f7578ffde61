"""What circles add to erasure, retention, a change of address and the clock."""

from datetime import timedelta

from pbem.features.circles import joining
from pbem.services.hooks import Fate, Hooks, Moments, Personal

HOOKS = Hooks(
    personal=Personal(
        fates={
            "circles.founder_id": Fate("forgotten", export=("id", "name", "created_at", "dissolved_at")),
            "circle_members.player_id": Fate(
                "forgotten", export=("circle_id", "name", "status", "muted", "listed", "at")
            ),
            "circle_members.by_id": Fate("forgotten", export=()),
            "standing_tables.by_id": Fate("forgotten", export=("circle_id", "game", "terms", "created_at")),
        },
        export_through={"occasion_answers.member_id": ("occasion_id", "yes", "at")},
        leave=joining.leave_all_circles,
        takes_part_in=joining.memberships_of_player,
        forget_player=joining.delete_names_and_end_links,
        change_address=joining.end_member_links,
        forget_old={"circles": joining.forget_old},
    ),
    moments=Moments(
        waiting={"standing_tables": {"next_at": timedelta(days=8)}},
        happened={
            "circle_members": ("at",),
            "circles": ("created_at", "dissolved_at"),
            "occasion_answers": ("at",),
            "occasions": ("done_at",),
            "standing_tables": ("stopped_at", "created_at"),
        },
        left={"occasions": {"starts_at": "a date of the circle; made only while the clock is settled"}},
    ),
)
