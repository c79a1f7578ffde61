"""The page of a seat in its states, measured: one place for the board, all answers in sight, nothing cut, few words.

Every run looks at some states of one game; the long one at those of all games, with the fewest and the most seats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import mean

import pytest
from playwright.sync_api import Browser

from tests.browser.games import GAMES
from tests.browser.turns.measure import WATCH_SHIFTS, Measured, measure_page
from tests.browser.turns.states import State, few_and_many, open_stage, play_states
from tests.docs.gallery import serve_pages
from tests.harness.waiting import SECONDS

pytestmark = [pytest.mark.browser, pytest.mark.timeout(3000)]

PHONES = ("360x740", "390x844")
SCREENS = ("1280x800", "1366x768", "1600x900")
LOW = "844x390"
SOME = ("ask-ally", "ask-act", "chosen-act", "refused-act", "played-held", "waiting")
HIGHEST = 190
"""Where the board of a phone begins at the latest, in px."""
LEAST = {"360x740": 43, "390x844": 44}
"""The least side of what is touched on a phone, in px; a board that is scaled down may lose one."""
MOST_SHIFT = 0.02
WORDS = {
    "ask": 269, "half": 239, "chosen": 282, "refused": 269, "played": 285, "asked": 302, "waiting": 279,
    "sealed": 401, "late": 279, "absent": 326, "resigned": 113, "orders": 302, "unread": 230, "read": 224, "card": 224,
    "message": 359, "paused": 222,
}  # fmt: skip
"""How many words the states of a family had on average, over all games, before there was a strip."""
STILL = ("over", "off", "inviting", "unconfirmed")
"""States without a board, or with the page of a result."""


@dataclass(frozen=True)
class Look:
    """A state in a window and a language."""

    state: State
    size: str
    lang: str
    found: Measured

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.state.id} {self.size} {self.lang}"


Looks = list[Look]


def look_at(browser: Browser, slug: str, count: int, only: tuple[str, ...], sizes: tuple[str, ...]) -> Looks:
    """Measures the states in both languages and in all windows."""
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    context.set_default_timeout(SECONDS * 1000)
    context.add_init_script(WATCH_SHIFTS)
    page, looks = context.new_page(), Looks()
    with open_stage() as (home, app), serve_pages(app) as base:
        for state in play_states(home, app, slug, count, only):
            for lang in ("en", "fr"):
                page.goto(state.address(base, lang))
                for size in sizes:
                    width, height = map(int, size.split("x"))
                    page.set_viewport_size({"width": width, "height": height})
                    looks.append(Look(state, size, lang, measure_page(page)))
    context.close()
    return looks


@pytest.fixture(
    scope="module",
    params=[
        ("hogen", 0, SOME, ("390x844", "1280x800")),
        *(
            pytest.param((slug, at, (), (*PHONES, LOW, *SCREENS)), marks=pytest.mark.long)
            for slug in GAMES
            for at in (0, 1)
        ),
    ],
    ids=lambda wanted: f"{wanted[0]}-{('fewest', 'most')[wanted[1]]}{'-some' * bool(wanted[2])}",
)
def looks(browser: Browser, request: pytest.FixtureRequest) -> Looks:
    """The looks at the states of a game."""
    slug, at, only, sizes = request.param
    return look_at(browser, slug, few_and_many(slug)[at], only, sizes)


def by_size(looks: Looks) -> Iterator[tuple[str, Looks]]:
    for size in dict.fromkeys(one.size for one in looks):
        yield size, [one for one in looks if one.size == size]


def fail_for_faulty_looks(looks: Looks, fault_of: Callable[[Look], object]) -> None:
    """Fails with a line for each look at which something is wrong."""
    assert looks
    wrong = [f"{one.name}: {fault}" for one in looks if (fault := fault_of(one))]
    assert not wrong, "\n" + "\n".join(wrong)


def test_the_board_begins_at_the_same_height_in_all_states_of_a_turn(looks: Looks) -> None:
    for size, seen in by_size(looks):
        tops = {one.name: one.found.top for one in seen if one.state.name not in STILL}
        assert len({*tops.values()}) == 1, tops
        assert size not in PHONES or max(top or 0 for top in tops.values()) <= HIGHEST


def test_all_answers_to_a_question_are_on_the_first_screen(looks: Looks) -> None:
    asked = [one for one in looks if one.state.asks and one.size != LOW]
    fail_for_faulty_looks(asked, lambda one: one.found.below if one.found.answers else "no answers")


def test_no_text_in_the_news_strip_is_cut_off(looks: Looks) -> None:
    fail_for_faulty_looks(looks, lambda one: one.found.cut)


def test_no_page_is_wider_than_its_window_and_none_shifts(looks: Looks) -> None:
    fail_for_faulty_looks(looks, lambda one: one.found.wide or one.found.shift > MOST_SHIFT)


def test_touch_targets_are_large_enough_on_a_phone(looks: Looks) -> None:
    on_phones = [one for one in looks if one.size in PHONES and one.state.name != "over"]
    fail_for_faulty_looks(
        on_phones, lambda one: [target for target in one.found.targets if target[0] < LEAST[one.size]]
    )


def test_each_page_state_shows_at_most_half_the_words_it_once_had(looks: Looks) -> None:
    families: dict[str, list[int]] = {}
    for one in looks:
        if (one.size, one.lang) == ("390x844", "en") and one.state.name not in STILL:
            families.setdefault(one.state.name.partition("-")[0], []).append(one.found.words)
    assert {name: words for name, words in families.items() if mean(words) > WORDS[name] / 2} == {}
