import PublicKey from '@bsv/sdk/primitives/PublicKey';
import {
  ChainError,
  decodeAddress,
  equalBytes,
  FINAL_SEQUENCE,
  feeFor,
  fromHex,
  hash160,
  inscriptionScript,
  LEAST_CHANGE,
  ONE_SATOSHI,
  type Outpoint,
  p2pkhScript,
  parseP2pkh,
  predictSignedSize,
  satoshis,
  type Tx,
  type TxObj,
  type TxOutput,
  toTxObj,
  type Utxo,
} from '../../../chain/index.ts';
import { ApiError } from '../api/api-error.ts';
import { COINBASE_MATURITY, policy } from '../node/consensus/consensus.ts';
import type { SandboxNode } from '../node/node.ts';

/** The content of an inscription output. */
export interface TokenContent {
  readonly contentType: string;
  readonly content: Uint8Array;
  readonly map: Readonly<Record<string, string>>;
}

/** @returns HASH160 of a compressed public key in hex. @throws ApiError `public-key-invalid` */
export function ownerHash(publicKey: string): Uint8Array {
  if (!/^0[23][0-9a-fA-F]{64}$/.test(publicKey)) {
    throw new ApiError('public-key-invalid', 'sandbox-api.public-key-form', { field: 'publicKey' });
  }
  if (!isPoint(publicKey.toLowerCase())) {
    throw new ApiError('public-key-invalid', 'sandbox-api.public-key-no-point', { field: 'publicKey' });
  }
  return hash160(fromHex(publicKey));
}

function isPoint(publicKey: string): boolean {
  try {
    // the SDK reduces an oversized coordinate, which would give a different key
    return PublicKey.fromString(publicKey).toString() === publicKey;
  } catch {
    return false;
  }
}

/**
 * @param field name of the address in the request
 * @throws ApiError `address-invalid` | `address-wrong-network`
 */
export function recipientHash(address: string, field: string): Uint8Array {
  try {
    const { network, pubKeyHash } = decodeAddress(address);
    if (network === 'test') return pubKeyHash;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new ApiError('address-invalid', 'sandbox-api.address-invalid', { field, reason: error.message });
  }
  throw new ApiError('address-wrong-network', 'sandbox-api.address-wrong-network', { field });
}

/**
 * Looks up funding outputs on the node. The client's claims about them are ignored.
 * @throws ApiError `utxo-unusable` for an output that is spent, unknown, immature, worth one satoshi, or not plain P2PKH of the key
 */
export async function findFunding(
  node: SandboxNode,
  outpoints: readonly Outpoint[],
  pubKeyHash: Uint8Array,
): Promise<Utxo[]> {
  const funding: Utxo[] = [];
  for (const { txid, vout } of outpoints) {
    const utxo = await node.utxo({ txid, vout }, true);
    if (utxo === undefined) throw new ApiError('utxo-unusable', 'sandbox-api.utxo-unknown', { vout, txid });
    // a one-satoshi output may be a token
    if (utxo.satoshis <= ONE_SATOSHI) throw new ApiError('utxo-unusable', 'sandbox-api.utxo-token', { vout, txid });
    const payee = parseP2pkh(utxo.lockingScript);
    if (payee === undefined || !equalBytes(payee, pubKeyHash))
      throw new ApiError('utxo-unusable', 'sandbox-api.utxo-other-key', { vout, txid });
    if (utxo.coinbase && node.tip().height + 1 - (utxo.height ?? 0) < COINBASE_MATURITY) {
      throw new ApiError('utxo-unusable', 'sandbox-api.utxo-immature', { vout, txid, blocks: COINBASE_MATURITY });
    }
    funding.push({ txid, vout, satoshis: utxo.satoshis, lockingScript: utxo.lockingScript });
  }
  return funding;
}

/** @throws ApiError `too-large` before contents are read, if the transaction would exceed the node's limit */
export function requireFitting(contentBytes: number): void {
  if (contentBytes <= policy.maxTxBytes) return;
  throw new ApiError('too-large', 'sandbox-api.tx-too-large', { bytes: contentBytes, limit: policy.maxTxBytes });
}

/**
 * Builds the unsigned transaction of wire.md 1.5: one-satoshi inscription outputs in order, then change to the owner of the funding. The
 * fee is the mining rate for the predicted signed size.
 * @throws ApiError `funds-insufficient` | `too-large` | `metadata-invalid`
 */
export function buildMint(
  tokens: readonly TokenContent[],
  recipient: Uint8Array,
  funding: readonly Utxo[],
  owner: Uint8Array,
): { tx: Tx; txObj: TxObj } {
  const minted: TxOutput[] = tokens.map((token) => ({
    satoshis: ONE_SATOSHI,
    script: inscriptionScript({ ...token, pubKeyHash: recipient }),
  }));
  const inputs = funding.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: FINAL_SEQUENCE }));
  const changeScript = p2pkhScript(owner);
  const frame = (change: readonly TxOutput[]): Tx => ({
    version: 1,
    inputs,
    outputs: [...minted, ...change],
    lockTime: 0,
  });
  const paid = funding.reduce((sum, { satoshis: value }) => sum + value, 0) - minted.length;

  const sized = frame([{ satoshis: satoshis(LEAST_CHANGE), script: changeScript }]);
  requireFitting(predictSignedSize(sized));
  const change = paid - feeFor(predictSignedSize(sized), policy.miningFee);
  if (change >= LEAST_CHANGE) {
    const tx = frame([{ satoshis: satoshis(change), script: changeScript }]);
    return { tx, txObj: toTxObj(tx, funding, { script: changeScript, index: minted.length }) };
  }
  const tx = frame([]);
  const fee = feeFor(predictSignedSize(tx), policy.miningFee);
  if (paid < fee) {
    throw new ApiError('funds-insufficient', 'sandbox-api.funds-insufficient', {
      total: paid + minted.length,
      tokens: minted.length,
      fee,
    });
  }
  return { tx, txObj: toTxObj(tx, funding) };
}

/** Simulates a dishonest service that steals money: the last output pays somebody else (fault `tampered-txobj`). */
export function tampered(tx: Tx, funding: readonly Utxo[]): TxObj {
  const thief = p2pkhScript(hash160(Uint8Array.of(0)));
  const outputs = tx.outputs.map((output, index) =>
    index === tx.outputs.length - 1 ? { ...output, script: thief } : output,
  );
  return toTxObj({ ...tx, outputs }, funding, { script: thief, index: outputs.length - 1 });
}
