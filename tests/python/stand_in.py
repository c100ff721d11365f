#!/usr/bin/env python3
"""What a command of the documents becomes when a test follows them: itself, but for what is named here.

test_guides.py puts links to this file, named after commands, first on the path."""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FULL = "SCREE_TEST_FULL" in os.environ

# Never run. Of `make` it is still checked that the target is there.
NOT_RUN = {
    "make build": "installs packages and builds for minutes",
    "make demo": "installs packages and builds for minutes",
    "make install": "writes to /usr/local",
    "make test": "this test is a part of it",
    "make test-full": "this test is a part of it",
    "make bench-peers": "installs three other programs",
    "scripts/setup": "installs packages",
    "scripts/setup --test": "installs packages",
    "pip install .": "builds for minutes; make test-full does it",
    "cmake --preset debug": "builds for minutes",
    "cmake --build --preset debug": "builds for minutes",
    "ctest --preset debug": "needs that build",
    "cmake --preset release -D SCREE_PYTHON=ON -D Python_EXECUTABLE=$PWD/.venv/bin/python": "the build that is tested",
    "cmake --build --preset release": "the build that is tested",
    "cmake --preset release -D SCREE_CUDA=ON": "needs a CUDA compiler",
    "scree run scenes/first.toml --device cuda -o out/first-gpu": "needs a GPU",
    "make film-gpu": "needs a GPU",
    "scree run scenes/million-silo.toml --device cuda -o out/million --film out/million/silo.mp4": "needs a GPU",
    "scree bench --device cuda": "needs a GPU",
    "scree bench --device cuda --only hash,room": "needs a GPU",
    "scree bench --device cuda --only stars --grains 200000 --settle 3": "needs a GPU",
    "scree bench scenes --profile": "settles beds for half an hour",
    "scree bench scenes --only hashes-10k --threads 2": "settles a bed for minutes",
    "scree bench scenes --only hashes-1M": "a million grains: half an hour",
}

# Run by `make test-full` alone.
LONG = {
    "scree view scenes/drum.toml": "54 maps",
    "scree run scenes/drum.toml -o out/drum": "54 maps",
    "scree map train hash hash --net relu-3x32 -o net.safetensors": "trains a net",
    "scree bench maps": "trains nets",
    "scree bench stars": "half a minute",
    "scree compare scenes/first.toml": "trains nets",
    "scree compare scenes/star-heap.toml --with star,clump,table --until 0.5 --html heap.html": "half a minute",
    "scree compare scenes/quick/heap.toml --with table --seeds 36 -m 'repose:y=[0,60]' -m runout "
    "--set step.solver=implicit --set step.dt=auto --set step.one_plane=true": "a minute",
    "scree reproduce all --quick": "nine minutes",
    "scree reproduce silo chain -o out/reproduce": "two minutes, quick",
    "scree reproduce silo -o out/reproduce": "a minute, quick",
    "build/release/tests/test_physics --gtest_output=xml:figures.xml": "a minute",
}

# Of scenes/ all but the first and the quick ones get this part of their time: tests/scene runs them to their ends.
SHARE = 0.05 if FULL else 0.002


def shortened(words):
    if words[0] == "run" and re.fullmatch(r"scenes/((reproduce|bench)/)?(?!first)[a-z-]+\.toml", words[1]):
        duration = float(re.search(r"^duration *= *([^ #\n]+)", pathlib.Path(words[1]).read_text(), re.MULTILINE)[1])
        coarse = [] if FULL else ["--set", "maps.nodes=32", "--set", "maps.theta_nodes=16"]
        return [*words, "--until", str(SHARE * duration), *coarse]
    if words[0] == "reproduce" and "--quick" not in words and "--list" not in words:
        return [*words, "--quick"]
    if words[0] == "render" and "--every" not in words and not FULL:
        return [*words, "--every", "10"]
    return words


def serve(command):
    """Starts `scree view`, waits for the address, and ends it as Ctrl-C does."""
    process = subprocess.Popen([*command, "--no-open"], stdout=subprocess.PIPE, text=True)
    address = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.wait(60)
    return 0 if address.startswith("http://") else 1


def main(name, words):
    line = shlex.join([name, *words]).replace(os.getcwd(), "$PWD")
    program = pathlib.Path(os.environ["SCREE_PROGRAM"])
    build = program.parent.parent
    if line in LONG and not FULL:
        return 0
    if name == "make":
        return make(words, line, build)
    if line in NOT_RUN:
        return 0
    if name == "scree":
        if words[0] == "view" and "--html" not in words:
            return serve([program, *words])
        return subprocess.call([program, *shortened(words)])
    if name.startswith("build/release/"):
        return subprocess.call([build / name.removeprefix("build/release/"), *words])
    others = os.pathsep.join(p for p in os.environ["PATH"].split(os.pathsep) if not p.endswith("stand-ins"))
    return subprocess.call([shutil.which(name, path=others), *words])


def make(words, line, build):
    if words[:1] == ["install"] and line not in NOT_RUN:  # what it does after the build
        prefix = words[1].removeprefix("PREFIX=")
        return subprocess.call(["cmake", "--install", build, "--prefix", prefix], stdout=subprocess.DEVNULL)
    if words and line not in NOT_RUN:
        sys.exit(f"stand_in.py does not know {line}")
    return subprocess.call(["/usr/bin/make", "-C", ROOT, "-n", *words], stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    called = pathlib.Path(sys.argv[0])
    sys.exit(main(called.name if called.is_absolute() else str(called), sys.argv[1:]))
