"""What tests of the program from outside share: the program, in a folder of its own."""

import contextlib
import os
import pathlib
import signal
import subprocess

import pytest


class Scree:
    """The program in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.environment = {**os.environ, "SCREE_CACHE": str(folder / "cache")}

    def __call__(self, *arguments, expect=0):
        """Runs a command; its standard error when it was to fail, else its output."""
        command = [self.program, *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        assert done.returncode == expect, done.stderr
        return done.stderr if expect else done.stdout

    @contextlib.contextmanager
    def start(self, *arguments):
        """A command that goes on until the end of the block."""
        command = [self.program, *map(str, arguments)]
        with subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            try:
                yield process
            finally:
                process.send_signal(signal.SIGINT)
                process.wait(60)

    @contextlib.contextmanager
    def view(self, *arguments):
        """The address at which `scree view` serves."""
        with self.start("view", *arguments, "--no-open") as process:
            url = process.stdout.readline().strip()
            assert url.startswith("http://"), process.stderr.read()
            yield url


@pytest.fixture(scope="session")
def scree(tmp_path_factory):
    program = os.environ.get("SCREE_PROGRAM")
    if not program:
        pytest.skip("set SCREE_PROGRAM to the program of a build")
    return Scree(pathlib.Path(program).resolve(), tmp_path_factory.mktemp("scree"))
