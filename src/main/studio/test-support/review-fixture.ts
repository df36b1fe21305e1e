import {
  decodeAddress,
  feeFor,
  inscriptionScript,
  ONE_SATOSHI,
  parseTxObj,
  predictSignedSize,
  satoshis,
  sha256,
  type Tx,
  type TxObj,
  toHex,
  toTxObj,
  txidOf,
  type Utxo,
} from '../../../chain/index.ts';
import type { ItemMetadata } from '../../../contract/index.ts';
import { protocolMetadata } from '../projects/metadata.ts';
import { type ReviewFacts, type ReviewRequest, reviewTransaction } from '../review/review.ts';
import { OTHER_ADDRESS, OWN_SCRIPT } from './file-wallet.ts';

export const RATE = { satoshis: 500, bytes: 1_000 };
export const contents = [Buffer.from('first file'), Buffer.from('second file')];
const metadata = (name: string): ItemMetadata => ({
  name,
  description: '',
  traits: [{ name: 'eyes', value: 'green' }],
});

export function coin(fill: string, value: number, vout = 0): Utxo {
  return { txid: fill.repeat(64), vout, satoshis: satoshis(value), lockingScript: OWN_SCRIPT };
}

export function request(overrides: Partial<ReviewRequest> = {}): ReviewRequest {
  return {
    network: 'sandbox',
    destination: OTHER_ADDRESS,
    items: contents.map((content, i) => ({
      itemId: `item-${i}`,
      sha256: toHex(sha256(content)),
      bytes: content.length,
      contentType: 'image/png',
      metadata: protocolMetadata(metadata(`Token ${i}`), 'single'),
    })),
    coins: [coin('a', 5_000), coin('b', 4_000, 3)],
    changeScript: OWN_SCRIPT,
    paysFrom: [OWN_SCRIPT],
    quote: { standard: RATE, data: RATE },
    maxFee: 10_000,
    maxFeeRate: 1_000,
    ...overrides,
  };
}

export interface Parts {
  spent: Utxo[];
  tokens: { contentType: string; content: Uint8Array; map: Record<string, string>; pubKeyHash: Uint8Array }[];
  fee?: number;
}

/** What an honest service builds. */
export function honest(change: (parts: Parts) => unknown = () => {}): TxObj {
  const { items } = request();
  const parts: Parts = {
    spent: [coin('a', 5_000), coin('b', 4_000, 3)],
    tokens: items.map(({ contentType, metadata: map }, i) => ({
      contentType,
      content: contents[i] as Uint8Array,
      map: { ...map },
      pubKeyHash: decodeAddress(OTHER_ADDRESS).pubKeyHash,
    })),
  };
  change(parts);
  const held = parts.spent.reduce((sum, utxo) => sum + utxo.satoshis, 0);
  const build = (value: number): Tx => ({
    version: 1,
    inputs: parts.spent.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(0), sequence: 0xffffffff })),
    outputs: [
      ...parts.tokens.map((token) => ({ satoshis: ONE_SATOSHI, script: inscriptionScript(token) })),
      { satoshis: satoshis(value), script: OWN_SCRIPT },
    ],
    lockTime: 0,
  });
  const fee = parts.fee ?? feeFor(predictSignedSize(build(0)), RATE);
  const tx = build(held - parts.tokens.length - fee);
  return toTxObj(tx, parts.spent, { script: OWN_SCRIPT, index: parts.tokens.length });
}

export const facts: ReviewFacts = {
  coins: [coin('a', 5_000), coin('b', 4_000, 3)].map((utxo) => ({
    txid: utxo.txid,
    vout: utxo.vout,
    utxo,
    unspent: true,
  })),
};

export type Loose = { -readonly [K in keyof TxObj]: TxObj[K] } & Record<string, unknown>;

/** Changes a field of an honest answer and updates its claimed id, so that the id does not reveal the change. */
export function changed(change: (txObj: Loose) => unknown, keepHash = false): unknown {
  const txObj = structuredClone(honest()) as Loose;
  change(txObj);
  if (!keepHash) txObj.hash = txidOf(parseTxObj({ ...txObj, hash: undefined, changeIndex: undefined }).tx);
  return txObj;
}

export function withOutput(index: number, change: (output: { satoshis: number; script: string }) => unknown): unknown {
  return changed((txObj) => change(txObj.outputs[index] as { satoshis: number; script: string }));
}

/** The checks that a transaction does not pass. */
export const failedIds = (txObj: unknown, req = request(), known: ReviewFacts = facts) =>
  reviewTransaction(req, txObj, known)
    .checks.filter(({ passed }) => !passed)
    .map(({ id }) => id);
