export function newest(values: readonly (number | null)[]): number | null {
  return values.findLast((value) => value !== null) ?? null;
}

/** The largest figure; 0 if there are none. */
export function peak(values: readonly (number | null)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

/** Whether a figure has no neighbour to connect a line to, so that it needs a dot to be visible. */
export function isAlone(values: readonly (number | null)[], index: number): boolean {
  return values[index] != null && values[index - 1] == null && values[index + 1] == null;
}

export function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
