// The keyboard: every control of the page has a key.
import type { Page } from "./main";

export const keyList: [string[], string][] = [
  [["Space"], "play or pause; in a live session, the simulation itself"],
  [["←", "→"], "one frame back or on; ten with Shift"],
  [["Home", "End"], "first or last frame"],
  [["[", "]"], "slower, faster"],
  [["L"], "follow the newest frame"],
  [["1", "…", "6"], "colour by type, group, speed, force, angle, coordination"],
  [["C", "W", "K"], "force chains, walls, legend"],
  [["F", "+", "−", "↑", "↓"], "fit, zoom, move; drag pans, the wheel zooms"],
  [["M", "B"], "plots, panel"],
  [["G"], "drop grains where you click (live)"],
  [["P", "V"], "save a picture, a film"],
  [["D"], "dark or light"],
  [["Esc"], "let go of the grain"],
];

export function bindKeys(page: Page): void {
  const bare: Record<string, () => void> = {
    " ": () => page.playOrPause(),
    home: () => page.toEnd(false),
    end: () => page.toEnd(true),
    "[": () => page.changeSpeed(-1),
    "]": () => page.changeSpeed(1),
    l: () => page.followLive(),
    "1": () => page.setColour("type"),
    "2": () => page.setColour("group"),
    "3": () => page.setColour("speed"),
    "4": () => page.setColour("force"),
    "5": () => page.setColour("angle"),
    "6": () => page.setColour("coordination"),
    c: () => page.toggle("chains"),
    w: () => page.toggle("walls"),
    k: () => page.toggle("legend"),
    f: () => page.fit(),
    "+": () => page.zoom(1.25),
    "=": () => page.zoom(1.25),
    "-": () => page.zoom(0.8),
    arrowup: () => page.pan(0, 60),
    arrowdown: () => page.pan(0, -60),
    m: () => page.togglePlots(),
    b: () => page.togglePanel(),
    g: () => page.toggleDropping(),
    p: () => void page.savePicture(),
    v: () => void page.saveFilm(),
    d: () => page.toggleTheme(),
    "?": () => page.showKeys(),
    escape: () => page.escape(),
  };
  let tabbed = false; // to where the focus is: that keeps its Space; what was clicked does not
  document.addEventListener("pointerdown", () => (tabbed = false));
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const typing = target.matches("input[type=number], select, dialog *");
    if (event.key === "Tab") tabbed = true;
    const pressing = event.key === " " && tabbed && target.matches("button, input[type=checkbox]");
    if (typing || pressing || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    const frames = (event.shiftKey ? 10 : 1) * (key === "arrowleft" ? -1 : key === "arrowright" ? 1 : 0);
    if (frames !== 0) page.stepFrames(frames);
    else if (key in bare) bare[key]();
    else return;
    event.preventDefault();
  });
}
