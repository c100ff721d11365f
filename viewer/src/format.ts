// Numbers for people.

/** Plain where that is short, powers of ten elsewhere. */
export function number(value: number, digits: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(Math.max(0, digits - 1)).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(digits)));
}

/** Round numbers from 0 to at most `top`, about `count` steps. */
export function ticks(top: number, count: number): number[] {
  const power = 10 ** Math.floor(Math.log10(top / count));
  // A divisor of the top is better than the right number.
  const cost = (step: number) => Math.abs(top / step - count) + (Math.abs(top / step - Math.round(top / step)) < 1e-6 ? 0 : 2.5);
  const steps = [1, 2, 2.5, 5, 10].map((lead) => lead * power);
  const step = steps.reduce((best, other) => (cost(other) < cost(best) ? other : best));
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, k) => k * step);
}

/** All ticks of one step in one notation. */
export function tickLabel(value: number, step: number): string {
  if (value === 0) return "0";
  if (step >= 1e4 || step < 1e-3) return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  const decimals = [0, 1, 2, 3, 4].find((d) => Math.abs(step * 10 ** d - Math.round(step * 10 ** d)) < 1e-6) ?? 5;
  return value.toFixed(decimals);
}

/** All of one width, so that a running number does not dance: as many decimals as the step asks for. */
export function steady(value: number, step: number): string {
  const decimals = step > 0 ? Math.min(6, Math.max(0, Math.ceil(-Math.log10(step)))) : 3;
  return value.toFixed(decimals);
}

export const withUnit = (name: string, unit: string): string => (unit ? `${name} [${unit}]` : name);

export const grouped = (value: number): string => value.toLocaleString("en");
