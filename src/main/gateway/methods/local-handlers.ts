import {
  ChainError,
  fromHex,
  headerHash,
  type MerkleBlock,
  parseMerkleBlock,
  proofRoot,
  type Steps,
} from '../../../chain/index.ts';
import { decodedScript, decodedTransaction } from '../../node-format/decode.ts';
import { jsonInSteps } from '../../node-format/json.ts';
import type { AddressNetwork } from '../../node-format/views.ts';

/** A local answer: the result as JSON, or the node's error. */
export type LocalAnswer =
  | {
      readonly result: string;
      /** The node streams this answer, so no line end follows it. */
      readonly streamed: boolean;
    }
  | { readonly code: number; readonly message: string };

/** What a handler may use besides its parameters. */
export interface LocalContext {
  readonly network: AddressNetwork;
  /** Whether a block is known to be on the main chain at this moment. False means unknown. */
  readonly isOnChain: (hash: string) => boolean;
  readonly helpText: (command: string) => string;
}

/** Answers a command without an upstream; undefined leaves it to the node. It gets the command's only parameter. */
export type LocalHandler =
  | { readonly answer: (parameter: unknown, context: LocalContext) => LocalAnswer | undefined }
  /** For hex of any length, which is decoded in steps. */
  | { readonly decode: (hex: string, context: LocalContext) => Steps<LocalAnswer | undefined> };

/** The node's error code for input it cannot decode. */
const DESERIALIZATION_ERROR = -22;
/** The node reads 32-bit integers. */
const MAX_INDEX = 0x7fff_ffff;

/** Lists the sending commands too, as a node does: their refusal says where transactions go. */
export function answerHelp(command: unknown = '', { helpText }: LocalContext): LocalAnswer | undefined {
  if (typeof command !== 'string') return undefined;
  return { result: JSON.stringify(helpText(command)), streamed: false };
}

export function* decodeRawTransaction(hex: string, { network }: LocalContext): Steps<LocalAnswer | undefined> {
  try {
    return { result: yield* jsonInSteps(yield* decodedTransaction(hex, network)), streamed: true };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    // the node prints outputs above the money supply as they are
    if ('satoshis' in error.data || 'high' in error.data) return undefined;
    return { code: DESERIALIZATION_ERROR, message: 'TX decode failed' };
  }
}

export function* decodeScript(hex: string, { network }: LocalContext): Steps<LocalAnswer | undefined> {
  try {
    return { result: yield* jsonInSteps(yield* decodedScript(hex, network)), streamed: false };
  } catch (error) {
    // the node reports invalid hex in its own words
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

export function answerVerifyTxOutProof(proof: unknown, { isOnChain }: LocalContext): LocalAnswer | undefined {
  if (typeof proof !== 'string' || !/^(?:[0-9a-fA-F]{2})+$/.test(proof)) return undefined;
  const read: MerkleBlock = parseMerkleBlock(fromHex(proof.toLowerCase()));
  if (!read.valid) return { result: '[]', streamed: false };
  if (!isOnChain(headerHash(read.header))) return undefined;
  return { result: JSON.stringify(read.txids), streamed: false };
}

/** Leaves proofs of any other form to the node, which has an error message for each fault. */
export function answerVerifyMerkleProof(proof: unknown): LocalAnswer | undefined {
  const { flags, index, txOrId, target, nodes } = (proof ?? {}) as Record<string, unknown>;
  const { merkleroot } = (typeof target === 'object' && target !== null ? target : {}) as Record<string, unknown>;
  if (flags !== 2 || !Number.isInteger(index) || (index as number) < 0 || (index as number) > MAX_INDEX)
    return undefined;
  if (!isHash(txOrId) || !isHash(merkleroot) || !Array.isArray(nodes)) return undefined;
  const branch: string[] = [];
  for (const node of nodes as unknown[]) {
    if (node === '*') branch.push('*');
    else if (isHash(node)) branch.push(node.toLowerCase());
    else return undefined;
  }
  const root = merkleroot.toLowerCase();
  const read = { index: index as number, txOrId: txOrId.toLowerCase(), target: root, nodes: branch };
  return { result: String(provesRoot(read, root)), streamed: false };
}

function provesRoot(proof: Parameters<typeof proofRoot>[0], root: string): boolean {
  try {
    return proofRoot(proof).root === root;
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-fA-F]{64}$/.test(value);
}
