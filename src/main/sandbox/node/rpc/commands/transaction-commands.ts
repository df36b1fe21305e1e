import { readHex, type Steps, scanSingleTx } from '../../../../../chain/index.ts';
import { decodeRawTransaction, decodeScript } from '../../../../node-format/chainless-commands.ts';
import type { RpcValue } from '../../../../node-format/json.ts';
import { asHash, decoded, failure, isVerbose, requireTypes } from '../../../../node-format/params.ts';
import { inTurns } from '../../../../pause.ts';
import { reject } from '../../consensus/validate.ts';
import type { SandboxNode } from '../../node.ts';
import { blockByHash } from '../../storage/chain-store.ts';
import type { NodeTransaction, SubmitResult } from '../../types.ts';
import { hexText, type TxBlock, txView } from '../views.ts';
import type { Commands } from './command.ts';

/** Higher fees are treated as a typing error unless the call allows them: 0.1 BSV. */
const MAX_TRANSACTION_FEE = 10_000_000;

async function rawTransaction(node: SandboxNode, [id, verbose]: readonly unknown[]): Promise<RpcValue> {
  const txid = asHash(id, 'parameter 1');
  const detailed = isVerbose(verbose);
  const found = await node.transaction(txid);
  if (found === undefined || (found.blockHeight ?? Number.POSITIVE_INFINITY) < node.lowestKept()) {
    throw failure('notFound', 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.');
  }
  if (!detailed) return hexText(found.raw);
  const tx = await inTurns(scanSingleTx(found.raw));
  return txView(tx, await txBlock(node, found));
}

async function txBlock(node: SandboxNode, { blockHash, confirmations }: NodeTransaction): Promise<TxBlock | undefined> {
  const row = blockHash === null ? undefined : await blockByHash(node.db, blockHash);
  return row && { hash: row.hash, details: { confirmations, time: row.time, height: row.height } };
}

async function sendRawTransaction(node: SandboxNode, params: readonly unknown[]): Promise<RpcValue> {
  requireTypes(params, 'string', 'bool', 'bool');
  const [hex, allowHighFees = false, dontCheckFee = false] = params;
  const raw = await decoded(transactionBytes(hex as string));
  const result = await node.submit(raw, {
    checkFee: dontCheckFee !== true,
    maxFee: allowHighFees === true ? undefined : MAX_TRANSACTION_FEE,
  });
  if (result.ok && (result.known !== true || dontCheckFee === true)) return result.txid;
  throw refusal(node, result);
}

/** The bytes of a transaction. @throws ChainError if the hex is not a transaction */
function* transactionBytes(hex: string): Steps<Uint8Array> {
  return (yield* scanSingleTx(yield* readHex(hex))).raw;
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

export const transactionCommands: Commands = {
  getrawtransaction: { streamed: true, run: rawTransaction },
  decoderawtransaction: { streamed: true, run: (_, params) => decodeRawTransaction(params, 'test') },
  decodescript: { run: (_, params) => decodeScript(params, 'test') },
  sendrawtransaction: { run: sendRawTransaction },
};
