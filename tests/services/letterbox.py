"""The mails that the people of a house have received."""

from __future__ import annotations

from email.message import EmailMessage

from sqlmodel import select

from pbem.models.tables import Player
from pbem.services.mail import digests
from tests.table import House, address_of


def kinds_of_mails(house: House, name: str) -> list[str]:
    """Returns the kinds of the mails sent to one of the cast, oldest first."""
    return [str(m["Message-ID"]).strip("<").split("-")[0] for m in house.mail.to(address_of(name))]


def newest_mail(house: House, name: str) -> EmailMessage:
    """Returns the last mail to one of the cast."""
    return house.mail.to(address_of(name))[-1]


def text_of(message: EmailMessage) -> str:
    """Returns the text half of a mail."""
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def player_of(house: House, name: str) -> Player:
    """Returns one of the cast from the database."""
    with house.site.reading() as session:
        player = session.exec(select(Player).where(Player.canonical == address_of(name))).one()
        session.expunge(player)
        return player


def id_of(house: House, name: str) -> int:
    """Returns the id of one of the cast, which names a player who is signed in."""
    number = player_of(house, name).id
    assert number is not None, "a stored player has an id"
    return number


def once_a_day(house: House, name: str, hour: int | None, zone: str = "Europe/Paris") -> None:
    """Sets one of the cast to one mail a day at this hour, or to a mail each turn."""
    player = player_of(house, name)
    assert player.id is not None
    digests.set_preferences(house.site, player.id, "en", zone, hour)
