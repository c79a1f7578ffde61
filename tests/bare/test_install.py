"""make installs what is missing and no more, whatever it was interrupted in, or says in one sentence why it cannot.

`make test-bare` does it in earnest, on a bare system; here stand-ins take the places of venv, pip, uv and Python.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from requirements import install
from tests.harness.waiting import SECONDS

ROOT = Path(__file__).parents[2]
OLD, NEW = ("3.12.1 (main)", "/usr"), ("3.13.0 (main)", "/usr")
UV_STEPS, VENV_STEPS = ["-m venv", "-m pip"], ["uv venv", "pip sync", "--editable", "-m compileall"]
SYNC = VENV_STEPS[1:]
LINK = "_editable_impl_pbem.pth"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A fresh copy of what make installs by, in a folder with a space and an umlaut."""
    made = tmp_path / "Spiele für Zwölf"
    made.mkdir()
    shutil.copytree(ROOT / "requirements", made / "requirements")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, made)
    return made


class Programs:
    """Takes the place of `call`. The Python of an environment is a script that tells its version."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, pythons: Path) -> None:
        self.monkeypatch, self.pythons, self.words = monkeypatch, pythons, list[str]()
        self.fails = self.interrupted = ""
        self.use(OLD)

    def use(self, python: tuple[str, str], told: tuple[str, str] | None = None) -> None:
        """Runs what follows with this Python, or leaves something else under its name."""
        self.monkeypatch.setattr(install, "THIS", told or python)
        self.python = self.pythons / python[0][:4]
        self.python.write_text("#!/bin/sh\nprintf '{}\\000{}'\n".format(*(told or python)))
        self.python.chmod(0o755)

    def __call__(self, *words: str | Path, failure: str | None = None) -> None:
        self.words.append(" ".join(map(str, words)))
        step = self.steps()[-1]
        if step == self.fails:
            sys.exit(failure or 1)
        if step in ("-m venv", "uv venv"):
            made = install.UV if step == "-m venv" else install.VENV
            shutil.rmtree(made, ignore_errors=True)
            (made / "bin").mkdir(parents=True)
            (made / "bin" / "python").symlink_to(self.python)
            (made / "pyvenv.cfg").touch()
        if step == self.interrupted:
            raise KeyboardInterrupt
        if step in ("-m venv", "uv venv"):
            (made / "lib" / f"python{install.THIS[0][:4]}" / "site-packages").mkdir(parents=True)
        if step == "--editable":
            (libraries,) = install.VENV.glob("lib/*/site-packages")
            (libraries / LINK).write_text(str(Path.cwd()))

    def steps(self) -> list[str]:
        return [each for said in self.words for each in UV_STEPS + VENV_STEPS if each in said]

    def make(self, kind: str = "run") -> list[str]:
        """Returns the steps that it takes to make this."""
        self.words.clear()
        install.main(kind)
        return self.steps()


@pytest.fixture
def programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder.parent))
    for name in ("PYTHON", "XDG_CACHE_HOME", "UV_CACHE_DIR"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    (folder.parent / "pythons").mkdir()
    programs = Programs(monkeypatch, folder.parent / "pythons")
    monkeypatch.setattr(install, "call", programs)
    return programs


@pytest.fixture
def programs_made(programs: Programs) -> Programs:
    """What runs pbem was installed, and has said so."""
    assert programs.make() == UV_STEPS + VENV_STEPS
    return programs


def change_file(name: str, text: str = "\n") -> None:
    Path(name).write_text(Path(name).read_text() + text)


@pytest.mark.parametrize("kind", ["run", "dev"])
def test_the_first_install_says_what_it_fetches_and_the_next_does_nothing(
    programs: Programs, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert programs.make(kind) == UV_STEPS + VENV_STEPS
    count = sum("==" in line.split(";")[0] for line in Path(f"requirements/{kind}.txt").read_text().splitlines())
    assert capsys.readouterr().out == (
        f"pbem: fetching {count} packages, some {install.MEGABYTES[kind]} MB, into .venv/, once.\n"
    )
    assert programs.make(kind) == programs.make("run") == []
    change_file(f"requirements/{kind}.txt")
    assert programs.make(kind) == SYNC
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "name", [f"requirements/{name}" for name in ("run.txt", "build.txt", "install.py")] + ["pyproject.toml"]
)
def test_only_files_with_changed_content_are_installed_again(programs_made: Programs, name: str) -> None:
    os.utime(name)
    assert programs_made.make() == []
    change_file(name)
    assert programs_made.make() == SYNC
    assert programs_made.make() == []


def test_the_link_file_to_pbem_is_readable_in_every_locale(programs_made: Programs) -> None:
    (link,) = Path.cwd().glob(f".venv/lib/*/site-packages/{LINK}")
    assert _target(link) == Path.cwd()


def test_uv_names_the_link_file_as_the_installer_expects() -> None:
    (ours,) = Path(sysconfig.get_path("purelib")).glob(LINK)
    assert _target(ours) == Path(__file__).parents[2]


def _target(link: Path) -> Path:
    return (link.parent / link.read_text("ascii").strip()).resolve()


def test_a_changed_version_of_uv_installs_uv_and_then_the_environment(programs_made: Programs) -> None:
    lock = Path("requirements/uv.txt")
    lock.write_text(lock.read_text().replace("uv==", "uv==9"))
    assert programs_made.make("uv") == UV_STEPS
    assert programs_made.make() == VENV_STEPS


def test_an_environment_with_the_development_tools_keeps_them(programs_made: Programs) -> None:
    assert programs_made.make("dev") == SYNC
    change_file("pyproject.toml")
    assert programs_made.make("run") == SYNC
    assert "requirements/dev.txt" in programs_made.words[0]
    assert programs_made.make("dev") == []


def test_a_new_default_python_changes_nothing_unless_it_is_named(programs_made: Programs) -> None:
    programs_made.use(NEW)
    assert programs_made.make() == []


def test_naming_another_python_makes_both_environments_again_only_once(
    programs_made: Programs, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON", "python3")
    assert programs_made.make() == []
    programs_made.use(NEW)
    assert programs_made.make() == UV_STEPS + VENV_STEPS
    assert "Making .uv and .venv again: PYTHON names another one.\n" in capsys.readouterr().out
    assert programs_made.make() == []
    monkeypatch.delenv("PYTHON")
    programs_made.use(OLD)
    assert programs_made.make() == []


@pytest.mark.parametrize("where", [install.UV, install.VENV])
def test_environments_whose_python_has_gone_are_made_again(
    programs_made: Programs, where: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (where / "bin" / "python").unlink()
    (where / "bin" / "python").symlink_to("gone")
    assert programs_made.make() == UV_STEPS + VENV_STEPS
    assert "Making .uv and .venv again: their Python has gone.\n" in capsys.readouterr().out
    assert programs_made.make() == []


def test_environments_are_made_again_when_their_python_changes_version(programs_made: Programs) -> None:
    programs_made.use(OLD, told=NEW)
    assert programs_made.make() == UV_STEPS + VENV_STEPS
    assert programs_made.make() == []


def test_after_the_folder_was_moved_the_scripts_are_written_again(
    programs_made: Programs, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder.rename(folder.parent / "elsewhere "))
    assert programs_made.make() == VENV_STEPS
    assert "Making .venv again: its folder was moved.\n" in capsys.readouterr().out
    assert programs_made.make() == []


@pytest.mark.parametrize("again", [False, True], ids=["the first time", "with another Python"])
@pytest.mark.parametrize("step", UV_STEPS + VENV_STEPS)
def test_the_next_make_completes_an_interrupted_install(
    programs: Programs, step: str, again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if again:
        programs.make()
        programs.use(NEW)
        monkeypatch.setenv("PYTHON", "python3")
    programs.interrupted = step
    with pytest.raises(KeyboardInterrupt):
        programs.make()
    programs.interrupted = ""
    monkeypatch.delenv("PYTHON", raising=False)
    steps = programs.make()
    assert steps == (UV_STEPS + VENV_STEPS)[-len(steps) :]
    assert step in steps
    assert {install.python_of(each) for each in (install.UV, install.VENV)} == {NEW if again else OLD}
    assert programs.make() == []


def test_requirements_changed_back_after_an_interruption_are_installed(programs_made: Programs) -> None:
    before = Path("requirements/run.txt").read_text()
    change_file("requirements/run.txt")
    programs_made.interrupted = "pip sync"
    with pytest.raises(KeyboardInterrupt):
        programs_made.make()
    programs_made.interrupted = ""
    Path("requirements/run.txt").write_text(before)
    assert programs_made.make() == SYNC


@pytest.mark.parametrize("step", ["-m pip", "pip sync", "--editable"])
def test_install_without_internet_says_so(programs: Programs, step: str) -> None:
    programs.fails = step
    with pytest.raises(SystemExit, match=r"^The packages cannot be fetched \(see above\)\. The first time, make needs"):
        programs.make()
    programs.fails = ""
    assert step in programs.make()


def test_failing_to_fetch_development_tools_does_not_break_what_runs(programs_made: Programs) -> None:
    programs_made.fails = "pip sync"
    with pytest.raises(SystemExit):
        programs_made.make("dev")
    assert programs_made.make() == []


@pytest.mark.parametrize(
    ("environ", "kept"),
    [({}, True), ({"HOME": "/nonexistent"}, False), ({"HOME": ""}, False), ({"XDG_CACHE_HOME": "/nonexistent"}, False),
     ({"HOME": "/nonexistent", "XDG_CACHE_HOME": "."}, True)],
)  # fmt: skip
def test_with_an_unwritable_home_uv_caches_in_the_projects_folder(
    programs: Programs, environ: dict[str, str], kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    programs.make()
    assert os.environ.get("UV_CACHE_DIR") == (None if kept else str(Path.cwd() / ".uv" / "cache"))
    monkeypatch.setenv("UV_CACHE_DIR", "elsewhere")
    programs.make()
    assert os.environ["UV_CACHE_DIR"] == "elsewhere"


def test_a_failing_program_ends_the_install() -> None:
    install.call("true", failure="away")
    with pytest.raises(SystemExit, match="away"):
        install.call("false", failure="away")
    with pytest.raises(SystemExit, match="1"):
        install.call("false")


def run_make(folder: Path, *words: str, **environ: str) -> subprocess.Popen[str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "PYTHON"))}
    return subprocess.Popen(
        ["make", "run", *words], cwd=folder, env={**ours, **environ}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def what_make_run_refuses(folder: Path, *words: str, **environ: str) -> str:
    """Returns what `make run` says, which fails before it makes anything."""
    made = run_make(folder, *words, **environ)
    _, said = made.communicate(timeout=SECONDS)
    assert made.returncode != 0
    assert "Traceback" not in said
    assert not (folder / ".uv").exists()
    return said.splitlines()[0]


@pytest.fixture
def bare(folder: Path) -> str:
    """A Python that cannot make virtual environments, as Debian's without python3-venv."""
    (folder.parent / "ensurepip.py").write_text("raise ImportError\n")
    stand_in = folder.parent / "bare python"
    stand_in.write_text(f'#!/bin/sh\nPYTHONPATH="{folder.parent}" exec "{sys.executable}" "$@"\n')
    stand_in.chmod(0o755)
    return str(stand_in)


def test_make_on_windows_says_where_it_runs(folder: Path) -> None:
    assert what_make_run_refuses(folder, OS="Windows_NT") == "pbem needs Linux or macOS. On Windows it runs inside WSL."


def test_an_unsuitable_python_is_refused(folder: Path) -> None:
    old = folder.parent / "old python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    assert what_make_run_refuses(folder, "PYTHON=") == "pbem needs Python 3.11 or newer; none was found."
    assert what_make_run_refuses(folder, "PYTHON=nowhere") == "pbem needs Python 3.11 or newer; nowhere is not."
    assert what_make_run_refuses(folder, PYTHON=str(old)) == f"pbem needs Python 3.11 or newer; {old} is not."


def test_the_first_python_that_is_new_enough_is_taken(folder: Path, bare: str) -> None:
    """It is asked for its version, and then runs the script, which here says that there is no venv."""
    programs = folder.parent / "programs"
    programs.mkdir()
    for name in ("python3", "python3.14", "python3.13", "python3.12", "python3.11"):
        (programs / name).write_text("#!/bin/sh\nexit 1\n")
        (programs / name).chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    assert what_make_run_refuses(folder, PATH=path) == "pbem needs Python 3.11 or newer; none was found."
    (programs / "python3.12").unlink()
    (programs / "python3.12").symlink_to(bare)
    assert what_make_run_refuses(folder, PATH=path) == install.NO_VENV


def test_a_python_without_venv_is_refused_with_the_package_to_install(folder: Path, bare: str) -> None:
    assert what_make_run_refuses(folder, PYTHON=bare, LC_ALL="C").endswith("On Debian: apt-get install python3-venv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere; `make test-bare` mounts a folder read-only")
def test_a_folder_that_cannot_be_written_to_is_named(folder: Path) -> None:
    folder.chmod(0o500)
    assert what_make_run_refuses(folder) == f"make cannot write to {folder}: put pbem into a folder of yours."


def test_of_two_installs_into_one_folder_the_second_waits_and_says_so(folder: Path, bare: str) -> None:
    with (folder / "Makefile").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = run_make(folder, PYTHON=bare)
        assert second.stderr is not None
        assert "pbem: another make installs into this folder; this one waits for it.\n" in second.stderr
        assert second.poll() is None
    assert second.communicate(timeout=SECONDS)[1].startswith(install.NO_VENV)


def test_the_install_lock_is_held_until_the_last_program_ends(folder: Path) -> None:
    """One that was killed has left a child that installs on."""
    program = "from requirements import install; install.take_lock(); install.call('sh', '-c', 'echo begun; read line')"
    first = subprocess.Popen(
        [sys.executable, "-c", program], cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert first.stdin is not None
    assert first.stdout is not None
    assert first.stdout.readline() == "begun\n"
    first.kill()
    first.wait(SECONDS)
    with (folder / "Makefile").open() as lock:
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        first.stdin.close()
        fcntl.flock(lock, fcntl.LOCK_EX)


def test_ctrl_c_leaves_no_traceback(folder: Path) -> None:
    with (folder / "Makefile").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = run_make(folder)
        assert waiting.stderr is not None
        assert any("waits" in line for line in waiting.stderr)  # a shell may complain of the language first
        os.killpg(waiting.pid, signal.SIGINT)
        assert "Traceback" not in waiting.communicate(timeout=SECONDS)[1]
