"""What players show of themselves: their ratings by game, the surest first, and their usual pace."""

from pbem.models.results import Rating, Result
from pbem.models.tables import Player
from pbem.services.results import sharing
from pbem.services.results.ratings import ShownRating
from pbem.services.results.sharing import Pace
from tests.features.circles.people import verify_address
from tests.table import House


def store_rating(house: House, who: int, game: str, mu: float, sigma: float) -> None:
    """Stores a rating of one of the cast."""
    with house.site.writing() as work:
        work.add(Rating(player_id=who, game=game, mu=mu, sigma=sigma, matches=3, at=house.clock()))


def store_answer_times(house: House, who: int, *medians: int | None) -> None:
    """Stores results of the player, with the seconds that they usually took in each: seats of one match will do."""
    match_id = house.create()
    with house.site.writing() as work:
        for seat, median in enumerate(medians):
            work.add(
                Result(
                    player_id=who, median_s=median, match_id=match_id, seat=seat, game="hogen", place=1,
                    ended_at=house.clock(),
                )
            )  # fmt: skip


def test_players_show_only_the_rating_and_pace_they_chose_to_share(house: House) -> None:
    alice, bob, carol = (verify_address(house, name) for name in ("Alice", "Bob", "Carol"))
    sharing.choose_what_to_share(house.site, alice, rated=True, pace_shown=True)
    sharing.choose_what_to_share(house.site, bob, pace_shown=True)
    for game, mu, sigma in (("hogen", 25.0, 5.0), ("niigata", 20.0, 1.0), ("allegeance", 25.0, 5.0)):
        store_rating(house, alice, game, mu, sigma)
    store_rating(house, bob, "hogen", 30.0, 1.0)
    store_answer_times(house, alice, 40, 10, None, 30, 20, 60, 100, 90, 80, 70, 50)
    store_answer_times(house, bob, *range(9))
    store_answer_times(house, carol, *range(10))
    with house.site.reading() as session:
        people = [session.get_one(Player, one) for one in (alice, bob, carol)]
        shown = sharing.ratings_and_paces_shown(session, "hogen", people)
        elsewhere = sharing.ratings_and_paces_shown(session, "hagakure", people)
    assert shown == {alice: {"rating": ShownRating(1500, 300, 3), "pace": Pace(50, 10)}}
    assert elsewhere == {alice: {"pace": Pace(50, 10)}}
    shared = sharing.read_shared(house.site, alice)
    assert [*shared.ratings] == ["niigata", "allegeance", "hogen"], "the surest highest first, then by name"
    assert (shared.choices.rated, shared.choices.pace_shown, shared.pace) == (True, True, Pace(50, 10))
    assert (sharing.read_shared(house.site, bob).ratings, sharing.read_shared(house.site, carol).pace) == ({}, None)
