"""What is said in both languages, and how text is put together: a line for each case, stored in said.txt.

    python -m tests.render.said

writes the file again. Look at what has changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from pbem.errors import Problem
from pbem.games.hogen import GAME
from pbem.kit import replay
from pbem.kit.replay import By, Entry
from pbem.kit.texts import LANGS
from pbem.render import addresses, i18n, phrases, problems, table_story
from tests.kit.toys import GaveUp
from tests.render.lines import Part, call_as_line, lines_of_calls, result_of, text_of, whole_file

FILE = Path(__file__).with_name("said.txt")
NAMES = ("Alice", "Bob", "Élise")
MOMENTS = (
    datetime(2026, 3, 1, 0, 0, tzinfo=UTC), datetime(2026, 3, 12, 12, 4, 9, tzinfo=UTC),
    datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(2026, 7, 1, 22, 30, tzinfo=UTC),
    datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).replace(tzinfo=None)
)  # fmt: skip
ZONES = (
    "Europe/Paris", "UTC", "America/St_Johns", "Asia/Kathmandu", "Pacific/Chatham", "Etc/GMT+3", "Etc/GMT-14", "GMT",
    "Africa/Cairo", "Europe/Athens", "America/Port-au-Prince", "Indian/Reunion", "America/New_York",
    "America/Coyhaique", "Asia/Kolkata", "Asia/Calcutta",
    "Nowhere", "Africa/Dakar", "Etc/UTC",
)  # fmt: skip


def moments() -> Iterator[str]:
    """Returns moments, days and zones."""
    for lang in LANGS:
        for at in MOMENTS:
            for zone in ("Europe/Paris", "UTC", "Pacific/Chatham", "Nowhere"):
                told = (
                    i18n.moment,
                    i18n.day_with_weekday,
                    i18n.day_and_time,
                    i18n.moment_to_the_second,
                    i18n.clock_to_the_second,
                )
                yield f"{lang} {at} {zone}: {' | '.join(result_of(one, at, zone, lang) for one in told)}"
        for zone in ZONES:
            yield (
                f"{lang} {zone}: {' | '.join(result_of(i18n.zone_name, at, zone, lang) for at in MOMENTS[:4:3])} | "
                f"{result_of(i18n.zone_country_and_city, zone, lang)}"
            )
        yield from lines_of_calls(i18n.weekday, range(7), lang)
        yield from lines_of_calls(
            i18n.date_with_weekday, [date(2026, month, 1 if month % 2 else 22) for month in range(1, 13)], lang
        )
    for name in (*ZONES, "", "localtime", "Factory", "Europe/paris"):
        yield f"{name}: {name in i18n.zones()} {i18n.country_codes_by_current_zone().get(name)}"


def lengths_and_numbers() -> Iterator[str]:
    """Returns lengths of time, numbers and lists."""
    minutes = (
        -5,
        0,
        0.5,
        1,
        1.4,
        1.6,
        2,
        59,
        60,
        61,
        90,
        119,
        120,
        1439,
        1440,
        1441,
        1499,
        1500,
        1501,
        2880,
        2881,
        4320,
        5759,
        14400,
    )
    for lang in LANGS:
        for many in minutes:
            time = timedelta(minutes=many)
            yield (
                f"{lang} {many}: {result_of(i18n.time_left, time, lang)}"
                f" | {result_of(i18n.duration_in_words, time, lang)}"
            )
        yield from lines_of_calls(
            i18n.time_left, [timedelta(seconds=59), timedelta(seconds=119.9), timedelta(days=2, minutes=9)], lang
        )
        yield from lines_of_calls(i18n.duration_in_words, [timedelta(seconds=89), timedelta(seconds=91)], lang)
        yield from lines_of_calls(
            i18n.ordinal, [0, 1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24, 99, 100, 101, 111, 112, 121], lang
        )
        yield from lines_of_calls(
            i18n.format_number, [0, 1, 10, 100, 0.5, 1.25, 1 / 3, 2.999, -1.5, 1000.1, 0.001, 1e6], lang
        )
        yield from lines_of_calls(i18n.points_in_words, [0, 0.5, 1, 1.5, 1.99, 2, 2.5, 10], lang)
        yield f"{lang} {text_of(i18n.rating_text(1480, 90, lang))} {text_of(i18n.rating_text(-5, 0, lang))}"
        for items in ([], ["a"], ["a", "b"], ["a", "b", "c"], ["a", "\u05d0", "c", "d"]):
            yield f"{lang} {text_of(items)}: {text_of(i18n.join_and(items, lang))} {text_of(i18n.join_or(items, lang))}"


def vowels() -> Iterator[str]:
    """Returns before which names French elides."""
    for name in (
        "Alice", "Élise", "Igor", "Oscar", "Ugo", "Yves", "Yann", "Yeux", "Yonne", "Yon", "Hélène", "Hans", "Hugo",
        "Harold", "Hervé", "Huit", "Huître", "H", "Ha", "Hx", "Onze", "Onzain", "Oui", "Ouistiti", "Ouï", "Ouest",
        "Ouarda", "Ouaille", "Ouailles", "Ouie", "Uhlan", "Iou", "Iouri", "Æther", "Œdipe", "Ødegaard", "ıssız",
        "Əli", "Bob", "11", "Ольга", "R.", "A.", "", "-", "(Alice)", "«Alice»", "'Alice'", "“Alice”", ".Alice",
        "_Alice", "— Alice", "\u2068Alice\u2069", "@Alice", "É", "Hasan", "Habiba", "Homère", "Hiver", "Hideo",
        "Halle", "Haute", "Honda", "Hyun", "Hypolite", "Yoann", "Yvonne", "y a", "Iris", "Haïti", "Hawa", "il", "ils",
        "île", "il a",
    ):  # fmt: skip
        elided = phrases.elide_before_name("s’il faut ou si ", name)
        yield f"{text_of(name)}: {phrases.uses_french_elision(name)} {text_of(elided)}"
    others = (Markup("<b>Alice</b>"), Markup("&Eacute;lise"), Markup("<i>&lt;Bob</i>"), "<b>Alice</b>", 11, None)
    yield from lines_of_calls(phrases.uses_french_elision, others)
    for before in (
        "de ", "De ", "DE ", "que ", "parce que ", "jusque ", "lorsque ", "puisque ", "quoique ", "presque ", "le ",
        "la ", "les ", "du ", "mode ", "l’aide ", "aide-le ", "d'le ", "de", "de  ", "de\u00a0", "de&nbsp;", "de <b>",
        "de « ", "de <b>«<i>", "de (", "de [", "de 'a ", "de \u2068", "si ", "Si ", "ainsi ", "de " + " " * 300,
        "de " + " " * 297,
        "x" * 400 + " de ", "", "ne ", "je ", "quelque ",
    ):  # fmt: skip
        yield call_as_line(phrases.elide_before_name, before, "Alice")
    for before in ("si ", "Si ", "s'il ", "de si ", "aussi "):
        for name in ("il", "ils", "Il", "ile", "Ilse", "elle", "il part"):
            yield call_as_line(phrases.elide_before_name, before, name)
    for message, facts in (
        ("la place de %(name)s", {"name": "Alice"}),
        ("la place de %(name)s et de %(other)s, %% de %(name)s.", {"name": "Alice", "other": "Bob"}),
        ("de %(name)s", {}), ("de %s", {"s": "a"}), ("%(name)s", {"name": "a"}), ("", {}),
    ):  # fmt: skip
        yield call_as_line(phrases.elide_message_before_facts, message, facts)


def directions() -> Iterator[str]:
    """Returns text in isolates."""
    alef, alef_plain = "\u05d0", "a"
    yield from lines_of_calls(phrases.isolate_direction, [
        alef_plain, alef, f"a {alef}", f"{alef}\nb\n{alef}  ", f"\u2068{alef}\u2069", f"\u2068{alef}\u2069 {alef}",
        f"\u2068{alef}", "\u202ea", "\u200e", "a\u2066b\u2069", f"-1 {alef}", f"+1 {alef} \u22122", f"x-1 {alef}",
        f"\u200e-1 {alef}", "\u0661", "\u0660 a", 3, None, "é", "", f"- {alef}",
        Markup(f"<b data-x='-1'>{alef} -1</b>"), Markup("a"),
    ])  # fmt: skip
    for given in (alef, 3, (alef, 1), {"a": alef, "b": 1}, [alef], ()):
        yield call_as_line(phrases.isolate_facts, given)
    yield f"{type(phrases.isolate_direction(Markup(alef))).__name__} {sorted(map(ascii, phrases.ORDERING))}"


def catalogues() -> Iterator[str]:
    """Returns messages with facts in them, in code and in templates."""
    for lang in LANGS:
        catalogue = i18n.message_catalogue(lang)
        yield f"{lang} {type(catalogue).__name__} {i18n.message_catalogue(lang) is catalogue}"
        for name in ("Alice", "Bob", "\u05d0"):
            yield (
                f"{lang} {text_of(catalogue.gettext('%(name)s (bot)') % {'name': name})} "
                f"{text_of(catalogue.gettext('Bot: %(name)s') % {'name': name})}"
            )
        yield (
            f"{lang} {type(catalogue.gettext('100')).__name__} {type(catalogue.gettext('100 %')).__name__} "
            f"{text_of(catalogue.gettext('%s and %s') % ('a', chr(0x5D0)))}"
        )
        for n in (0, 1, 2):
            points = catalogue.ngettext("%(points)s point", "%(points)s points", n) % {"points": n}
            yield f"{lang} {n}: {text_of(points)}"
        for escaped in (True, False):
            environment = Environment(autoescape=escaped)
            phrases.install_messages(environment, lambda catalogue=catalogue: catalogue)  # type: ignore[misc]
            for source in (
                "{{ gettext('%(name)s (bot)', name=name) }}", "{{ _('%(name)s (bot)', name='\u05d0') }}",
                "{{ ngettext('%(points)s point', '%(points)s points', 1, points='<') }}",
                "{{ ngettext('%(num)s day', '%(num)s days', 3) }}", "{{ name }} {{ '\u05d0' }} {{ 3 }} {{ html }}",
                "<input value=\"{{ name }}\">", "<input value=\"{{ '\u05d0<' }}\"> {{ '\u05d0' }}",
                "<textarea>{{ '\u05d0<' }}</textarea>", "<textarea>{{ '\u05d0' }} x</textarea>",
                "{{ gettext('The place of %(name)s', name=name) }}",
            ):  # fmt: skip
                yield (
                    f"{lang} {escaped} {source}: "
                    f"{result_of(environment.from_string(source).render, name='Alice <', html=Markup('<b>'))}"
                )
    french = i18n.message_catalogue("fr")
    for message in (
        "la place de %(name)s",
        "la place du %(name)s",
        "que <b>%(name)s",
        "aide %(name)s",
        "ainsi %(name)s",
        "si %(name)s",
        "le « %(name)s",
        "le mot %(name)s",
    ):
        yield (
            f"{message}: {type(french.gettext(message)).__name__} "
            f"{text_of(french.gettext(message) % {'name': 'Alice'})} "
            f"{text_of(french.ngettext(message, message, 2) % {'name': 'il'})}"
        )


def phrases_of_games() -> Iterator[str]:
    """Returns phrases as text and as HTML."""
    for phrase in (
        "{0} gives {F4} to {1}.", "({F4}, {M1})", "«\u00a0{F4}\u00a0» !", "de {0}", "de {1}, que {0}", "{F4}{M1}",
        "{2}", "{3}", "{00}", "{01}", "{001}", "{9}", "{}", "{", "}", "{Z9}", "a < b", "{F4} . {M1}…",
        "[{F4}] “{M1}” ({B1}).", "la {2}", "{F-4}", "{4F}", "{²}", "é{F4}é",
    ):  # fmt: skip
        yield (
            f"{phrase}: {result_of(phrases.phrase_text, phrase, NAMES)}"
            f" | {result_of(phrases.phrase_html, phrase, NAMES, GAME.meta)} "
            f"| {result_of(phrases.phrase_html, phrase, NAMES, GAME.meta, phrases.bold_notation)} | "
            f"{[*phrases.notations_in(phrase)]}"
        )
    yield call_as_line(phrases.phrase_text, "{0} and {1}: {F1}", ["\u05d0 -1", "{0}"])
    yield result_of(phrases.phrase_html, "{0} and {1}", ["\u05d0 -1", "<{0}>"], GAME.meta)


EVENTS = (
    replay.Absent(1), replay.Returned(1), replay.Resigned(1), replay.Replaced(1), replay.PutToVote(1),
    replay.Voted(0, 1), replay.Extended(3600, 1), replay.Extended(-3600, 1), replay.Extended(0, 1),
    replay.Extended(3600, None), replay.Extended(-5400, None), replay.Extended(0, None), replay.Paused(),
    replay.Resumed(),
    replay.MatchEnded("last_seat", (1,)), replay.MatchEnded("no_people", (0, 2)), replay.Undone(3),
    *(replay.Cancelled(reason) for reason in (None, "withdrawn", "lapsed", "host", "abandoned", "season")),
)  # fmt: skip


def tables() -> Iterator[str]:
    """Returns what happens at a table."""
    for lang in LANGS:
        for event in EVENTS:
            yield f"{lang} {text_of(event)}: {result_of(table_story.tell_table_event, event, lang)}"
            if table_story.card_of_table_event(event, 0, lang) is not None:
                yield call_as_line(table_story.card_of_table_event, event, 0, lang)
        yield (
            f"{lang} {result_of(table_story.tell_table_event, GaveUp(0), lang)}"
            f" {text_of(table_story.automatic_move_prefix(2, lang))}"
        )
        for bot in ("random", "easy", "greedy", "fair", "strong", "clever", ""):
            stood_in = text_of(table_story.stand_in_prefix(GAME, 1, bot, lang))
            yield f"{lang} {bot}: {stood_in} {text_of(i18n.bot_title(GAME, bot, lang))}"
        narrator = table_story.Narrator(GAME, lang)
        for n, (played, by, key) in enumerate(PLAYED):
            entry = Entry[Any](n=n, event=played, by=by, at="", key=key)
            yield f"{lang} {n} {text_of(played)}: {result_of(narrator.line, entry, f'told {n}.' if n != 9 else '')}"


PLAYED = (
    (GaveUp(0), By(seat=0), "a"), (GaveUp(0), By(seat=0), "a"), (GaveUp(0), By(clock=1), "b"),
    (GaveUp(0), By(clock=1), "b"), (GaveUp(0), By(bot=1, via="easy"), "c"), (replay.Absent(1), By(), None),
    (GaveUp(0), By(bot=1, via="easy"), "d"), (GaveUp(0), By(bot=1, via="easy"), "d"),
    (GaveUp(0), By(bot=2, via="fair"), "e"),
    (GaveUp(0), By(clock=2), "f"), (replay.Returned(1), By(), None), (GaveUp(0), By(bot=1, via="easy"), "g"),
    (replay.Absent(1), By(), None), (GaveUp(0), By(bot=1), "h"), (replay.Resigned(1), By(), None),
    (GaveUp(0), By(bot=1), "i"), (replay.Absent(1), By(), None), (replay.Replaced(1), By(), None),
    (GaveUp(0), By(bot=1), "j"),
    (replay.Undone(16), By(), None), (replay.Undone(14), By(), None), (replay.Undone(14), By(), None),
    (GaveUp(0), By(seat=2), "k"), (GaveUp(0), By(seat=0), "k"), (replay.Undone(22), By(), None),
    (replay.Undone(7), By(), None), (replay.Undone(0), By(), None), (replay.Undone(-1), By(), None),
)  # fmt: skip


def small_sentences() -> Iterator[str]:
    """Returns verdicts, warnings and problems."""
    for lang in LANGS:
        for winners in ([], ["Alice"], ["Alice", "Bob"], ["Alice", "Bob", "\u05d0"]):
            yield call_as_line(table_story.who_won_and_why_in_words, "all cards are played", winners, lang)
        yield from lines_of_calls(table_story.sentence_case, ["", "a", "éa b", "A"])
        yield call_as_line(problems.lookalikes_warning, NAMES, (0, 2), lang)
        yield call_as_line(problems.lookalikes_warning, NAMES, (1,), lang)
        for why in problems.BROKEN:
            yield f"{lang} {why}: {text_of(problems.why_game_is_broken_in_words(why, lang))}"
        for problem in (
            Problem("100 %"),
            Problem("%(name)s (bot)", {"name": "Alice"}),
            Problem("Bot: %(name)s", {"name": {"en": "one", "fr": "un"}}),
            Problem("Random bot"),
        ):
            yield f"{lang} {problem.message}: {result_of(problems.problem_sentence, problem, lang)}"
        yield from lines_of_calls(problems.translate_message, ["Random bot", "nothing known", "%(name)s (bot)"], lang)
    yield from lines_of_calls(addresses.mask_address, ["alice@example.org", "é@x", "@x", "a", "a@b@c"])


PARTS: tuple[Part, ...] = (
    moments, lengths_and_numbers, vowels, directions, catalogues, phrases_of_games, tables, small_sentences
)  # fmt: skip


if __name__ == "__main__":
    FILE.write_text(whole_file("tests.render.said", PARTS), "utf-8")
