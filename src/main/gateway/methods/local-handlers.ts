import {
  atOnce,
  ChainError,
  fromHex,
  headerHash,
  type MerkleBlock,
  parseMerkleBlock,
  proofRoot,
  type Steps,
} from '../../../chain/index.ts';
import type { Network } from '../../../contract/index.ts';
import { decodedScript, decodedTransaction } from '../../node-format/decode.ts';
import { helpText } from '../../node-format/help.ts';
import { jsonPieces, type RpcValue } from '../../node-format/json.ts';
import type { AddressNetwork } from '../../node-format/views.ts';
import { inTurns } from '../../pause.ts';

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

const DECODING = -22;
/** Larger ones go upstream: their answers are long, and flow through. */
const LONGEST_PARAMS = 512 * 1024;
/** The node reads 32-bit integers. */
const MOST_INDEX = 0x7fff_ffff;
/** Longer ones are answered in turns with other work: decoding them at once would keep everybody else waiting. */
const SHORT_PARAMS = 8 * 1024;

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

  /** @returns undefined where the node has to be asked, or {@link decodeInTurns} is to do it */
  answer(method: string, paramsText: string): LocalAnswer | undefined {
    if (paramsText.length > LONGEST_PARAMS || !this.#options.enabled()) return undefined;
    if (Object.hasOwn(decoders, method)) {
      const steps = paramsText.length > SHORT_PARAMS ? undefined : this.#decode(method, paramsText);
      return steps && atOnce(steps);
    }
    if (!Object.hasOwn(commands, method)) return undefined;
    const params = JSON.parse(paramsText) as unknown[];
    const command = commands[method as keyof typeof commands];
    if (params.length !== 1 && !(command === help && params.length === 0)) return undefined;
    try {
      return command(params[0], this.#options);
    } catch (error) {
      // whatever a node might see otherwise, it shall say itself
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }

  /** Whether a call is decoded here, but too long for {@link answer}. */
  takesTurns(method: string, paramsText: string): boolean {
    const { length } = paramsText;
    const isLong = length > SHORT_PARAMS && length <= LONGEST_PARAMS;
    return isLong && Object.hasOwn(decoders, method) && this.#options.enabled();
  }

  /** Answers what {@link takesTurns}, and lets others run in between. @returns undefined where the node has to be asked */
  async decodeInTurns(method: string, paramsText: string): Promise<LocalAnswer | undefined> {
    const steps = this.#decode(method, paramsText);
    return steps && inTurns(steps);
  }

  #decode(method: string, paramsText: string): Steps<LocalAnswer | undefined> | undefined {
    const params = JSON.parse(paramsText) as unknown[];
    const [hex] = params;
    if (params.length !== 1 || typeof hex !== 'string') return undefined;
    return decoders[method as keyof typeof decoders](hex, this.#network);
  }
}

type Surroundings = Pick<LocalCommandsOptions, 'isOnChain'>;

const commands = { help, verifymerkleproof: verifyMerkleProof, verifytxoutproof: verifyTxOutProof };
const decoders = { decoderawtransaction, decodescript };

/** The list is a node's: it names the sending commands too, whose refusal tells where transactions go. */
function help(command: unknown = ''): LocalAnswer | undefined {
  if (typeof command !== 'string') return undefined;
  return { result: JSON.stringify(helpText(command)), streamed: false };
}

function* decoderawtransaction(hex: string, network: AddressNetwork): Steps<LocalAnswer | undefined> {
  try {
    return { result: yield* written(yield* decodedTransaction(hex, network)), streamed: true };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    // of an output with more money than there is, the node shows what it says
    if ('satoshis' in error.data || 'high' in error.data) return undefined;
    return { code: DECODING, message: 'TX decode failed' };
  }
}

function* decodescript(hex: string, network: AddressNetwork): Steps<LocalAnswer | undefined> {
  try {
    return { result: yield* written(yield* decodedScript(hex, network)), streamed: false };
  } catch (error) {
    // what is no hex the node shall say itself
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

function* written(value: RpcValue): Steps<string> {
  let text = '';
  for (const piece of jsonPieces(value)) {
    text += piece;
    yield '';
  }
  return text;
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
