"""The tokens in the addresses that mail comes back to: short, in lower case, and each good for one thing.

Mail servers fold the case of addresses, and a local part holds at most 64 characters, so these are not the tokens of
links. Each is at most 40 characters of base32, the first of which says what it is for:

    q  question     a reply: the seat of a match, and the question that its mail asked
    m  mute         an unsubscribe mail from a reader of one match
    s  stop         an unsubscribe mail from somebody who has not confirmed their address
    b  bounce       the return path of one mail

None acts by itself: who wrote the mail is checked, too (see `reading`).
"""

import base64
import hmac
from dataclasses import dataclass
from functools import cache
from typing import Literal

MATCH_BYTES = 12
SEAT_MAC = 6
QUESTION_MAC = 5
ROW_BYTES = 6
MAC = 10
NO_QUESTION = ""
"""The key under which a token is made that names a seat and no question."""

Named = Literal["question", "mute", "stop", "bounce"]
_LETTERS: dict[str, Named] = {"q": "question", "m": "mute", "s": "stop", "b": "bounce"}


@dataclass(frozen=True)
class SeatNamed:
    """What a question's or a mute's token says. The tags have yet to be compared with the seat (`names_seat`) and,
    for a question, with what the seat is asked (`names_question`)."""

    named: Literal["question", "mute"]
    match_id: str
    seat: int
    seat_tag: bytes
    question_tag: bytes


@dataclass(frozen=True)
class RowNamed:
    """What a bounce's token says: the outbox row of the mail."""

    row: int


@dataclass(frozen=True)
class PlayerNamed:
    """What a stop's token says: the player."""

    player_id: int


class ReplyTokens:
    """Creates and reads the tokens in addresses with the site's secret."""

    def __init__(self, secret: str) -> None:
        self._key = hmac.digest(secret.encode(), b"pbem.reply", "sha256")

    def for_question(self, match_id: str, seat: int, epoch: int, key: str = NO_QUESTION) -> str:
        """Returns the token that names this question of this seat, by its key; without one, it names the seat alone.

        That of a seat is constant, so a subject that carries it keeps a thread together.
        """
        return self._token_for_seat("q", match_id, seat, epoch, key)

    def for_mute(self, match_id: str, seat: int, epoch: int) -> str:
        """Returns the token that mutes the match for this seat."""
        return self._token_for_seat("m", match_id, seat, epoch, NO_QUESTION)

    def for_stop(self, player_id: int) -> str:
        """Returns the token that stops all mail to a player."""
        return self._token_for_number("s", player_id)

    def for_bounce(self, row: int) -> str:
        """Returns the token that names the mail of this outbox row."""
        return self._token_for_number("b", row)

    def read_token(self, token: str) -> SeatNamed | RowNamed | PlayerNamed | None:
        """Returns what a token says, whatever the case of its letters; None if this site has not made it.

        A token that names a seat is not fully checked yet, since that takes the seat's epoch.
        """
        token = token.casefold()
        named = _LETTERS.get(token[:1])
        try:
            said = base64.b32decode(token[1:].upper() + "=" * (-len(token[1:]) % 8))
        except ValueError:
            return None
        if named is None or _encode_token(said) != token[1:]:
            return None
        if named == "question" or named == "mute":
            if len(said) != MATCH_BYTES + 1 + SEAT_MAC + QUESTION_MAC:
                return None
            match_id, rest = said[:MATCH_BYTES].hex(), said[MATCH_BYTES + 1 :]
            return SeatNamed(named, match_id, said[MATCH_BYTES], rest[:SEAT_MAC], rest[SEAT_MAC:])
        number = self._number_in_token(token[0], said)
        if number is None:
            return None
        return RowNamed(number) if named == "bounce" else PlayerNamed(number)

    def names_seat(self, said: SeatNamed, epoch: int) -> bool:
        """True if the token was made for this seat in this epoch."""
        letter = "q" if said.named == "question" else "m"
        return hmac.compare_digest(
            said.seat_tag, self._signature_tag(SEAT_MAC, letter, said.match_id, said.seat, epoch)
        )

    def names_question(self, said: SeatNamed, epoch: int, key: str) -> bool:
        """True if the token was made for this question of the seat."""
        tag = self._signature_tag(QUESTION_MAC, "question", said.match_id, said.seat, epoch, key)
        return hmac.compare_digest(said.question_tag, tag)

    def _token_for_seat(self, letter: str, match_id: str, seat: int, epoch: int, key: str) -> str:
        tag = self._signature_tag(SEAT_MAC, letter, match_id, seat, epoch)
        asked = self._signature_tag(QUESTION_MAC, "question", match_id, seat, epoch, key)
        return letter + _encode_token(bytes.fromhex(match_id) + bytes([seat]) + tag + asked)

    def _token_for_number(self, letter: str, number: int) -> str:
        tag = self._signature_tag(MAC, letter, number)
        return letter + _encode_token((number ^ self._mask_of_number(tag)).to_bytes(ROW_BYTES) + tag)

    def _number_in_token(self, letter: str, said: bytes) -> int | None:
        if len(said) != ROW_BYTES + MAC:
            return None
        tag = said[ROW_BYTES:]
        number = int.from_bytes(said[:ROW_BYTES]) ^ self._mask_of_number(tag)
        return number if hmac.compare_digest(tag, self._signature_tag(MAC, letter, number)) else None

    def _mask_of_number(self, tag: bytes) -> int:
        """Returns the number under which another is hidden: it would tell how many mails have left to others."""
        return int.from_bytes(hmac.digest(self._key, b"cover\n" + tag, "sha256")[:ROW_BYTES])

    def _signature_tag(self, size: int, *said: object) -> bytes:
        return hmac.digest(self._key, "\n".join(map(str, said)).encode(), "sha256")[:size]


tokens_of = cache(ReplyTokens)
"""Returns the tokens of the site with this secret."""


def _encode_token(said: bytes) -> str:
    return base64.b32encode(said).decode().rstrip("=").lower()
