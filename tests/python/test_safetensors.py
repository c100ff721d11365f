"""Nets that Scree writes, opened with the `safetensors` package and evaluated in NumPy to the same numbers.

The files come from SCREE_NET_FILE and SCREE_NET_QUERIES (one net and its table of poses and answers) when both are
set; otherwise the C++ test program writes them. It is SCREE_TEST_MAP_IO, or lies beside the program SCREE_PROGRAM.
"""

import csv
import os
import pathlib
import subprocess

import numpy as np
import pytest
from safetensors import safe_open

# Scree evaluates in 32-bit floats, NumPy here in 64-bit: a few thousand roundings of 6e-8 on numbers of size 1.
TOLERANCE = 1e-4


def test_program():
    """The C++ test program that writes example nets, or None."""
    named = os.environ.get("SCREE_TEST_MAP_IO")
    if named:
        return pathlib.Path(named)
    program = os.environ.get("SCREE_PROGRAM")
    if program:
        beside = pathlib.Path(program).resolve().parent.parent / "tests" / "test_map_io"
        if beside.exists():
            return beside
    return None


test_program.__test__ = False


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    """Pairs (net file, query file)."""
    if "SCREE_NET_FILE" in os.environ and "SCREE_NET_QUERIES" in os.environ:
        return [(pathlib.Path(os.environ["SCREE_NET_FILE"]), pathlib.Path(os.environ["SCREE_NET_QUERIES"]))]
    program = test_program()
    if program is None:
        pytest.skip("set SCREE_TEST_MAP_IO to the test program test_map_io of a build")
    folder = tmp_path_factory.mktemp("nets")
    subprocess.run(
        [program, "--gtest_filter=NetFiles.*"], env={**os.environ, "SCREE_NET_FOLDER": str(folder)}, check=True
    )
    files = sorted(folder.glob("*.safetensors"))
    assert len(files) == 3
    return [(file, file.with_suffix(".csv")) for file in files]


def load(path):
    """Metadata (without the prefix "neural.") and tensors of a net file."""
    with safe_open(path, framework="numpy") as file:
        metadata = {k.removeprefix("neural."): v for k, v in file.metadata().items()}
        return metadata, {name: file.get_tensor(name) for name in file.keys()}


def encode(metadata, pose):
    """Input of the nets [n, inputs] and its derivative by theta, for poses (theta, x, y)."""
    theta, x, y = pose.T
    zero = np.zeros_like(x)
    if metadata["encoding"] == "raw":
        theta = theta - 2 * np.pi * np.floor(theta / (2 * np.pi) + 0.5)
        return np.stack([x, y, theta], axis=1), np.stack([zero, zero, zero + 1], axis=1)
    k = int(metadata["order"])
    cos, sin = np.cos(k * theta), np.sin(k * theta)
    return np.stack([x, y, cos, sin], axis=1), np.stack([zero, zero, -k * sin, k * cos], axis=1)


def evaluate(metadata, tensors, net, inputs):
    """Value [n] and gradient by the input [n, inputs] of one net."""
    hidden = int(metadata[f"{net}.hidden"])
    assert tensors[f"{net}.layers.0.weight"].shape == (int(metadata[f"{net}.width"]), inputs.shape[1])
    a, slopes = inputs, []
    for layer in range(hidden):
        z = a @ tensors[f"{net}.layers.{layer}.weight"].astype(float).T + tensors[f"{net}.layers.{layer}.bias"]
        if metadata[f"{net}.activation"] == "silu":
            gate = 1 / (1 + np.exp(-z))
            a = z * gate
            slopes.append(gate + a * (1 - gate))
        else:
            a = np.maximum(z, 0)
            slopes.append((z > 0).astype(float))
    weight = tensors[f"{net}.layers.{hidden}.weight"].astype(float)
    value = (a @ weight.T)[:, 0] + tensors[f"{net}.layers.{hidden}.bias"][0]
    gradient = np.repeat(weight, len(inputs), axis=0)
    for layer in reversed(range(hidden)):
        gradient = (gradient * slopes[layer]) @ tensors[f"{net}.layers.{layer}.weight"].astype(float)
    return value, gradient


def read_queries(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def test_numpy_gives_the_same_numbers(nets):
    for net_file, query_file in nets:
        metadata, tensors = load(net_file)
        assert all(t.dtype == np.float32 for t in tensors.values())
        queries = read_queries(query_file)
        inputs, by_theta = encode(metadata, np.stack([queries["theta"], queries["x"], queries["y"]], axis=1))
        gap, gradient = evaluate(metadata, tensors, "gap", inputs)
        arm, _ = evaluate(metadata, tensors, "arm", inputs)
        np.testing.assert_allclose(gap, queries["gap"], rtol=0, atol=TOLERANCE)
        np.testing.assert_allclose(gradient[:, 0], queries["gap_x"], rtol=0, atol=TOLERANCE)
        np.testing.assert_allclose(gradient[:, 1], queries["gap_y"], rtol=0, atol=TOLERANCE)
        np.testing.assert_allclose((gradient * by_theta).sum(axis=1), queries["gap_theta"], rtol=0, atol=4 * TOLERANCE)
        np.testing.assert_allclose(arm, queries["arm"], rtol=0, atol=TOLERANCE)


def test_metadata_says_what_the_nets_are(nets):
    for net_file, _ in nets:
        metadata, tensors = load(net_file)
        assert metadata["net"] and float(metadata["reach"]) > 0
        assert metadata["encoding"] in ("raw", "periodic")
        for net in ("gap", "arm"):
            count = int(metadata[f"{net}.hidden"]) + 1
            names = {f"{net}.layers.{layer}.{part}" for layer in range(count) for part in ("weight", "bias")}
            assert names == {name for name in tensors if name.startswith(net + ".")}
