"""The whole page: controls, export, live sessions, one-file pages, tokens."""

import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request

import pytest
from pictures import colours
from playwright.sync_api import expect


def number_of(text):
    return float(re.search(r"-?[\d.]+", text).group())


@pytest.fixture
def shown(scree, run, page):
    with scree.view("out") as url:
        page.goto(url)
        expect(page.locator("#facts")).to_contain_text("30 grains")
        yield page


def test_scrubbing_shows_the_frame_that_was_asked_for(shown):
    shown.locator("#scrub").fill("17")
    expect(shown.locator("#time")).to_have_text("0.340 s")
    shown.locator("#stage").focus()
    shown.keyboard.press("ArrowRight")
    expect(shown.locator("#scrub")).to_have_value("18")
    shown.keyboard.press("Shift+ArrowLeft")
    expect(shown.locator("#scrub")).to_have_value("8")
    shown.keyboard.press("Home")
    expect(shown.locator("#time")).to_have_text("0.000 s")
    shown.keyboard.press("End")
    expect(shown.locator("#scrub")).to_have_value("30")


def test_play_pauses_and_keeps_its_speed(shown):
    shown.locator("#speed").select_option("0.05")
    shown.locator("#play").click()
    shown.wait_for_timeout(1200)
    shown.locator("#play").click()
    reached = number_of(shown.locator("#time").inner_text())
    assert 0.005 < reached < 0.2  # 0.05 a second, and a slow machine may lag
    shown.wait_for_timeout(300)
    assert number_of(shown.locator("#time").inner_text()) == pytest.approx(reached, abs=0.03)


def test_every_colouring_has_its_legend(shown):
    pictures = []
    for name in ("type", "group", "speed", "force", "angle", "coordination"):
        shown.locator(f"[data-colour={name}]").click()
        expect(shown.locator(f"[data-colour={name}]")).to_have_attribute("aria-pressed", "true")
        shown.wait_for_timeout(250)
        pictures.append(shown.locator("#stage").screenshot())
    assert len(set(pictures)) == 6
    shown.locator("#show-legend").uncheck()
    shown.wait_for_timeout(250)
    assert shown.locator("#stage").screenshot() != pictures[-1]


def test_a_scene_coloured_by_group_is_shown_so(scree, page):
    scene = (scree.folder / "scene.toml").read_text()
    upper = scene[scene.index("[[insert]]") : scene.index("[[walls]]")].replace("y = [0.05, 1]", "y = [1.1, 2]")
    scene = scene.replace("[[walls]]", upper.replace("count = 30", 'count = 20\ngroup = "upper"') + "[[walls]]", 1)
    (scree.folder / "groups.toml").write_text(scene + '[render]\ncolour = "group"\n')
    with scree.view("groups.toml", "--paused") as url:
        page.goto(url)
        expect(page.locator("#facts")).to_contain_text("50 grains")
        expect(page.locator("[data-colour=group]")).to_have_attribute("aria-pressed", "true")
        page.wait_for_timeout(300)
        by_group = colours(page.locator("#stage").screenshot(), every=1)
        page.keyboard.press("1")
        page.wait_for_timeout(300)
        by_type = colours(page.locator("#stage").screenshot(), every=1)
        # Two groups and two kinds of grain, 30 : 20 and half and half: the same two colours in other shares.
        lower, upper = (b"\x4e\x79\xa7", b"\xf2\x8e\x2b")
        assert by_group[lower] / by_group[upper] == pytest.approx(1.5, rel=0.2)
        assert by_group[lower] + by_group[upper] == pytest.approx(by_type[lower] + by_type[upper], rel=0.05)
        assert by_group != by_type


def ink(png, ground):
    """How much of a picture is not ground: its mean distance from that colour."""
    count = colours(png, every=1)
    return sum(n * sum(abs(a - b) for a, b in zip(key, ground)) for key, n in count.items()) / sum(count.values())


def test_small_grains_cover_as_much_as_large_ones(scree, run, browser):
    """From outlines to pictures of them to dots: what is drawn changes with the size, how much of it there is does not."""
    drawn = {}
    for width in (3000, 1000, 300, 60):
        context = browser.new_context(viewport={"width": width, "height": width})
        page = context.new_page()
        with scree.view("out") as url:
            page.goto(url)
            expect(page.locator("#facts")).to_contain_text("30 grains")
            for key in ("#show-walls", "#show-legend"):
                page.locator(key).evaluate("box => box.click()")
            # The grains alone, fitted to a square: no scale bar, no panel, no other size of the same thing.
            page.add_style_tag(content=f".above {{ display: none !important }} #app > :not(#stage) {{ display: none !important }}"
                                       f"#stage {{ position: fixed !important; inset: 0; width: {width}px; height: {width}px }}")
            page.wait_for_timeout(800)
            drawn[width] = ink(page.screenshot(), (255, 255, 255))
        context.close()
    # An edge darkens what has one; dots may lie over each other.
    assert drawn[300] == pytest.approx(drawn[1000], rel=0.04), drawn
    assert drawn[3000] == pytest.approx(drawn[1000], rel=0.06), drawn
    assert drawn[60] == pytest.approx(drawn[1000], rel=0.12), drawn


def test_force_chains_and_walls_come_and_go(shown):
    shown.keyboard.press("End")
    shown.wait_for_timeout(300)
    plain = shown.locator("#stage").screenshot()
    shown.locator("#show-chains").check()
    shown.wait_for_timeout(400)
    assert colours(shown.locator("#stage").screenshot()).get(b"\x1d\x1f\x24", 0) > 50  # the lines' colour
    shown.locator("#show-chains").uncheck()
    shown.wait_for_timeout(300)
    assert shown.locator("#stage").screenshot() == plain
    shown.locator("#show-walls").uncheck()
    shown.wait_for_timeout(300)
    assert shown.locator("#stage").screenshot() != plain


def test_camera_fits_zooms_and_pans(shown):
    fitted = shown.locator("#stage").screenshot()
    shown.mouse.move(400, 300)
    shown.mouse.wheel(0, -400)
    shown.wait_for_timeout(300)
    zoomed = shown.locator("#stage").screenshot()
    assert zoomed != fitted
    shown.mouse.down()
    shown.mouse.move(460, 330, steps=4)
    shown.mouse.up()
    shown.wait_for_timeout(300)
    assert shown.locator("#stage").screenshot() != zoomed
    shown.keyboard.press("f")
    shown.wait_for_timeout(300)
    assert shown.locator("#stage").screenshot() == fitted


def test_dark_and_light(shown):
    light = colours(shown.locator("#stage").screenshot())
    assert max(light, key=light.get) == b"\xff\xff\xff"
    shown.keyboard.press("d")
    shown.wait_for_timeout(300)
    dark = colours(shown.locator("#stage").screenshot())
    assert max(dark, key=dark.get) == b"\x14\x16\x1a"


def test_plots_follow_and_lead(shown):
    shown.keyboard.press("m")
    expect(shown.locator(".plot canvas")).to_have_count(2)
    expect(shown.locator("#plots")).to_contain_text("packing: fraction")
    expect(shown.locator(".plot .now").first).to_be_visible()
    over = shown.locator(".plot .u-over").first
    expect(over).to_be_visible()
    box = over.bounding_box()
    shown.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 20)
    expect(shown.locator("#time")).to_have_text(re.compile(r"0\.(2[5-9]|3[0-5])\d s"))  # once the frame has come
    left = float(shown.locator(".plot .now").first.evaluate("e => parseFloat(e.style.left)"))
    assert left == pytest.approx(0.5 * box["width"], rel=0.1)


def test_tab_reaches_what_space_then_presses(shown):
    shown.locator("#show-walls").click()
    shown.keyboard.press(" ")  # after a click it plays
    expect(shown.locator("#show-walls")).not_to_be_checked()
    expect(shown.locator("#play")).to_have_text("❚❚")
    shown.keyboard.press(" ")
    shown.keyboard.press("Tab")
    shown.keyboard.press(" ")
    expect(shown.locator("#show-legend")).not_to_be_checked()
    expect(shown.locator("#play")).to_have_text("▶")


def test_png_and_film(shown, tmp_path):
    with shown.expect_download() as saved:
        shown.locator("#png").click()
    assert saved.value.suggested_filename == "discs-and-rings.png"
    saved.value.save_as(tmp_path / "a.png")
    assert colours((tmp_path / "a.png").read_bytes()).get(b"\x4e\x79\xa7", 0) > 100
    with shown.expect_download(timeout=120000) as saved:
        shown.locator("#film").click()
    film = tmp_path / saved.value.suggested_filename
    saved.value.save_as(film)
    probe = ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "json", film]
    streams = json.loads(subprocess.run(probe, capture_output=True, text=True, check=True).stdout)["streams"]
    assert int(streams[0]["nb_read_frames"]) == 31


def test_one_file_page_needs_no_program(scree, run, page):
    scree("view", "out", "--html", "out.html", "--force")
    requests = []
    page.on("request", lambda r: requests.append(r.url) if not r.url.startswith(("file:", "data:", "blob:")) else None)
    page.goto((scree.folder / "out.html").as_uri())
    expect(page.locator("#facts")).to_contain_text("30 grains")
    page.keyboard.press("End")
    expect(page.locator("#time")).to_have_text("0.600 s")
    page.keyboard.press("c")
    page.wait_for_timeout(300)
    assert colours(page.locator("#stage").screenshot()).get(b"\x1d\x1f\x24", 0) > 50
    assert not requests
    scree("view", "out", "--html", "out.html", expect=2)  # it is there already


def test_a_run_that_goes_on_is_followed(scree, run, page):
    scree("run", "scene.toml", "-o", "growing", "--until", "0.06", "--quiet")
    with scree.view("growing") as url:
        page.goto(url)
        expect(page.locator("#scrub")).to_have_attribute("max", "3")
        with scree.start("run", "--restart", "growing", "--until", "200", "--threads", "1", "--quiet"):
            expect(page.locator("#live")).to_be_visible()
            page.locator("#live").click()
            expect(page.locator("#badge")).to_contain_text("live")
            for _ in range(4):
                shown = page.locator("#time").inner_text()
                expect(page.locator("#time")).not_to_have_text(shown)
                assert number_of(page.locator("#time").inner_text()) > number_of(shown)


def test_live_session(scree, page):
    with scree.view("scene.toml", "--threads", "1", "--set", "run.duration=1000") as url:
        page.goto(url)
        expect(page.locator("#badge")).to_contain_text("live")
        page.locator("#sim-pause").click()
        expect(page.locator("#badge")).to_have_text("paused")
        page.wait_for_timeout(400)  # a frame that was on its way may still arrive
        paused = page.locator("#time").inner_text()
        page.wait_for_timeout(400)
        assert page.locator("#time").inner_text() == paused

        page.locator("#sim-step").click()
        expect(page.locator("#time")).not_to_have_text(paused)

        # Dropped grains are there at once.
        page.locator("#drop").click()
        box = page.locator("#stage").bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.12)
        expect(page.locator("#facts")).to_contain_text("35 grains")
        page.keyboard.press("Escape")

        page.locator("#gravity-x").fill("4")
        page.locator("#gravity-x").press("Enter")
        expect(page.locator("#notice")).to_contain_text("Gravity is 4")
        page.locator("#gravity-x").fill("1e9")
        page.locator("#gravity-x").press("Enter")
        expect(page.locator("#notice")).to_contain_text("too strong")
        expect(page.locator("#gravity-x")).to_have_value("4")  # what holds

        page.locator("#mover").select_option(label="box.right")
        page.locator("#mover-x").fill("0.5")
        page.locator("#mover-x").press("Enter")
        page.locator("#sim-pause").click()
        expect(page.locator("#badge")).to_contain_text("live")

        page.locator("#scrub").fill("0")
        expect(page.locator("#badge")).to_have_text("still running")
        page.locator("#live").click()
        expect(page.locator("#badge")).to_contain_text("live")
        page.locator("#sim-restart").click()
        expect(page.locator("#facts")).to_contain_text("30 grains")


def test_noise_on_the_socket_leaves_the_session_unharmed(scree, page):
    with scree.view("scene.toml", "--paused") as url:
        page.goto(url)
        expect(page.locator("#facts")).to_contain_text("30 grains")
        answers = page.evaluate(
            """async (url) => {
              const bad = ["", "{}", "null", "x".repeat(300), '{"type":"drop","grain":99,"at":[0,0],"count":1}',
                           '{"type":"gravity","value":[1e300,0]}', new Uint8Array(64)];
              const socket = new WebSocket(url.replace("http", "ws") + "ws");
              let errors = 0;
              socket.onmessage = (e) => { if (typeof e.data === "string" && JSON.parse(e.data).type === "error") ++errors; };
              await new Promise((open) => (socket.onopen = open));
              for (const message of bad) socket.send(message);
              for (let k = 0; k < 100 && errors < bad.length; ++k) await new Promise((done) => setTimeout(done, 100));
              const huge = new WebSocket(url.replace("http", "ws") + "ws");
              await new Promise((open) => (huge.onopen = open));
              huge.send("x".repeat(100000));
              const closed = await new Promise((done) => { huge.onclose = () => done(true); setTimeout(() => done(false), 5000); });
              return [errors, closed];
            }""",
            url,
        )
        assert answers == [7, True]
        expect(page.locator("#facts")).to_contain_text("30 grains")
        page.locator("#sim-step").click()
        expect(page.locator("#time")).not_to_have_text("0.0000 s")


def test_a_token_is_asked_for(scree, run, page):
    with scree.view("out", "--token", "open-sesame") as url:
        assert url.endswith("?token=open-sesame")
        for wrong in (url.split("?")[0], url[:-1]):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(wrong, timeout=10)
            assert refused.value.code == 403
        page.goto(url)
        expect(page.locator("#facts")).to_contain_text("30 grains")


def test_a_page_whose_program_has_ended_says_so(scree, run, page):
    with scree.view("out") as url:
        page.goto(url)
        expect(page.locator("#facts")).to_contain_text("30 grains")
    expect(page.locator("#badge")).to_have_text("disconnected")
    expect(page.locator("#notice")).to_contain_text("has ended")


def test_a_page_whose_program_was_killed_says_so(scree, run, page):
    with scree.start("view", "out", "--no-open") as process:
        page.goto(process.stdout.readline().strip())
        expect(page.locator("#facts")).to_contain_text("30 grains")
        process.kill()
        expect(page.locator("#badge")).to_have_text("disconnected")
        page.keyboard.press("d")  # it still answers
        expect(page.locator("html")).to_have_class("dark")


def test_frames_that_cannot_be_read_do_not_stop_it(scree, run, page):
    shutil.copytree(run, scree.folder / "damaged")
    file = scree.folder / "damaged" / "trajectory.h5"
    with scree.view("damaged") as url:
        page.goto(url)
        expect(page.locator("#facts")).to_contain_text("30 grains")
        os.truncate(file, file.stat().st_size // 2)
        page.locator("#speed").select_option("0.2")
        page.locator("#play").click()
        expect(page.locator("#notice")).to_contain_text("damaged, cut short")
        expect(page.locator("#scrub")).to_have_value("30")  # it played on to the end
        shutil.copy(run / "trajectory.h5", file)
        page.locator("#scrub").fill("17")
        expect(page.locator("#time")).to_have_text("0.340 s")
    shutil.rmtree(scree.folder / "damaged")


def test_small_window(scree, run, browser):
    context = browser.new_context(viewport={"width": 420, "height": 640})
    page = context.new_page()
    with scree.view("out") as url:
        page.goto(url)
        expect(page.locator("#play")).to_be_visible()
        expect(page.locator("#panel")).to_be_hidden()
        page.locator("#toggle-panel").click()
        expect(page.locator("#panel")).to_be_visible()
        assert page.locator("#panel").bounding_box()["width"] > 250
        assert page.evaluate("document.documentElement.scrollWidth") <= 420
    context.close()


def test_bad_input_is_one_error_with_a_remedy(scree, run):
    for arguments, code, words in [
        (("view", "nowhere"), 4, "nowhere"),
        (("view", "out", "--set", "step.dt=1"), 2, "goes with a scene only"),
        (("view", "out", "--token", "short"), 2, "shorter than 8"),
        (("view", "out", "--bind", "here"), 2, "not an IP address"),
        (("view", "out", "--bind", "192.0.2.1"), 4, "no address of this machine"),
        (("view", "out", "--port", "70000"), 2, "65535"),
        (("view", "scene.toml", "--html", "a.html"), 2, "takes a run"),
        (("view", "out", "--html", "a.txt"), 2, ".html"),
    ]:
        message = scree(*arguments, expect=code)
        assert words in message and "remedy:" in message, message


def test_a_live_session_pauses_at_the_end_of_the_scene(scree, page):
    with scree.view("scene.toml", "--threads", "1") as url:
        page.goto(url)
        expect(page.locator("#badge")).to_have_text("paused")
        expect(page.locator("#time")).to_have_text("0.600 s")
