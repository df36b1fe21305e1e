import type { TokenHistory } from '../../../../contract/index.ts';

type Step = TokenHistory['steps'][number];

interface Node {
  step: Step;
  x: number;
  y: number;
  satoshis: number;
}

export const NODE_WIDTH = 116;
export const NODE_HEIGHT = 48;
const COLUMN = 232;
const ROW = 84;
const MARGIN = 16;
const END_LENGTH = 76;
const THICKEST = 14;

/** Column of each step: one after the last of those whose outputs it spends. */
function columns(steps: readonly Step[]): Map<string, number> {
  const at = new Map<string, number>();
  for (const step of steps) {
    const before = step.inputs.map((outpoint) => at.get(outpoint.slice(0, 64)) ?? -1);
    at.set(step.txid, Math.max(-1, ...before) + 1);
  }
  return at;
}

/**
 * Places the steps of a history from left to right, each after what it spends, and joins them by bands as wide as what they carry.
 * The band of an output that no known step spends has no target.
 */
export function layoutHistory(steps: readonly Step[]) {
  const column = columns(steps);
  const rows = new Map<number, number>();
  const nodes = new Map<string, Node>();
  for (const step of steps) {
    const col = column.get(step.txid) ?? 0;
    const row = rows.get(col) ?? 0;
    rows.set(col, row + Math.max(1, Math.ceil(step.outputs.length / 2)));
    const satoshis = step.outputs.reduce((sum, output) => sum + output.satoshis, 0);
    nodes.set(step.txid, { step, x: MARGIN + col * COLUMN, y: MARGIN + row * ROW, satoshis });
  }
  const largest = Math.max(1, ...steps.flatMap(({ outputs }) => outputs.map(({ satoshis }) => satoshis)));
  const spender = new Map(steps.flatMap((step) => step.inputs.map((outpoint) => [outpoint, step.txid] as const)));
  const edges = [...nodes.values()].flatMap(({ step, x, y }) =>
    step.outputs.map((output, index) => {
      const fromX = x + NODE_WIDTH;
      const fromY = y + (NODE_HEIGHT * (index + 1)) / (step.outputs.length + 1);
      const target = nodes.get(spender.get(output.outpoint) ?? '');
      const inputs = target?.step.inputs ?? [];
      const toX = target ? target.x : fromX + END_LENGTH;
      const toY = target
        ? target.y + (NODE_HEIGHT * (inputs.indexOf(output.outpoint) + 1)) / (inputs.length + 1)
        : y + NODE_HEIGHT / 2 + (index - (step.outputs.length - 1) / 2) * 26;
      const bend = (fromX + toX) / 2;
      return {
        key: output.outpoint,
        path: `M${fromX},${fromY} C${bend},${fromY} ${bend},${toY} ${toX},${toY}`,
        width: Math.max(1.5, (output.satoshis / largest) * THICKEST),
        satoshis: output.satoshis,
        redeemed: output.redeemed,
        labelX: target ? bend : toX + 6,
        labelY: target ? (fromY + toY) / 2 - 8 : toY + 4,
      };
    }),
  );
  const right = Math.max(0, ...[...nodes.values()].map(({ x }) => x)) + COLUMN + 32;
  const bottom = Math.max(0, ...[...nodes.values()].map(({ y, step }) => y + NODE_HEIGHT + step.outputs.length * 13));
  return { width: right, height: bottom + MARGIN, nodes: [...nodes.values()], edges };
}
