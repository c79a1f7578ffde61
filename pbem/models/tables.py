"""The tables. Rows are storage only: use cases convert them to the core's values and back.

A number by which the database counts rows is None until its row is written.

players ─< seats >─ matches ─< entries      the log, primary key (match_id, n): the guard against two writers
                       │  └──< asks         projection of the open questions, with deadlines
                       ├───< votes          votes to let the clock move for somebody who is late
                       ├──── snapshots      read by releases before schema 0026 only, which may run beside this one
                       ├───< folds          projection: what every viewer knows after some entries
                       ├──── archives       the log and the asks of a match that ended long ago, in place of their rows
                       ├───< outbox         mails that are due; rows hold ids, never text or links
                       ├───< messages       what the players say to each other; never in the log
                       ├───< notes          a seat's private notes
                       └───< substitutes    offers to take over a seat that was left
players ─< vacations                        days on which a player's clock stands still
link_requests                               addresses that were typed, until a worker has looked them up
suppressions                                keyed hashes of addresses that want no mail
quotas                                      how much of each quota has been used
pulse, outages                              heartbeats, and when the service was down
task_failures                               tasks whose last runs have failed
schema_floor                                the oldest revision whose programs may write here
"""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, LargeBinary, Text, text, true
from sqlmodel import Field, SQLModel

from pbem.discovery import module_of_feature, packages_of_features
from pbem.models.types import NO, ZERO, Utc, partial_index

GUEST = "(address IS NULL) = (visited_at IS NOT NULL) AND (address IS NULL) = (canonical IS NULL)"
MOVING = "status IN ('unconfirmed', 'inviting', 'running', 'paused')"


class Player(SQLModel, table=True):
    """Somebody with an address, or a guest: a browser that plays against bots without one.

    The `address` of an erased player is "", that of a guest None.
    """

    __tablename__ = "players"
    __table_args__ = (
        partial_index("ix_players_bounced", "bounced_at", where="bounced_at IS NOT NULL"),
        partial_index("ix_players_unverified", "created_at", where="verified_at IS NULL"),
        partial_index("ix_players_daily", "zone", "digest_hour", where="digest_hour IS NOT NULL"),
        CheckConstraint(GUEST, name="ck_players_guest"),
    )

    id: int = Field(default=None, primary_key=True)
    address: str | None = Field(default=None, max_length=254)
    """None: a guest, to whom no mail is ever queued."""
    canonical: str | None = Field(default=None, max_length=254, unique=True)
    """The form of the address for comparison."""
    language: str = Field(default="fr", max_length=2)
    zone: str = Field(default="Europe/Paris", max_length=64)
    verified_at: datetime | None = Field(default=None, sa_type=Utc)
    epoch: int = 0
    """Incremented to invalidate all account links and sessions of the player."""
    digest_hour: int | None = None
    """The hour, 0-23 in their zone, of the daily digest that replaces turn mails; None: a mail for each turn."""
    weekends_off: bool = Field(default=False, sa_column_kwargs=NO)
    """Their clock stands still on Saturdays and Sundays."""
    pictures: bool = Field(default=True, sa_column_kwargs={"server_default": true()})
    """Whether their mails show the board as a picture, too; in words it stands there anyway."""
    quiet_from: int | None = None
    quiet_to: int | None = None
    """Quiet hours in their zone: no deadline falls between them; both or neither."""
    hints_hidden: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    """Hints of first matches that they had put away: "hogen.act". Nothing reads it any more."""
    bounced_at: datetime | None = Field(default=None, sa_type=Utc)
    """Since when mail to their address is refused; None: no bounce is known."""
    bounced_why: str | None = Field(default=None, max_length=20)
    """The mail server's answer (550 5.1.1), or "host" if the host has reported it."""
    visited_at: datetime | None = Field(default=None, sa_type=Utc, index=True)
    """When a guest's browser was here last, to the day; None: they have an address, and no visit is noted."""
    page_key: str | None = Field(default=None, max_length=32, unique=True)
    """The key of their public page of results; None: they have none."""
    rated: bool = Field(default=False, sa_column_kwargs=NO)
    """Whether they want ratings: from then on, matches count in theirs."""
    pace_shown: bool = Field(default=False, sa_column_kwargs=NO)
    """Whether others see how fast they answer."""
    absences: int = Field(default=0, sa_column_kwargs=ZERO)
    """How often they were absent from a match; see `services.players.open_matches`."""
    weekly: bool = Field(default=True, sa_column_kwargs={"server_default": true()})
    """Whether they get the mail of the week, if a feature sends one."""
    created_at: datetime = Field(sa_type=Utc)


class Match(SQLModel, table=True):
    """One play of a game. `version` is the number of its last log entry."""

    __tablename__ = "matches"
    __table_args__ = (
        Index("ix_matches_status", "status", "id"),
        Index("ix_matches_ended", "ended_at", "id"),
        partial_index("ix_matches_kept", "ended_at", "id", where="status = 'over' AND archived_at IS NULL"),
        partial_index("ix_matches_held", "held_since", "id", where="held_since IS NOT NULL"),
        partial_index("ix_matches_game", "game", where=MOVING),
        partial_index("ix_matches_untallied", "ended_at", "id", where="status = 'over' AND tallied_at IS NULL"),
    )

    id: str = Field(primary_key=True, max_length=32)
    game: str = Field(max_length=40)
    options: str = Field(sa_type=Text)
    status: str = Field(max_length=12)
    """unconfirmed, inviting, running, paused (nobody is there), over, cancelled"""
    version: int = 0
    touched: int = Field(default=0, sa_column_kwargs=ZERO)
    """Raised by each write to the match's rows that leads to no new version."""
    seed: bytes = Field(sa_type=LargeBinary)
    commitment: str = Field(max_length=64)
    """The commitment to its luck, made with the match; see `pbem.kit.logs.chain`."""
    words: str | None = Field(default=None, sa_type=Text)
    """The hashes of the seats' lucky words as JSON, in seat order; None before its start."""
    head: str | None = Field(default=None, max_length=64)
    """The head of its chain after the last entry; None before the first."""
    turn_s: int
    window_s: int
    late: str = Field(default="fallback", max_length=10, sa_column_kwargs={"server_default": "fallback"})
    """What happens after the grace period: the fallback plays, or the others vote"""
    bank_s: int | None = None
    """The maximum of a seat's time bank, and its initial value; None: `turn_s` for each turn."""
    increment_s: int = Field(default=0, sa_column_kwargs=ZERO)
    """What each turn adds to the bank."""
    untimed: bool = Field(default=False, sa_column_kwargs=NO)
    """True for a table of one person and bots at which nobody waits: the person's questions have no deadline."""
    spectators: bool = True
    organiser_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    created_at: datetime = Field(sa_type=Utc)
    lapses_at: datetime | None = Field(default=None, sa_type=Utc, index=True)
    """When a match that waits for its players, before its start or paused, is called off."""
    started_at: datetime | None = Field(default=None, sa_type=Utc)
    ended_at: datetime | None = Field(default=None, sa_type=Utc)
    outcome: str | None = Field(default=None, sa_type=Text)
    """The outcome as JSON, or the reason why the match was cancelled."""
    rematch_of: str | None = Field(default=None, foreign_key="matches.id", max_length=32, unique=True, index=True)
    """The match that is played again; unique, so the first request for a rematch creates it for all."""
    shifted_for: int = Field(default=0, sa_column_kwargs=ZERO)
    """The last outage for which its deadlines were moved."""
    nth: int = Field(default=1, sa_column_kwargs={"server_default": text("1")})
    """Which one it is of the matches of this game that the same people play at once: the lowest number that was free at
    its start. The subjects of its mails name it."""
    first_names: str | None = Field(default=None, sa_type=Text)
    """Who sat at the start on the seats that others have taken over since, as a JSON object by seat: the subjects of
    its mails keep these names."""
    ordering: int = Field(default=0, sa_column_kwargs=ZERO)
    """How many of its seats have orders: a match without any asks nobody for theirs."""
    silent: bool = Field(default=False, sa_column_kwargs=NO)
    """True if its windows are silent; see `pbem.kit.windows`."""
    undone: int = Field(default=0, sa_column_kwargs=ZERO)
    """How many times something was taken back: the number of `Undone` in its log."""
    takebacks: str = Field(default="consent", max_length=8, sa_column_kwargs={"server_default": "consent"})
    """What can be taken back: consent (also what others have seen, if they agree), or free (only what nobody has)."""
    undoing: str | None = Field(default=None, sa_type=Text)
    """The open request to take something back, as JSON; see `pbem.services.log.consent`."""
    deal_id: str | None = Field(default=None, foreign_key="deals.id", max_length=32, index=True)
    """The deal that it shares with other tables; None: it has its own, with its own id."""
    tallied_at: datetime | None = Field(default=None, sa_type=Utc)
    """When its results were written into `results`; None: they are not."""
    archived_at: datetime | None = Field(default=None, sa_type=Utc)
    """When its log and its asks moved into `archives`; None: they are rows."""
    held_since: datetime | None = Field(default=None, sa_type=Utc)
    """Since when it stands still because its game is unavailable; see `outages.hold_or_resume_unavailable_matches`."""


class SeatRow(SQLModel, table=True):
    """Who sits where. `epoch` is incremented to invalidate the seat's links."""

    __tablename__ = "seats"
    __table_args__ = (
        partial_index(
            "ix_seats_unfilled", "match_id", where="player_id IS NOT NULL AND status IN ('invited', 'declined')"
        ),
    )

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    seat: int = Field(primary_key=True)
    player_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    bot: str | None = Field(default=None, max_length=40)
    """The name of the bot that sits here instead of a person."""
    name: str = Field(max_length=24)
    status: str = Field(max_length=10)
    """open (to anyone with its link), invited, accepted, declined"""
    epoch: int = 0
    muted: bool = False
    misses: int = Field(default=0, sa_column_kwargs=ZERO)
    """The number of turns in a row that the owner has missed, so that the clock moved."""
    absent: bool = Field(default=False, sa_column_kwargs=NO)
    """The fallback plays at once until the owner comes back."""
    resigned: bool = Field(default=False, sa_column_kwargs=NO)
    """The fallback plays at once until the end."""
    bank_s: int | None = None
    """What is left in the seat's time bank; None if each turn has its own time."""
    word: str | None = Field(default=None, max_length=40)
    """The lucky word that its owner typed, which nobody else sees; None: they typed none, it was somebody else's, or it
    was erased."""
    away_n: int | None = None
    """The entry by which its owner became absent or resigned; None: they are present. Links for substitutes name it."""
    stand_in: str | None = Field(default=None, max_length=40)
    """The bot that its owner has chosen to play for them while they are absent; None: the fallback does."""
    seen: int | None = 0
    """The entry up to which its owner has seen what happened; None: not recorded, as in matches older than this
    column, and then it is what happened up to their last move."""


class SubstituteRow(SQLModel, table=True):
    """An offer to take over a seat that was left; `epoch` is set once it is accepted."""

    __tablename__ = "substitutes"
    __table_args__ = (
        partial_index("ix_substitutes_asked", "match_id", "seat", "away_n", "player_id", unique=True, where="NOT void"),
        Index("ix_substitutes_match", "match_id", "seat"),
    )  # fmt: skip

    id: int = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="matches.id", max_length=32)
    seat: int
    away_n: int
    """The entry by which the seat was left: the offer ends once the owner is back, or the seat is taken.

    If it is negative, the match has not begun: somebody has claimed an open seat by its join link, and this is the
    epoch of their invitation. Such a claim never gets an `epoch`; it is void once it was declined, or the seat is
    somebody's.
    """
    player_id: int = Field(foreign_key="players.id", index=True)
    name: str = Field(max_length=24)
    at: datetime = Field(sa_type=Utc)
    void: bool = Field(default=False, sa_column_kwargs=NO)
    """True if the link in the mail no longer works because the address was changed or erased; they may ask again."""
    epoch: int | None = None
    """The seat's epoch since they took it over; None: they have not."""
    former_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    """Who had the seat before: they have seen that hand, and cannot take another seat of the match."""


class EntryRow(SQLModel, table=True):
    """One entry of a match's log, append-only; `by` and `event` are canonical JSON.

    PostgreSQL keeps them in partitions, by match: see `pbem.models.partitions`.
    """

    __tablename__ = "entries"
    __table_args__ = {"postgresql_partition_by": "HASH (match_id)"}

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    n: int = Field(primary_key=True)
    at: datetime = Field(sa_type=Utc)
    by: str = Field(sa_type=Text)
    key: str | None = Field(default=None, max_length=64)
    event: str = Field(sa_type=Text)
    sealed: str | None = Field(default=None, sa_type=Text)
    """The seals of what not everybody may see in it, as JSON; None where nothing is secret."""
    head: str = Field(max_length=64)
    """The head of the match's chain after it."""


class AskRow(SQLModel, table=True):
    """A question to a seat, open until `closed_at`.

    `key` is that of the rules, with `~k` after it if it was put after k take-backs, so it never comes twice.
    `origin` is the key of the ask that began this stretch: consecutive asks of the seat, which share one mail.
    `answer` is the canonical JSON of the move, kept to recognise a repeated answer; `first_n`..`last_n` are the
    entries that the answer made.

    A question of a silent window has a `floor_at`. Its answer is sealed here until the window closes: nobody but its
    owner learns that there is one.
    """

    __tablename__ = "asks"
    __table_args__ = (
        partial_index("ix_asks_due", "acts_at", where="closed_at IS NULL"),
        partial_index("ix_asks_remind", "remind_at", where="closed_at IS NULL AND remind_at IS NOT NULL"),
        partial_index("ix_asks_open", "match_id", where="closed_at IS NULL"),
        partial_index("ix_asks_bots", "opened_at", where="closed_at IS NULL AND bot IS NOT NULL AND sealed_at IS NULL"),
        partial_index("ix_asks_closing", "closes_at", where="closed_at IS NULL AND closes_at IS NOT NULL"),
        partial_index("ix_asks_follow", "follow_at", where="closed_at IS NULL AND follow_at IS NOT NULL"),
    )

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    key: str = Field(primary_key=True, max_length=64)
    seat: int = Field(primary_key=True)
    turn: str = Field(max_length=64)
    kind: str = Field(max_length=40)
    origin: str = Field(max_length=64)
    bot: str | None = Field(default=None, max_length=40)
    """The bot that is asked, if the seat is not a person's, or if the one that stands in for a person has to think."""
    opened_at: datetime = Field(sa_type=Utc)
    opened_n: int
    """The match's version when the question was first put."""
    deadline: datetime | None = Field(default=None, sa_type=Utc)
    """The deadline that players see; the clock acts later, at `acts_at`. None: the match is untimed."""
    runs_out: datetime | None = Field(default=None, sa_type=Utc)
    """When its time is up, if quiet hours postpone the deadline; None: at the deadline."""
    allowed_s: int = Field(default=0, sa_column_kwargs=ZERO)
    """The running time that was given for it."""
    mailed_at: datetime | None = Field(default=None, sa_type=Utc)
    """When the relay took its mail, or when it was clear that none is sent; the clock does not run before that."""
    acts_at: datetime | None = Field(default=None, sa_type=Utc)
    """When the clock answers; None: it does not answer by itself."""
    remind_at: datetime | None = Field(default=None, sa_type=Utc)
    """When its next reminder is considered; None: there are no more, or its clock does not run."""
    vote_since: datetime | None = Field(default=None, sa_type=Utc)
    """Since when the others may vote to let the clock answer."""
    claimed_until: datetime | None = Field(default=None, sa_type=Utc)
    floor_at: datetime | None = Field(default=None, sa_type=Utc)
    """Before this moment its window does not close; None: the question belongs to no silent window."""
    sealed_at: datetime | None = Field(default=None, sa_type=Utc)
    sealed: str | None = Field(default=None, sa_type=Text)
    """The canonical JSON of the sealed answer, a move."""
    sealed_by: str | None = Field(default=None, sa_type=Text)
    """Who has answered, as JSON: what its entries will say."""
    closes_at: datetime | None = Field(default=None, sa_type=Utc)
    """When it is looked whether its window closes; on one of its questions, once somebody has answered."""
    follow_at: datetime | None = Field(default=None, sa_type=Utc)
    """When a worker next looks whether an order of the seat answers; None: it has looked, or nobody is asked who may
    have orders. The row of every question to a person begins with it, whether or not there are orders."""
    closed_at: datetime | None = Field(default=None, sa_type=Utc)
    closed_by: str | None = Field(default=None, max_length=10)
    """seat, clock, bot; table if the match ended with the question open, or its window closed without it; undone if its
    answer, or what had put it, was taken back"""
    answer: str | None = Field(default=None, sa_type=Text)
    first_n: int | None = None
    last_n: int | None = None
    drew: bool | None = None
    """Whether its answer drew luck; None: not noted."""
    told: int | None = None
    """What it has told, a number of `pbem.kit.takeback`; None: it drew luck, told somebody else, or is not noted."""
    told_at: datetime | None = Field(default=None, sa_type=Utc)
    """When its owner let the mails about their answer go out, which are held otherwise."""


class Snapshot(SQLModel, table=True):
    """What releases before schema 0026 read and wrote, where `folds` are now; to be dropped by a later schema.

    They may run beside this one during an upgrade, so what is taken back is still deleted here.
    """

    __tablename__ = "snapshots"

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    n: int
    fold: int
    state: str = Field(sa_type=Text)


class FoldRow(SQLModel, table=True):
    """What every viewer knows after entry `n`, packed; only `services.log.folds` opens it. May be deleted any time."""

    __tablename__ = "folds"

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    n: int = Field(primary_key=True)
    body: bytes = Field(sa_type=LargeBinary)


class OrderRow(SQLModel, table=True):
    """What a seat has ordered, and what that has done since its owner looked. Only its owner learns of the row."""

    __tablename__ = "orders"

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    seat: int = Field(primary_key=True)
    version: int
    """The number of the match's last entry when they were saved: only what follows it can trigger them, and a
    take-back to before it ends them."""
    body: str = Field(sa_type=Text)
    """The orders as they stand, as JSON; see `pbem.kit.orders.following`. "": none, the row has only news to tell."""
    via: str = Field(max_length=16)
    """The way by which they were saved, which is that of their answers."""
    answered: int = Field(default=0, sa_column_kwargs=ZERO)
    """How many questions in a row they have answered, since their owner last did by hand."""
    left_key: str | None = Field(default=None, max_length=64)
    """The key of the last question that they have left to their owner, and do not look at again."""
    news: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    """What they have answered, and why not, that their owner has not read yet, as JSON; see `services.play.orders`."""
    mailed: int = Field(default=0, sa_column_kwargs=ZERO)
    """The entry up to which a mail has told these news."""


class OutboxRow(SQLModel, table=True):
    """A mail to send. Its content is looked up when it is sent."""

    __tablename__ = "outbox"
    __table_args__ = (
        partial_index("ix_outbox_due", "due_at", where="done_at IS NULL"),
        Index("ix_outbox_created", "created_at"),
        partial_index("ix_outbox_digest", "match_id", where="result = 'digest'"),
    )

    id: int = Field(default=None, primary_key=True)
    dedupe: str = Field(max_length=160, unique=True)
    kind: str = Field(max_length=20)
    match_id: str | None = Field(default=None, foreign_key="matches.id", max_length=32, index=True)
    seat: int | None = None
    player_id: int | None = Field(default=None, foreign_key="players.id", index=True)
    key: str | None = Field(default=None, max_length=64)
    created_at: datetime = Field(sa_type=Utc)
    due_at: datetime = Field(sa_type=Utc)
    claimed_until: datetime | None = Field(default=None, sa_type=Utc)
    attempts: int = 0
    done_at: datetime | None = Field(default=None, sa_type=Utc)
    result: str | None = Field(default=None, max_length=40)
    """sent; not sent: stale, muted, suppressed, bounced, opened (its notification was), digest (the day’s mail stands
    for it), or listed (the mail with the player's links does); refused (for the
    address), expired or rejected (put off, or refused for another reason, for too long), capped (held back by
    a quota for too long)"""
    answer: str | None = Field(default=None, max_length=20)
    """The code of the mail server's last refusal"""
    counted_at: datetime | None = Field(default=None, sa_type=Utc)
    """When it was counted against the quotas for mail caused by strangers; a retry is not counted again."""
    unrendered_since: datetime | None = Field(default=None, sa_type=Utc)
    """Since when the mail cannot be rendered: a fault of this program, which does not count as an attempt"""
    pushed_at: datetime | None = Field(default=None, sa_type=Utc)
    """When its reader was told ahead of the mail, which follows unless they open that; or when the host asked for the
    mail itself"""
    opened_at: datetime | None = Field(default=None, sa_type=Utc)
    """When the reader opened what went ahead: then no mail follows"""


class MessageRow(SQLModel, table=True):
    """A message from a seat to its table. Not part of the log or of a replay."""

    __tablename__ = "messages"

    id: int = Field(default=None, primary_key=True)
    match_id: str = Field(foreign_key="matches.id", max_length=32, index=True)
    seat: int
    at: datetime = Field(sa_type=Utc)
    text: str = Field(max_length=500)


class NoteRow(SQLModel, table=True):
    """A seat's private note about a match."""

    __tablename__ = "notes"

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    seat: int = Field(primary_key=True)
    text: str = Field(sa_type=Text)
    at: datetime = Field(sa_type=Utc)


class LinkRequest(SQLModel, table=True):
    """An address that somebody has typed to be sent its links, until a worker has looked whether it is known.

    `language` and `zone` are those of somebody who signs up; without them, nothing is sent to an unknown address.
    """

    __tablename__ = "link_requests"

    id: int = Field(default=None, primary_key=True)
    address: str = Field(max_length=254)
    language: str | None = Field(default=None, max_length=2)
    zone: str | None = Field(default=None, max_length=64)
    browser: int | None = None
    """The player who has signed in on the browser before."""
    at: datetime = Field(sa_type=Utc)


class Suppression(SQLModel, table=True):
    """An address that must not get mail, as a keyed hash."""

    __tablename__ = "suppressions"

    digest: str = Field(primary_key=True, max_length=64)
    reason: str = Field(max_length=20)
    """asked (by its owner), or blocked (by the host)"""
    at: datetime = Field(sa_type=Utc)


def table(model: type[SQLModel]) -> Any:
    """Returns the Core table of a model, for statements that bypass the ORM."""
    return SQLModel.metadata.tables[str(model.__tablename__)]


# The tables of these modules belong to the metadata, too; they refer to ours by name and import nothing from here.
from pbem.models import accounts, clocks, deals, results  # noqa: E402, F401
from pbem.models.schema import revisions  # noqa: E402, F401

# Those of features refer to ours by name as well, and stay when the feature is off.
for _package in packages_of_features().values():
    module_of_feature(_package, "tables")
