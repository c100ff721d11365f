"""The documents, as a reader follows them: every block of every page, from top to bottom, in a folder of its own.

block                   what is done with it
any, title="NAME"       written to the file NAME; with title="NAME: BASE and ..." after the text of BASE
sh                      run by bash; stand_in.py names the few commands that are left out or shortened
text                    must follow sh: what the commands print. Numbers are those of one machine; ... is anything.
                        With a line `remedy:` it is the message with which the last command fails, to the letter
python                  run, in one namespace a page
toml                    given to `scree check`; where tables are missing that every scene has, AROUND has them
cpp                     compiled; without a main it stands in a function that has a `simulation`
"""

import os
import pathlib
import re
import subprocess
import sys

import matplotlib
import matplotlib.pyplot as plt
import pytest
import stand_in

matplotlib.use("Agg")
ROOT = stand_in.ROOT
PAGES = ["README.md", "CONTRIBUTING.md", *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/**/*.md"))]
BLOCK = re.compile(r'^```(\w*)(?: title="([^"]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"

AROUND = {
    "run": "duration = 1",
    "step": "dt = 1e-4",
    "materials": "default = { density = 1000 }",
    "grains": "disc = { radius = 0.05 }",
}


def as_pattern(text, exact):
    """A pattern for a text block, with any blanks between its words."""
    def of_part(part):
        return re.escape(part) if exact else NUMBER.join(map(re.escape, re.split(NUMBER, part)))

    return r"\s+".join(".*?".join(map(of_part, word.split("..."))) for word in text.split())


def completed(part):
    """A scene around a part of one; every shape of the part becomes a grain."""
    if "[grains" not in part:
        shapes = re.findall(r"^\[shapes\.(\w+)\]", part, re.MULTILINE)
        part += "".join(f"\n[grains.{name}]\nradius = 0.05\n" for name in shapes)
    return part + "".join(f"\n[{name}]\n{text}\n" for name, text in AROUND.items() if f"[{name}" not in part)


class Reader:
    """Follows one page."""

    def __init__(self, scree, folder):
        self.scree, self.folder = scree, folder
        (folder / "scenes").symlink_to(ROOT / "scenes")
        bin = folder / "stand-ins"
        tests = {f"build/release/tests/test_{name}" for name in ("physics", "map")}
        for name in {"scree"} | tests | {command.split()[0] for command in stand_in.NOT_RUN}:
            link = folder / name if "/" in name else bin / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(stand_in.__file__)
        (folder / ".venv").symlink_to(sys.prefix)
        (folder / "build/release/python").symlink_to(scree.program.parent.parent / "python")
        self.environment = {**scree.environment, "SCREE_PROGRAM": str(scree.program),
                            "PATH": f"{bin}{os.pathsep}{os.environ['PATH']}"}
        self.names = {}
        self.printed = None  # by the commands just before

    def follow(self, text):
        for block in BLOCK.finditer(text):
            kind, title, body = block.groups()
            line = text.count("\n", 0, block.start()) + 1
            if title:
                self.write(title, body)
            else:
                assert hasattr(self, f"do_{kind}"), f"line {line}: a block of '{kind}' that no test runs"
                after = BLOCK.match(text, block.end() + 2)
                fails = kind == "sh" and after and after[1] == "text" and "remedy:" in after[3]
                printed = getattr(self, "do_" + kind)(body, line, fails)
                self.printed = printed if kind == "sh" else None

    def write(self, title, body):
        name, _, base = title.partition(": ")
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(((self.folder / base.split(" and ")[0]).read_text() if base else "") + body)

    def do_sh(self, body, line, fails):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=3600 if stand_in.FULL else 300)
        assert (done.returncode != 0) == bool(fails), f"line {line}: {body}\n{done.stdout}"
        assert fails or "remedy:" not in done.stdout, f"line {line}: {body}\n{done.stdout}"
        return done.stdout

    def do_text(self, body, line, _):
        assert self.printed is not None, f"line {line}: text that follows no commands"
        pattern = as_pattern(body, exact="remedy:" in body)
        assert re.search(pattern, self.printed, re.DOTALL), f"line {line}:\n{body}\nbut it is\n{self.printed}"

    def do_python(self, body, line, _):
        exec(compile("\n" * line + body, "page", "exec"), self.names)

    def do_toml(self, body, line, _):
        (self.folder / "part.toml").write_text(completed(body))
        self.do_sh("scree check part.toml", line, False)

    def do_cpp(self, body, line, _):
        if "int main" not in body:
            includes = "".join(re.findall(r"^#include.*\n", body, re.MULTILINE))
            rest = re.sub(r"^#include", "//", body, flags=re.MULTILINE)
            body = (f'{includes}#include "scree/step/simulation.hpp"\n'
                    f"void block([[maybe_unused]] scree::Simulation& simulation) {{\n{rest}}}\n")
        compiler = [os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", f"-I{ROOT / 'src'}", "-xc++", "-"]
        done = subprocess.run(compiler, input=body, capture_output=True, text=True)
        assert done.returncode == 0, f"line {line}:\n{done.stderr}"


@pytest.fixture
def reader(tmp_path, scree, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCREE_CACHE", scree.environment["SCREE_CACHE"])
    yield Reader(scree, tmp_path)
    plt.close("all")


@pytest.mark.parametrize("page", PAGES)
def test_page(page, reader):
    reader.follow((ROOT / page).read_text())


@pytest.mark.parametrize("page", PAGES)
def test_no_block_escapes(page):
    text = (ROOT / page).read_text()
    rest = BLOCK.sub("", text)
    assert "```" not in rest and "~~~" not in rest, "a fence that is not at the start of a line, or not closed"
    indented = re.search(r"^(    |\t)(\$ )?(scree|make|cmake|python3?|pip|import) .*", rest, re.MULTILINE)
    assert not indented, f"a command without a fence: {indented[0]}"


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)", BLOCK.sub("", (ROOT / page).read_text()))
    built = ("http", "api/index.html")  # elsewhere, or made by `make docs`
    assert [link for link in links if not link.startswith(built) and not (ROOT / page).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_commands_within_the_text_exist(page, scree):
    """`scree COMMAND --option` in a sentence: the command has the option."""
    for line in re.findall(r"`(scree [a-z][^`]+)`", BLOCK.sub("", (ROOT / page).read_text())):
        words = line.split()
        depth = 2 if words[1] in ("map", "bench") and re.fullmatch("[a-z]+", (words + [""])[2]) else 1
        help = scree(*words[1 : 1 + depth], "--help")
        assert [o for o in words if re.fullmatch("-[-a-z]+", o) and not re.search(o + r"\b", help)] == [], line


def test_exceptions_are_those_of_the_pages():
    words = " ".join(" ".join((ROOT / page).read_text().split()) for page in PAGES)
    stale = [command for command in (*stand_in.NOT_RUN, *stand_in.LONG) if command not in words]
    assert stale == []


@pytest.mark.parametrize("page", [
    "```\nscree --help\n```\n",
    "```ruby\nputs 1\n```\n",
    "```sh\nfalse\n```\n",
    "```sh\nscree check no.toml\n```\n",
    "```sh\nmake sense\n```\n",
    "```text\nas if printed\n```\n",
    "```sh\necho 1 a\n```\n\n```text\n2 b\n```\n",
    "```sh\ntrue\n```\n\n```text\nremedy: none\n```\n",
    "```python\nassert False\n```\n",
    "```toml\n[gravitation]\n```\n",
    "```cpp\nsimulation.fly();\n```\n",
])
def test_a_wrong_block_is_found(page, reader):
    with pytest.raises(AssertionError):
        reader.follow(page)


def test_right_blocks_pass(reader):
    reader.follow("```sh\necho 1.5 a and b\n```\n\n```text\n2 a ...\n```\n")
    reader.follow("```toml\n[gravity]\ng = [0, -1]\n```\n")
