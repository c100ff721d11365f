"""What must work in every `make test`: a run loads, plays, and a grain can be picked."""

from pictures import colours
from playwright.sync_api import expect


def test_a_run_loads_plays_and_is_picked(scree, run, page):
    with scree.view("out") as url:
        page.goto(url)
        expect(page.locator("#title")).to_have_text("Discs and rings")
        expect(page.locator("#facts")).to_contain_text("30 grains")
        expect(page.locator("#scrub")).to_have_attribute("max", "30")

        # Grains of both kinds are drawn in their colours.
        shown = colours(page.locator("#stage").screenshot())
        for colour in (b"\x4e\x79\xa7", b"\xf2\x8e\x2b"):
            assert shown.get(colour, 0) > 300, sorted(shown.items(), key=lambda c: -c[1])[:8]

        page.locator("#speed").select_option("0.5")
        page.locator("#play").click()
        expect(page.locator("#scrub")).to_have_value("30")
        expect(page.locator("#time")).to_have_text("0.600 s")

        # Somewhere in the pile there is a grain.
        box = page.locator("#stage").bounding_box()
        for k in range(1, 12):
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * (0.93 - 0.02 * k))
            if page.locator("#inspector dl").count():
                break
        expect(page.locator("#inspector")).to_contain_text("moving")
        expect(page.locator("#contacts tr")).not_to_have_count(0)
