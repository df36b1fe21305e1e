/** A band of the drawing: one input or output, or several merged. */
export interface Band {
  key: string;
  satoshis: number;
}

interface FlowBand extends Band {
  /** Centre of the band's outer end. */
  y: number;
  width: number;
  path: string;
}

export interface FlowLayout {
  height: number;
  width: number;
  left: FlowBand[];
  right: FlowBand[];
}

export const ROW_HEIGHT = 52;
const WIDTH = 180;
const TRUNK = 56;
const THINNEST = 2;

/**
 * Widths that divide the trunk by the logarithm of the values, so that 1 and 30,000 satoshis differ visibly even with a whole coin present. Bands
 * that would be invisible get a minimum width.
 */
function widths(bands: readonly Band[]): number[] {
  const weights = bands.map(({ satoshis }) => Math.log(1 + satoshis));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => Math.max(THINNEST, total === 0 ? 0 : (weight / total) * TRUNK));
}

function side(bands: readonly Band[], height: number, isLeft: boolean): FlowBand[] {
  const own = widths(bands);
  const trunk = own.reduce((sum, width) => sum + width, 0);
  const top = (height - bands.length * ROW_HEIGHT) / 2;
  let inner = (height - trunk) / 2;
  return bands.map((band, index) => {
    const width = own[index] as number;
    const y = top + index * ROW_HEIGHT + ROW_HEIGHT / 2;
    const middle = inner + width / 2;
    inner += width;
    const [outerX, innerX] = isLeft ? [0, WIDTH / 2] : [WIDTH, WIDTH / 2];
    const bend = isLeft ? WIDTH / 4 : (WIDTH * 3) / 4;
    const path = `M${outerX},${y} C${bend},${y} ${bend},${middle} ${innerX},${middle}`;
    return { ...band, y, width, path };
  });
}

/** Places inputs on the left and outputs on the right so that bands meet in the middle. The side with more bands determines the height. */
export function layoutFlow(inputs: readonly Band[], outputs: readonly Band[]): FlowLayout {
  const height = Math.max(inputs.length, outputs.length, 1) * ROW_HEIGHT;
  return { height, width: WIDTH, left: side(inputs, height, true), right: side(outputs, height, false) };
}

/** Keeps the first `keep` entries and returns the rest to be drawn as one band. */
export function fold<T>(entries: readonly T[], keep: number): { visible: readonly T[]; rest: readonly T[] } {
  return entries.length <= keep + 1
    ? { visible: entries, rest: [] }
    : { visible: entries.slice(0, keep), rest: entries.slice(keep) };
}
