"""The texts of every game: French typography, and never a thing that the reader does not know."""

import functools
import re

import pytest

from pbem.kit.contract import AnyGame
from pbem.kit.texts import LANGS, Lang
from tests.games.discovered import GAMES, LANGUAGES, UNSET_IN_FRENCH, examples_of, sample_tables, things_in
from tests.games.stage.words import events_with_folds, texts_in_french, texts_of_card

MOST_CARDS = 1 / 10
"""Of the lines of a story: a match is no row of cards."""


@functools.cache
def pattern_of_marks(game: AnyGame) -> re.Pattern[str]:
    """The mark of anything in the game, in a placeholder or bare; a whole clan is no thing that somebody could hide."""
    whole = {name for name in game.meta.marks if any(re.fullmatch(rf"{name}\d+", other) for other in game.meta.marks)}
    return re.compile(rf"\b(?:{'|'.join(game.meta.marks.keys() - whole)})\b")


def things_in_text(game: AnyGame, text: str) -> set[str]:
    """The things that a text names."""
    return set(pattern_of_marks(game).findall(text))


@pytest.mark.long
@GAMES
def test_the_games_french_texts_follow_french_typography(game: AnyGame) -> None:
    for table in sample_tables(game):
        for viewer in table.viewers:
            for text in texts_in_french(game, table, viewer):
                assert not UNSET_IN_FRENCH.search(text), text


@GAMES
def test_the_texts_about_each_game_follow_french_typography(game: AnyGame) -> None:
    meta = game.meta
    texts = [meta.title, meta.blurb, *meta.endings.values(), *(a.title for a in meta.asks.values())]
    texts += [refusal.text for refusal in meta.refusals.values()]
    for text in texts:
        assert not UNSET_IN_FRENCH.search(text.fr), text.fr


@pytest.mark.long
@GAMES
@LANGUAGES
def test_no_text_names_a_card_or_piece_hidden_from_its_reader(game: AnyGame, lang: Lang) -> None:
    known, spoken, unseen = examples_of(game).marks_known, examples_of(game).marks_spoken, examples_of(game).UNSEEN
    for table in sample_tables(game):
        for viewer in table.viewers:
            earlier: set[str] = set()
            for before, event, after in events_with_folds(game, table, viewer):
                lies, said = known(after), spoken(after)
                may = earlier | lies | said | things_in(event, game.meta.marks)
                assert things_in_text(game, game.tell(event, before, lang)) <= may
                on_card = " ".join(texts_of_card(game, before, event, viewer, lang))
                assert things_in_text(game, on_card) <= may
                earlier = lies | said
                lines = game.describe(after, viewer, lang)
                of_seats = [line for line in lines if re.match(r"\{\d\} \(", line)]
                assert len(of_seats) == table.seats
                assert things_in_text(game, " ".join(of_seats)) <= lies
                assert (
                    things_in_text(game, " ".join(line for line in lines if not line.startswith(unseen))) <= lies | said
                )


@GAMES
@LANGUAGES
def test_a_seats_prompt_names_only_what_the_seat_knows(game: AnyGame, lang: Lang) -> None:
    known, spoken = examples_of(game).marks_known, examples_of(game).marks_spoken
    asked = 0
    for table in sample_tables(game):
        for ask in game.pending(table.state):
            own = table.folds[ask.seat]
            assert things_in_text(game, game.prompt(ask, own, lang)) <= known(own) | spoken(own)
            asked += 1
    assert asked > len(sample_tables(game)) - 2


@GAMES
def test_the_story_of_each_game_names_cards_or_pieces(game: AnyGame) -> None:
    """The laws above would also hold for a game whose texts name nothing."""
    table = sample_tables(game)[-1]
    for lang in LANGS:
        told = " ".join(game.tell(event, before, lang) for before, event, _ in events_with_folds(game, table, None))
        assert len(things_in_text(game, told)) > 5


@GAMES
def test_a_match_has_few_news_cards_and_each_has_a_story_line(game: AnyGame) -> None:
    assert game.card is not None
    cards = lines = 0
    for table in sample_tables(game):
        for viewer in table.viewers:
            for before, event, _ in events_with_folds(game, table, viewer):
                told = game.tell(event, before, "en")
                card = game.card(event, before, viewer, "en")
                assert told or card is None
                lines += bool(told)
                cards += card is not None
    assert 0 < cards < lines * MOST_CARDS
