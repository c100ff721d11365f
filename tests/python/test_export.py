"""Exports, read back by other readers and compared with the trajectory that h5py reads.

VTK's own reader and ASE take part where they are installed (tests/python/requirements-full.txt), and must be when
SCREE_TEST_FULL is set.
"""

import csv
import importlib
import os
import subprocess

import h5py
import numpy as np
import pytest

from vtp import PolyData, collection

PARTS = ["grains", "outlines", "centres", "contacts", "walls"]
FRAMES = 11


def needed(module):
    """A reader that make test leaves out."""
    if os.environ.get("SCREE_TEST_FULL"):
        return importlib.import_module(module)
    return pytest.importorskip(module, reason="installed by make test-full")


def polygon_area(shape):
    """Of the outline as it is stored, holes subtracted: a disc is a polygon there."""
    total = 0
    for loop in np.split(shape["outline_points"][:], shape["outline_loops"][1:].astype(int)):
        x, y = loop.T
        total += 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))
    return total


class Reference:
    """A frame of the trajectory, and what follows from it by definition."""

    def __init__(self, file, k):
        rows = lambda ends: slice(ends[k - 1] if k else 0, ends[k])
        grains = rows(file["frames/grain_end"][:])
        contacts = rows(file["frames/contact_end"][:])
        self.time, self.step = file["frames/time"][k], file["frames/step"][k]
        for name in ("id", "type", "group", "kind", "x", "theta", "v", "omega"):
            setattr(self, name, file["grains"][name][grains])
        for name in ("a", "b", "wall", "point", "normal", "normal_force", "tangential_force"):
            setattr(self, "contact_" + name, file["contacts"][name][contacts])
        types = [file[f"statics/types/{t}"].attrs for t in range(len(file["statics/types"]))]
        shapes = [file[f"statics/shapes/{t['shape']}"] for t in types]
        self.type_names = [t["name"].decode() for t in types]
        self.radius = np.array([t["radius"] for t in types])[self.type]
        self.area = np.array([polygon_area(s) for s in shapes])[self.type] * self.radius**2
        self.loops = np.array([len(s["outline_loops"]) for s in shapes])[self.type]
        self.starts = [s["outline_loops"][1:].astype(int) for s in shapes]
        self.outlines = [s["outline_points"][:] for s in shapes]
        walls = np.where(self.contact_wall >= 0, -1 - self.contact_wall.astype(int), self.contact_a.astype(int))
        pairs = set(zip(self.contact_b.tolist(), walls.tolist()))
        pairs |= {(a, b) for b, a in pairs if a >= 0}
        self.coordination = np.array([sum(grain == i for grain, _ in pairs) for i in self.id])
        self.force = np.array(
            [self.contact_normal_force[(self.contact_a == i) | (self.contact_b == i)].sum() for i in self.id]
        )

    def outline(self, i):
        """Vertices of the grain in the world, all loops after one another."""
        c, s = np.cos(self.theta[i]), np.sin(self.theta[i])
        turned = self.outlines[self.type[i]] @ np.array([[c, s], [-s, c]])
        return self.radius[i] * turned + self.x[i]


@pytest.fixture(scope="module")
def frames(run):
    with h5py.File(run / "trajectory.h5", "r", swmr=True) as file:
        out = [Reference(file, k) for k in range(len(file["frames/time"]))]
    assert len(out) == FRAMES and len(out[-1].contact_b) > 10
    assert out[-1].coordination.max() >= 3
    return out


@pytest.fixture(scope="module")
def vtk_folder(scree, run):
    scree("export", "out", "vtk", "-q")
    return run / "vtk"


def cell_areas(data):
    def area(cell):
        x, y = data.points[cell][:, :2].T
        return 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))

    return np.array([area(cell) for cell in data.polys])


def distance_to_line(points, line):
    """Largest distance of points from a closed line."""
    a, b = line, np.roll(line, -1, axis=0)
    ab = b - a
    along = np.clip(((points[:, None] - a) * ab).sum(axis=2) / (ab * ab).sum(axis=1), 0, 1)
    return np.linalg.norm(points[:, None] - (a + along[..., None] * ab), axis=2).min(axis=1).max()


def test_vtk_has_a_file_a_frame_and_part(vtk_folder, frames):
    assert len(list(vtk_folder.iterdir())) == len(PARTS) * (FRAMES + 1)
    for part in PARTS:
        entries = collection(vtk_folder / f"{part}.pvd")
        np.testing.assert_array_equal([time for time, _ in entries], [f.time for f in frames])
        for (time, name), frame in zip(entries, frames):
            assert PolyData(vtk_folder / name).field["TimeValue"][0] == frame.time


def check_grain_data(data, owners, f):
    """`owners`: index of the grain of every cell or point."""
    np.testing.assert_array_equal(data["id"], f.id[owners])
    for name, expected in [("type", f.type), ("group", f.group), ("kind", f.kind), ("coordination", f.coordination)]:
        np.testing.assert_array_equal(data[name], expected[owners], err_msg=name)
    speed = np.hypot(*f.v.T)
    for name, expected in [("radius", f.radius), ("spin", f.omega), ("angle", f.theta), ("speed", speed)]:
        np.testing.assert_allclose(data[name], expected[owners], rtol=1e-6, err_msg=name)
    np.testing.assert_allclose(data["force"], f.force[owners], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(data["velocity"][:, :2], f.v[owners])
    assert (data["velocity"][:, 2] == 0).all()


@pytest.mark.parametrize("k", [0, FRAMES - 1])
def test_vtk_grains_are_true_outlines(vtk_folder, frames, k):
    f = frames[k]
    grains = PolyData(vtk_folder / f"grains-{k:05}.vtp")
    assert grains.field["type_names"] == f.type_names
    owners = np.searchsorted(f.id, grains.cell_data["id"])
    check_grain_data(grains.cell_data, owners, f)
    # A disc is one polygon, others are triangles; all are counter-clockwise and fill each solid once: a hole counts for
    # nothing, two parts for both. A curve that is a thousandth of the radius off costs a disc 0.13 % of its area.
    discs = f.type == f.type_names.index("disc")
    assert (np.bincount(owners)[discs] == 1).all()
    assert all(len(cell) == 3 for cell, owner in zip(grains.polys, owners) if not discs[owner])
    areas = cell_areas(grains)
    assert (areas > 0).all()
    np.testing.assert_allclose(np.bincount(owners, areas), f.area, rtol=2e-3)
    squares = f.type == f.type_names.index("pair")
    np.testing.assert_allclose(np.bincount(owners, areas)[squares], f.area[squares], rtol=1e-5)
    # Their corners are the outline's.
    for i in range(len(f.id)):
        corners = np.unique(np.concatenate([grains.polys[c] for c in np.flatnonzero(owners == i)]))
        outline = f.outline(i)
        distance = np.abs(grains.points[corners][:, None, :2] - outline[None]).max(axis=2)
        assert distance.min(axis=1).max() < 1e-6


@pytest.mark.parametrize("k", [0, FRAMES - 1])
def test_vtk_outlines_and_centres(vtk_folder, frames, k):
    f = frames[k]
    lines = PolyData(vtk_folder / f"outlines-{k:05}.vtp")
    owners = np.searchsorted(f.id, lines.cell_data["id"])
    check_grain_data(lines.cell_data, owners, f)
    np.testing.assert_array_equal(np.bincount(owners), f.loops)  # a ring has two, so has the pair of squares
    assert all(line[0] == line[-1] and len(line) > 3 for line in lines.lines)
    for i in range(len(f.id)):
        drawn = [lines.points[lines.lines[c][:-1]][:, :2] for c in np.flatnonzero(owners == i)]
        loops = np.split(f.outline(i), f.starts[f.type[i]])
        for loop, line in zip(loops, drawn):
            assert distance_to_line(loop, line) < 1.01e-3 * f.radius[i]
            assert np.abs(line[:, None] - loop[None]).max(axis=2).min(axis=1).max() < 1e-6
    centres = PolyData(vtk_folder / f"centres-{k:05}.vtp")
    check_grain_data(centres.point_data, np.arange(len(f.id)), f)
    np.testing.assert_allclose(centres.points[:, :2], f.x, atol=1e-7)


def test_vtk_contacts(vtk_folder, frames):
    f = frames[-1]
    contacts = PolyData(vtk_folder / f"contacts-{FRAMES - 1:05}.vtp")
    data = contacts.cell_data
    at_wall = f.contact_wall >= 0
    np.testing.assert_array_equal(data["a"], np.where(at_wall, -1, f.contact_a.astype(int)))
    np.testing.assert_array_equal(data["b"], f.contact_b)
    np.testing.assert_array_equal(data["wall"], f.contact_wall)
    np.testing.assert_array_equal(data["normal_force"], f.contact_normal_force)
    tangent = np.column_stack([-f.contact_normal[:, 1], f.contact_normal[:, 0]])
    force = f.contact_normal * f.contact_normal_force[:, None] + tangent * f.contact_tangential_force[:, None]
    np.testing.assert_allclose(data["force"][:, :2], force, rtol=1e-5, atol=1e-6)
    centre = dict(zip(f.id, f.x))
    for k, line in enumerate(contacts.lines):
        start = f.contact_point[k] if at_wall[k] else centre[f.contact_a[k]]
        np.testing.assert_allclose(contacts.points[line][:, :2], [start, centre[f.contact_b[k]]], atol=1e-6)


def test_vtk_walls(vtk_folder):
    walls = PolyData(vtk_folder / "walls-00000.vtp")
    assert walls.field["wall_names"][3] == "sill"
    assert len(walls.lines) == 4  # three sides of the box and the outline of the sill
    wall = walls.cell_data["wall"]
    np.testing.assert_array_equal(wall[:4], [0, 1, 2, 3])
    # A stadium of length 0.2 and thickness 0.02: round ends of 256 sides.
    areas = cell_areas(walls)
    np.testing.assert_allclose(areas.sum(), 0.2 * 0.02 + np.pi * 0.01**2, rtol=1e-3)
    assert (wall[4:] == 3).all()
    # The solid is on the left: below the floor.
    floor = next(walls.points[line] for line in walls.lines[:3] if np.ptp(walls.points[line][:, 1]) < 1e-6)
    assert floor[1, 0] < floor[0, 0]


def test_vtk_reads_its_own_format(vtk_folder, frames):
    vtk = needed("vtkmodules.all")
    numbers = needed("vtkmodules.util.numpy_support").vtk_to_numpy
    for part in PARTS:
        reader = vtk.vtkXMLPolyDataReader()
        reader.SetFileName(str(vtk_folder / f"{part}-{FRAMES - 1:05}.vtp"))
        assert reader.CanReadFile(reader.GetFileName())
        reader.Update()
        data, own = reader.GetOutput(), PolyData(reader.GetFileName())
        assert data.GetNumberOfPolys() == len(own.polys) and data.GetNumberOfLines() == len(own.lines)
        assert data.GetNumberOfVerts() == len(own.verts)
        np.testing.assert_array_equal(numbers(data.GetPoints().GetData()), own.points)
        for values, stored in [(own.cell_data, data.GetCellData()), (own.point_data, data.GetPointData())]:
            assert stored.GetNumberOfArrays() == len(values)
            for name, value in values.items():
                np.testing.assert_array_equal(numbers(stored.GetArray(name)), value)
        if part == "grains":
            names = data.GetFieldData().GetAbstractArray("type_names")
            assert [names.GetValue(i) for i in range(names.GetNumberOfValues())] == frames[-1].type_names
            size = vtk.vtkCellSizeFilter()
            size.SetInputData(data)
            size.Update()
            area = numbers(size.GetOutput().GetCellData().GetArray("Area")).sum()
            np.testing.assert_allclose(area, frames[-1].area.sum(), rtol=2e-3)


def read_dump(file):
    """Frames of a LAMMPS text dump: items by name, and the table of atoms."""
    frames, items, lines = [], {}, iter(open(file).read().splitlines())
    for line in lines:
        assert line.startswith("ITEM: "), line
        name = line[6:]
        if name.startswith("BOX BOUNDS"):
            items["borders"] = name.split()[2:]
            items["box"] = np.array([[float(v) for v in next(lines).split()] for _ in range(3)])
        elif name.startswith("ATOMS"):
            columns = name.split()[1:]
            atoms = [[float(v) for v in next(lines).split()] for _ in range(int(items["NUMBER OF ATOMS"]))]
            frames.append((items, dict(zip(columns, np.array(atoms).T))))
            items = {}
        else:
            items[name] = next(lines)
    return frames


def test_lammps_dump(scree, run, frames):
    scree("export", "out", "lammps", "-o", "a.dump", "-q")
    dump = read_dump(scree.folder / "a.dump")
    assert dump[0][0]["UNITS"] == "si" and len(dump) == FRAMES
    for (items, atoms), f in zip(dump, frames):
        assert float(items["TIME"]) == f.time and int(items["TIMESTEP"]) == f.step
        assert items["borders"] == ["ff", "ff", "pp"]
        position = np.column_stack([atoms["x"], atoms["y"]])
        np.testing.assert_array_equal(position, f.x)
        np.testing.assert_array_equal(atoms["id"], f.id + 1)
        np.testing.assert_array_equal(atoms["type"], f.type + 1)
        np.testing.assert_array_equal(atoms["angle"], f.theta)
        np.testing.assert_array_equal(atoms["coordination"], f.coordination)
        np.testing.assert_allclose(atoms["vy"], f.v[:, 1], rtol=1e-6)
        np.testing.assert_allclose(atoms["omegaz"], f.omega, rtol=1e-6)
        turn = 2 * np.arctan2(atoms["quatk"], atoms["quatw"])
        np.testing.assert_allclose(np.exp(1j * turn), np.exp(1j * f.theta), atol=1e-6)
        for axis in range(2):  # every grain lies in the box, whole
            assert (position[:, axis] - atoms["radius"] >= items["box"][axis, 0]).all()
            assert (position[:, axis] + atoms["radius"] <= items["box"][axis, 1]).all()


def test_ase_reads_the_dump(scree, run, frames):
    read = needed("ase.io").read
    scree("export", "out", "lammps", "-o", "ase.dump", "-q")
    images = read(scree.folder / "ase.dump", index=":", format="lammps-dump-text")
    assert len(images) == FRAMES
    np.testing.assert_allclose(images[-1].positions[:, :2], frames[-1].x, atol=1e-12)
    assert images[-1].pbc.tolist() == [False, False, True]


def test_csv_holds_everything(scree, run, frames):
    scree("export", "out", "csv", "--every", "5", "-o", "tables", "-q")
    grains = list(csv.DictReader(open(scree.folder / "tables" / "grains.csv")))
    contacts = list(csv.DictReader(open(scree.folder / "tables" / "contacts.csv")))
    walls = list(csv.DictReader(open(scree.folder / "tables" / "walls.csv")))
    assert sorted({int(row["frame"]) for row in grains}) == [0, 5, 10]
    rows = [row for row in grains if row["frame"] == "10"]
    f = frames[10]
    column = lambda name, table=rows: np.array([float(row[name]) for row in table])
    columns = {"x": f.x[:, 0], "y": f.x[:, 1], "angle": f.theta, "vx": f.v[:, 0], "vy": f.v[:, 1], "spin": f.omega}
    for name, expected in columns.items():
        np.testing.assert_array_equal(column(name), expected, err_msg=name)
    assert [row["grain"] for row in rows] == [f.type_names[t] for t in f.type]
    assert {(row["kind"], row["group"]) for row in rows} == {("moving", "grains"), ("fixed", "obstacle")}
    touching = [row for row in contacts if row["frame"] == "10"]
    np.testing.assert_array_equal(column("normal_force", touching), f.contact_normal_force)
    assert [row["a"] == "" for row in touching] == (f.contact_wall >= 0).tolist()
    assert [row["wall"] == "" for row in touching] == (f.contact_wall < 0).tolist()
    assert len(walls) == 3 * 4 and walls[3]["name"] == "sill" and walls[3]["active"] == "1"


def probe(file, *entries):
    """What ffprobe says of the first stream."""
    command = ["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-of", "csv=p=0", "-show_entries"]
    command += ["stream=" + ",".join(entries), str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().split(",")


def test_pictures_and_films(scree, run):
    scree("export", "out", "mp4", "--frames", "0..last", "--size", "320x0", "-o", "film.mp4", "-q")
    codec, width, _, frames = probe(scree.folder / "film.mp4", "codec_name", "width", "height", "nb_read_frames")
    assert (codec, width, frames) == ("h264", "320", str(FRAMES))
    scree("export", "out", "gif", "--frames", "2..8", "--every", "3", "-o", "film.gif", "-q")
    codec, width, _, frames = probe(scree.folder / "film.gif", "codec_name", "width", "height", "nb_read_frames")
    assert (codec, width, frames) == ("gif", "640", "3")
    scree("export", "out", "png", "--every", "4", "--size", "200x100", "-o", "pictures", "-q")
    names = sorted(p.name for p in (scree.folder / "pictures").iterdir())
    assert names == ["00000.png", "00001.png", "00002.png"]
    assert probe(scree.folder / "pictures" / "00002.png", "codec_name", "width", "height") == ["png", "200", "100"]


def test_svg_is_a_drawing(scree, run):
    import xml.etree.ElementTree as tree

    scree("export", "out", "svg", "--size", "400x300", "--no-legend", "-o", "a.svg", "-q")
    root = tree.parse(scree.folder / "a.svg").getroot()
    assert (root.get("viewBox"), root.tag) == ("0 0 400 300", "{http://www.w3.org/2000/svg}svg")
    assert len(root.findall(".//{http://www.w3.org/2000/svg}path")) > 20
    assert not root.findall(".//{http://www.w3.org/2000/svg}image"), "areas, not pixels"
