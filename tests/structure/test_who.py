"""Every use case is told who acts: none treats a missing caller as permission."""

import importlib
import inspect
import pkgutil
import re
import types
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, get_args, get_type_hints

from sqlmodel import Session

from pbem import discovery, features, services
from pbem.services import tokens, who
from pbem.services.access.access_tokens import Found
from pbem.services.site import Site
from tests.harness.cases import cases

PBEM = Path(services.__path__[0]).parent
ACTING = (
    tokens.SeatClaim,
    tokens.SentClaim,
    tokens.OpeningClaim,
    tokens.VacancyClaim,
    tokens.OfferClaim,
    tokens.ChangeClaim,
    tokens.PlayerClaim,
    tokens.AccountClaim,
    tokens.NeverClaim,
    tokens.StopClaim,
    Found,
    who.Host,
    who.Stranger,
    *(
        one
        for package in discovery.packages_of_features().values()
        for name, one in vars(discovery.module_of_feature(package, "claims") or object).items()
        if name.endswith("Claim") and isinstance(one, type)
    ),
)
NAMES = {"who", "owner", "claim", "token", "player_id", "viewer", "seat"}
"""What parameters are called that say who acts, whatever their type."""
SPECTATOR = {"viewer"}
"""None is a spectator here, as everywhere in the rules; it is said, too."""
OPTIONAL = {
    "instead", "day",
    "once", "was", "after", "before", "now", "never", "even_if_asked", "eyes", "zone", "preset", "match_id", "language",
    "kinds", "active", "rotate", "address", "number", "open_transport", "days", "hour", "quiet", "key", "refused",
    "division", "first", "browser", "links",  # choose a quota
    "lasts", "name", "seen", "word", "bots", "options", "spectators", "then", "ordered", "at",
    "enough",  # of the log, for a reader
    "alone",  # of a mail that nothing goes ahead of
    "shard", "run", "reserved",  # of all matches
    "false",  # an outage
    "pictures", "rated", "pace_shown", "weekly",  # in mails and beside the name: as before
    "circle_id", "terms", "title", "opened", "muted",  # of a league or circle
    "listed", "anew",  # of another site
    "about", "same_deal",
    "known", "since",  # by a program that comes again
    "version",  # of a form
    "mail_from", "recipients", "size", "incoming", "sender", "whose", "only", "waiting", "most", "judge",  # of a mail
}  # fmt: skip
"""All that a use case may leave out, or be given None for. Nothing of it says who acts."""

SIGNED = {"player_id": int, "who": int}
"""Parameters by which a caller acts whose type says nothing: the id of a player who is signed in."""
READS = {
    "analyses.read_analysis",
    "circle_letters.query_of_players_with_circle_mails",
    "terms.check_and_complete_terms", "terms.check_start", "seasons.scores_as_they_stand",
    "starting.all_pairings_of_season",
    "reading.read_own_matches", "entering.read_entry", "weekly.read_language_and_weekly_setting",
    "bounces.was_any_later_mail_sent", "bounces.result_if_given_up", "erasure.find_player_to_erase",
    "idempotency.was_request_done", "joining.join_tokens_for_organiser",
    "bots.is_any_thinker_asked", "leases.read_unclaimed_asks",
    "luck.read_heads_of_chain", "luck.read_verdict_and_fortunes", "match_list.read_my_matches",
    "match_views.read_events",
    "match_views.read_log", "match_views.read_sheet", "match_views.read_view",
    "match_views.read_now", "match_views.read_whole",
    "payloads.secret_of_webhook", "players.read_account", "moves.preview_move", "quotas.quotas_of_unverified",
    "guests.ids_of_guests_long_away", "match_list.read_next_turn", "reminding.read_reminders",
    "registry.list_all_webhooks", "rematches.read_rematch_id", "replays.read_replay", "results.read_result",
    "seats.how_closed",
    "open_matches.read_open_matches", "outages.is_settled", "sharing.read_shared",
    "notices.opaque_name_of_mail", "ahead.delay_of_mail",
    "records.read_public_record", "pictures.read_file", "pictures.read_picture",
    "published.read_note", "published.read_list_of_days", "published.read_place_of_match",
    "replays.read_perspective", "seats.latest_name",
    "seats.own_seat", "seats.language_and_zone", "seats.play_token", "seats.watch", "sender.transport_for",
    "uploaded_logs.open_kept_log", "uploaded_logs.read_document",
    "substitutes.substitute_links_by_seat", "suppressions.list_suppressed_addresses", "talk.read_id_of_newest_message",
    "talk.read_talk", "access_tokens.authenticate", "waiting.find_outdated_among_known",
    "waiting.read_places_of_players",
    "waiting.read_game_and_head_if_unchanged",
    "canary.is_our_canary", "imap.is_report_on_our_mail", "imap.sort_of_mail_with_head",
    "transcripts.transcript_of_mail",
    "whose.is_own_reply_address",
    "whose.meaning_of_first_token", "whose.read_mail_of_row", "whose.is_own_address",
    "sheets.read_open_page",
}  # fmt: skip
"""Use cases that write nothing. What each viewer may see is tested with the views."""
BY_ITSELF = {
    "analyses.continue_longest_waiting_analysis", "feed.publish_results", "webhooks.queue_calls_for_season_news",
    "seasons.sweep_seasons", "weekly.queue_weekly_mails", "starting.create_missing_matches", "starting.create_tables",
    "seasons.cancel_matches_of_shared_deals",
    "occasions.run_standing_tables", "timeouts.let_orders_answer", "players.queue_requested_links",
    "tallying.tally_matches",
    "keeping.keep_folds", "keeping.sweep_folds",
    "alarm.watch_mails", "archiving.archive_matches", "bots.play_quick_bots", "cursors.queue_calls_for_new_events",
    "deliveries.claim_call",
    "bots.is_any_bot_asked", "cursors.has_active_webhooks",
    "deliveries.deliver_due_calls", "digests.queue_digests_and_reopen_mails", "leases.claim_asks",
    "making.make_checkpoint_of_today",
    "outages.beat_and_apply_outages",
    "outages.record_heartbeat", "bots.play_thinkers",
    "quotas.count_mail", "reminders.queue_reminders", "reminders.sweep_reminders",
    "reminders.beat_and_sweep_reminders_if_web_up",
    "retention.delete_old_rows",
    "outages.hold_or_resume_unavailable_matches", "setbacks.correct_future_times", "alarms.end_alarms",
    "alarms.raise_alarm", "alarms.raise_or_renew_alarm",
    "alarms.end_picture_alarms_without_reason",
    "alarms.raise_picture_alarm",
    "claims.claim_longest_due_mail", "claims.is_any_mail_due", "closing.close_row",
    "sender.drain", "suppressions.note_bounce",
    "ahead.notify_devices", "guests.end_session_of_overdue_guest", "closing.note_order_news_told", "ahead.send",
    "drawing.draw_frames_of_next_picture", "timeouts.beat_and_check_web",
    "timeouts.close_window_if_due", "timeouts.answer_expired_ask", "timeouts.sweep_deadlines",
    "timeouts.cancel_lapsed_matches", "timeouts.beat_and_sweep_deadlines_if_web_up",
    "timeouts.let_undelayed_orders_answer",
    "web_heartbeat.beat_once", "web_heartbeat.start_web_heartbeat",
    "canary.send_canary_if_due", "intake.take_in_mail", "reading.read_inbox",
    "forgetting.erase_unowned_texts_with_addresses",
    # Whom a mail acts for follows from its sender and its token: see `pbem.features.inbox.reading`.
    "acting.act_on_letter", "closing.close_mail", "judging.judge_mail", "judging.note_several_results",
    "reading.read_and_act_on_claimed_row", "returns.note_report", "returns.mute_or_unsubscribe",
}  # fmt: skip
"""The clock, the sweeps, mail on its way out and in, the drawing of pictures, and analyses: they act for nobody."""
BY_THE_HOST = {
    "cancellation.cancel_match_for_host", "cosigning.publish_cosignatures", "cosigning.cosign_note",
    "outages.record_outage_by_hand",
    "players.block_address", "rebuilding.rebuild_asks", "registry.enable_webhook_as_host",
    "registry.disable_webhook_as_host",
    "sender.make_mail_due_again",
    "suppressions.clear_all_bounces", "suppressions.unblock_address",
    "intake.list_kept_mails", "intake.make_due_again", "intake.read_kept_mail",
}  # fmt: skip
"""What only the host can do, on the command line."""
BY_ANYBODY = {
    "analyses.request_analysis",
    "offers.transaction_with_player_of_address",
    "players.request_links",
    "players.sign_up",
    "pictures.request_picture",
    "subscriptions.unsubscribe_device",
}
"""What anybody may ask for: it sends a mail to the owner of an address and says nothing to the caller; draws what the
viewer may see, which is compared when they look; or ends what only a device that knows its own endpoint can name."""
FOR_NOBODY = READS | BY_ITSELF | BY_THE_HOST | BY_ANYBODY

UseCase = Callable[..., Any]


def in_a_transaction(kind: Any) -> bool:
    """True if a parameter of this type is the transaction of a caller."""
    return isinstance(kind, type) and issubclass(kind, Session)


def use_cases() -> Iterator[tuple[str, UseCase]]:
    """Returns the public functions that take the site and open their own transaction."""
    houses = [pkgutil.walk_packages(house.__path__, f"{house.__name__}.") for house in (services, features)]
    for found in chain.from_iterable(houses):
        module = importlib.import_module(found.name)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            hints = get_type_hints(function) if function.__module__ == module.__name__ else {}
            taken = [hints.get(parameter) for parameter in inspect.signature(function).parameters]
            if not name.startswith("_") and taken[:1] == [Site] and not any(map(in_a_transaction, taken)):
                yield f"{found.name.rpartition('.')[2]}.{name}", function


def parameters_not_listed(function: UseCase) -> list[str]:
    """Returns the optional parameters that say who acts, and those not yet listed as saying something else."""
    hints, wrong = get_type_hints(function), []
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        kinds = [hints[name], *get_args(hints[name])]
        says_who = name in NAMES or any(kind in ACTING for kind in kinds)
        left_out = parameter.default is not parameter.empty
        none = types.NoneType in kinds and name not in SPECTATOR
        if (left_out or none) and (says_who or name not in OPTIONAL):
            wrong.append(name)
    return wrong


def names_acting_player(function: UseCase) -> bool:
    """True if one of the parameters says for whom the use case acts."""
    hints = get_type_hints(function)
    return any(
        SIGNED.get(name) is hints[name] or any(kind in ACTING for kind in (hints[name], *get_args(hints[name])))
        for name in inspect.signature(function).parameters
    )


def opens_one_to_write(function: UseCase) -> bool:
    """True if the function itself calls `Site.writing`."""
    return "writing" in inspect.getclosurevars(function).unbound


@cache
def sources_of_modules() -> list[tuple[str, str]]:
    """Returns the text of each module of pbem with the folder that it stands in, and of a feature's with its name."""
    return [(layer_of_module(path.relative_to(PBEM)), path.read_text("utf-8")) for path in PBEM.rglob("*.py")]


def layer_of_module(path: Path) -> str:
    """Returns the layer of a module: that of a feature's commands is the one of commands."""
    first, *more = path.with_suffix("").parts
    return more[:2][-1] if first == "features" else path.parts[0]


FOUND = list(use_cases())
USE_CASES = dict(FOUND)


def test_the_check_finds_the_use_cases_of_the_services() -> None:
    assert len(FOUND) == len(USE_CASES), "two modules of one name have use cases of one name"
    assert {
        "presence.resign",
        "talk.post_message",
        "voting.vote_to_let_clock_move",
        "moves.play_answer",
        "registry.add_webhook",
        "matches.create_match",
    } <= {*USE_CASES}
    assert len(USE_CASES) > 90


@cases("name", USE_CASES)
def test_a_use_cases_acting_player_has_no_default_and_cannot_be_none(name: str) -> None:
    assert parameters_not_listed(USE_CASES[name]) == []


@cases("name", sorted(USE_CASES.keys() - FOR_NOBODY))
def test_every_writing_use_case_takes_the_acting_player(name: str) -> None:
    assert names_acting_player(USE_CASES[name])


def test_no_use_case_takes_a_token_but_the_one_that_authenticates() -> None:
    taking = {name for name, case in USE_CASES.items() if "token" in inspect.signature(case).parameters}
    assert taking == {"access_tokens.authenticate"}, "this one reads a personal token: who it is stands in the database"


def test_every_listed_exception_is_an_existing_use_case() -> None:
    assert FOR_NOBODY - USE_CASES.keys() == set()


@cases("name", sorted(READS))
def test_use_cases_excepted_as_reads_open_no_writing_transaction(name: str) -> None:
    assert not opens_one_to_write(USE_CASES[name])


def test_the_check_finds_a_writing_transaction() -> None:
    assert opens_one_to_write(USE_CASES["presence.resign"])


@cases("name", sorted(BY_THE_HOST))
def test_use_cases_excepted_as_the_hosts_are_called_by_no_page_or_task(name: str) -> None:
    module, _, function = name.partition(".")
    called = re.compile(rf"\b{module}\.{function}\b|from pbem\.\w+\.\w+\.{module} import .*\b{function}\b")
    # Most modules do not have the word at all, which is found out in a fraction of the time.
    callers = {folder for folder, source in sources_of_modules() if function in source and called.search(source)}
    assert callers == {"commands"}


def resign_a_seat_by_its_number(site: Site, match_id: str, number: int) -> None: ...


def speak_for_a_seat(site: Site, match_id: str, seat: int, text: str) -> None: ...


def name_a_player_without_their_id(site: Site, player_id: str) -> None: ...


@cases("function", [resign_a_seat_by_its_number, speak_for_a_seat, name_a_player_without_their_id])
def test_a_seat_number_does_not_count_as_the_acting_player(function: UseCase) -> None:
    assert parameters_not_listed(function) == []
    assert not names_acting_player(function)


def a_claim_left_out(site: Site, claim: tokens.SeatClaim | None = None) -> None: ...


def a_claim_that_may_be_none(site: Site, claim: tokens.SeatClaim | None) -> None: ...


def a_claim_of_another_name(site: Site, shown: tokens.SeatClaim | None) -> None: ...


def a_viewer_left_out(site: Site, viewer: int | None = None) -> None: ...


def something_new_left_out(site: Site, caller: object = None) -> None: ...


@cases(
    "function",
    [
        a_claim_left_out,
        a_claim_that_may_be_none,
        a_claim_of_another_name,
        a_viewer_left_out,
        something_new_left_out,
    ],
)
def test_the_check_finds_a_use_case_without_an_acting_player(function: UseCase) -> None:
    assert len(parameters_not_listed(function)) == 1
