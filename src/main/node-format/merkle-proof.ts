import { parseHeader, toHex } from '../../chain/index.ts';
import { asString, failure, optionalBoolean } from './params.ts';
import { hexText, type RpcObject } from './views.ts';

export const NOT_IN_BLOCK = 'Transaction(s) not found in provided block';
export const NOT_YET_IN_BLOCK =
  'Transaction not yet in block, -txindex is not enabled, or the block containing the transaction has been pruned';

const targetTypes = ['hash', 'header', 'merkleroot'] as const;

interface ProofForm {
  readonly fullTx: boolean;
  readonly targetType: (typeof targetTypes)[number];
}

/** What `getmerkleproof2` is asked to write. @param params after the block and the id. @param help of the command. @throws NodeRpcError -32602 */
export function proofForm([includeFullTx, type, format]: readonly unknown[], help: string): ProofForm {
  const fullTx = optionalBoolean(includeFullTx, false);
  const targetType = type === undefined ? 'hash' : asString(type);
  if (!targetTypes.some((one) => one === targetType)) {
    const choices = "must be 'hash', 'header' or 'merkleroot'";
    throw failure('invalidParams', `targetType is '${targetType}',  ${choices}\n${help}`);
  }
  const wanted = format === undefined ? 'json' : asString(format);
  if (wanted !== 'json') throw failure('invalidParams', `format is '${wanted}',  must be 'json'\n${help}`);
  return { fullTx, targetType: targetType as ProofForm['targetType'] };
}

interface ShownProof {
  readonly index: number;
  readonly txid: string;
  /** Bytes of the transaction, where they are asked for. */
  readonly raw: Uint8Array | undefined;
  readonly hash: string;
  readonly header: Uint8Array;
  readonly nodes: readonly string[];
}

/** The answer to `getmerkleproof2` (BRC-10). */
export function tscProof({ index, txid, raw, hash, header, nodes }: ShownProof, { targetType }: ProofForm): RpcObject {
  const targets = { hash, header: toHex(header), merkleroot: parseHeader(header).merkleRoot };
  return {
    index,
    txOrId: raw === undefined ? txid : hexText(raw),
    targetType: targetType === 'hash' ? undefined : targetType,
    target: targets[targetType],
    nodes,
  };
}
