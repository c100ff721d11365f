"""The page of `scree view` in a real browser: the program, a run, Chromium."""

import os
import shutil

import pytest

playwright = pytest.importorskip("playwright.sync_api")
PATIENCE = 90000  # ms; a machine that has other work to do may be slow
playwright.expect.set_options(timeout=PATIENCE)

SCENE = """
title = "Discs and rings"
units = "SI"
[run]
duration = 0.6
frames = 0.02
[step]
dt = 2e-4
[gravity]
g = [0, -9.81]
[maps]
nodes = 32
theta_nodes = 16
[materials.default]
density = 1000
[grains]
disc = { radius = 0.05 }
ring = { radius = 0.06 }
[[insert]]
method = "lattice"
mixture = { disc = 0.5, ring = 0.5 }
x = [-0.3, 0.3]
y = [0.05, 1]
count = 30
[[walls]]
name = "box"
kind = "box"
x = [-0.3, 0.3]
y = [0, 1.2]
sides = ["left", "right", "bottom"]
[[measures]]
kind = "packing"
every = 0.05
"""

# Software rendering: what a machine without a GPU has.
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
             "--disable-dev-shm-usage"]


@pytest.fixture(scope="session")
def scree(scree):
    # A build without the viewer says so; it is not a failure of the page.
    if "not in this build" in scree("--help"):
        pytest.skip("the program was built without the viewer")
    (scree.folder / "scene.toml").write_text(SCENE)
    return scree


@pytest.fixture(scope="session")
def run(scree):
    """The folder of a finished run."""
    scree("run", "scene.toml", "-o", "out", "--quiet")
    return scree.folder / "out"


@pytest.fixture(scope="session")
def browser():
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        pytest.skip("there is no Chromium; scripts/setup --browser installs it on Debian")
    with playwright.sync_playwright() as api:
        browser = api.chromium.launch(executable_path=chromium, args=ARGUMENTS, timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    """A new page; the test fails when a script on it does."""
    context = browser.new_context(viewport={"width": 1100, "height": 720}, accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    yield page
    context.close()
    assert not problems, problems
