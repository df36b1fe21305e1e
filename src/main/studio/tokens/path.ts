import { formatOutpoint, type Outpoint, type ReadInscription, readInscription, type Tx } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';

/** Most moves of one token that are followed back to its inscription. */
const MAX_MOVES = 1_000;

/** A token's outputs from its inscription to where it is now, with the inscription. */
export interface TokenPath {
  readonly path: readonly Outpoint[];
  readonly inscription: ReadInscription;
}

/**
 * Follows a token back to its inscription. The token of the first input goes to the first output, so no other input needs to be known.
 * @param find gives a transaction, or fails
 * @throws PlanchetError `invalid-input` where the output is no token, or was moved together with others in front of it
 */
export async function pathOf(outpoint: Outpoint, find: (txid: string) => Promise<{ tx: Tx }>): Promise<TokenPath> {
  const path: Outpoint[] = [outpoint];
  for (let at = outpoint; path.length <= MAX_MOVES; ) {
    const { tx } = await find(at.txid);
    const output = tx.outputs[at.vout];
    if (output === undefined || output.satoshis !== 1) break;
    const inscription = readInscription(output.script);
    if (inscription !== undefined) return { path, inscription };
    const [first] = tx.inputs;
    if (at.vout !== 0 || first === undefined) break;
    at = { txid: first.txid, vout: first.vout };
    path.unshift(at);
  }
  throw new PlanchetError('bundle.no-token', { outpoint: formatOutpoint(outpoint) });
}
