import { ChainError, fromHex, hash160, parseTx, type Tx, toHex } from '../../../../chain/index.ts';
import { blockByHash } from '../chain-store.ts';
import type { SandboxNode } from '../node.ts';
import type { SubmitResult } from '../types.ts';
import { reject } from '../validate.ts';
import type { Command } from './command.ts';
import type { RpcValue } from './json.ts';
import { asHash, asHexText, asInteger, failure, requireTypes } from './params.ts';
import { isScriptHash, scriptHashAddress, scriptView, type TxBlock, txView } from './views.ts';

/** Fees above this are taken for a typing error unless the caller allows them: 0.1 BSV. */
const ABSURD_FEE = 10_000_000;

function decodeHexTx(hex: string): { raw: Uint8Array; tx: Tx } {
  try {
    const raw = fromHex(hex);
    return { raw, tx: parseTx(raw) };
  } catch (error) {
    if (error instanceof ChainError) throw failure('deserialization', 'TX decode failed');
    throw error;
  }
}

function isVerbose(value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof value === 'number') return asInteger(value) !== 0;
  if (typeof value === 'boolean') return value;
  throw failure('type', 'Invalid type provided. Verbose parameter must be a boolean.');
}

async function rawTransaction(node: SandboxNode, [id, verbose]: readonly unknown[]): Promise<RpcValue> {
  const txid = asHash(id, 'parameter 1');
  const detailed = isVerbose(verbose);
  const found = await node.transaction(txid);
  if (found === undefined) {
    throw failure('notFound', 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.');
  }
  if (!detailed) return toHex(found.raw);
  return txView(parseTx(found.raw), await txBlock(node, found.blockHash, found.confirmations));
}

async function txBlock(
  node: SandboxNode,
  blockHash: string | null,
  confirmations: number,
): Promise<TxBlock | undefined> {
  const row = blockHash === null ? undefined : await blockByHash(node.db, blockHash);
  return row && { hash: row.hash, details: { confirmations, time: row.time, height: row.height } };
}

async function sendRawTransaction(node: SandboxNode, params: readonly unknown[]): Promise<RpcValue> {
  requireTypes(params, 'string', 'bool', 'bool');
  const [hex, allowHighFees = false, dontCheckFee = false] = params;
  const { raw } = decodeHexTx(hex as string);
  const result = await node.submit(raw, {
    checkFee: dontCheckFee !== true,
    ...(allowHighFees === true ? {} : { maxFee: ABSURD_FEE }),
  });
  if (result.ok && (result.known !== true || dontCheckFee === true)) return result.txid;
  throw refusal(node, result);
}

function refusal(node: SandboxNode, result: SubmitResult): Error {
  if (result.ok) {
    return node.mempool.has(result.txid) || node.nonFinal.has(result.txid)
      ? failure('alreadyInChain', 'Transaction already in the mempool')
      : failure('rejected', `${reject.known}: txn-already-known`);
  }
  return result.reason === 'missing-inputs'
    ? failure('verify', 'Missing inputs')
    : failure('rejected', `${result.code}: ${result.reason}`);
}

export const transactionCommands: readonly Command[] = [
  {
    name: 'getrawtransaction',
    params: ['txid', 'verbose'],
    required: 1,
    streamed: true,
    run: rawTransaction,
  },
  {
    name: 'decoderawtransaction',
    params: ['hexstring'],
    required: 1,
    streamed: true,
    run: (_, params) => {
      requireTypes(params, 'string');
      const { tx } = decodeHexTx(params[0] as string);
      // without a chain to look at, the node takes a P2SH output for a sign of old times
      const old = tx.outputs.some(({ script }) => isScriptHash(script));
      return txView(tx, undefined, old);
    },
  },
  {
    name: 'decodescript',
    params: ['hexstring'],
    required: 1,
    run: (_, params) => {
      requireTypes(params, 'string');
      const script = params[0] === '' ? new Uint8Array() : fromHex(asHexText(params[0], 'argument'));
      const old = isScriptHash(script);
      return { ...scriptView(script, old), p2sh: old ? undefined : scriptHashAddress(hash160(script)) };
    },
  },
  {
    name: 'sendrawtransaction',
    params: ['hexstring', 'allowhighfees', 'dontcheckfee'],
    required: 1,
    run: sendRawTransaction,
  },
];
