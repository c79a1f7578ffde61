"""The alert rules that are shipped parse, and name only figures that the site exports."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.web.cast import Web

FILE = Path(__file__).parents[3] / "docs" / "monitoring" / "alerts.yml"
METRIC = re.compile(r"\bpbem_\w+")


@pytest.mark.long
def test_each_metric_that_an_alert_rule_names_is_exported(make_web: Callable[..., Web], redis_url: str) -> None:
    web = make_web(redis_url=redis_url)
    exported = set(re.findall(r"^# TYPE (pbem_\w+) ", web.client().get("/metrics").text, re.MULTILINE))
    rules = [rule for group in yaml.safe_load(FILE.read_text())["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) > 5
    for rule in rules:
        named = set(METRIC.findall(rule["expr"]))
        assert named, rule["alert"]
        assert named <= exported, rule["alert"]
        assert rule["annotations"]["summary"]
        assert rule["labels"]["severity"] in ("warning", "critical")


def test_hosting_md_links_to_the_alert_rules() -> None:
    assert "monitoring/alerts.yml" in (FILE.parents[1] / "hosting.md").read_text()
