"""The dashboard for Grafana shows figures that /metrics has, by labels that they have."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from prometheus_client.parser import text_string_to_metric_families

from pbem.discovery import packages_of_features
from pbem.features.metrics.families import DURATIONS, counters_of_core_and_features
from tests.web.cast import Web

DOCS = Path(__file__).parents[3] / "docs"
DASHBOARD: dict[str, Any] = json.loads((DOCS / "monitoring" / "grafana.json").read_text())
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
TITLES = {
    f"pbem_{name}": labels for name, (_, labels) in counters_of_core_and_features(tuple(packages_of_features())).items()
} | {f"pbem_{title}": labels for title, _, labels in DURATIONS.values()}
GAUGES = {"pbem_up": ("part",), "pbem_oldest_due_seconds": ("kind",), "pbem_due": ("kind",),
          "pbem_matches": ("game", "status"), "pbem_inbox": ("via", "verdict")}  # fmt: skip


def family_of_sample(name: str) -> str:
    """Returns the name of the family to which a sample belongs."""
    return re.sub(r"_(total|bucket|count|sum)$", "", name)


def test_every_metric_of_the_dashboard_is_exported(make_web: Callable[..., Web], redis_url: str) -> None:
    said = make_web(redis_url=redis_url).client().get("/metrics").text
    there = {one.name for one in text_string_to_metric_families(said)}
    shown = {family_of_sample(name) for each in EXPRESSIONS for name in re.findall(r"pbem_\w+", each)}
    assert shown <= there


def test_the_dashboard_groups_by_labels_that_the_metrics_have() -> None:
    for each in EXPRESSIONS:
        named = {family_of_sample(name) for name in re.findall(r"pbem_\w+", each)}
        (labels,) = ({*TITLES.get(name, GAUGES.get(name, ())), "le"} for name in named)
        for group in re.findall(r"by \(([^)]*)\)", each):
            assert set(group.split(", ")) <= labels, each


def test_the_legends_name_labels_by_which_the_panel_groups() -> None:
    targets = [target for panel in DASHBOARD["panels"] for target in panel["targets"]]
    for target in targets:
        groups = {label for group in re.findall(r"by \(([^)]*)\)", target["expr"]) for label in group.split(", ")}
        assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= groups, target


def test_each_dashboard_panel_has_its_own_id_and_place() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


def test_the_prometheus_example_is_valid() -> None:
    page = (DOCS / "hosting.md").read_text()
    (block,) = re.findall(r"^```yaml\n(scrape_configs:.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (job,) = yaml.safe_load(block)["scrape_configs"]
    assert job.get("metrics_path", "/metrics") == "/metrics"
    assert job["authorization"].get("type", "Bearer") == "Bearer"
