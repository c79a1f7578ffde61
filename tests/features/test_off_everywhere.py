"""While a feature is off, its pages, addresses, tasks, commands and figures are: each is found as the core finds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from pbem import create_app
from pbem.discovery import TEMPLATES, attributes_of_features, module_of_feature, packages_of_features
from pbem.features.metrics.figures import database_figures
from pbem.services import wakeup
from pbem.services.hooks import all_hooks, overdue_of, requests_of, tasks_of
from pbem.services.monitoring import health
from pbem.services.wakeup import tasks_run_by_wakeup
from pbem.workers.schedule import TASKS, WOKEN_S, schedule_of_single_worker, schedule_of_site
from tests.commands.conftest import Pbem
from tests.harness.cases import cases
from tests.web.cast import Web
from tests.workers.process import ALL, run_code

SAID = "This site does not offer this feature."
ENGLISH = {"Accept-Language": "en"}


def with_part(name: str) -> list[str]:
    """Returns the features that have a module of this name."""
    return [
        feature for feature, package in packages_of_features().items() if module_of_feature(package, name) is not None
    ]


def module(feature: str, name: str) -> Any:
    """Returns a feature's module of this name."""
    return module_of_feature(packages_of_features()[feature], name)


def other_features(feature: str) -> tuple[str, ...]:
    """Returns the names of all other features."""
    return tuple(name for name in packages_of_features() if name != feature)


def requests_of_blueprints(app: Flask, blueprints: set[str]) -> Iterator[tuple[str, str]]:
    """Yields method and path of each request that these blueprints answer."""
    for rule in app.url_map.iter_rules():
        if rule.endpoint.rpartition(".")[0] in blueprints:
            path = re.sub(
                r"<(?:any\((\w+)[^)]*\):|(int):)?\w+>", lambda one: one[1] or (one[2] and "1") or "x", rule.rule
            )
            yield from ((method, path) for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}))


@cases("feature", [name for name in with_part("pages") if hasattr(module(name, "pages"), "PARTS")])
def test_every_page_of_a_feature_that_is_off_answers_410(make_web: Callable[..., Web], feature: str) -> None:
    web = make_web(features=other_features(feature))
    asked = [*requests_of_blueprints(web.app, {one.name for one in module(feature, "pages").PARTS})]
    assert asked
    for method, path in asked:
        answer = web.client().open(path, method=method, headers=ENGLISH)
        assert (answer.status_code, SAID in answer.text) == (410, True), path


def test_no_template_of_the_core_leads_to_a_page_of_a_feature(make_web: Callable[..., Web]) -> None:
    theirs = {one.name for name in with_part("pages") for one in getattr(module(name, "pages"), "PARTS", ())}
    rules = [rule for rule in make_web().app.url_map.iter_rules() if rule.endpoint.rpartition(".")[0] in theirs]
    told = {rule.endpoint for rule in rules} | {rule.rule for rule in rules if not rule.arguments}
    texts = {
        path: path.read_text(encoding="utf-8") for room in ("web", "mail") for path in (TEMPLATES / room).rglob("*.*")
    }
    assert "plan.show" in told
    assert "/help/mail" in told
    assert [(path.name, one) for path, text in texts.items() for one in told if one in text] == []


@cases("feature", with_part("api"))
def test_every_api_url_of_a_feature_that_is_off_is_410_and_undocumented(
    make_web: Callable[..., Web], feature: str
) -> None:
    web = make_web()
    names = {one.name for one in module(feature, "api").PARTS}
    app = create_app(site=replace(web.site, config=replace(web.site.config, features=other_features(feature))))
    asked = [*requests_of_blueprints(app, names)]
    assert asked == [*requests_of_blueprints(web.app, names)] != []
    for method, path in asked:
        answer = app.test_client().open(path, method=method, headers=ENGLISH)
        assert (answer.status_code, answer.mimetype) == (410, "application/problem+json"), path
        assert answer.get_json()["code"] == "not_offered"
        assert answer.get_json()["detail"] == SAID
    on, off = (one.test_client().get("/api/v1/openapi.json").get_json() for one in (web.app, app))
    theirs = {re.sub(r"\{[^}]+\}", "x", path): path for path in on["paths"]}
    told = {theirs.get(path.replace("/1", "/x")) for _, path in asked} - {None}  # an address of before is not told
    assert on["paths"].keys() - off["paths"].keys() == told
    tags = {name.removeprefix("api-") for name in names}
    assert tags <= {one["name"] for one in on["tags"]}
    assert [one for one in on["tags"] if one["name"] not in tags] == off["tags"], "in the same order"


@cases("feature", [name for name in packages_of_features() if tasks_of((name,))])
def test_no_task_of_a_feature_that_is_off_is_scheduled(feature: str) -> None:
    names = tasks_of((feature,)).keys()
    for on, there in ((tuple(packages_of_features()), names), (other_features(feature), set())):
        assert schedule_of_site(1, on).keys() & names == there
        rounds = {name for entry in schedule_of_single_worker(on).values() for name in entry["args"][0]}
        assert rounds & names == there


MESSAGES = """
from pbem.services.hooks import requests_of, tasks_of

for feature in NAMES:
    for name in requests_of((feature,)):
        requests_of((feature,))[name] = lambda site, *carried: [*carried]
from pbem.workers import tasks
from pbem.workers.app import app

for feature in NAMES:
    for name, task in tasks_of((feature,)).items():
        object.__setattr__(task, "run", lambda site, *share: 7)
        object.__setattr__(task, "must_think", None)
        print(feature, app.tasks[f"workers.tasks.{name}"]())
    for name in requests_of((feature,)):
        task = app.tasks[f"workers.tasks.{name}"]
        print(feature, task(1, "a"), "kept" if not task.ignore_result else "")
"""


@cases("on", [True, False])
def test_a_message_for_a_task_runs_it_only_while_the_feature_is_on(sqlite_url: str, tmp_path: Path, on: bool) -> None:
    names = with_part("tasks")
    said = run_code(
        MESSAGES.replace("NAMES", repr(names)),
        sqlite_url,
        tmp_path,
        PBEM_FEATURES=",".join(packages_of_features()) if on else "none",
    )
    lines = [f"{name} {7 if on else 0}" for name in names for _ in tasks_of((name,))]
    requests = [f"{name} {[1, 'a'] if on else None} kept" for name in names for _ in requests_of((name,))]
    assert sorted(said.splitlines()) == sorted([*lines, *requests])


UNSETTLED = """
from pbem.services.hooks import tasks_of
from pbem.workers import tasks
from pbem.workers.app import app

tasks.is_settled = lambda site: False
for name, task in tasks_of(NAMES).items():
    object.__setattr__(task, "run", lambda site, *share: 7)
    object.__setattr__(task, "must_think", None)
    print(name, app.tasks[f"workers.tasks.{name}"]())
"""


def test_irreversible_tasks_wait_while_the_sites_clock_is_unsettled(sqlite_url: str, tmp_path: Path) -> None:
    names = tuple(packages_of_features())
    said = run_code(UNSETTLED.replace("NAMES", repr(names)), sqlite_url, tmp_path, PBEM_FEATURES=",".join(names))
    waiting = {"checkpoint", "meet", "season", "week"}
    assert sorted(said.splitlines()) == sorted(f"{name} {0 if name in waiting else 7}" for name in tasks_of(names))


THOUGHTS = """
from pbem.services.hooks import tasks_of
from pbem.workers import tasks, thinking
from pbem.workers.app import app

thinking.call_for_thought = lambda config, task: print("called", task.name)
for name, task in tasks_of(NAMES).items():
    if task.must_think is not None:
        object.__setattr__(task, "run", lambda site: 7)
        for due in (False, True):
            object.__setattr__(task, "must_think", lambda site: due)
            print(name, due, app.tasks[f"workers.tasks.{name}"]())
print("thought", tasks.think())
"""


@cases("on", [True, False])
def test_thinking_tasks_of_a_feature_run_only_while_it_is_on(sqlite_url: str, tmp_path: Path, on: bool) -> None:
    names = tuple(packages_of_features())
    said = run_code(
        THOUGHTS.replace("NAMES", repr(names)), sqlite_url, tmp_path, PBEM_FEATURES=",".join(names) if on else "none"
    )
    called = ["called workers.tasks.think"] if on else []
    assert said.splitlines() == ["analyse False 0", *called, "analyse True 0", f"thought {7 if on else 0}"]


RESULTS = """
from pbem.services.hooks import all_hooks
from pbem.workers import tasks

for one in all_hooks():
    object.__setattr__(one.results, "after", lambda site: print("after"))
tasks.tally()
"""


@cases("on", [True, False])
def test_a_features_hook_after_results_runs_only_while_it_is_on(sqlite_url: str, tmp_path: Path, on: bool) -> None:
    names = ",".join(packages_of_features()) if on else "none"
    said = run_code(RESULTS, sqlite_url, tmp_path, PBEM_FEATURES=names)
    assert said.split().count("after") == (len(all_hooks()) if on else 0)


def test_a_wake_up_runs_a_features_tasks_only_while_it_is_on() -> None:
    assert tasks_run_by_wakeup(()) == wakeup.TASKS
    woken = [name for name, task in tasks_of(ALL).items() if task.wakes]
    assert sorted(tasks_run_by_wakeup(ALL)) == sorted((*wakeup.TASKS, *woken))
    for feature in with_part("tasks"):
        assert not {*tasks_run_by_wakeup(other_features(feature))} & tasks_of((feature,)).keys()


def test_a_wake_up_reads_replies_then_answers_questions_then_sends_mails() -> None:
    assert tasks_run_by_wakeup(ALL)[:4] == ("inbox", "play_bots", "follow", "drain")


def test_a_single_worker_runs_the_wake_up_tasks_every_half_minute() -> None:
    rounds = {name: entry["schedule"] for entry in schedule_of_single_worker(ALL).values() for name in entry["args"][0]}
    for name, task in tasks_of(ALL).items():
        assert rounds[name] == (WOKEN_S if task.wakes else task.period_s)


@cases("feature", with_part("commands"))
def test_a_command_of_a_feature_that_is_off_says_so_and_is_not_in_help(
    bare: Pbem, monkeypatch: pytest.MonkeyPatch, feature: str
) -> None:
    names = [command.name for command in module(feature, "commands").COMMANDS]
    on = bare("--help").stdout
    monkeypatch.setenv("PBEM_FEATURES", ",".join(other_features(feature)) or "none")
    off = bare("--help").stdout
    for name in names:
        assert f"  {name} " in on
        assert f"  {name} " not in off
        said = f"`pbem {name}` belongs to the feature {feature}, which PBEM_FEATURES leaves out."
        told = bare(name, "--help")
        if name in (one.name for some in attributes_of_features("settings", "PROCESSES", (feature,)) for one in some):
            assert (told.exit_code, " ".join(told.stdout.split()).count(said)) == (0, 1), "it may be started and waits"
            continue
        assert told.exit_code == 1
        assert told.stderr == f"Error: {said}\n"


def test_a_features_command_reports_an_unknown_name_in_pbem_features(
    bare: Pbem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_FEATURES", "nothing-of-this-name")
    assert bare("--help").exit_code == 0
    for feature in with_part("commands"):
        refused = bare(module(feature, "commands").COMMANDS[0].name)
        assert (refused.exit_code, "there is no feature 'nothing-of-this-name'" in refused.stderr) == (1, True)


@cases("feature", [name for name in packages_of_features() if overdue_of((name,))])
def test_work_of_a_feature_that_is_off_is_never_overdue(make_web: Callable[..., Web], feature: str) -> None:
    web, kinds = make_web(), overdue_of((feature,))
    at, config = web.site.now(), web.site.config
    told = {name for name, one in kinds.items() if one.degrades}
    for on, there in ((config, True), (replace(config, features=other_features(feature)), False)):
        figures = database_figures(on, at)
        assert figures is not None
        assert figures.late.keys() & kinds.keys() == (kinds.keys() if there else set())
        assert health.read_health(on, at).parts.keys() & told == (told if there else set())


def test_task_names_are_unique_over_the_core_and_all_features() -> None:
    names = [*TASKS, *(name for one in packages_of_features() for name in (*tasks_of((one,)), *requests_of((one,))))]
    assert len(names) == len(set(names))


def test_the_core_finds_features_with_pages_api_tasks_and_commands() -> None:
    assert {"checkpoints", "push"} <= set(with_part("pages"))
    for name in ("api", "tasks", "commands"):
        assert "checkpoints" in with_part(name)
    assert requests_of(ALL)
