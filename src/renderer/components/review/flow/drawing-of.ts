import type { TransactionView } from '../../../../contract/index.ts';
import type { FlowSource } from './flow.tsx';

/** The drawing needs every part and the value of every input. If one is missing, there is no drawing. */
export function drawingOf(
  tx: Pick<TransactionView, 'inputs' | 'inputCount' | 'outputs' | 'outputCount' | 'fee'>,
  own: string | null,
): FlowSource | null {
  if (tx.inputs.length < tx.inputCount || tx.outputs.length < tx.outputCount) return null;
  if (tx.fee === null || tx.inputs.some((input) => input.satoshis === null)) return null;
  return {
    fee: tx.fee,
    inputs: tx.inputs.map((input) => ({ ...input, satoshis: input.satoshis ?? 0 })),
    outputs: tx.outputs.map((output) => ({
      index: output.index,
      satoshis: output.satoshis,
      itemId: output.inscription === null ? null : String(output.index),
      address: output.address,
      kind:
        output.inscription !== null ? 'token' : output.address !== null && output.address === own ? 'change' : 'other',
    })),
  };
}
