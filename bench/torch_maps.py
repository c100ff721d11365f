#!/usr/bin/env python3
"""Neural maps in PyTorch: what `scree bench --device cuda` compares its queries with.

    scree map build hash hash --kind neural -o hash.safetensors
    python3 bench/torch_maps.py hash.safetensors [more maps] [--csv FILE]

Value, gradient by autograd and arm of random poses, as a user would write it, in four ways: eager in float32, eager
with TF32 products, the same captured in a CUDA graph (no launch costs), and torch.compile with TF32 where it works.
Median of 20 runs after 5, on device events.
"""
import argparse
import json
import math
import struct

import torch
from safetensors.torch import load_file


def read_metadata(path):
    """The text fields of a safetensors file."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(size))["__metadata__"]


def build_net(tensors, name, metadata):
    """The net `name` as torch.nn layers with the weights of the file."""
    activation = torch.nn.SiLU if metadata[f"neural.{name}.activation"] == "silu" else torch.nn.ReLU
    hidden = int(metadata[f"neural.{name}.hidden"])
    layers = []
    for i in range(hidden + 1):
        weight, bias = tensors[f"{name}.layers.{i}.weight"], tensors[f"{name}.layers.{i}.bias"]
        linear = torch.nn.Linear(weight.shape[1], weight.shape[0])
        linear.weight.data.copy_(weight)
        linear.bias.data.copy_(bias)
        layers += [linear] if i == hidden else [linear, activation()]
    net = torch.nn.Sequential(*layers).cuda()
    for parameter in net.parameters():
        parameter.requires_grad_(False)
    return net


class TorchMap:
    """A map file as PyTorch evaluates it."""

    def __init__(self, path):
        metadata, tensors = read_metadata(path), load_file(path)
        self.name = metadata["neural.net"]
        self.reach = float(metadata["neural.reach"])
        self.periodic = metadata["neural.encoding"] == "periodic"
        self.order = int(metadata["neural.order"])
        self.gap_net = build_net(tensors, "gap", metadata)
        self.arm_net = build_net(tensors, "arm", metadata)

    def encode(self, x, y, theta):
        if self.periodic:
            return torch.stack((x, y, torch.cos(self.order * theta), torch.sin(self.order * theta)), dim=1)
        return torch.stack((x, y, theta), dim=1)

    def gap(self, x, y, theta):
        return self.gap_net(self.encode(x, y, theta)).squeeze(1)

    def query(self, x, y, theta):
        """Gap, its derivatives by x, y and theta, and the arm; the inputs require gradients."""
        gap = self.gap(x, y, theta)
        gradient = torch.autograd.grad(gap, (x, y, theta), torch.ones_like(gap))
        with torch.no_grad():
            arm = self.arm_net(self.encode(x, y, theta)).squeeze(1)
        return (gap, *gradient, arm)

    def functional_query(self, x, y, theta):
        """The same for torch.compile, which has no autograd.grad."""
        gap, back = torch.func.vjp(self.gap, x, y, theta)
        return (gap, *back(torch.ones_like(gap)), self.arm_net(self.encode(x, y, theta)).squeeze(1))


def random_poses(count, reach):
    generator = torch.Generator(device="cuda").manual_seed(11)
    r, phi, theta = torch.rand(3, count, device="cuda", generator=generator)
    r, phi = reach * r.sqrt(), 2 * math.pi * phi
    return [p.contiguous().requires_grad_() for p in (r * phi.cos(), r * phi.sin(), math.pi * (2 * theta - 1))]


def median_ms(call, repeats=20, warm_up=5):
    times = []
    for i in range(repeats + warm_up):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        if i >= warm_up:
            times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def capture(call):
    """A replay of `call` as one CUDA graph."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        graph.kept = call()
    return graph.replay


WAYS = ["eager fp32", "graph fp32", "eager tf32", "graph tf32", "compile tf32"]


def ways(net, poses, wanted):
    """Name and call of each wanted way to evaluate."""
    torch.backends.cuda.matmul.allow_tf32 = False
    if "eager fp32" in wanted:
        yield "eager fp32", lambda: net.query(*poses)
    if "graph fp32" in wanted:
        yield "graph fp32", capture(lambda: net.query(*poses))
    torch.backends.cuda.matmul.allow_tf32 = True
    if "eager tf32" in wanted:
        yield "eager tf32", lambda: net.query(*poses)
    if "graph tf32" in wanted:
        yield "graph tf32", capture(lambda: net.query(*poses))
    if "compile tf32" not in wanted:
        return
    try:
        with torch.no_grad():
            plain = [p.detach() for p in poses]
            compiled = torch.compile(net.functional_query, dynamic=False)
            compiled(*plain)
            yield "compile tf32", capture(lambda: compiled(*plain))
    except Exception as problem:  # a compiler that is not there must not hide the other rows
        print(f"# torch.compile: {type(problem).__name__}: {str(problem).splitlines()[0]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("maps", nargs="+", help="safetensors files of neural maps")
    parser.add_argument("--poses", type=int, nargs="+", default=[30_000, 3_000_000])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--csv", help="write the rows here, too")
    arguments = parser.parse_args()
    rows = ["net,poses,way,ms"]
    print(f"# PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
    for path in arguments.maps:
        net = TorchMap(path)
        for count in arguments.poses:
            torch.compiler.reset()
            poses = random_poses(count, net.reach)
            for way, call in ways(net, poses, arguments.ways):
                rows.append(f"{net.name},{count},{way},{median_ms(call):.4f}")
                print(rows[-1], flush=True)
    if arguments.csv:
        with open(arguments.csv, "w", encoding="utf-8") as file:
            file.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
