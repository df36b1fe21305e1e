import { parseP2pkh, type Tx } from '../../../chain/index.ts';
import type { MinerQuote } from '../../../contract/index.ts';
import type { SpentOutput } from './spent-outputs.ts';

/** What a node takes where its policy does not say. */
const DEFAULTS = { inputScriptBytes: 150, confirmations: 6 };

/**
 * Whether a miner takes a transaction for nothing because it makes the set of coins smaller (the node's rule for consolidations): it has many
 * times more inputs than outputs, spends old coins of a common kind with short scripts, and their scripts are as many times longer.
 * @param policies of the quote. One that names no factor, or none above 0, takes no consolidation for nothing.
 */
export function isFreeConsolidation(
  { inputs, outputs }: Tx,
  spent: readonly SpentOutput[],
  policies: MinerQuote['policies'],
): boolean {
  const factor = numberOf(policies.minconsolidationfactor) ?? 0;
  if (factor <= 0 || outputs.length === 0 || inputs.length < factor * outputs.length) return false;
  const maxScript = numberOf(policies.maxconsolidationinputscriptsize) ?? DEFAULTS.inputScriptBytes;
  if (inputs.some(({ script }) => script.length > maxScript)) return false;
  const wanted =
    numberOf(policies.minconfconsolidationinput) ??
    numberOf(policies.minconsolidationinputmaturity) ??
    DEFAULTS.confirmations;
  const takesAny = policies.acceptnonstdconsolidationinput === true;
  let spentBytes = 0;
  for (const at of inputs.keys()) {
    const { output, confirmations = 0 } = spent[at] ?? {};
    if (output === undefined || confirmations < wanted) return false;
    if (!takesAny && !isCommon(output.script)) return false;
    spentBytes += output.script.length;
  }
  const ownBytes = outputs.reduce((sum, { script }) => sum + script.length, 0);
  return spentBytes >= factor * ownBytes;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Pays to a key or its hash. Nodes know a few more common kinds; those pay the usual fee here. */
function isCommon(script: Uint8Array): boolean {
  const isKey = (length: number): boolean =>
    script.length === length + 2 && script[0] === length && script[length + 1] === 0xac;
  return parseP2pkh(script) !== undefined || isKey(33) || isKey(65);
}
