"""The guides, as a reader follows them: their files are written, their commands run, page by page."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def follow(page, folder, program):
    """Does what the page says, and returns how many files it wrote and commands it ran."""
    (folder / "scenes").symlink_to(ROOT / "scenes")
    files = commands = 0
    for language, title, text in BLOCK.findall((ROOT / "docs" / page).read_text()):
        if title:
            name, _, base = title.partition(": ")
            start = (folder / base.split(" and ")[0]).read_text() if base else ""
            (folder / name).write_text(start + text)
            files += 1
        elif language == "sh":
            environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment,
                                  capture_output=True, text=True)
            assert done.returncode == 0, f"{page}:\n{text}\n{done.stdout}{done.stderr}"
            assert "remedy" not in done.stderr, done.stderr
            commands += text.count("scree ")
        else:
            assert language == "text", f"{page}: a block of {language} that no test runs"
    return files, commands


@pytest.mark.parametrize("page, files, commands", [("getting-started.md", 1, 8), ("how-to.md", 5, 11)])
def test_guide(page, files, commands, tmp_path, scree):
    assert follow(page, tmp_path, scree.program) == (files, commands)
    assert any(tmp_path.glob("out/*/trajectory.h5"))
