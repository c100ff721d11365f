// Small helpers for building the page.

export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element ${id}`);
  return element as T;
}

type Child = Node | string;

/** An element with properties and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export const press = (button: HTMLElement, on: boolean): void => button.setAttribute("aria-pressed", String(on));

let hideNotice: ReturnType<typeof setTimeout> | undefined;

/** A line at the foot of the page for some seconds; what went wrong stays longer. */
export function notice(text: string, bad = false): void {
  const element = byId("notice");
  element.textContent = text;
  element.className = bad ? "bad" : "";
  element.hidden = false;
  clearTimeout(hideNotice);
  hideNotice = setTimeout(() => (element.hidden = true), bad ? 9000 : 4000);
}

export function download(blob: Blob, name: string): void {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
