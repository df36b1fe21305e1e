import {
  ChainError,
  fromHex,
  hash160,
  headerHash,
  type MerkleBlock,
  parseMerkleBlock,
  parseTx,
  proofRoot,
  type Tx,
} from '../../chain/index.ts';
import type { Network } from '../../contract/index.ts';
import { helpText } from '../node-format/help.ts';
import { writeJson } from '../node-format/json.ts';
import { type AddressNetwork, isScriptHash, scriptHashAddress, scriptView, txView } from '../node-format/views.ts';

/** What a command is answered here: its result as JSON, or the node's error. */
export type LocalAnswer =
  | {
      readonly result: string;
      /** True for an answer that the node streams, which no line end follows. */
      readonly streamed: boolean;
    }
  | { readonly code: number; readonly message: string };

export interface LocalCommandsOptions {
  network: Network;
  enabled: () => boolean;
  /** Whether a block is known, now, to be on the main chain. False says nothing. */
  isOnChain: (hash: string) => boolean;
}

const errorCodes = { parameter: -8, decoding: -22 };
/** Larger ones go upstream: decoding them here would keep everybody else waiting. */
const LONGEST_PARAMS = 512 * 1024;
/** The node reads 32-bit integers. */
const MOST_INDEX = 0x7fff_ffff;

/**
 * The commands that need no chain: answered as a node does, without asking one. What is not plainly of the right form is left to the
 * node, whose words for it depend on its version.
 */
export class LocalCommands {
  readonly #options: LocalCommandsOptions;
  readonly #network: AddressNetwork;

  constructor(options: LocalCommandsOptions) {
    this.#options = options;
    this.#network = options.network === 'main' ? 'main' : 'test';
  }

  /** @returns undefined where the node has to be asked */
  answer(method: string, paramsText: string): LocalAnswer | undefined {
    if (!(method in commands) || !this.#options.enabled() || paramsText.length > LONGEST_PARAMS) return undefined;
    const params = JSON.parse(paramsText) as unknown[];
    const command = commands[method as keyof typeof commands];
    if (params.length !== 1 && !(command === help && params.length === 0)) return undefined;
    try {
      return command(params[0], { network: this.#network, isOnChain: this.#options.isOnChain });
    } catch (error) {
      // whatever a node might see otherwise, it shall say itself
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }
}

interface Surroundings {
  readonly network: AddressNetwork;
  readonly isOnChain: (hash: string) => boolean;
}

const commands = {
  help,
  decoderawtransaction,
  decodescript,
  verifymerkleproof: verifyMerkleProof,
  verifytxoutproof: verifyTxOutProof,
};

/** The list is a node's: it names the sending commands too, whose refusal tells where transactions go. */
function help(command: unknown = ''): LocalAnswer | undefined {
  if (typeof command !== 'string') return undefined;
  return { result: JSON.stringify(helpText(command)), streamed: false };
}

function decoderawtransaction(hex: unknown, { network }: Surroundings): LocalAnswer | undefined {
  if (typeof hex !== 'string') return undefined;
  const tx = readTx(hex);
  if (tx === undefined) return { code: errorCodes.decoding, message: 'TX decode failed' };
  // without a chain to look at, the node takes a P2SH output for a sign of old times
  const beforeGenesis = tx.outputs.some(({ script }) => isScriptHash(script));
  return { result: writeJson(txView(tx, undefined, { network, beforeGenesis })), streamed: true };
}

function readTx(hex: string): Tx | undefined {
  try {
    return parseTx(fromHex(hex.toLowerCase()));
  } catch (error) {
    // of an output with more money than there is, the node shows what it says
    if (error instanceof ChainError && !('satoshis' in error.data) && !('high' in error.data)) return undefined;
    throw error;
  }
}

function decodescript(hex: unknown, { network }: Surroundings): LocalAnswer | undefined {
  if (typeof hex !== 'string' || !/^(?:[0-9a-fA-F]{2})*$/.test(hex)) return undefined;
  const script = fromHex(hex.toLowerCase());
  const beforeGenesis = isScriptHash(script);
  const view = scriptView(script, { network, beforeGenesis });
  const p2sh = beforeGenesis ? undefined : scriptHashAddress(hash160(script), network);
  return { result: writeJson({ ...view, p2sh }), streamed: false };
}

function verifyTxOutProof(proof: unknown, { isOnChain }: Surroundings): LocalAnswer | undefined {
  if (typeof proof !== 'string' || !/^(?:[0-9a-fA-F]{2})+$/.test(proof)) return undefined;
  const read: MerkleBlock = parseMerkleBlock(fromHex(proof.toLowerCase()));
  if (!read.valid) return { result: '[]', streamed: false };
  if (!isOnChain(headerHash(read.header))) return undefined;
  return { result: JSON.stringify(read.txids), streamed: false };
}

/** A proof of another form than the node's is left to the node, with its many words for what is wrong. */
function verifyMerkleProof(proof: unknown): LocalAnswer | undefined {
  const { flags, index, txOrId, target, nodes } = (proof ?? {}) as Record<string, unknown>;
  const { merkleroot } = (typeof target === 'object' && target !== null ? target : {}) as Record<string, unknown>;
  if (flags !== 2 || !Number.isInteger(index) || (index as number) < 0 || (index as number) > MOST_INDEX)
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
  return { result: String(leadsTo(read, root)), streamed: false };
}

function leadsTo(proof: Parameters<typeof proofRoot>[0], root: string): boolean {
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
