"""What happens to runs: kills, full disks, folders that may not be written, company. Nothing is lost, nothing corrupt."""

import contextlib
import json
import os
import random
import resource
import shutil
import subprocess
import time

import h5py
import numpy as np
import pytest

FULL = "SCREE_TEST_FULL" in os.environ
DEADLINE = 120  # seconds after which a process counts as hung

# Rain, springs under load, a motion and a measure that adds up; a state every few steps, so that a kill meets one.
SCENE = """
[run]
duration = 0.8
frames = 0.01
states = 0.01
[step]
dt = 2e-4
threads = 1
[gravity]
g = [0, -9.81]
[maps]
nodes = 24
[materials.default]
density = 1000
[grains]
box = { radius = 0.05 }
disc = { radius = 0.05 }
[[insert]]
method = "rain"
mixture = { box = 1, disc = 1 }
x = [-0.5, 0.5]
y = [0.3, 0.6]
rate = 200
count = 60
[[walls]]
kind = "box"
x = [-0.6, 0.6]
y = [0, 2]
sides = ["left", "right", "bottom"]
[[motions]]
kind = "oscillation"
walls = ["wall1"]
amplitude = [0.01, 0]
frequency = 5
[[measures]]
kind = "discharge"
every = 0.02
y = [-1, 0.2]
"""


def folder_of(scree, name):
    """A path in the program's folder at which there is nothing yet."""
    folder = scree.folder / name
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def end_of(folder):
    return json.loads((folder / "run.json").read_text())["end"]


def frames_of(folder):
    """Time and positions of every frame."""
    with h5py.File(folder / "trajectory.h5", "r", swmr=True) as f:
        ends = f["frames/grain_end"][:]
        times, x = f["frames/time"][: len(ends)], f["grains/x"][: ends[-1] if len(ends) else 0]
    return list(zip(times, np.split(x, ends[:-1])))


def check_whole(folder, whole):
    """Every file of a killed run can be read, and says what a run that was not killed says."""
    if (folder / "run.json").exists():
        assert json.loads((folder / "run.json").read_text())["program"] == "scree"
    if (folder / "trajectory.h5").exists():
        for (time_a, x_a), (time_b, x_b) in zip(frames_of(folder), frames_of(whole)):
            assert time_a == time_b
            np.testing.assert_array_equal(x_a, x_b)
    if (folder / "state.h5").exists():
        with h5py.File(folder / "state.h5") as f:
            assert np.isfinite(f["bodies/x"][:]).all()
    for name in ["series.csv", "measure-discharge.csv"]:
        if (folder / name).exists():
            lines, expected = ((f / name).read_text().split("\n")[:-1] for f in (folder, whole))
            assert lines == expected[: len(lines)]


def check_same_end(folder, whole):
    ours, theirs = end_of(folder), end_of(whole)
    assert ours["how"] == "finished"
    assert ours["state_hash"] == theirs["state_hash"] and ours["ledger"] == theirs["ledger"]
    assert len(frames_of(folder)) == len(frames_of(whole))
    assert (folder / "measure-discharge.csv").read_bytes() == (whole / "measure-discharge.csv").read_bytes()
    assert sorted(os.listdir(folder)) == sorted(os.listdir(whole)), "something was left behind"


def going_on(folder):
    """The command after a kill: from the state, or from the start where there is none yet."""
    with contextlib.suppress(FileNotFoundError), h5py.File(folder / "state.h5") as f:
        if f.attrs["step"] > 0:
            return ["run", "--restart", folder, "--quiet"]
    return ["run", "holds.toml", "-o", folder, "--quiet", "--force"]


def kill_when(scree, arguments, ready):
    """Runs a command until `ready` says so, and kills it then. Whether it was killed; else it has ended well."""
    command = [scree.program, *map(str, arguments)]
    with subprocess.Popen(command, cwd=scree.folder, env=scree.environment, stderr=subprocess.PIPE) as process:
        while process.poll() is None:
            if ready():
                process.kill()
                process.wait()
                return True
        assert process.returncode == 0, process.stderr.read().decode()
        return False


@pytest.fixture(scope="module")
def whole(scree):
    """A run that was left alone; `seconds` is what it took."""
    (scree.folder / "holds.toml").write_text(SCENE)
    scree("check", "holds.toml", "--maps")
    folder = folder_of(scree, "left-alone")
    begin = time.monotonic()
    scree("run", "holds.toml", "-o", folder, "--quiet")
    (scree.folder / "seconds").write_text(str(time.monotonic() - begin))
    return folder


@pytest.mark.parametrize("seed", range(40 if FULL else 3))
def test_kills_at_random_moments(scree, whole, seed):
    chance = random.Random(seed)
    folder = folder_of(scree, "killed")
    seconds = float((scree.folder / "seconds").read_text())
    for _ in range(6):
        moment = time.monotonic() + chance.uniform(0, 0.5 * seconds)
        if not kill_when(scree, going_on(folder), lambda: time.monotonic() > moment):
            break
        check_whole(folder, whole)
    else:
        scree(*going_on(folder))
    check_same_end(folder, whole)


@pytest.mark.parametrize("part", ["run.json.part", "scene.toml.part", "trajectory.h5.part", "state.h5.part",
                                  "series.csv.part", "measure-discharge.csv.part"])
def test_kills_while_a_file_is_written(scree, whole, part):
    chance = random.Random(part)
    folder = folder_of(scree, "killed")
    if part.endswith("csv.part"):  # these are written anew by a restart alone
        kill_when(scree, going_on(folder), lambda: (folder / "measure-discharge.csv").exists())
    for _ in range(20 if FULL else 2):
        begin = time.monotonic() + chance.choice([0, 0.1, 0.2])
        folder.mkdir(exist_ok=True)
        if not kill_when(scree, going_on(folder), lambda: time.monotonic() > begin and any(
                name.startswith(part) for name in os.listdir(folder))):
            break
        check_whole(folder, whole)
    scree(*going_on(folder))
    check_same_end(folder, whole)


@contextlib.contextmanager
def small_disk(folder, options):
    """A file system of its own at `folder`; needs the right to mount."""
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting a file system needs root")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def check_message(text, *parts):
    """One clear error: what, why, what to do."""
    assert text.count("remedy: ") == 1 and "internal error" not in text, text
    for part in parts:
        assert part in text, text


@pytest.mark.parametrize("size", [*range(8, 800, 8)] if FULL else [8, 60, 200, 400])
def test_a_full_disk(scree, whole, size):
    folder = folder_of(scree, "disk")
    with small_disk(folder, f"size={size}k"):
        check_message(scree("run", "holds.toml", "-o", folder / "out", "--quiet", expect=4), "No space left")
        if (folder / "out").exists():
            check_whole(folder / "out", whole)
        subprocess.run(["mount", "-o", "remount,size=64m", folder], check=True)
        scree(*going_on(folder / "out"))
        check_same_end(folder / "out", whole)


@pytest.mark.parametrize("arguments", [
    ["render", "left-alone", "-o", "disk/a.png"], ["render", "left-alone", "-o", "disk/a.svg"],
    ["render", "left-alone", "-o", "disk/a.mp4", "--every", 20], ["export", "left-alone", "csv", "-o", "disk/a"],
    ["export", "left-alone", "vtk", "-o", "disk/a"], ["export", "left-alone", "lammps", "-o", "disk/a.dump"],
    ["measure", "left-alone", "-m", "packing:bins=100", "-o", "disk/a"],
    ["map", "build", "box", "box", "--nodes", 24, "-o", "disk/a.safetensors"]])
def test_results_on_a_full_disk(scree, whole, arguments):
    """Nothing is left under its name that is not whole."""
    folder = folder_of(scree, "disk")
    with small_disk(folder, "size=4k"):
        check_message(scree(*arguments, expect=4), "disk/a")
        assert not [f for f in folder.rglob("*") if f.is_file()]


def test_a_cache_on_a_full_disk(scree, whole, monkeypatch):
    cache, folder = folder_of(scree, "disk"), folder_of(scree, "uncached")
    monkeypatch.setitem(scree.environment, "SCREE_CACHE", str(cache))
    with small_disk(cache, "size=8k"):
        (code, error), = at_once(scree, [["run", "holds.toml", "-o", folder, "--quiet"]])
        assert code == 0 and error.count("maps are not kept") == 1, error
        assert all(entry.suffix == ".safetensors" for entry in cache.iterdir())
    check_same_end(folder, whole)


@pytest.mark.parametrize("size", [*range(1000, 400000, 20000)] if FULL else [4000, 30000, 200000])
def test_a_limit_on_the_size_of_files(scree, whole, size):
    """As a full disk, where one may not mount."""
    folder = folder_of(scree, "limited")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limit[1]))
    try:
        error = scree("run", "holds.toml", "-o", folder, "--quiet", expect=4)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    check_message(error, "File too large", "trajectory.h5: " if size > 100000 else "")
    check_whole(folder, whole)
    scree(*going_on(folder))
    check_same_end(folder, whole)


@pytest.mark.parametrize("arguments", [["run", "holds.toml", "-o", "unheard"], ["check", "holds.toml"], ["--help"],
                                       ["measure", "left-alone", "-m", "packing"]])
def test_output_that_cannot_be_written(scree, whole, arguments):
    folder = folder_of(scree, "unheard")
    with open("/dev/full", "w") as full:
        done = subprocess.run([scree.program, *arguments], cwd=scree.folder, env=scree.environment, stdout=full,
                              stderr=subprocess.PIPE, text=True)
    assert done.returncode == 4
    check_message(done.stderr, "standard output: cannot be written")
    if folder.exists():  # the run itself is none the worse
        check_same_end(folder, whole)


@contextlib.contextmanager
def read_only(folder):
    """Makes a folder one that may not be written, also by root."""
    if os.getuid() != 0:
        folder.chmod(0o555)
    elif subprocess.run(["mount", "-o", "bind,ro", folder, folder], capture_output=True).returncode != 0:
        pytest.skip("root writes everywhere, and may not mount here")
    try:
        yield
    finally:
        if os.getuid() != 0:
            folder.chmod(0o755)
        else:
            subprocess.run(["umount", folder], check=True)


def test_a_folder_that_may_not_be_written(scree, whole):
    folder = folder_of(scree, "read-only")
    shutil.copytree(whole, folder / "run")
    (folder / "empty").mkdir()
    run = ["run", "holds.toml", "--quiet", "-o"]
    with read_only(folder):
        check_message(scree(*run, folder / "new", expect=4), "new: cannot be used")
        check_message(scree(*run, folder / "empty", expect=4), "empty: cannot be used")
        check_message(scree(*run, folder / "run", "--force", expect=4), "run: cannot be used")
        check_message(scree("run", "--restart", folder / "run", "--until", 1, expect=4), "run: cannot be used")
        assert "packing" in scree("measure", folder / "run", "-m", "packing")
        scree("render", folder / "run", "-o", "picture.png", "--frame", 3)
        check_message(scree("render", folder / "run", "-o", folder / "picture.png", "--frame", 3, expect=4),
                      "picture.png")
    check_same_end(folder / "run", whole)


def test_a_cache_that_may_not_be_written(scree, whole, monkeypatch):
    """Maps are built and used all the same, and what is there is taken."""
    cache = folder_of(scree, "locked-cache")
    cache.mkdir()
    monkeypatch.setitem(scree.environment, "SCREE_CACHE", str(cache))
    command = [scree.program, "run", "holds.toml", "-o", "uncached", "--quiet", "--force"]
    with read_only(cache):
        done = subprocess.run(command, cwd=scree.folder, env=scree.environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.count("maps are not kept") == 1, done.stderr
    check_same_end(scree.folder / "uncached", whole)
    scree("check", "holds.toml", "--maps")
    with read_only(cache):
        done = subprocess.run(command, cwd=scree.folder, env=scree.environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    check_same_end(scree.folder / "uncached", whole)


def at_once(scree, commands):
    """Code and standard error of each, all started together."""
    started = [subprocess.Popen([scree.program, *map(str, c)], cwd=scree.folder, env=scree.environment, text=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for c in commands]
    return [(process.communicate(timeout=DEADLINE)[1], process.returncode)[::-1] for process in started]


@pytest.mark.parametrize("seed", range(20 if FULL else 2))
def test_runs_into_one_folder(scree, whole, seed):
    """One of them has it; the others say so and leave it alone."""
    folder = folder_of(scree, "shared")
    new, anew = (["run", "holds.toml", "-o", folder, "--quiet", *force] for force in ([], ["--force"]))
    ends = at_once(scree, [new, anew, new, anew])
    assert any(code == 0 for code, _ in ends)
    for code, error in ends:
        assert code in (0, 2, 4)
        if code != 0:
            check_message(error, "another run is writing here" if code == 4 else "is not empty")
    check_same_end(folder, whole)


def test_a_restart_of_a_run_that_goes_on(scree, whole):
    folder = folder_of(scree, "shared")
    with scree.start("run", "holds.toml", "-o", folder, "--quiet", "--until", 1000):
        while not (folder / "state.h5").exists():
            time.sleep(0.01)
        check_message(scree("run", "--restart", folder, expect=4), "another run is writing here")


@pytest.mark.parametrize("seed", range(20 if FULL else 1))
def test_a_cache_that_four_share(scree, whole, seed, monkeypatch):
    chance = random.Random(seed)
    cache = folder_of(scree, "shared-cache")
    monkeypatch.setitem(scree.environment, "SCREE_CACHE", str(cache))
    folders = [folder_of(scree, f"company{k}") for k in range(4)]
    commands = [["run", "holds.toml", "-o", folder, "--quiet"] for folder in folders]
    moment = time.monotonic() + chance.uniform(0, 0.3)
    kill_when(scree, commands[0], lambda: time.monotonic() > moment)  # before them, perhaps while it writes an entry
    for entry in cache.glob("*.safetensors"):
        scree("map", "info", entry)
    commands[0].append("--force")
    assert at_once(scree, commands) == [(0, "")] * 4
    for folder in folders:
        check_same_end(folder, whole)
    for entry in cache.glob("*.safetensors"):
        scree("map", "info", entry)
        entry.write_bytes(entry.read_bytes()[: chance.randrange(entry.stat().st_size)])
    # Damaged entries are built again, whoever comes first.
    for code, error in at_once(scree, [[*c, "--force"] for c in commands]):
        assert code == 0 and all(line.endswith("building it again") for line in error.splitlines()), error
    for entry in cache.glob("*.safetensors"):
        scree("map", "info", entry)
