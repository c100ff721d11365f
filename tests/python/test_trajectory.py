"""Trajectories, read by h5py as a user would."""

import csv
import json
import pathlib
import re
import signal
import subprocess
import time

import h5py
import numpy as np

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "files.md"


def documented_lines():
    """The example of docs/files.md that reads a trajectory."""
    block = re.search(r"```python\n(import h5py\n.*?)```", DOCS.read_text(), re.DOTALL).group(1)
    assert block.count("\n") == 5, "five lines are promised"
    return block.replace("out/first/", "out/")


def test_the_documented_lines_read_the_last_frame(run, monkeypatch):
    monkeypatch.chdir(run.parent)
    names = {}
    exec(documented_lines(), names)
    with h5py.File(run / "state.h5") as state:
        np.testing.assert_array_equal(names["x"], state["bodies/x"][:])
        np.testing.assert_array_equal(names["angle"], state["bodies/theta"][:])


def test_everything_promised_is_inside(run):
    with h5py.File(run / "trajectory.h5", "r", swmr=True) as f:
        assert f.attrs["format"] == b"scree-trajectory" and f.attrs["version"] == 4
        record = json.loads(f["run_json"][()])
        assert record["build"]["commit"] and record["scene"].startswith('\ntitle = "For other programs"')
        assert f["statics/materials/0"].attrs["density"] == 1000
        assert [f[f"statics/walls/{k}"].attrs["name"] for k in range(4)][3] == b"sill"
        assert len(f["statics/shapes"]) == 3


def test_many_grains_are_compressed(scree, run):
    """Also those that come in the first step or later; a few grains take less room as they are."""
    many = "[[insert]]\nmethod = 'lattice'\ngrain = 'disc'\nx = [-1, 1]\ny = [0.1, 1]\ncount = 100\n"
    rain = "[[insert]]\nmethod = 'rain'\ngrain = 'disc'\nx = [-1, 1]\ny = [0.1, 1]\nrate = 100\n"
    few = "[[bodies]]\ngrain = 'disc'\nposition = [0, 1]\n"
    head = "[run]\nduration = 0.1\n[step]\ndt = 1e-3\n[grains.disc]\nradius = 0.05\n"
    for grains, chunk, filter in [(many, 100, "gzip"), (rain, 256, "gzip"), (few, 64, None)]:
        (scree.folder / "grains.toml").write_text(head + grains)
        scree("run", "grains.toml", "-o", "compressed", "--quiet", "--force")
        with h5py.File(scree.folder / "compressed" / "trajectory.h5", "r", swmr=True) as f:
            assert (f["grains/x"].chunks, f["grains/x"].compression) == ((chunk, 2), filter)


def test_measures_are_those_of_the_csv_files(run):
    with h5py.File(run / "trajectory.h5", "r", swmr=True) as f:
        assert f["measures"].attrs["names"].decode().split("\n") == ["packing", "repose"]
        packing = f["measures/packing"]
        assert packing.attrs["kind"] == b"packing"
        columns = packing.attrs["columns"].decode().split("\n")
        rows = list(csv.DictReader(open(run / "measure-packing.csv")))
        assert len(rows) == len(packing["time"]) == 5
        for name in ["time", *columns]:
            np.testing.assert_allclose(packing[name][:], [float(row[name]) for row in rows], rtol=1e-9)
        # A table: the rows of sample k end at table_end[k].
        table = list(csv.DictReader(open(run / "table-packing.csv")))
        assert packing["table_end"][:].tolist() == [4, 8, 12, 16, 20]
        for name in packing["table"].attrs["columns"].decode().split("\n"):
            np.testing.assert_allclose(packing["table"][name][:], [float(row[name]) for row in table], rtol=1e-9)
        assert packing["area"].attrs["unit"] == b"length^2"
        # Not defined on a level bed.
        repose = f["measures/repose"]
        assert len(repose["time"]) == 3 and np.isnan(repose["angle_deg"][:]).all()


def test_other_versions_are_refused(scree, run):
    """What an old program says of a new file, and this one of an old: the version decides."""
    other = scree.folder / "other.h5"
    for name, version, known in [("trajectory.h5", 3, 4), ("trajectory.h5", 5, 4), ("state.h5", 3, 4)]:
        other.write_bytes((run / name).read_bytes())
        with h5py.File(other, "r+") as f:
            f.attrs["version"] = np.int32(version)
        said = scree("export", "other.h5", "csv", "-o", "never", expect=2)
        assert f"format version {version}, but this program reads version {known}" in said
        assert "remedy: use the version of Scree that wrote it" in said


def frames_in(file):
    """Frames that a reader sees while the run writes; 0 before there is a file it can open."""
    try:
        with h5py.File(file, "r", swmr=True) as f:
            return len(f["frames/time"])
    except OSError:
        return 0


def test_a_killed_run_can_be_read(scree, run):
    """SIGKILL at some moment: whatever had been flushed is there, frames and measures."""
    child = subprocess.Popen(
        [scree.program, "run", "scene.toml", "-o", "cut", "--quiet", "--set", "run.duration=1000"],
        cwd=scree.folder,
        env={"SCREE_CACHE": str(scree.folder / "cache")},
    )
    try:
        file = scree.folder / "cut" / "trajectory.h5"
        for _ in range(600):
            time.sleep(0.05)
            if frames_in(file) > 5:
                break
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    with h5py.File(file, "r", swmr=True) as f:
        n = len(f["frames/time"])
        assert n > 5 and f["frames/grain_end"][n - 1] <= len(f["grains/x"])
        np.testing.assert_allclose(f["frames/time"][:], 0.06 * np.arange(n), atol=1e-9)
        samples = len(f["measures/packing/time"])
        assert samples > 0 and np.isfinite(f["measures/packing/fraction"][:samples]).all()
    assert "frames" in scree("export", "cut", "csv")
