"""The board of Hagakure in words."""

from collections import Counter

from pbem.games.hagakure import words
from pbem.games.hagakure.facts_cards import FOOL
from pbem.games.hagakure.facts_state import State, is_tie_break_round, players_in_order_from, unseen_cards
from pbem.games.hagakure.words import card_placeholder, cards_in_words
from pbem.kit.contract import Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import T, counted, say, seat_and_place, seats_joined, seen_from, signed

_STAGES = {
    "nobori": T("choix des bannières", "the banners are chosen"),
    "scored": T("comptée", "counted"),
    "over": T("la dernière", "the last one"),
}
_LEGEND = T(
    "V villageois, S samouraï, F Vieux Fou, qui compte comme un samouraï ; le nombre est la valeur.",
    "V villager, S samurai, F Old Fool, which counts as a samurai; the number is the value.",
)


def describe(fold: State, viewer: Viewer, lang: Lang, *, over: bool) -> list[Phrase]:
    """Returns the position as the viewer knows it, line by line; never a card that the fold does not know."""
    yomi = words.pile_in_words(fold.yomi, lang)
    # The cards whose place the viewer does not know, fools last.
    counts = sorted(Counter(unseen_cards(fold)).items(), key=lambda item: (item[0] == FOOL, item))
    left = ", ".join(
        f"{count} × {card_placeholder(number)}" if count > 1 else card_placeholder(number) for number, count in counts
    )
    if left:
        left = say(lang, f"Cartes pas encore vues dans la manche : {left}.", f"Cards not seen in this round: {left}.")
    order = seats_joined(range(fold.seats), lang)
    rounds = " · ".join(f"{n} ({', '.join(map(signed, row))})" for n, row in enumerate(fold.sheet, 1))
    return [
        _round_and_trick_in_words(fold, lang, over=over),
        _tie_break_in_words(fold, lang),
        _turn_or_winner_in_words(fold, lang, over=over),
        *(_seat_in_words(fold, seat, viewer, lang) for seat in seen_from(viewer, fold.seats)),
        say(lang, f"Yomi : {yomi}.", f"Yomi: {yomi}."),
        left,
        rounds and say(lang, f"Manches ({order}) : {rounds}.", f"Rounds ({order}): {rounds}."),
        _LEGEND[lang],
    ]


def _round_and_trick_in_words(fold: State, lang: Lang, *, over: bool) -> str:
    """Describes the round and the trick, with the cards on the table."""
    name = words.round_name(fold, lang)
    if fold.phase == "nobori" and over:
        return f"{name}."
    if fold.phase != "play":
        return f"{name}, {_STAGES[fold.phase][lang]}."
    if not fold.trick:
        return f"{name}, {words.trick_name(fold, lang)}."
    seats = players_in_order_from(fold, fold.leader)
    laid = ", ".join(f"{{{seat}}} {card_placeholder(number)}" for seat, number in zip(seats, fold.trick, strict=False))
    return f"{name}, {words.trick_name(fold, lang)}{say(lang, ' : ', ': ')}{laid}."


def _tie_break_in_words(fold: State, lang: Lang) -> str:
    """Says who alone plays this round, and what for; "" if everybody does."""
    if fold.over or not is_tie_break_round(fold, fold.number):
        return ""
    who = seats_joined(fold.players, lang)
    fr = f"Égalité en tête : {who} jouent seuls, et les points de la manche ne font que les départager."
    return say(lang, fr, f"A tie for the lead: {who} play alone, and the points of the round do nothing but break it.")


def _turn_or_winner_in_words(fold: State, lang: Lang, *, over: bool) -> str:
    seat = fold.active
    if fold.over:
        fr, en = "La partie est finie, victoire partagée : {who}.", "The match is over, a shared victory: {who}."
        if len(fold.winners) == 1:
            fr, en = "La partie est finie, {who} a gagné.", "The match is over, {who} won."
        return say(lang, fr, en).format(who=seats_joined(fold.winners, lang))
    if fold.phase == "scored":
        return say(lang, "On distribue de nouveau.", "The cards are dealt again.")
    if over:
        return ""
    if fold.phase == "nobori":
        return say(lang, f"{{{seat}}} choisit une bannière.", f"{{{seat}}} chooses a banner.")
    if len(fold.trick) == len(fold.players):
        return say(lang, "Le pli est complet.", "The trick is complete.")
    if not fold.trick:
        return say(lang, f"{{{seat}}} entame.", f"{{{seat}}} leads.")
    return say(lang, f"{{{seat}}} doit jouer.", f"{{{seat}}} is to play.")


def _seat_in_words(fold: State, seat: int, viewer: Viewer, lang: Lang) -> str:
    """Describes a seat: its points, cards, tricks and Nobori."""
    dealt = say(lang, ", a distribué", ", dealt") if seat == fold.dealer else ""
    who, total = seat_and_place(seat, viewer, lang, dealt), words.points_in_words(fold.totals[seat], lang)
    left = ", ".join(words.NOBORI_NAMES[nobori][lang] for nobori in fold.nobori[seat]) or words.NONE[lang]
    if seat not in fold.players:
        fr = f"{who} : {total} ; hors du départage ; bannières restantes : {left}."
        return say(lang, fr, f"{who}: {total}; not in the tie-break; banners left: {left}.")
    hand = words.pile_in_words(fold.hands[seat], lang)
    if fold.bare[seat] and None in fold.hands[seat]:
        hand += say(lang, ", ni samouraï ni Vieux Fou", ", neither samurai nor Old Fool")
    won = counted(fold.tricks[seat], words.TRICK, lang) + (
        f" ({cards_in_words(fold.won[seat])})" if fold.won[seat] else ""
    )
    nobori, raised = fold.raised[seat], ""
    order = players_in_order_from(fold, fold.leader)
    to_choose = fold.phase == "nobori" and order.index(seat) >= order.index(fold.active)
    if nobori is not None or not to_choose:
        name = words.NONE[lang] if nobori is None else words.NOBORI_NAMES[nobori][lang]
        raised = say(lang, f"bannière de la manche : {name} ; ", f"banner of this round: {name}; ")
    fr = f"{who} : {total} ; main : {hand} ; {won} ; {raised}bannières restantes : {left}."
    return say(lang, fr, f"{who}: {total}; hand: {hand}; {won}; {raised}banners left: {left}.")
