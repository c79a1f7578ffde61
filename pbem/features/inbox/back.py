"""Where mail about a letter comes back to: the hook `Back`."""

from collections.abc import Mapping

from pbem.config import Config
from pbem.features.inbox.reply_tokens import NO_QUESTION, tokens_of
from pbem.features.inbox.settings import INBOUND
from pbem.models.tables import Player, SeatRow


def of_letter(config: Config, row_id: int, player: Player, seat: SeatRow | None) -> Mapping[str, str | None]:
    """Returns the fields of every letter: see `hooks.Back`."""
    inbound, tokens, stop = config.group(INBOUND), tokens_of(config.secret), None
    if inbound.reply_to is None:
        return {}
    if player.canonical is not None and inbound.has_tokens:
        if player.verified_at is None:
            stop = inbound.address(tokens.for_stop(player.id))
        elif seat is not None and seat.player_id == player.id:
            stop = inbound.address(tokens.for_mute(seat.match_id, seat.seat, seat.epoch))
    return {"return_path": inbound.address(tokens.for_bounce(row_id)), "unsubscribe_to": stop}


def of_seat(config: Config, seat: SeatRow, key: str | None) -> Mapping[str, str | None]:
    """Returns where the answer to a question of the seat goes: see `hooks.Back`."""
    inbound, tokens = config.group(INBOUND), tokens_of(config.secret)
    if inbound.reply_to is None:
        return {}
    named, guide = (seat.match_id, seat.seat, seat.epoch), {"reply_guide_url": f"{config.url}/help/mail"}
    question = tokens.for_question(*named, NO_QUESTION if key is None else key)
    if inbound.has_tokens:
        return {"reply_to": inbound.address(question), **guide}
    address = {"reply_to": inbound.reply_to, "reply_token": tokens.for_question(*named), "reply_question": question}
    return {**address, **guide}
