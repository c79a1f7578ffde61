"""Commands for hosts: matches, mails, addresses. A host sees no more of a match than a spectator."""

import re
from pathlib import Path

import pytest
from sqlalchemy import text

from pbem.kit.logs import logfile
from pbem.mail.send import PermanentFailure, TemporaryFailure
from pbem.services.log import store
from pbem.services.play import presence, timeouts
from pbem.services.players import players
from pbem.services.tokens import NeverClaim
from pbem.services.views import match_views
from tests.commands.conftest import Pbem
from tests.harness.cases import cases
from tests.services.log.logs import rename_open_questions
from tests.table import CAST, START, House, address_of, claim_of


def cells_of_table(output: str) -> list[list[str]]:
    """The words of each line below the head."""
    return [line.split() for line in output.splitlines()[1:]]


def last_mail(pbem: Pbem, *words: str) -> list[str]:
    """The newest line of `pbem mail list`."""
    return cells_of_table(pbem("mail", "list", *words).stdout)[0]


def test_a_command_says_which_database_it_works_on(pbem: Pbem, tmp_path: Path) -> None:
    result = pbem("match", "list")
    assert result.exit_code == 0
    assert result.stderr == f"embedded: sqlite:///{tmp_path / 'pbem.db'}\n"
    assert result.stdout == "There are no matches.\n"


def test_commands_without_a_database_create_no_file(bare: Pbem, tmp_path: Path) -> None:
    result = bare("match", "list")
    assert result.exit_code == 1
    assert f"There is no database at {tmp_path / 'pbem.db'}" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_sqlite_file_named_but_absent_is_not_created(
    bare: Pbem, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PBEM_MODE", "embedded")
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'other.db'}")
    result = bare("match", "list")
    assert result.exit_code == 1
    assert "other.db" in result.stderr
    assert not (tmp_path / "other.db").exists()


def test_a_database_url_alone_means_production_and_asks_for_its_settings(
    pbem: Pbem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://pbem:dbword@db.example.org/pbem")
    result = pbem("match", "list")
    assert result.exit_code == 1
    for name in ("PBEM_URL", "REDIS_URL", "SMTP_URL", "PBEM_FROM"):
        assert f"{name}: not set" in result.stderr


def test_an_unreachable_database_is_one_sentence_without_its_password(
    bare: Pbem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_MODE", "embedded")
    monkeypatch.setenv("DATABASE_URL", "postgresql://pbem:dbword@127.0.0.1:1/pbem")
    result = bare("match", "list")
    assert result.exit_code == 1
    assert "The database does not do this" in result.stderr
    assert "dbword" not in result.output


def test_a_command_on_a_database_without_tables_says_so(bare: Pbem, tmp_path: Path) -> None:
    (tmp_path / "pbem.db").touch()
    result = bare("mail", "list")
    assert result.exit_code == 1
    assert "pbem migrate" in result.stderr


def test_matches_are_listed_by_status(pbem: Pbem, house: House) -> None:
    waiting, running = house.create(), house.begin()
    listed = pbem("match", "list").stdout
    assert {waiting, running} <= set(listed.split())
    only = pbem("match", "list", "--status", "running").stdout
    assert running in only
    assert waiting not in only
    assert "Alice, Bob, Carol  Alice, Bob, Carol" in only
    assert pbem("match", "list", "--status", "over").stdout == "There are no matches with status over.\n"
    assert pbem("match", "list", "--status", "lost").exit_code == 2


@pytest.mark.long
def test_a_match_is_shown_with_its_seats_and_until_when_it_waits(pbem: Pbem, house: House) -> None:
    match_id = house.begin()
    house.play(match_id, 1)
    shown = pbem("match", "show", match_id).stdout
    assert f"Hogen {match_id}: running, 2 entries" in shown
    assert "Bob hides an ally." in shown
    asked = [line for line in shown.splitlines() if "Choose your ally" in line]
    assert [line.split()[0] for line in asked] == ["Alice", "Carol"]
    assert all("2026-03-15T12:04:00Z  3 d" in line for line in asked)


def test_match_show_tells_how_a_match_ended_by_resignations_and_who_won(pbem: Pbem, house: House) -> None:
    match_id = house.begin()
    for seat in (0, 2):
        presence.resign(house.site, claim_of(house.site, match_id, seat))
    shown = pbem("match", "show", match_id).stdout
    assert "ended:   everybody else has resigned; won by Bob" in shown
    assert "Everybody else has resigned: Bob wins." in shown
    assert "All matches ask what they should." in pbem("match", "rebuild").stdout


@pytest.mark.long
def test_the_replay_of_a_resigned_match_tells_the_end_at_its_last_step(
    pbem: Pbem, house: House, tmp_path: Path
) -> None:
    match_id = house.begin()
    for seat in (0, 2):
        presence.resign(house.site, claim_of(house.site, match_id, seat))
    path = tmp_path / "log.json"
    path.write_bytes(logfile.log_to_bytes(match_views.read_log(house.site, match_id, None)))
    told = ("replay", str(path), "--names", "Alice,Bob,Carol")
    whole = pbem(*told).stdout
    end = "\n      Bob wins: everybody else has resigned."
    assert end in whole
    assert "\n      Bob gagne\u00a0: tous les autres ont abandonné." in pbem(*told, "--lang", "fr").stdout
    steps = int(re.findall(r"(?m)^ +(\d+)  Everybody else has resigned: Bob wins.$", whole)[0])
    assert end not in pbem(*told, "--step", str(steps - 1)).stdout


@pytest.mark.long
def test_match_show_prints_no_secret_no_link_and_no_whole_address(pbem: Pbem, house: House) -> None:
    match_id = house.begin()
    for seat in range(3):
        house.play(match_id, seat)
    shown = pbem("match", "show", match_id, "--last", "999").output + pbem("mail", "list").output
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        seed = match.seed.hex()
        entries = store.load_entries(session, match_id, store.game_by_slug(match.game))
    story = [line for line in shown.splitlines() if "hides an ally" in line]
    assert len(story) == 3
    assert all(line.endswith("hides an ally.") for line in story)
    assert any(type(e.event).__name__ == "AllyChosen" and e.event.card for e in entries)
    assert seed not in shown
    for seat, name in enumerate(("Alice", "Bob", "Carol")):
        assert house.token("play", match_id, seat) not in shown
        assert address_of(name) not in shown
    assert "a***@example.org" in shown


def test_match_show_prints_addresses_only_with_its_option(pbem: Pbem, house: House) -> None:
    match_id = house.begin()
    assert address_of("Alice") in pbem("match", "show", match_id, "--addresses").stdout
    assert address_of("Alice") in pbem("mail", "list", "--addresses").stdout


def test_a_private_table_is_shown_to_the_host_as_a_spectator_would_see_it(pbem: Pbem, house: House) -> None:
    match_id = house.begin(spectators=False)
    house.play(match_id, 0)
    shown = pbem("match", "show", match_id).stdout
    assert "table:   private" in shown
    assert "Alice hides an ally." in shown


def test_a_match_that_is_over_is_shown_with_its_end(pbem: Pbem, house: House) -> None:
    match_id = house.begin()
    house.play_on(match_id, at=-1)
    shown = pbem("match", "show", match_id, "--last", "0").stdout
    assert f"{match_id}: over" in shown
    assert "; won by " in shown
    assert "waits for" not in shown


@pytest.mark.long
def test_verify_and_replay_accept_a_log_with_automatic_moves(pbem: Pbem, house: House, tmp_path: Path) -> None:
    match_id = house.begin()
    house.play(match_id, 0)
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) == 2
    house.play_on(match_id, at=-1)
    path = tmp_path / "log.json"
    path.write_bytes(logfile.log_to_bytes(match_views.read_log(house.site, match_id, None)))
    assert pbem("verify", str(path)).exit_code == 0
    assert "Player B hides an ally: " in pbem("replay", str(path), "--as", "all").stdout


@cases("command", [("show",), ("cancel", "--yes")])
def test_an_unknown_match_id_is_refused_in_a_sentence(pbem: Pbem, command: tuple[str, ...]) -> None:
    result = pbem("match", *command, "none")
    assert result.exit_code == 1
    assert "There is no such match." in result.stderr


def test_match_cancel_asks_for_confirmation_and_no_keeps_the_match(pbem: Pbem, house: House) -> None:
    match_id = house.begin()
    result = pbem("match", "cancel", match_id, stdin="n\n")
    assert result.exit_code == 1
    assert "of Alice, Bob, Carol?" in result.output
    assert house.view(match_id, 0).sheet.status == "running"
    assert pbem("match", "cancel", match_id, stdin="y\n").exit_code == 0
    assert house.view(match_id, 0).sheet.status == "cancelled"


def test_a_cancelled_match_cannot_be_cancelled_again(pbem: Pbem, house: House) -> None:
    match_id = house.begin()
    assert pbem("match", "cancel", match_id, "--yes").stdout == f"Cancelled {match_id}.\n"
    assert "called off: host" in pbem("match", "show", match_id).stdout
    assert pbem("match", "cancel", match_id, "--yes").exit_code == 1


@pytest.mark.long
def test_match_rebuild_replaces_outdated_questions_once(pbem: Pbem, house: House) -> None:
    match_id = house.begin()
    assert pbem("match", "rebuild").stdout == "All matches ask what they should.\n"
    rename_open_questions(house, match_id, 2)
    done = pbem("match", "rebuild")
    assert (done.exit_code, done.stdout) == (0, f"{match_id}\n  closed: old.t0.ally2\n  opened: t0.ally2\n")
    assert house.play_on(match_id, at=-1)
    assert pbem("match", "rebuild").stdout == "All matches ask what they should.\n"


def test_match_rebuild_names_a_match_that_it_cannot_repair(pbem: Pbem, house: House) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        session.connection().execute(text("UPDATE asks SET closed_at = opened_at, closed_by = 'table' WHERE seat = 2"))
    done = pbem("match", "rebuild")
    assert (done.exit_code, done.stdout) == (1, f"{match_id}\n  answered before, not asked again: t0.ally2\n")


@pytest.mark.long
def test_the_mail_list_shows_waiting_mails_as_due_until_sent(pbem: Pbem, house: House) -> None:
    match_id = house.create()
    mail_id, kind, of, to, due, _answer, tried, result = last_mail(pbem, "--due")
    assert (kind, of, to, tried, result) == ("confirm", match_id, "a***@example.org", "0", "waiting")
    assert due == START.strftime("%Y-%m-%dT%H:%M:%SZ")
    house.drain()
    assert pbem("mail", "list", "--due").stdout == "There are no such mails.\n"
    assert last_mail(pbem)[0] == mail_id
    assert last_mail(pbem)[-1] == "sent"


def test_mails_are_listed_for_one_match(pbem: Pbem, house: House) -> None:
    first, second = house.create(), house.create()
    only = pbem("mail", "list", "--match", first).stdout
    assert first in only
    assert second not in only


def test_mail_list_failed_shows_refused_and_deferred_mails_but_not_sent(pbem: Pbem, house: House) -> None:
    house.create()
    house.drain()
    assert pbem("mail", "list", "--failed").stdout == "There are no such mails.\n"
    house.create()
    house.mail.failing = PermanentFailure(550, "no such user", "recipient")
    house.drain()
    assert last_mail(pbem, "--failed")[-1] == "refused"
    house.create()
    house.mail.failing = TemporaryFailure(451, "later", "data")
    house.drain()
    assert last_mail(pbem, "--failed")[-2:] == ["1", "waiting"]


def test_a_mail_resent_by_the_host_keeps_its_message_id(pbem: Pbem, house: House) -> None:
    house.create()
    house.drain()
    result = pbem("mail", "resend", last_mail(pbem)[0])
    assert result.exit_code == 0
    assert last_mail(pbem, "--due")[-1] == "waiting"
    house.drain()
    first, again = house.mail.to(address_of("Alice"))
    assert first["Message-ID"] == again["Message-ID"]


@pytest.mark.long
def test_a_mail_whose_reason_has_gone_is_not_resent(pbem: Pbem, house: House) -> None:
    match_id = house.begin()
    house.drain()
    turn = next(row[0] for row in cells_of_table(pbem("mail", "list", "--match", match_id).stdout) if row[1] == "turn")
    house.play_on(match_id, at=-1)
    house.drain()
    before = len(house.mail.all_sent)
    pbem("mail", "resend", turn)
    house.drain()
    assert len(house.mail.all_sent) == before
    assert (
        next(row[-1] for row in cells_of_table(pbem("mail", "list", "--limit", "999").stdout) if row[0] == turn)
        == "stale"
    )


def test_an_unknown_mail_cannot_be_resent(pbem: Pbem) -> None:
    result = pbem("mail", "resend", "77")
    assert result.exit_code == 1
    assert "There is no mail 77" in result.stderr


def test_a_blocked_address_gets_no_mail_until_it_is_unblocked(pbem: Pbem, house: House) -> None:
    assert pbem("address", "block", "Alice@Example.org").exit_code == 0
    house.create()
    house.drain()
    assert house.mail.all_sent == []
    assert last_mail(pbem)[-1] == "suppressed"
    assert pbem("address", "unblock", address_of("Alice")).stdout == "Mail goes to alice@example.org again.\n"
    house.create()
    house.drain()
    assert len(house.mail.to(address_of("Alice"))) == 1


def test_unblocking_an_address_whose_owner_unsubscribed_is_refused(pbem: Pbem, house: House) -> None:
    house.create()
    with house.site.reading() as session:
        alice = players.player_by_address(session, address_of("Alice"))
        assert alice is not None
        assert alice.id is not None
        token = house.site.tokens.sign_for(NeverClaim, alice.id, alice.canonical or "")
    players.suppress_by_link(house.site, house.tokens.read(NeverClaim, token))
    result = pbem("address", "unblock", address_of("Alice"))
    assert result.exit_code == 1
    assert "--even-if-asked" in result.stderr
    house.drain()
    assert house.mail.all_sent == []
    assert pbem("address", "unblock", address_of("Alice"), "--even-if-asked").exit_code == 0
    assert pbem("address", "unblock", address_of("Alice")).stdout == "alice@example.org was not blocked.\n"


def test_the_host_erases_a_player_by_address_after_confirming(pbem: Pbem, house: House) -> None:
    match_id = house.begin()
    asked = pbem("address", "erase", address_of("Bob"))
    assert asked.exit_code != 0
    assert house.view(match_id, None).sheet.names[1] == "Bob"
    assert address_of("Bob") not in asked.stdout
    assert "who sits in 1 match, for ever?" in asked.stdout
    done = pbem("address", "erase", address_of("Bob"), "--never", "--yes")
    assert done.exit_code == 0
    assert done.stdout.endswith("The player with the number 2 is erased.\n")
    assert address_of("Bob") not in done.stdout
    assert house.view(match_id, None).sheet.names[1] == "(B)"
    assert pbem("address", "erase", "--number", "2", "--yes").exit_code != 0
    assert pbem("address", "erase", "--number", "3", "--yes").exit_code == 0
    assert house.view(match_id, None).sheet.names == ("Alice", "(B)", "(C)")
    for wrong in ((), (address_of("Alice"), "--number", "1"), ("nobody@example.org", "--yes")):
        assert pbem("address", "erase", *wrong).exit_code != 0
    assert house.view(match_id, None).sheet.names[0] == "Alice"


@cases("command", ["block", "unblock"])
def test_an_invalid_mail_address_is_refused_by_the_address_commands(pbem: Pbem, command: str) -> None:
    result = pbem("address", command, "nobody")
    assert result.exit_code == 1
    assert "“nobody” is not an email address." in result.stderr


def test_blocked_addresses_are_listed_with_the_reason(pbem: Pbem, house: House) -> None:
    assert pbem("address", "list").stdout == "Mail goes to every address.\n"
    house.begin()
    house.mail.refusing = {address_of("Bob"): PermanentFailure(550, "5.1.1 no such user", "recipient")}
    house.drain()
    pbem("address", "block", "stranger@example.org")
    assert pbem("address", "bounces", address_of("Carol")).exit_code == 0
    listed = pbem("address", "list").stdout
    assert "b***@example.org  2026-03-12T12:04:00Z  bounces (550 5.1.1)" in listed
    assert "c***@example.org  2026-03-12T12:04:00Z  bounces\n" in listed
    assert "blocked by the host" in listed
    assert address_of("Bob") not in listed
    assert "stranger" not in pbem("address", "list", "--addresses").stdout, "only its keyed hash is kept"
    assert address_of("Bob") in pbem("address", "list", "--addresses").stdout


@pytest.mark.long
def test_an_unblocked_address_that_bounced_gets_the_mails_it_missed(pbem: Pbem, house: House) -> None:
    match_id = house.begin()
    house.mail.refusing = {address_of("Bob"): PermanentFailure(550, "5.1.1 no such user", "recipient")}
    house.drain()
    assert last_mail(pbem, "--failed")[-4:] == ["550", "5.1.1", "1", "refused"]
    assert "b***@example.org  bounces" in pbem("match", "show", match_id).stdout
    house.mail.refusing = {}
    assert pbem("address", "unblock", address_of("Bob")).stdout == "Mail goes to bob@example.org again.\n"
    house.drain()
    assert any("turn" in mail["Message-ID"] for mail in house.mail.to(address_of("Bob")))
    assert not house.view(match_id, None).sheet.seats[1].bounces


def test_the_host_unblocks_all_bouncing_addresses_at_once(pbem: Pbem, house: House) -> None:
    house.begin()
    house.mail.failing = PermanentFailure(550, "no such user", "recipient")
    house.drain()
    assert pbem("address", "unblock", "--all-bouncing").stdout == "Mail goes again to addresses that bounced: 3.\n"
    house.mail.failing = None
    house.drain()
    assert {to for to, mail in house.mail.all_sent if "turn" in mail["Message-ID"]} == set(map(address_of, CAST[:3]))
    assert pbem("address", "unblock").exit_code == 2
    assert pbem("address", "unblock", address_of("Bob"), "--all-bouncing").exit_code == 2


def test_an_unknown_address_cannot_be_marked_as_bouncing(pbem: Pbem) -> None:
    result = pbem("address", "bounces", "nobody@example.org")
    assert result.exit_code == 1
    assert "Nobody plays here with the address nobody@example.org." in result.stderr
