/** The newest figure there is. */
export function newest(values: readonly (number | null)[]): number | null {
  return values.findLast((value) => value !== null) ?? null;
}

/** The largest figure, 0 without any. */
export function peak(values: readonly (number | null)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

/** A line through the figures, one unit a step, broken where there are none; a lone figure is a short dash. */
export function linePath(values: readonly (number | null)[], top: number, tall: number): string {
  let path = '';
  let drawing = false;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      drawing = false;
      continue;
    }
    const y = (tall - 1 - (top === 0 ? 0 : (value / top) * (tall - 3))).toFixed(2);
    path += drawing ? `L${index + 0.5} ${y}` : `M${index + 0.2} ${y}L${index + 0.8} ${y}`;
    drawing = true;
  }
  return path;
}
