"""Initial states from files that NumPy and h5py wrote, and from Scree's own."""

import json

import h5py
import numpy as np
import pytest

from conftest import SCENE

BODIES = SCENE[SCENE.index("[[bodies]]") : SCENE.index("[[walls]]")]


def scene_with(entry):
    return SCENE.replace(BODIES, "[[bodies]]\n" + entry + "\n")


@pytest.fixture(scope="module")
def bed(scree, run):
    """The grains at the end of the run, as columns."""
    with h5py.File(run / "state.h5") as f:
        b = f["bodies"]
        names = [f[f"types/{t}"].attrs["name"].decode() for t in range(len(f["types"]))]
        groups = f["groups"][()].decode().split("\n")
        return {
            "grain": np.array([names[t] for t in b["type"]]),
            "position": b["x"][:],
            "angle": b["theta"][:],
            "velocity": b["v"][:],
            "spin": b["omega"][:],
            "kind": np.array([["moving", "fixed", "kinematic"][k] for k in b["kind"]]),
            "group": np.array([groups[g] for g in b["group"]]),
        }


def flat(bed):
    """One number a column."""
    x, v = bed["position"].T, bed["velocity"].T
    out = {k: v for k, v in bed.items() if k not in ("position", "velocity")}
    return {**out, "x": x[0], "y": x[1], "vx": v[0], "vy": v[1]}


def structured(columns, text="U16"):
    dtype = [(name, text if value.dtype.kind == "U" else "f8") for name, value in columns.items()]
    out = np.zeros(len(columns["grain"]), dtype)
    for name, value in columns.items():
        out[name] = value
    return out


@pytest.fixture(scope="module")
def state_hash(scree, run):
    """Of a run that starts from the state file itself."""
    return run_from(scree, 'file = "out/state.h5"')


def run_from(scree, entry):
    (scree.folder / "import.toml").write_text(scene_with(entry))
    scree("run", "import.toml", "-o", "imported", "--until", "0.01", "--quiet", "--force")
    return json.loads((scree.folder / "imported" / "run.json").read_text())["end"]["state_hash"]


def write_h5(file, bed):
    with h5py.File(file, "w") as f:
        f["other/things"] = np.arange(3)
        group = f.create_group("bed")
        for name, value in bed.items():
            group[name] = [str(v) for v in value] if value.dtype.kind == "U" else value
        f["table"] = structured(flat(bed), "S16")
        f["table"].attrs["format"] = "mine"
        f.attrs["format"] = "a variable text"


@pytest.mark.parametrize(
    "entry",
    [
        'file = "bed.npz"',
        'file = "columns.npz"',
        'file = "only.npz"',
        'file = "two.npz"\ntable = "bed"',
        'file = "bed.npy"',
        'file = "big.npy"',
        'file = "bed.h5"\ntable = "bed"',
        'file = "bed.h5"\ntable = "table"',
        'file = "end/grains.csv"',
    ],
)
def test_every_format_gives_the_same_bits(scree, bed, state_hash, entry):
    folder = scree.folder
    np.savez_compressed(folder / "bed.npz", **bed)
    np.savez(folder / "columns.npz", **flat(bed))
    np.savez(folder / "only.npz", structured(flat(bed)))
    np.savez(folder / "two.npz", bed=structured(flat(bed)), other=np.arange(4))
    np.save(folder / "bed.npy", structured(flat(bed)))
    np.save(folder / "big.npy", structured(flat(bed)).astype(structured(flat(bed)).dtype.newbyteorder(">")))
    write_h5(folder / "bed.h5", bed)
    scree("export", "out/state.h5", "csv", "-o", "end", "--force", "-q")
    assert run_from(scree, entry) == state_hash
    # The run keeps the file, and can be repeated from its folder.
    scree("check", "imported/scene.toml")


def test_a_plain_array_of_positions(scree, run, bed):
    discs = bed["grain"] == "disc"
    poses = np.column_stack([bed["position"], bed["angle"]])[discs]
    np.save(scree.folder / "poses.npy", np.asfortranarray(poses))
    run_from(scree, 'file = "poses.npy"\ngrain = "disc"\ngroup = "mine"')
    with h5py.File(scree.folder / "imported" / "trajectory.h5", "r", swmr=True) as f:
        n = f["frames/grain_end"][0]
        np.testing.assert_array_equal(f["grains/x"][:n], poses[:, :2])
        np.testing.assert_array_equal(f["grains/theta"][:n], poses[:, 2])


@pytest.mark.parametrize("time, frame", [("0.26", 4), ("-1", 0), ("99", 10), (None, 10)])
def test_a_trajectory_at_a_time(scree, run, time, frame):
    entry = "" if time is None else f"\ntime = {time}"
    scree("export", "out", "csv", "-o", "all", "--force", "-q")
    with h5py.File(run / "trajectory.h5", "r", swmr=True) as f:
        ends = f["frames/grain_end"][:]
        x = f["grains/x"][ends[frame - 1] if frame else 0 : ends[frame]]
    for file in ("out/trajectory.h5", "all/grains.csv"):
        run_from(scree, f'file = "{file}"{entry}')
        with h5py.File(scree.folder / "imported" / "trajectory.h5", "r", swmr=True) as f:
            np.testing.assert_array_equal(f["grains/x"][: f["frames/grain_end"][0]], x)


def test_small_integers_and_halves_are_numbers(scree, run):
    array = np.array([(-3, 0.5, 1), (3, 0.25, 2)], dtype=[("x", "i1"), ("y", "f2"), ("angle", "u2")])
    np.save(scree.folder / "small.npy", array)
    (scree.folder / "import.toml").write_text(scene_with('file = "small.npy"\ngrain = "disc"'))
    scree("run", "import.toml", "-o", "imported", "--until", "0", "--quiet", "--force")
    with h5py.File(scree.folder / "imported" / "state.h5") as f:
        np.testing.assert_array_equal(f["bodies/x"][:], [[-3, 0.5], [3, 0.25]])
        np.testing.assert_array_equal(f["bodies/theta"][:], [1, 2])


def cut(file, part):
    data = file.read_bytes()
    file.write_bytes(data[: int(part * len(data))])


def bad_npy(folder):
    """Name of the file, how it is made wrong, and words of the message."""
    x = np.arange(4.0)
    np.save(folder / "cut.npy", np.zeros((1000, 2)))
    cut(folder / "cut.npy", 0.5)
    np.save(folder / "header.npy", np.zeros((1000, 2)))
    cut(folder / "header.npy", 0.003)
    np.save(folder / "object.npy", np.array([{"x": 1}], dtype=object))
    np.save(folder / "wide.npy", np.zeros((3, 7)))
    np.save(folder / "cube.npy", np.zeros((3, 2, 2)))
    np.save(folder / "complex.npy", np.zeros((3, 2), complex))
    np.save(folder / "nan.npy", np.array([[0, 1], [2, np.nan]]))
    wide = (folder / "wide.npy").read_bytes()
    for name, shape in [("huge.npy", b"(99999999999999, 2)"), ("claims.npy", b"(90000000, 2)")]:
        spaces = b" " * (len(shape) - len(b"(3, 7)"))  # the header keeps its length
        (folder / name).write_bytes(wide.replace(b"(3, 7), }" + spaces, shape + b", }"))
    (folder / "text.npy").write_text("x,y\n1,2\n")
    np.savez(folder / "lengths.npz", x=x, y=x[:3])
    np.savez(folder / "texts.npz", x=np.array(["a", "b"]), y=x[:2])
    np.savez(folder / "kind.npz", x=x, y=x, kind=np.array(["moving", "fixed", "fixd", "moving"]))
    np.savez(folder / "names.npz", x=x, y=x, theta=x)
    np.savez(folder / "torn.npz", x=x, y=x)
    cut(folder / "torn.npz", 0.7)
    (folder / "text.npz").write_text("x,y\n1,2\n")
    np.savez(folder / "flipped.npz", x=np.arange(5000.0), y=np.arange(5000.0))  # only the checksum can tell
    data = bytearray((folder / "flipped.npz").read_bytes())
    data[2000] ^= 0xFF
    (folder / "flipped.npz").write_bytes(data)


@pytest.mark.parametrize(
    "file, words",
    [
        ("cut.npy", ["cut.npy", "cut short", "numpy.save"]),
        ("header.npy", ["header.npy", "cut short within its header"]),
        ("object.npy", ["holds Python objects", "save it again"]),
        ("wide.npy", ["7 values a row", "x, y, angle"]),
        ("cube.npy", ["3 dimensions"]),
        ("complex.npy", ["dtype <c16", "use numbers"]),
        ("nan.npy", ["nan.npy: row 1, y", "not a finite number"]),
        ("huge.npy", ["99999999999999 rows", "use fewer grains"]),
        ("claims.npy", ["cut short", "90000000 rows"]),
        ("text.npy", ["is not a NumPy array"]),
        ("lengths.npz", ["y: has 3 rows, and x has 4"]),
        ("texts.npz", ["x: is of dtype <U1", "use numbers"]),
        ("kind.npz", ["row 2, kind", '"fixd" is no kind', "did you mean 'fixed'"]),
        ("names.npz", ['unknown column "theta"', "known: angle", "`ignore`"]),
        ("torn.npz", ["is not an archive of NumPy arrays"]),
        ("text.npz", ["is not an archive of NumPy arrays"]),
        ("flipped.npz", ["flipped.npz", "damaged", "numpy.savez"]),
    ],
)
def test_bad_numpy_files_say_what_is_wrong(scree, run, file, words):
    bad_npy(scree.folder)
    (scree.folder / "bad.toml").write_text(scene_with(f'file = "{file}"\ngrain = "disc"'))
    said = scree("check", "bad.toml", expect=2)
    for word in words:
        assert word in said, said


def test_bad_hdf5_files_say_what_is_wrong(scree, run, bed):
    folder = scree.folder
    with h5py.File(folder / "bad.h5", "w") as f:
        f["good/x"], f["good/y"] = [0.0, 1.0], [1.0, 1.0]
        f["missing/x"] = [0.0, 1.0]
        f["texts/x"], f["texts/y"] = ["a", "b"], [0.0, 1.0]
        f["numbers/x"], f["numbers/y"], f["numbers/grain"] = [0.0], [0.0], [1]
        f["shape/position"] = np.zeros((4, 3))
        f["lengths/x"], f["lengths/y"] = [0.0, 1.0], [1.0]
        f["misspelt/x"], f["misspelt/y"], f["misspelt/agnle"] = [0.0], [0.0], [0.0]
        f["sand/x"], f["sand/y"], f["sand/grain"] = [0.0, 0.5], [0.0, 0.5], ["disc", "sand"]
        f["huge/y"] = [0.0]
        f["huge"].create_dataset("x", (10**12,), "f8", chunks=(1024,))
        f["plain"] = np.zeros((4, 2))
    (folder / "cut.h5").write_bytes((folder / "bad.h5").read_bytes()[:3000])
    old = folder / "old.h5"
    old.write_bytes((run / "trajectory.h5").read_bytes())
    with h5py.File(old, "r+") as f:
        f.attrs["version"] = np.int32(2)
    cases = [
        ('file = "bad.h5"\ntable = "missing"', ['bad.h5: missing: has no column "y"', "it has x"]),
        ('file = "bad.h5"\ntable = "nothing"', ["bad.h5: nothing: is not in the file"]),
        ('file = "bad.h5"\ntable = "texts"', ["texts: x: does not hold numbers"]),
        ('file = "bad.h5"\ntable = "numbers"', ["grain: does not hold one text a row"]),
        ('file = "bad.h5"\ntable = "shape"', ["position: has 3 values a row, where 2 is needed"]),
        ('file = "bad.h5"\ntable = "lengths"', ["y: has 1 rows, where the others have 2"]),
        ('file = "bad.h5"\ntable = "misspelt"', ["did you mean 'angle'"]),
        ('file = "bad.h5"\ntable = "sand"', ["row 1, grain", '"sand" is not in [grains]', "known: disc, pair, ring"]),
        ('file = "bad.h5"\ntable = "huge"', ["rows, more than"]),
        ('file = "bad.h5"\ntable = "plain"', ["a dataset without named columns"]),
        ('file = "bad.h5"\ntable = "good"\ntime = 2', ['no column "time"']),
        ('file = "cut.h5"', ["cut.h5"]),
        ('file = "old.h5"', ["format version 2, but this program reads version 4", "use the version of Scree"]),
        ('file = "out/state.h5"\ntime = 1', ["is a state, which is one instant"]),
        ('file = "out/state.h5"\ntable = "bodies"', ["found by themselves"]),
    ]
    for entry, words in cases:
        (folder / "bad.toml").write_text(scene_with(entry + '\ngrain = "disc"'))
        said = scree("check", "bad.toml", expect=2)
        for word in words:
            assert word in said, (entry, said)
    (folder / "good.toml").write_text(scene_with('file = "bad.h5"\ntable = "good"\ngrain = "disc"'))
    scree("check", "good.toml")


def test_overlaps_are_found_by_the_watchdog(scree, run):
    np.save(scree.folder / "close.npy", np.array([[0.0, 0.2], [0.02, 0.2]]))
    (scree.folder / "close.toml").write_text(scene_with('file = "close.npy"\ngrain = "disc"'))
    said = scree("run", "close.toml", "-o", "close", "--quiet", expect=3)
    assert "grain 1 (disc)" in said and "overlaps" in said and "start the grains farther apart" in said
