import { ChainError, headerHash, parseMerkleBlock, proofRoot, readHex } from '../../chain/index.ts';
import { decodedScript, decodedTransaction } from './decode.ts';
import type { RpcValue } from './json.ts';
import { asHash, asInteger, decoded, failure, isNull, notHex, ofHex, requireTypes, typeName } from './params.ts';
import type { AddressNetwork } from './views.ts';

/** The answer to `decoderawtransaction`. @throws NodeRpcError -3, -22 */
export async function decodeRawTransaction(params: readonly unknown[], network: AddressNetwork): Promise<RpcValue> {
  requireTypes(params, 'string');
  return decoded(decodedTransaction(params[0] as string, network));
}

/** The answer to `decodescript`. @throws NodeRpcError -3, -8 */
export async function decodeScript(params: readonly unknown[], network: AddressNetwork): Promise<RpcValue> {
  requireTypes(params, 'string');
  return ofHex(params[0] as string, 'argument', (hex) => decodedScript(hex, network));
}

/** The answer to `verifytxoutproof`. @param isOnChain whether the chain has a block. @throws NodeRpcError -5, -8 */
export async function verifyTxOutProof(
  proof: unknown,
  isOnChain: (hash: string) => Promise<boolean>,
): Promise<RpcValue> {
  const hex = typeof proof === 'string' ? proof : '';
  if (hex === '') throw notHex(hex, 'proof');
  const read = parseMerkleBlock(await ofHex(hex, 'proof', readHex));
  if (!read.valid) return [];
  if (!(await isOnChain(headerHash(read.header)))) throw failure('notFound', 'Block not found in chain');
  return read.txids;
}

/** The answer to `verifymerkleproof`. @throws NodeRpcError -1, -3, -8 */
export function verifyMerkleProof(params: readonly unknown[]): RpcValue {
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
