import type { TransactionView } from '../../../contract/index.ts';

/** Most moves of one token that are followed back. */
const MAX_MOVES = 50;

type Inscription = NonNullable<TransactionView['outputs'][number]['inscription']>;

/** One output a token was in. */
interface Hop {
  readonly txid: string;
  readonly index: number;
  readonly address: string | null;
  readonly blockHeight: number | null;
  readonly blockHash: string | null;
}

export interface Origin {
  /** From the first output that could be found to where the token is now. */
  readonly hops: readonly Hop[];
  /** What the first of them holds; null where the way back could not be followed to an inscription. */
  readonly inscription: Inscription | null;
}

type Read = (place: {
  txid: string;
  output: number;
}) => Promise<Pick<TransactionView, 'inputs' | 'outputs' | 'blockHeight' | 'blockHash'>>;

/**
 * Follows a token back to its inscription. A token goes from the first input to the first output; any other way is not certain, and ends here.
 * @param read gives a transaction with the wanted output
 */
export async function originOf(outpoint: string, read: Read): Promise<Origin> {
  const hops: Hop[] = [];
  const [start = '', vout = '0'] = outpoint.split('_');
  let at = { txid: start, index: Number(vout) };
  while (hops.length < MAX_MOVES) {
    const { inputs, outputs, blockHeight, blockHash } = await read({ txid: at.txid, output: at.index });
    const output = outputs.find(({ index }) => index === at.index);
    if (output === undefined || output.satoshis !== 1) break;
    hops.unshift({ ...at, address: output.address, blockHeight, blockHash });
    if (output.inscription !== null) return { hops, inscription: output.inscription };
    const [first] = inputs;
    if (at.index !== 0 || first === undefined) break;
    at = { txid: first.txid, index: first.vout };
  }
  return { hops, inscription: null };
}
