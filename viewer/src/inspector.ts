// What is known of the selected grain: id, state, contacts.
import { make } from "./dom";
import { number } from "./format";
import { type Frame, type Hello, kinds, wallEnd } from "./protocol";

const mostContacts = 12;

export class Inspector {
  readonly element = make("section", { id: "inspector" });
  onSelect: (id: number | undefined) => void = () => {};

  constructor(private readonly hello: Hello) {
    this.update(undefined, undefined);
  }

  update(frame: Frame | undefined, id: number | undefined): void {
    const place = frame && id !== undefined ? frame.ids.indexOf(id) : -1;
    const heading = make("h2", {}, "Grain");
    this.element.classList.toggle("selected", id !== undefined);
    if (!frame || id === undefined) {
      this.element.replaceChildren(heading, make("p", { className: "hint" }, "Click a grain for its state and contacts."));
    } else if (place < 0) {
      this.element.replaceChildren(heading, make("p", { className: "hint" }, `Grain ${id} is not there at this time.`));
    } else {
      this.element.replaceChildren(heading, this.state(frame, place, id), this.contacts(frame, place));
    }
  }

  private state(frame: Frame, place: number, id: number): HTMLElement {
    const [length, time, force] = this.hello.look.units;
    const type = this.hello.types[frame.typeAt(place)];
    const [vx, vy] = frame.velocity(place);
    const unit = (value: string, name: string) => (name ? `${value} ${name}` : value);
    const speedUnit = length && `${length}/${time}`;
    const x = frame.x[2 * place] + this.hello.origin[0];
    const y = frame.x[2 * place + 1] + this.hello.origin[1];
    const rows: [string, string][] = [
      ["id", String(id)],
      ["kind", `${type.name}, ${kinds[frame.kind(place)]}`],
      ["group", this.hello.groups[frame.group(place)]?.name ?? ""],
      ["position", unit(`${number(x, 5)}, ${number(y, 5)}`, length)],
      ["angle", `${number((frame.angle(place) * 180) / Math.PI, 4)}°`],
      ["velocity", unit(`${number(vx, 3)}, ${number(vy, 3)}`, speedUnit)],
      ["speed", unit(number(Math.hypot(vx, vy), 3), speedUnit)],
      ["spin", unit(number(frame.spin(place), 3), time && `rad/${time}`)],
      ["force", unit(number(frame.force(place), 3), force)],
      ["partners", String(frame.partners(place))],
    ];
    const list = make("dl", { className: "facts" });
    for (const [name, value] of rows) list.append(make("dt", {}, name), make("dd", {}, value));
    const close = make("button", { className: "quiet", title: "Let go of it (Esc)", onclick: () => this.onSelect(undefined) }, "let go");
    return make("div", {}, list, close);
  }

  private contacts(frame: Frame, place: number): HTMLElement {
    if (!frame.hasContacts) return make("p", { className: "hint" }, "Contacts are on their way.");
    const own: { partner: number; normal: number; tangential: number }[] = [];
    for (let c = 0; c < frame.contacts; ++c) {
      const [a, b] = [frame.ends[2 * c], frame.ends[2 * c + 1]];
      if (a !== place && b !== place) continue;
      own.push({ partner: a === place ? b : a, normal: frame.normalForce(c), tangential: frame.tangentialForce(c) });
    }
    if (own.length === 0) return make("p", { className: "hint" }, "It touches nothing.");
    own.sort((p, q) => q.normal - p.normal);
    const table = make("table", { id: "contacts" });
    table.append(make("tr", {}, make("th", {}, "touches"), make("th", {}, "normal"), make("th", {}, "tangential")));
    for (const c of own.slice(0, mostContacts)) {
      table.append(make("tr", {}, make("td", {}, this.partner(frame, c.partner)),
                        make("td", {}, number(c.normal, 3)), make("td", {}, number(c.tangential, 3))));
    }
    if (own.length > mostContacts) table.append(make("tr", {}, make("td", {}, `and ${own.length - mostContacts} more`)));
    return table;
  }

  private partner(frame: Frame, end: number): Node | string {
    if (end >= wallEnd) return this.hello.walls[end - wallEnd]?.name ?? "wall";
    const id = frame.ids[end];
    return make("button", { onclick: () => this.onSelect(id) }, `grain ${id}`);
  }
}
