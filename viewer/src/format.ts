// Numbers for people.

/** Plain where that is short, powers of ten elsewhere. */
export function number(value: number, digits: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(Math.max(0, digits - 1)).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(digits)));
}

/** All of one width, so that a running number does not dance: as many decimals as the step asks for. */
export function steady(value: number, step: number): string {
  const decimals = step > 0 ? Math.min(6, Math.max(0, Math.ceil(-Math.log10(step)))) : 3;
  return value.toFixed(decimals);
}

export const withUnit = (name: string, unit: string): string => (unit ? `${name} [${unit}]` : name);

export const grouped = (value: number): string => value.toLocaleString("en");
