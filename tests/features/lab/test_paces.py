"""When simulated people look."""

from pbem.features.lab.course import DAY_S, Pace

SEEDS = [bytes([n]) * 32 for n in range(50)]


def test_each_simulated_player_looks_once_a_day_at_their_own_hour() -> None:
    for seed in SEEDS:
        pace = Pace(seed, 4)
        assert len(set(pace.looks)) == 4
        for seat in range(4):
            first = pace.next_look_of_seat(seat, 0)
            assert first == pace.looks[seat] < DAY_S
            assert pace.next_look_of_seat(seat, first) == first
            assert pace.next_look_of_seat(seat, first + 1) == first + DAY_S


def test_the_simulated_hours_follow_from_the_seed_and_spread_over_the_day() -> None:
    assert Pace(SEEDS[0], 4).looks == Pace(SEEDS[0], 4).looks
    hours = {look // 3600 for seed in SEEDS for look in Pace(seed, 4).looks}
    assert hours == set(range(24))
