// Pictures and films of what is on the stage.
import { BufferTarget, CanvasSource, getFirstEncodableVideoCodec, Mp4OutputFormat, Output, QUALITY_HIGH, WebMOutputFormat } from "mediabunny";
import { download, notice } from "./dom";
import type { Player } from "./player";
import type { Stage } from "./stage";

const fileName = (title: string): string => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "scree";

export async function savePng(stage: Stage, title: string): Promise<void> {
  const blob = await new Promise<Blob | null>((done) => stage.picture().toBlob(done, "image/png"));
  if (blob) download(blob, `${fileName(title)}.png`);
}

/** All frames of the run at `fps`, as an MP4 where the browser can encode H.264, else WebM. */
export class FilmMaker {
  running = false;
  private stopped = false;

  stop(): void {
    this.stopped = true;
  }

  async save(stage: Stage, player: Player, title: string, fps: number, onProgress: (fraction: number) => void): Promise<void> {
    if (typeof VideoEncoder === "undefined")
      return notice("This browser cannot encode films here. `scree render` makes them without one.", true);
    this.running = true;
    this.stopped = false;
    const canvas = document.createElement("canvas");
    stage.copyTo(canvas);
    const { width, height } = canvas;
    const codec = await getFirstEncodableVideoCodec(["avc", "vp9", "vp8", "av1"], { width, height });
    if (!codec) {
      this.running = false;
      return notice("This browser has no encoder for films of this size. `scree render` makes them without one.", true);
    }
    const mp4 = codec === "avc";
    const target = new BufferTarget();
    const output = new Output({ format: mp4 ? new Mp4OutputFormat() : new WebMOutputFormat(), target });
    const film = new CanvasSource(canvas, { codec, bitrate: QUALITY_HIGH });
    output.addVideoTrack(film, { frameRate: fps });
    await output.start();
    const frames = player.times.length;
    for (let k = 0; k < frames && !this.stopped; ++k) {
      const frame = await player.get(k);
      if (!frame) continue;
      stage.show(frame);
      stage.drawForExport();
      stage.drawInto(canvas);
      await film.add(k / fps, 1 / fps);
      onProgress((k + 1) / frames);
    }
    await output.finalize();
    this.running = false;
    if (target.buffer) download(new Blob([target.buffer], { type: mp4 ? "video/mp4" : "video/webm" }), `${fileName(title)}.${mp4 ? "mp4" : "webm"}`);
  }
}
