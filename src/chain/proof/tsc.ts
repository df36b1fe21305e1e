import { HEADER_BYTES, parseHeader } from '../block/block.ts';
import { requireTscProof, type TscProof, txidOfProof } from '../block/merkle.ts';
import { displayToHash, fromHex, isHashHex, toHex } from '../encoding/bytes.ts';
import { ByteReader } from '../encoding/reader.ts';
import { ChainError } from '../errors.ts';
import type { MerklePath } from './merkle-path.ts';
import { NODE_BYTES } from './node-transaction.ts';

/** The identification of the block in a proof. */
export type ProofTarget =
  | { readonly kind: 'hash'; readonly hash: string }
  | { readonly kind: 'header'; readonly header: Uint8Array }
  | { readonly kind: 'root'; readonly root: string };

/** A TSC proof (BRC-10) taken apart; nothing of it is verified yet. */
export interface TscParts {
  readonly path: MerklePath;
  readonly target: ProofTarget;
}

const FLAG_TRANSACTION = 0x01;
const FLAG_TARGET = 0x06;
const TARGET_HASH = 0x00;
const TARGET_HEADER = 0x02;
const TARGET_ROOT = 0x04;
const FLAG_TREE = 0x08;
const FLAG_COMPOSITE = 0x10;
const NODE_HASH = 0;
const NODE_DUPLICATE = 1;

/**
 * Reads the JSON of a proof, in the standard form or in the node's older form, whose target is an object.
 * @throws ChainError `proof-malformed`; `proof-unsupported` for a composite or tree proof
 */
export function readTscJson(json: unknown): TscParts {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw malformed('The proof is not an object.');
  const { flags, target, ...rest } = json as Record<string, unknown>;
  if (flags !== undefined) {
    if (!Number.isInteger(flags) || (flags as number) < 0 || (flags as number) > 0x1f)
      throw malformed('The flags are unknown.');
    refuseUnsupported(flags as number);
  }
  if (rest.proofType === 'tree') refuseUnsupported(FLAG_TREE);
  if (rest.composite === true) refuseUnsupported(FLAG_COMPOSITE);
  if (typeof target !== 'object' || target === null) return partsOf({ ...rest, target } as TscProof);
  const { hash } = target as Record<string, unknown>;
  return partsOf({ ...rest, targetType: 'hash', target: hash } as TscProof);
}

/** Reads the binary form. @throws as {@link readTscJson} */
export function parseTscBinary(bytes: Uint8Array): TscParts {
  const reader = new ByteReader(bytes, 'proof-malformed');
  const flags = reader.u8();
  if (flags > 0x1f) throw reader.fail('The flags are unknown.', { flags });
  refuseUnsupported(flags);
  const index = reader.varint();
  const txOrId = (flags & FLAG_TRANSACTION) === 0 ? reader.hash() : toHex(reader.varBytes());
  // 64 hex digits mean a txid
  if ((flags & FLAG_TRANSACTION) !== 0 && txOrId.length <= NODE_BYTES)
    throw reader.fail('The transaction is too short.');
  const [targetType, target] = readTarget(reader, flags & FLAG_TARGET);
  const nodes: string[] = [];
  for (let left = reader.count(1); left > 0; left--) {
    const type = reader.u8();
    if (type !== NODE_HASH && type !== NODE_DUPLICATE) throw reader.fail('A node has an unknown type.', { type });
    nodes.push(type === NODE_HASH ? reader.hash() : '*');
  }
  reader.end();
  return partsOf({ index, txOrId, targetType, target, nodes });
}

function readTarget(reader: ByteReader, flag: number): [NonNullable<TscProof['targetType']>, string] {
  if (flag === TARGET_HASH) return ['hash', reader.hash()];
  if (flag === TARGET_HEADER) return ['header', toHex(reader.bytes(HEADER_BYTES))];
  if (flag === TARGET_ROOT) return ['merkleRoot', reader.hash()];
  throw reader.fail('The target type is unknown.');
}

function partsOf(proof: TscProof): TscParts {
  const { index, txOrId, targetType, target, nodes } = requireTscProof(proof);
  if (txOrId.length === 2 * NODE_BYTES) throw malformed('A transaction of 64 bytes cannot be told from a node.');
  const siblings = nodes.map((node) => {
    if (node === '*') return null;
    if (!isHashHex(node)) throw malformed('A node is neither 64 hex digits nor "*".');
    return displayToHash(node);
  });
  const txid = txidOfProof(txOrId);
  return { path: { txid, index, siblings }, target: targetOf(targetType, target) };
}

function targetOf(type: TscProof['targetType'], target: string): ProofTarget {
  if (type === 'header') {
    const header = /^[0-9a-fA-F]{160}$/.test(target) ? fromHex(target) : undefined;
    if (header === undefined) throw malformed('The target is not a header of 80 bytes.');
    parseHeader(header);
    return { kind: 'header', header };
  }
  if (!isHashHex(target)) throw malformed('The target is not 64 hex digits.');
  return type === undefined || type === 'hash' ? { kind: 'hash', hash: target } : { kind: 'root', root: target };
}

function refuseUnsupported(flags: number): void {
  if ((flags & FLAG_TREE) !== 0)
    throw new ChainError('proof-unsupported', 'Proofs of the type tree are not supported.');
  if ((flags & FLAG_COMPOSITE) !== 0) throw new ChainError('proof-unsupported', 'Composite proofs are not supported.');
}

function malformed(message: string): ChainError {
  return new ChainError('proof-malformed', message);
}
