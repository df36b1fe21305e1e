import {
  chronicleUse,
  isCoinbase,
  parseTx,
  readInscription,
  type Tx,
  type TxOutput,
  toHex,
} from '../../../chain/index.ts';
import { MAX_LISTED_PARTS, type Network, PlanchetError, type TransactionView } from '../../../contract/index.ts';
import { shortAsm, viewData, viewInscription } from '../../node-format/script-parts.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { placedTransaction } from './chain-facts.ts';
import { addressOf } from './review-subject.ts';

/** Inputs whose values are looked up; beyond that the fee of a transaction stays unknown. */
const MAX_LOOKED_UP_INPUTS = 200;

/**
 * A transaction decoded for a person, with its inscriptions.
 * @param listed index of an output that is listed even where it is not among the first
 * @throws PlanchetError `not-found` where nobody knows it, `upstream-*`
 */
export async function viewTransaction(
  chainData: ChainData,
  txid: string,
  network: Network,
  listed?: number,
): Promise<TransactionView> {
  const found = await placedTransaction(chainData, txid);
  if (found === undefined) throw unknownTransaction();
  const { tx, raw, block } = found;
  const spent = await spentOutputs(chainData, tx);
  const confirmations = block === null ? 0 : (await chainData.tip()).value.height - block.height + 1;
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
    confirmations: Math.max(0, confirmations),
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
export async function inscribedContent(chainData: ChainData, txid: string, index: number): Promise<Blob> {
  const { value: raw } = await chainData.transaction(txid);
  if (raw === undefined) throw unknownTransaction();
  const script = parseTx(raw).outputs[index]?.script;
  const inscription = script && readInscription(script);
  if (inscription === undefined) throw new PlanchetError('mint.no-inscription');
  return new Blob([new Uint8Array(inscription.content)], { type: inscription.contentType });
}

function unknownTransaction(): PlanchetError {
  return new PlanchetError('mint.transaction-unknown');
}

async function spentOutputs(chainData: ChainData, tx: Tx): Promise<(TxOutput | undefined)[]> {
  if (isCoinbase(tx) || tx.inputs.length > MAX_LOOKED_UP_INPUTS) return tx.inputs.map(() => undefined);
  const sources = new Map<string, Tx | undefined>();
  for (const { txid } of tx.inputs) {
    if (sources.has(txid)) continue;
    const { value: raw } = await chainData.transaction(txid);
    sources.set(txid, raw && parseTx(raw));
  }
  return tx.inputs.map(({ txid, vout }) => sources.get(txid)?.outputs[vout]);
}
