import { createHash } from 'node:crypto';
import {
  chronicleUse,
  isCoinbase,
  OP,
  parseTx,
  readInscription,
  ScriptCursor,
  type Tx,
  type TxOutput,
  toAsm,
  toHex,
} from '../../../chain/index.ts';
import { MAX_LISTED_PARTS, type Network, PlanchetError, type TransactionView } from '../../../contract/index.ts';
import type { NodeRpc } from '../../ports/node.ts';
import { placedTransaction, rawTransaction } from './chain-facts.ts';
import { addressOf } from './review-subject.ts';

/** A view shows the beginning of a long script; the whole of it is in `hex`. */
const MAX_ASM_CHARS = 10_000;
/** Pushes of a data output that a view shows, and bytes of each. */
const MAX_PUSHES = 100;
const MAX_PUSH_BYTES = 4_096;
/** Characters of a metadata key or content type that a view shows, and of a value. */
const MAX_KEY_CHARS = 200;
const MAX_VALUE_CHARS = 10_000;
/** Inputs whose values are looked up; beyond that the fee of a transaction stays unknown. */
const MAX_LOOKED_UP_INPUTS = 200;

/**
 * A transaction decoded for a person, with its inscriptions.
 * @param listed index of an output that is listed even where it is not among the first
 * @throws PlanchetError `not-found` where the node does not know it, `upstream-*`
 */
export async function viewTransaction(
  node: NodeRpc,
  txid: string,
  network: Network,
  listed?: number,
): Promise<TransactionView> {
  const found = await placedTransaction(node, txid);
  if (found === undefined) throw unknownTransaction();
  const { tx, raw, block } = found;
  const spent = await spentOutputs(node, tx);
  const paid = tx.outputs.reduce((sum, { satoshis }) => sum + satoshis, 0);
  const held = spent.reduce((sum, output) => sum + (output?.satoshis ?? 0), 0);
  const { isMalleable, originalDigest, computing } = chronicleUse(tx);
  return {
    txid,
    version: tx.version,
    isMalleable,
    originalDigest: originalDigest.slice(0, MAX_LISTED_PARTS),
    computing: computing.slice(0, MAX_LISTED_PARTS),
    hex: toHex(raw),
    size: raw.length,
    fee: spent.includes(undefined) || held < paid ? null : held - paid,
    blockHash: block?.hash ?? null,
    blockHeight: block?.height ?? null,
    confirmations: block?.confirmations ?? 0,
    inputCount: tx.inputs.length,
    outputCount: tx.outputs.length,
    inputs: tx.inputs.slice(0, MAX_LISTED_PARTS).map((input, i) => ({
      txid: input.txid,
      vout: input.vout,
      satoshis: spent[i]?.satoshis ?? null,
      address: addressOf(spent[i]?.script, network),
      scriptAsm: shortAsm(input.script, true),
    })),
    outputs: listedOutputs(tx, listed).map(({ index, output }) => ({
      index,
      satoshis: output.satoshis,
      address: addressOf(output.script, network),
      scriptAsm: shortAsm(output.script, false),
      inscription: viewInscription(output.script),
      data: viewData(output.script),
    })),
  };
}

function listedOutputs(tx: Tx, listed: number | undefined): { index: number; output: TxOutput }[] {
  const shown = tx.outputs.slice(0, MAX_LISTED_PARTS).map((output, index) => ({ index, output }));
  const asked = listed === undefined ? undefined : tx.outputs[listed];
  return asked === undefined || (listed as number) < shown.length
    ? shown
    : [...shown, { index: listed as number, output: asked }];
}

/**
 * The bytes inscribed in an output, with the type they are inscribed as.
 * @throws PlanchetError `not-found`, `upstream-*`
 */
export async function inscribedContent(node: NodeRpc, txid: string, index: number): Promise<Blob> {
  const raw = await rawTransaction(node, txid);
  if (raw === undefined) throw unknownTransaction();
  const script = parseTx(raw).outputs[index]?.script;
  const inscription = script && readInscription(script);
  if (inscription === undefined) throw new PlanchetError('mint.no-inscription');
  return new Blob([new Uint8Array(inscription.content)], { type: inscription.contentType });
}

function unknownTransaction(): PlanchetError {
  return new PlanchetError('mint.transaction-unknown');
}

async function spentOutputs(node: NodeRpc, tx: Tx): Promise<(TxOutput | undefined)[]> {
  if (isCoinbase(tx) || tx.inputs.length > MAX_LOOKED_UP_INPUTS) return tx.inputs.map(() => undefined);
  const sources = new Map<string, Tx | undefined>();
  for (const { txid } of tx.inputs) {
    if (sources.has(txid)) continue;
    const raw = await rawTransaction(node, txid);
    sources.set(txid, raw && parseTx(raw));
  }
  return tx.inputs.map(({ txid, vout }) => sources.get(txid)?.outputs[vout]);
}

function viewInscription(script: Uint8Array): TransactionView['outputs'][number]['inscription'] {
  const inscription = readInscription(script);
  if (inscription === undefined) return null;
  const { contentType, content, map } = inscription;
  const sha256 = createHash('sha256').update(content).digest('hex');
  const metadata = Object.fromEntries(
    Object.entries(map).map(([key, value]) => [cut(key, MAX_KEY_CHARS), cut(value, MAX_VALUE_CHARS)]),
  );
  return { contentType: cut(contentType, MAX_KEY_CHARS), bytes: content.length, sha256, metadata };
}

/** What a script carries behind its first OP_RETURN, push by push. */
function viewData(script: Uint8Array): TransactionView['outputs'][number]['data'] {
  const cursor = new ScriptCursor(script);
  let returned = false;
  let bytes = 0;
  const pushes: { bytes: number; hex: string; text: string | null }[] = [];
  for (let chunk = cursor.next(); chunk; chunk = cursor.next()) {
    if (!returned) {
      returned = chunk.op === OP.RETURN;
      continue;
    }
    if (chunk.data === undefined) continue;
    bytes += chunk.data.length;
    if (pushes.length >= MAX_PUSHES) continue;
    const shown = chunk.data.subarray(0, MAX_PUSH_BYTES);
    pushes.push({ bytes: chunk.data.length, hex: toHex(shown), text: readableText(shown, chunk.data.length) });
  }
  return returned ? { bytes, pushes } : null;
}

/** UTF-8 without control characters but line ends and tabs; a cut at the end may have split a character. */
function readableText(shown: Uint8Array, length: number): string | null {
  if (length === 0) return null;
  for (const cut of shown.length < length ? [0, 1, 2, 3] : [0]) {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(shown.subarray(0, shown.length - cut));
      return /[^\P{Cc}\t\n\r]/u.test(text) ? null : text;
    } catch {
      // Not at a character's end, or no UTF-8 at all.
    }
  }
  return null;
}

function cut(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars)}…` : text;
}

function shortAsm(script: Uint8Array, scriptSig: boolean): string {
  return cut(toAsm(script, { scriptSig }), MAX_ASM_CHARS);
}
