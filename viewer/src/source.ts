// Where frames come from: the program over a WebSocket, or a run inside this file.
import { Frame, type Hello, type ServerMessage } from "./protocol";

export interface Source {
  readonly embedded: boolean;
  /** A frame by its number. Undefined when it cannot be had, or the connection is gone. */
  frame(index: number, contacts: boolean): Promise<Frame | undefined>;
  /** The newest frame of a live run, once it is later than this revision. */
  latest(after: number, contacts: boolean): Promise<Frame | undefined>;
  send(message: object): void;
  onMessage: (message: ServerMessage) => void;
  onClose: () => void;
}

type Answer = (frame: Frame | undefined) => void;

class SocketSource implements Source {
  readonly embedded = false;
  onMessage: (message: ServerMessage) => void = () => {};
  onClose: () => void = () => {};
  private requests = 0;
  private readonly waiting = new Map<number, Answer>();

  constructor(private readonly socket: WebSocket) {
    socket.onmessage = (event: MessageEvent) => this.receive(event.data as string | ArrayBuffer);
    socket.onclose = () => {
      for (const answer of this.waiting.values()) answer(undefined);
      this.waiting.clear();
      this.onClose();
    };
  }

  frame(index: number, contacts: boolean): Promise<Frame | undefined> {
    return this.ask({ type: "frame", index, contacts });
  }
  latest(after: number, contacts: boolean): Promise<Frame | undefined> {
    return this.ask({ type: "latest", after, contacts });
  }
  send(message: object): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private ask(message: object): Promise<Frame | undefined> {
    const request = ++this.requests;
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.resolve(undefined);
    this.send({ ...message, request });
    return new Promise((answer) => this.waiting.set(request, answer));
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data === "string") {
      const message = JSON.parse(data) as ServerMessage;
      if (message.type === "error" && message.request !== undefined) this.answer(message.request, undefined);
      return this.onMessage(message);
    }
    const frame = new Frame(data);
    this.answer(frame.request, frame);
  }

  private answer(request: number, frame: Frame | undefined): void {
    this.waiting.get(request)?.(frame);
    this.waiting.delete(request);
  }
}

/** A run that `scree view --html` put into this file: u32 length of the JSON, JSON, then u32 length and bytes a frame. */
class EmbeddedSource implements Source {
  readonly embedded = true;
  onMessage: (message: ServerMessage) => void = () => {};
  onClose: () => void = () => {};
  private readonly frames: ArrayBuffer[] = [];
  readonly hello: Hello;

  constructor(data: ArrayBuffer) {
    const view = new DataView(data);
    const length = view.getUint32(0, true);
    this.hello = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))) as Hello;
    for (let at = 4 + length; at < data.byteLength; ) {
      const size = view.getUint32(at, true);
      this.frames.push(data.slice(at + 4, at + 4 + size));
      at += 4 + size;
    }
  }

  frame(index: number): Promise<Frame | undefined> {
    return Promise.resolve(index < this.frames.length ? new Frame(this.frames[index]) : undefined);
  }
  latest(): Promise<Frame | undefined> {
    return Promise.resolve(undefined);
  }
  send(): void {}
}

async function unpack(text: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return await new Response(stream).arrayBuffer();
}

function connect(): Promise<{ source: Source; hello: Hello }> {
  const socket = new WebSocket(`ws://${location.host}/ws${location.search}`);
  socket.binaryType = "arraybuffer";
  const source = new SocketSource(socket);
  return new Promise((resolve, reject) => {
    source.onMessage = (message) => {
      if (message.type === "hello") resolve({ source, hello: message });
    };
    source.onClose = () => reject(new Error("The program does not answer. Is scree view still running?"));
  });
}

/** The run of this page. Rejects with a text for the reader. */
export async function openSource(): Promise<{ source: Source; hello: Hello }> {
  const embedded = document.getElementById("scree-run");
  if (!embedded) return await connect();
  const source = new EmbeddedSource(await unpack(embedded.textContent?.trim() ?? ""));
  return { source, hello: source.hello };
}
