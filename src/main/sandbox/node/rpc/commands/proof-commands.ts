import {
  ChainError,
  headerHash,
  merkleBlock,
  merkleBranch,
  parseHeader,
  parseMerkleBlock,
  proofRoot,
  readHex,
  toHex,
} from '../../../../../chain/index.ts';
import { helpOf } from '../../../../gateway/methods/help.ts';
import type { SandboxNode } from '../../node.ts';
import { blockByHash, locateTransaction, minedTransaction } from '../../storage/chain-store.ts';
import type { FoundBlock } from '../../storage/side-store.ts';
import type { RpcValue } from '../json.ts';
import { txidsOf } from '../streams.ts';
import { headerView, hexText } from '../views.ts';
import { requireBlock } from './chain-commands.ts';
import type { Commands } from './command.ts';
import {
  asArray,
  asHash,
  asInteger,
  asLooseHash,
  asString,
  failure,
  isNull,
  NO_HASH,
  notHex,
  ofHex,
  optionalBoolean,
  requireTypes,
  typeName,
} from './params.ts';

const NOT_IN_BLOCK = 'Transaction(s) not found in provided block';
const NOT_YET_IN_BLOCK =
  'Transaction not yet in block, -txindex is not enabled, or the block containing the transaction has been pruned';

interface Branch {
  readonly block: FoundBlock;
  readonly index: number;
  readonly nodes: string[];
}

async function blockOf(node: SandboxNode, txid: string, blockhash: unknown): Promise<FoundBlock> {
  const named = blockhash === undefined ? NO_HASH : asLooseHash(blockhash);
  if (named !== NO_HASH) return requireBlock(node, named);
  const at = await locateTransaction(node.db, txid);
  const row = at ? await blockByHash(node.db, at.block_hash) : undefined;
  if (row === undefined) throw failure('notFound', NOT_YET_IN_BLOCK);
  return row;
}

async function branchOf(node: SandboxNode, txid: string, block: FoundBlock): Promise<Branch> {
  const txids = await txidsOf(node, block);
  const index = txids.indexOf(txid);
  // the node treats an empty branch as a failure, so a block of one transaction has no proof
  if (index < 0 || txids.length === 1) throw failure('notFound', NOT_IN_BLOCK);
  return { block, index, nodes: merkleBranch(txids, index) };
}

async function txOutProof(node: SandboxNode, [txids, blockhash]: readonly unknown[]): Promise<RpcValue> {
  const wanted = new Set<string>();
  for (const value of asArray(txids)) {
    const text = asString(value);
    if (!/^[0-9a-fA-F]{64}$/.test(text)) throw failure('parameter', `Invalid txid ${text}`);
    const txid = text.toLowerCase();
    if (wanted.has(txid)) throw failure('parameter', `Invalid parameter, duplicated txid: ${text}`);
    wanted.add(txid);
  }
  const [first] = wanted;
  if (first === undefined) throw failure('parameter', 'Parameter "txids" must hold at least one txid');
  const block = await blockOf(node, first, blockhash);
  const inBlock = await txidsOf(node, block);
  const found = [...wanted].filter((txid) => inBlock.includes(txid)).length;
  if (found === 0 || (found < wanted.size && blockhash !== undefined)) throw failure('notFound', NOT_IN_BLOCK);
  if (found < wanted.size) {
    throw failure('notFound', 'Not all transactions found in specified or retrieved block');
  }
  return toHex(merkleBlock(block.header, inBlock, [...wanted]));
}

async function verifyTxOutProof(node: SandboxNode, [proof]: readonly unknown[]): Promise<RpcValue> {
  const hex = typeof proof === 'string' ? proof : '';
  if (hex === '') throw notHex(hex, 'proof');
  const bytes = await ofHex(hex, 'proof', readHex);
  const read = parseMerkleBlock(bytes);
  if (!read.valid) return [];
  if ((await blockByHash(node.db, headerHash(read.header))) === undefined) {
    throw failure('notFound', 'Block not found in chain');
  }
  return read.txids;
}

const targetTypes = ['hash', 'header', 'merkleroot'] as const;

async function merkleProof2(node: SandboxNode, params: readonly unknown[]): Promise<RpcValue> {
  const [blockhash, id, includeFullTx, type, format] = params;
  const txid = asHash(id, 'txid');
  const at = await blockOf(node, txid, blockhash);
  const fullTx = optionalBoolean(includeFullTx, false);
  const targetType = type === undefined ? 'hash' : asString(type);
  if (!targetTypes.includes(targetType as (typeof targetTypes)[number])) {
    const choices = "must be 'hash', 'header' or 'merkleroot'";
    throw failure('invalidParams', `targetType is '${targetType}',  ${choices}\n${helpOf('getmerkleproof2')}`);
  }
  const wantedFormat = format === undefined ? 'json' : asString(format);
  if (wantedFormat !== 'json') {
    throw failure('invalidParams', `format is '${wantedFormat}',  must be 'json'\n${helpOf('getmerkleproof2')}`);
  }
  const { block, index, nodes } = await branchOf(node, txid, at);
  const target =
    targetType === 'hash'
      ? block.hash
      : targetType === 'header'
        ? toHex(block.header)
        : parseHeader(block.header).merkleRoot;
  return {
    index,
    txOrId: fullTx ? await rawHex(node, txid) : txid,
    targetType: targetType === 'hash' ? undefined : targetType,
    target,
    nodes,
  };
}

async function rawHex(node: SandboxNode, txid: string): Promise<RpcValue> {
  const at = await locateTransaction(node.db, txid);
  if (at === undefined) throw failure('internal', 'Transaction index corrupt');
  return hexText(await minedTransaction(node.db, at));
}

function verifyMerkleProof(params: readonly unknown[]): RpcValue {
  const [proof] = params;
  if (isNull(proof)) throw failure('parameter', 'Invalid parameter, argument 1 must be non-null');
  requireTypes(params, 'object');
  const { flags, index, txOrId, target, nodes } = proof as Record<string, unknown>;
  if (typeof flags !== 'number') throw failure('parameter', '"flags" must be a numeric value');
  if (asInteger(flags) !== 2) throw failure('parameter', 'verifymerkleproof only supports "flags" with value 2');
  if (typeof index !== 'number') throw failure('parameter', '"index" must be a numeric value');
  if (asInteger(index) < 0) throw failure('parameter', '"index" must be a positive value');
  const txid = asHash(txOrId, 'txOrId');
  if (typeName(target) !== 'object') throw failure('parameter', '"target" must be a block header Json object');
  const root = asHash((target as Record<string, unknown>).merkleroot, 'merkleroot');
  if (!Array.isArray(nodes)) throw failure('parameter', '"nodes" must be a Json array');
  const branch = nodes.map((value: unknown) => {
    if (typeof value !== 'string') throw failure('parameter', '"node" must be a "hash" or "*"');
    return value === '*' ? value : asHash(value, 'node');
  });
  try {
    return proofRoot({ index, txOrId: txid, target: root, nodes: branch }).root === root;
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}

export const proofCommands: Commands = {
  gettxoutproof: { run: txOutProof },
  verifytxoutproof: { run: verifyTxOutProof },
  getmerkleproof: {
    run: async (node, [id, blockhash]) => {
      const txid = asHash(id, 'txid');
      const { block, index, nodes } = await branchOf(node, txid, await blockOf(node, txid, blockhash));
      return { flags: 2, index, txOrId: txid, target: await headerView(node, block), nodes };
    },
  },
  // in the node, too, the order by name differs from the order by position, so a call by name has the two swapped
  getmerkleproof2: { run: merkleProof2 },
  verifymerkleproof: { run: (_, params) => verifyMerkleProof(params) },
};
