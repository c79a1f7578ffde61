"""The figures as families of Prometheus. They leave out what cannot be reached, and `pbem_up` says so."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from pbem.features.metrics.figures import DatabaseFigures, database_figures
from pbem.services.counters import BOUNDS, count_key_of_field
from pbem.services.hooks import Counter, hooks_of
from pbem.services.monitoring import health, probes
from pbem.services.site import Site

COUNTERS: dict[str, Counter] = {
    "moves": ("Moves accepted, by the way they came: web, api, bot, clock.", ("game", "via")),
    "mail": ("Mails, by what became of them; deferred and unrendered ones come again.", ("kind", "result")),
    "refusals": ("Requests refused, by code.", ("code",)),
    "requests": ("Requests answered.", ("route", "method", "status")),
    "undrawn": ("Mails that left with the board in words, because its picture could not be drawn.", ("game",)),
    "tasks": ("Tasks ended in workers.", ("task", "state")),
}
DURATIONS = {
    "duration": ("request_duration_seconds", "How long requests took.", ("route", "method")),
    "lag": ("deadline_lag_seconds", "How long after a deadline the clock moved.", ("game",)),
    "task_duration": ("task_duration_seconds", "How long tasks took.", ("task",)),
}


def counters_of_core_and_features(features: tuple[str, ...]) -> dict[str, Counter]:
    """Returns what is counted by the core and by these features."""
    return {**COUNTERS, **{name: told for one in hooks_of(features) for name, told in one.counters.items()}}


class Figures(Collector):
    """The collector."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def collect(self) -> Iterator[Metric]:
        """Yields the metric families."""
        up = GaugeMetricFamily("pbem_up", "Whether a part of the service answers.", labels=["part"])
        now = self.site.now()
        figures = database_figures(self.site.config, now)
        up.add_metric(["database"], 0 if figures is None else 1)
        if figures is not None:
            yield from _gauges_of_database(figures)
        try:
            found = [
                *_counter_metrics(self.site.counters.read(), counters_of_core_and_features(self.site.config.features))
            ]
            if self.site.config.redis_url is not None:
                found += _gauges_of_broker(probes.read_queue(self.site.config, now))
                up.add_metric(["broker"], 1)
            yield from found
        except (RedisError, OSError):
            up.add_metric(["broker"], 0)
        yield up
        ready = int(health.can_serve_requests(self.site.config))
        yield GaugeMetricFamily("pbem_ready", "Whether this web process can serve requests; see /readyz.", value=ready)


def _gauge(name: str, about: str, labels: Sequence[str], values: Iterable[tuple[tuple[str, ...], float]]) -> Metric:
    """Returns the figures by the values of their labels."""
    gauge = GaugeMetricFamily(f"pbem_{name}", about, labels=labels)
    for told, value in sorted(values):
        gauge.add_metric(told, value)
    return gauge


def _gauges_of_database(figures: DatabaseFigures) -> Iterator[Metric]:
    ages = (((kind,), due.age_s) for kind, due in figures.late.items())
    counts = (((kind,), due.count) for kind, due in figures.late.items())
    yield _gauge("oldest_due_seconds", "Age of the oldest thing that should be done.", ["kind"], ages)
    yield _gauge("due", "Things that should be done by now.", ["kind"], counts)
    yield _gauge("matches", "Matches that are not over.", ["game", "status"], figures.matches.items())
    broken = figures.unrendered
    yield GaugeMetricFamily("pbem_unrendered_mails", "Mails that a fault keeps from being rendered.", value=broken)
    title = "Games whose mails leave without their picture, because it cannot be drawn."
    yield GaugeMetricFamily("pbem_undrawn_games", title, value=figures.undrawn)
    yield GaugeMetricFamily("pbem_bouncing_players", "Players whose address is refused.", value=figures.bouncing)
    yield GaugeMetricFamily("pbem_open_asks", "Questions that are open.", value=figures.open_asks)
    title = "For how long tasks have been failing that fail again and again."
    yield _gauge("task_failing_seconds", title, ["task"], (((task,), age) for task, age in figures.failing.items()))
    for gauge in figures.of_features:
        yield _gauge(gauge.name, gauge.help, gauge.labels, gauge.values.items())


def _gauges_of_broker(queue: probes.Queue) -> list[Metric]:
    waiting = GaugeMetricFamily("pbem_queue_length", "Tasks that wait at the broker.", value=queue.waiting)
    in_hand = GaugeMetricFamily("pbem_queue_in_hand", "Tasks given to a worker and not ended.", value=queue.in_hand)
    beat = GaugeMetricFamily("pbem_beat_age_seconds", "Seconds since beat's last tick.")
    if queue.beat_age_s is not None:
        beat.add_metric([], queue.beat_age_s)
    return [waiting, in_hand, beat]


def _counter_metrics(counts: dict[str, float], counters: Mapping[str, Counter]) -> Iterator[Metric]:
    plain: dict[str, list[tuple[tuple[str, ...], float]]] = {name: [] for name in counters}
    parts: dict[str, dict[tuple[str, ...], dict[str, float]]] = {name: {} for name in DURATIONS}
    for field, value in sorted(counts.items()):
        name, labels, part = count_key_of_field(field)
        if part is None and name in plain:
            plain[name].append((labels, value))
        elif part is not None and name in parts:
            parts[name].setdefault(labels, {})[part] = value
    for name, (help_text, names) in counters.items():
        counter = CounterMetricFamily(f"pbem_{name}", help_text, labels=names)
        for labels, value in plain[name]:
            counter.add_metric(labels, value)
        yield counter
    bounds = (*map(str, BOUNDS), "+Inf")
    for name, (title, help_text, names) in DURATIONS.items():
        histogram = HistogramMetricFamily(f"pbem_{title}", help_text, labels=names)
        for labels, buckets in parts[name].items():
            totals = accumulate(buckets.get(str(number), 0.0) for number in range(len(bounds)))
            histogram.add_metric(labels, list(zip(bounds, totals, strict=True)), buckets.get("sum", 0.0))
        yield histogram
