// Which frame is shown: playing, scrubbing, or following a run that grows.
import type { Frame } from "./protocol";
import type { Source } from "./source";

const cacheBytes = 192 * 1024 * 1024;
const ahead = 3; // frames asked for before they are needed

/** Frames that were shown or will be, the oldest dropped first. */
class FrameCache {
  private readonly frames = new Map<number, Frame>();
  private bytes = 0;

  get(index: number, contacts: boolean): Frame | undefined {
    const frame = this.frames.get(index);
    return frame && (frame.hasContacts || !contacts) ? frame : undefined;
  }
  put(index: number, frame: Frame): void {
    this.bytes += frame.bytes - (this.frames.get(index)?.bytes ?? 0);
    this.frames.delete(index);
    this.frames.set(index, frame);
    for (const [old, kept] of this.frames) {
      if (this.bytes <= cacheBytes) break;
      this.frames.delete(old);
      this.bytes -= kept.bytes;
    }
  }
  clear(): void {
    this.frames.clear();
    this.bytes = 0;
  }
}

export class Player {
  index = 0;
  playing = false;
  following = false;
  speed = 1; // simulated time a second
  loop = false;
  onFrame: (frame: Frame) => void = () => {};
  onState: () => void = () => {};
  wantsContacts: () => boolean = () => false;
  private time = 0;
  private wanted = -1; // index asked for last
  private readonly cache = new FrameCache();
  private readonly pending = new Set<number>();
  private lastRevision = -1;
  private waitsForLatest = false;
  private asked = 0;

  constructor(private readonly source: Source, public times: number[], private readonly live: boolean) {
    this.following = live;
  }

  get last(): number {
    return this.times.length - 1;
  }

  /** The simulated time that is shown, also between frames. */
  get now(): number {
    return this.time;
  }

  grown(times: number[]): void {
    const replaced = this.times.some((t, k) => t !== times[k]);
    if (replaced) this.cache.clear();
    this.times = times;
    if (replaced) this.index = this.indexAt(this.time); // every other frame was dropped
    if (this.following && !this.live) this.seek(this.last, true);
    this.onState();
  }

  play(on: boolean): void {
    if (on && !this.following && this.index >= this.last) this.seek(0);
    if (on) this.following = false;
    this.playing = on;
    this.onState();
  }

  follow(on: boolean): void {
    this.following = on;
    if (on) this.playing = false;
    if (on && !this.live) this.seek(this.last, true);
    if (on && this.live) this.refresh();
    this.onState();
  }

  seek(index: number, keepFollowing = false): void {
    if (this.times.length === 0) return;
    if (!keepFollowing) this.following = false;
    this.index = Math.min(Math.max(Math.round(index), 0), this.last);
    this.time = this.times[this.index];
    void this.request(this.index);
    this.onState();
  }

  seekTime(time: number): void {
    this.seek(this.indexAt(time));
  }

  /** The same frame anew, when contacts are wanted now. */
  refresh(): void {
    if (!this.following || !this.live) return void this.request(this.index);
    this.lastRevision = -1;
    ++this.asked; // the request that waits for a newer frame is given up
    this.waitsForLatest = false;
  }

  /** Called for every picture; `seconds` since the last one. */
  advance(seconds: number): void {
    if (this.following && this.live) return void this.takeLatest();
    if (!this.playing || this.times.length === 0) return;
    // While a frame is on its way time waits: better slow than with gaps.
    if (this.pending.has(this.wanted)) return;
    this.time += seconds * this.speed;
    const end = this.times[this.last];
    if (this.time >= end) {
      this.time = this.loop ? this.times[0] : end;
      if (!this.loop) this.playing = false;
    }
    const index = this.indexAt(this.time);
    if (index !== this.index) {
      const step = index - this.index;
      this.index = index;
      void this.request(index);
      for (let k = 1; k <= ahead; ++k) this.prefetch(index + Math.max(1, step) * k);
    }
    this.onState();
  }

  private indexAt(time: number): number {
    let [low, high] = [0, this.last];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + 1e-12) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  async get(index: number): Promise<Frame | undefined> {
    const contacts = this.wantsContacts();
    const cached = this.cache.get(index, contacts);
    if (cached) return cached;
    this.pending.add(index);
    const frame = await this.source.frame(index, contacts);
    this.pending.delete(index);
    if (frame) this.cache.put(index, frame);
    return frame;
  }

  private prefetch(index: number): void {
    if (index > this.last || this.pending.has(index) || this.pending.size > ahead) return;
    if (!this.cache.get(index, this.wantsContacts())) void this.get(index);
  }

  private async request(index: number): Promise<void> {
    this.wanted = index;
    const frame = await this.get(index);
    if (frame && this.wanted === index) this.onFrame(frame);
  }

  private async takeLatest(): Promise<void> {
    if (this.waitsForLatest) return;
    this.waitsForLatest = true;
    const asked = ++this.asked;
    const frame = await this.source.latest(this.lastRevision, this.wantsContacts());
    if (asked !== this.asked) return;
    this.waitsForLatest = false;
    if (!frame || !this.following) return;
    this.lastRevision = frame.revision;
    this.time = frame.time;
    this.wanted = -1;
    this.onFrame(frame);
    this.onState();
  }
}
