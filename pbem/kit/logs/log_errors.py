"""What can be wrong with a log from elsewhere, in both languages; who finds it fills in the facts."""

from typing import Any

from pbem.kit.texts import Text

BYTES = Text(
    fr="un journal a au plus {most} octets, celui-ci en a {has}",
    en="a log has at most {most} bytes, this has {has}",
)
DOCUMENT = Text(fr="ce n’est pas un journal : {error}", en="not a log document: {error}")
CHARSET = Text(
    fr="ce n’est pas un journal : ni de l’UTF-8 ni de l’UTF-16", en="not a log document: neither UTF-8 nor UTF-16"
)
DEEP = Text(
    fr="ce n’est pas un journal : trop de niveaux imbriqués",
    en="not a log document: nested too deeply",
)
TWICE = Text(
    fr="« {name} » y figure deux fois dans un même objet",
    en="it gives “{name}” twice in one object",
)
FORMAT = Text(fr="le format est {has}, on lit ici {reads}", en="the format is {has}, this reads {reads}")
ENTRIES = Text(
    fr="un journal a au plus {most} entrées, celui-ci en a {has}",
    en="a log has at most {most} entries, this has {has}",
)
TABLE = Text(
    fr="un journal a au plus {most} entrées sur la tablée, celui-ci en a {has}",
    en="a log has at most {most} entries about the table, this has {has}",
)
GAME = Text(fr="aucun jeu d’ici ne s’appelle {slug}", en="no game here is called {slug}")
EMPTY = Text(fr="il n’a aucune entrée", en="it has no entries")
DECISIONS = Text(
    fr="une partie de ce jeu se termine en {most} décisions au plus, celle-ci continue",
    en="a match of this game ends within {most} decisions, this one goes on",
)
STATE = Text(
    fr="la position où elle mène dépasse {most} octets",
    en="the position it leads to takes more than {most} bytes",
)
BEGINNING = Text(
    fr="un journal commence par les événements du jeu",
    en="a log begins with the game's own events",
)
SEATS = Text(fr="{game} ne se joue pas à {seats}", en="{game} is not played by {seats}")
SEAT = Text(fr="il n’y a pas de place {seat}", en="there is no seat {seat}")
HEADER = Text(fr="l’en-tête ne convient pas : {error}", en="the header does not fit: {error}")
HEADER_FIELD = Text(
    fr="« {field} » n’y est pas ce qu’un en-tête écrit",
    en="its “{field}” is not what a header writes there",
)
DIGITS = Text(
    fr="« {field} » n’a pas 64 chiffres hexadécimaux",
    en="“{field}” has not 64 hexadecimal digits",
)
WORDS = Text(
    fr="un journal à {seats} places a autant d’empreintes de mots porte-bonheur, celui-ci en a {has}",
    en="a log of {seats} seats has as many hashes of lucky words, this has {has}",
)
SEALED = Text(
    fr="{path} y porte un sceau, et n’en a pas le droit",
    en="{path} has a seal there, and may not have one",
)
BARE = Text(
    fr="{path} n’y porte pas de sceau, et doit en avoir un",
    en="{path} has no seal there, and must have one",
)
UNSEALED = Text(
    fr="elle donne du sel pour {path}, qui n’a pas de sceau",
    en="it gives salt for {path}, which has no seal",
)
TAKEBACKS = Text(
    fr="un journal reprend au plus {most} coups, celui-ci en reprend {has}",
    en="a log takes back at most {most} moves, this takes back {has}",
)
BACK = Text(
    fr="elle revient à l’entrée {to}, où aucune décision qui compte encore ne s’arrête avant elle",
    en="it goes back to entry {to}, at which no decision that still counts ends before it",
)
OTHERWISE = Text(fr="un journal ne l’écrit pas ainsi", en="a log does not write it like this")
SEED_HERE = Text(
    fr="un journal qui cache quelque chose ne montre pas la graine",
    en="a log that hides something does not show the seed",
)
NO_SALTS = Text(
    fr="elle donne du sel, qui découle déjà de la graine",
    en="it gives salts, which follow from the seed",
)
ENVELOPE = Text(fr="« {field} » n’y est pas ce qu’un journal écrit", en="its “{field}” is not what a log writes there")
SEED = Text(fr="la graine n’a pas 32 octets", en="the seed has not 32 bytes")
UNREADABLE = Text(fr="elle ne se lit pas : {error}", en="it cannot be read: {error}")
NUMBER = Text(fr="elle porte le numéro {has}", en="it is numbered {has}")
SHARED_OUT = Text(fr="{field} n’est pas pour {seats} places", en="{field} is not for {seats} seats")
HIDDEN = Text(
    fr="elle cache quelque chose, dans un journal où rien n’est caché",
    en="something is hidden, in a log with nothing hidden",
)
SHOWN = Text(
    fr="elle montre ce que la place {seat} n’a pas le droit de voir",
    en="it shows what seat {seat} may not see",
)
SHOWN_SPECTATOR = Text(
    fr="elle montre ce qu’un spectateur n’a pas le droit de voir",
    en="it shows what a spectator may not see",
)
IMPOSSIBLE = Text(
    fr="elle ne découle pas de ce qui précède",
    en="it does not follow from what came before",
)
OTHER_SEATS = Text(fr="elle n’est pas pour {seats} places", en="it is not for {seats} seats")
SILENT = Text(fr="il ne raconte rien", en="it tells no story")
UNTELLABLE = Text(fr="elle ne peut pas être racontée", en="it cannot be told")
INDESCRIBABLE = Text(
    fr="la position où elle mène ne peut pas être décrite",
    en="the position it leads to cannot be described",
)


class BadLog(ValueError):
    """A document that is not a log of a known game. `entry` is the number of the one at fault, None for the header.

    `said` is the reason in both languages.
    """

    def __init__(self, why: Text, entry: int | None = None, **facts: Any) -> None:
        self.said = why.fill(**facts)
        self.why = self.said.en
        self.entry = entry
        super().__init__(f"entry {entry}: {self.why}" if entry is not None else self.why)
