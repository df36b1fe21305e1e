import { isHashHex, merkleBlock, parseHeader, toHex } from '../../chain/index.ts';
import { asArray, asString, failure, optionalBoolean } from './params.ts';
import { hexText, type RpcObject } from './views.ts';

export const NOT_IN_BLOCK = 'Transaction(s) not found in provided block';
export const NOT_YET_IN_BLOCK =
  'Transaction not yet in block, -txindex is not enabled, or the block containing the transaction has been pruned';

/** The txids in a call of `gettxoutproof`, at least one. @throws NodeRpcError -1, -8 */
export function wantedTxids(value: unknown): readonly [string, ...string[]] {
  const wanted = new Set<string>();
  for (const item of asArray(value)) {
    const text = asString(item);
    if (!isHashHex(text.toLowerCase())) throw failure('parameter', `Invalid txid ${text}`);
    const txid = text.toLowerCase();
    if (wanted.has(txid)) throw failure('parameter', `Invalid parameter, duplicated txid: ${text}`);
    wanted.add(txid);
  }
  const [first, ...others] = wanted;
  if (first === undefined) throw failure('parameter', 'Parameter "txids" must hold at least one txid');
  return [first, ...others];
}

/**
 * The answer to `gettxoutproof`.
 * @param inBlock the ids of the block in order. @param isNamed whether the call names the block. @throws NodeRpcError -5
 */
export function txOutProof(
  header: Uint8Array,
  inBlock: readonly string[],
  wanted: readonly string[],
  isNamed: boolean,
): string {
  const listed = new Set(inBlock);
  const found = wanted.filter((txid) => listed.has(txid)).length;
  if (found === 0 || (found < wanted.length && isNamed)) throw failure('notFound', NOT_IN_BLOCK);
  if (found < wanted.length) throw failure('notFound', 'Not all transactions found in specified or retrieved block');
  return toHex(merkleBlock(header, inBlock, wanted));
}

const targetTypes = ['hash', 'header', 'merkleroot'] as const;

interface ProofForm {
  readonly fullTx: boolean;
  readonly targetType: (typeof targetTypes)[number];
}

/**
 * The form that a call of `getmerkleproof2` requests.
 * @param params after the block and the id.
 * @param help of the command.
 * @throws NodeRpcError -32602
 */
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
  /** Bytes of the transaction, if requested. */
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
