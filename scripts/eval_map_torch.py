#!/usr/bin/env python3
"""Evaluates a neural contact map in PyTorch: gap, its gradient by autograd, and arm.

    scripts/eval_map_torch.py map.safetensors --pose 0.3 1.2 -0.4       theta, x, y in units of A's circumradius
    scripts/eval_map_torch.py map.safetensors --queries answers.csv     compares with what Scree answered

The CSV has the columns theta,x,y,gap,gap_theta,gap_x,gap_y,arm. Exit codes: 0 fine, 1 numbers differ by more than the
tolerance, 2 wrong use or a package is missing.
"""

import argparse
import csv
import math
import sys

TOLERANCE = 1e-4  # 32-bit floats on both sides, in another order of summation

try:
    import torch
    from safetensors.torch import load_file
    from safetensors import safe_open
except ImportError as error:
    print(
        f"eval_map_torch: {error.name} is not installed.\n"
        "  remedy: pip install safetensors, and PyTorch as its site says (its CPU build is the small one)\n"
        "  (tests/python/test_safetensors.py makes the same check with NumPy alone)",
        file=sys.stderr,
    )
    sys.exit(2)


def build_net(name, metadata, tensors):
    """The net `name` ("gap" or "arm") as torch.nn.Sequential, its Linear layers loaded as they stand in the file."""
    hidden, width = int(metadata[f"neural.{name}.hidden"]), int(metadata[f"neural.{name}.width"])
    activation = torch.nn.SiLU if metadata[f"neural.{name}.activation"] == "silu" else torch.nn.ReLU
    inputs = 3 if metadata["neural.encoding"] == "raw" else 4
    layers = []
    for layer in range(hidden + 1):
        linear = torch.nn.Linear(inputs if layer == 0 else width, width if layer < hidden else 1)
        linear.load_state_dict({part: tensors[f"{name}.layers.{layer}.{part}"] for part in ("weight", "bias")})
        layers += [linear, activation()] if layer < hidden else [linear]
    return torch.nn.Sequential(*layers)


def encode(metadata, poses):
    theta, xy = poses[:, :1], poses[:, 1:]
    if metadata["neural.encoding"] == "raw":
        return torch.cat([xy, theta - 2 * math.pi * torch.floor(theta / (2 * math.pi) + 0.5)], dim=1)
    k = int(metadata["neural.order"])
    return torch.cat([xy, torch.cos(k * theta), torch.sin(k * theta)], dim=1)


def evaluate(path, poses):
    """Columns gap, gap_theta, gap_x, gap_y, arm for poses (theta, x, y)."""
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata() or {}
    if "neural.net" not in metadata:
        print(f"eval_map_torch: {path} is no neural map", file=sys.stderr)
        sys.exit(2)
    tensors = load_file(path)
    poses = poses.clone().requires_grad_(True)
    inputs = encode(metadata, poses)
    gap = build_net("gap", metadata, tensors)(inputs)
    (gradient,) = torch.autograd.grad(gap.sum(), poses)
    with torch.no_grad():
        arm = build_net("arm", metadata, tensors)(inputs)
    return torch.cat([gap, gradient, arm], dim=1).detach()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("map", help="the safetensors file of a neural map")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--pose", nargs=3, type=float, metavar=("THETA", "X", "Y"))
    what.add_argument("--queries", help="CSV of poses and Scree's answers")
    options = parser.parse_args()
    columns = ["gap", "gap_theta", "gap_x", "gap_y", "arm"]
    if options.pose:
        answer = evaluate(options.map, torch.tensor([options.pose], dtype=torch.float32))[0]
        for name, value in zip(columns, answer.tolist()):
            print(f"{name:10} {value: .6f}")
        return 0
    with open(options.queries, newline="") as file:
        rows = list(csv.DictReader(file))
    poses = torch.tensor([[float(r[c]) for c in ("theta", "x", "y")] for r in rows], dtype=torch.float32)
    expected = torch.tensor([[float(r[c]) for c in columns] for r in rows], dtype=torch.float32)
    worst = (evaluate(options.map, poses) - expected).abs().max(dim=0).values
    for name, value in zip(columns, worst.tolist()):
        print(f"{name:10} differs by at most {value:.1e}")
    limit = torch.full((5,), TOLERANCE)
    limit[1] *= 4  # d/dtheta is k times larger than the net's own derivatives
    return 0 if bool((worst <= limit).all()) else 1


if __name__ == "__main__":
    sys.exit(main())
