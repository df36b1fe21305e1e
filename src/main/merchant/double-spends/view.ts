import {
  addressNetwork,
  encodeAddress,
  formatOutpoint,
  parseP2pkh,
  parseTx,
  type Tx,
  type TxOutput,
  toHex,
} from '../../../chain/index.ts';
import {
  MAX_RIVAL_PARTS,
  type Network,
  type Phrase,
  phrase,
  type RivalTransaction,
  type TrackedTransaction,
} from '../../../contract/index.ts';

interface ViewInput {
  readonly network: Network;
  readonly transaction: TrackedTransaction;
  readonly ours: Tx;
  readonly rival: {
    readonly txid: string;
    readonly rawTx: Uint8Array | null;
    readonly at: number;
    readonly source: string;
  };
  /** Whether Planchet submitted a transaction. */
  readonly isOwn: (txid: string) => boolean;
}

/** Two conflicting transactions side by side. */
export function viewOf({ network, transaction, ours, rival, isOwn }: ViewInput): RivalTransaction {
  const theirs = rival.rawTx === null ? undefined : parseTx(rival.rawTx);
  const outcome = outcomeOf(transaction, rival.txid);
  const inputs = new Map(theirs?.inputs.map((input, index) => [formatOutpoint(input), index]));
  const shared = ours.inputs.flatMap((input, ourInput) => {
    const outpoint = formatOutpoint(input);
    const theirInput = inputs.get(outpoint);
    return theirInput === undefined ? [] : [{ outpoint, ourInput, theirInput, fromOurs: isOwn(input.txid) }];
  });
  return {
    txid: rival.txid,
    at: rival.at,
    source: rival.source,
    outcome,
    shared,
    ours: partsOf(ours, theirs, network),
    theirs: theirs && rival.rawTx ? { ...partsOf(theirs, ours, network), rawTx: toHex(rival.rawTx) } : null,
    advice: advice(outcome, theirs !== undefined),
  };
}

function outcomeOf({ state, doubleSpentBy }: TrackedTransaction, rival: string): RivalTransaction['outcome'] {
  if (state === 'mined' || state === 'proven') return 'ours';
  return state === 'double-spent' && doubleSpentBy === rival ? 'theirs' : 'open';
}

function advice(outcome: RivalTransaction['outcome'], isKnown: boolean): Phrase {
  if (outcome === 'ours') return phrase('rival.ours-mined');
  if (outcome === 'theirs') return phrase('rival.theirs-mined');
  return phrase(isKnown ? 'rival.open' : 'rival.only-told');
}

function partsOf(tx: Tx, other: Tx | undefined, network: Network): RivalTransaction['ours'] {
  const spent = new Set(other?.inputs.map(formatOutpoint));
  const paid = new Set(other?.outputs.map(outputKey));
  return {
    inputCount: tx.inputs.length,
    outputCount: tx.outputs.length,
    satoshis: tx.outputs.reduce((sum, output) => sum + output.satoshis, 0),
    inputs: tx.inputs.slice(0, MAX_RIVAL_PARTS).map((input) => {
      const outpoint = formatOutpoint(input);
      return { outpoint, shared: spent.has(outpoint) };
    }),
    outputs: tx.outputs.slice(0, MAX_RIVAL_PARTS).map((output) => {
      const hash = parseP2pkh(output.script);
      const address = hash === undefined ? null : encodeAddress(hash, addressNetwork(network));
      return { satoshis: output.satoshis, address, inBoth: paid.has(outputKey(output)) };
    }),
  };
}

function outputKey({ satoshis, script }: TxOutput): string {
  return `${satoshis} ${toHex(script)}`;
}
