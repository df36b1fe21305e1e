import { addressNetwork, ChainError } from '../../../chain/index.ts';
import {
  type AnswerBasis,
  type GatewaySource,
  type Network,
  PlanchetError,
  toFailure,
} from '../../../contract/index.ts';
import { type Asker, askingFor, TooManyWait, whoAsks } from '../../async/asker.ts';
import { foreignBounds } from '../../foreign-json.ts';
import {
  decodeRawTransaction,
  decodeScript,
  verifyMerkleProof,
  verifyTxOutProof,
} from '../../node-format/chainless-commands.ts';
import { jsonInSteps } from '../../node-format/json.ts';
import { RpcStream } from '../../node-format/json-stream.ts';
import { failure, rpcError } from '../../node-format/params.ts';
import { inTurns } from '../../pause.ts';
import type { ChainData, ToldMempool } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import { isPruned, lacksCommand, type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import type { CachedChain } from '../chain/chain-view.ts';
import { helpOf, mostParametersOf } from '../methods/help.ts';
import { findMethod } from '../methods/method-registry.ts';
import { tooLarge } from '../upstream/errors.ts';
import { Askers } from './askers.ts';
import { blockCommands } from './block-commands.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import type { PublicCommands, PublicContext } from './command.ts';
import { findHeader, headerCommands, storedResult, tipFault } from './header-commands.ts';
import { HeaderLookUps, type WorkedHeaders } from './header-look-ups.ts';
import { mempoolCommands } from './mempool-commands.ts';
import { outputCommands } from './output-commands.ts';
import { statsCommands } from './stats-commands.ts';
import { transactionCommands } from './transaction-commands.ts';

/** Every command that can be answered without a node. */
export const publicCommands: PublicCommands = {
  ...headerCommands,
  ...blockCommands,
  ...transactionCommands,
  ...outputCommands,
  ...mempoolCommands,
  ...statsCommands,
  decoderawtransaction: ({ addresses }, params) => decodeRawTransaction(params, addresses),
  decodescript: ({ addresses }, params) => decodeScript(params, addresses),
  verifymerkleproof: (_, params) => verifyMerkleProof(params),
  verifytxoutproof: (context, [proof]) =>
    verifyTxOutProof(proof, async (hash) => (await findHeader(context, hash)) !== undefined),
};

/** Blocks whose place is remembered. */
const MOST_PLACES = 10_000;

/** Commands whose result a node streams: no line end follows it (node-rpc.md section 0). */
const STREAMED: ReadonlySet<string> = new Set([
  'getblock',
  'getblockbyheight',
  'getblockheader',
  'getmempoolentry',
  'getmempoolancestors',
  'getmempooldescendants',
  'getrawmempool',
  'gettxouts',
  'getrawtransaction',
  'decoderawtransaction',
]);

export type PublicAnswer =
  | { readonly result: string; readonly streamed: boolean; readonly basis: AnswerBasis }
  /** A result that is made while it is sent. */
  | { readonly pieces: AsyncGenerator<string>; readonly basis: AnswerBasis }
  | { readonly code: number; readonly message: string; readonly basis: AnswerBasis }
  /** Nobody can answer now, or only a node could. */
  | { readonly error: PlanchetError };

export interface PublicAnswersOptions {
  readonly source: () => GatewaySource;
  readonly network: Network;
  readonly headers: WorkedHeaders;
  readonly clock: Pick<Clock, 'now'>;
  readonly chainData: ChainData;
  /** Left out where no public service is asked about its mempool. */
  readonly toldMempool?: ToldMempool;
  /** Transactions that a block may have of which all bytes are read. */
  readonly mostTransactions: () => number;
  /** When a transaction of our own was made, in milliseconds since 1970; undefined for any other. */
  readonly ownSince: (txid: string) => Promise<number | undefined>;
}

/**
 * Answers a node's commands from the verified headers and public services, in a node's own form. What cannot be proven is left out of an answer,
 * never made up; a command that needs all blocks or a mempool is refused.
 */
export class PublicAnswers implements NodeRpc {
  readonly askers = new Askers();
  readonly underWay: CallsUnderWay;
  readonly #options: PublicAnswersOptions;
  readonly #lookUps: HeaderLookUps;

  constructor(options: PublicAnswersOptions) {
    this.#options = options;
    this.underWay = new CallsUnderWay(options.clock);
    this.#lookUps = new HeaderLookUps(options.headers, options.clock);
  }

  get source(): GatewaySource {
    return this.#options.source();
  }

  /** The verified chain as it is now. */
  readonly chain = verifiedChain(() => this.#options.headers);

  /** Whether a command can be answered at all. */
  has(method: string): boolean {
    return Object.hasOwn(publicCommands, method);
  }

  /** Why nothing can be answered now; undefined if it can. */
  get fault(): PlanchetError | undefined {
    return tipFault(this.#options.headers);
  }

  /** The newest verified block. */
  get tip(): { hash: string; height: number } | null {
    const { tip } = this.#options.headers;
    return tip && { hash: tip.hash, height: tip.height };
  }

  /** Answers at once what the header file alone can; undefined for all else. @param params by position */
  stored(method: string, params: readonly unknown[]): PublicAnswer | undefined {
    const result = storedResult(this.#options.headers, method, params);
    return result === undefined ? undefined : { result, streamed: STREAMED.has(method), basis: 'proven' };
  }

  /**
   * Answers one call. Never throws.
   * @param params by position
   * @param asker on whose behalf public services are asked; the program itself where it is left out
   */
  async answer(
    method: string,
    params: readonly unknown[],
    signal?: AbortSignal,
    asker: Asker | undefined = whoAsks(),
  ): Promise<PublicAnswer> {
    const call = this.underWay.begin(method, params, asker);
    try {
      const answer = await askingFor(asker, () => this.#answer(method, params, signal), call.progress);
      if (!('pieces' in answer)) return answer;
      const next = () => askingFor(asker, () => answer.pieces.next(), call.progress);
      return { ...answer, pieces: this.#piecesOf(call, answer.pieces, next) };
    } finally {
      this.underWay.end(call);
    }
  }

  /** Public services are asked on behalf of the asker while the pieces are made, whatever reads them. */
  async *#piecesOf(
    call: ReturnType<CallsUnderWay['begin']>,
    pieces: AsyncGenerator<string>,
    next: () => Promise<IteratorResult<string>>,
  ): AsyncGenerator<string> {
    this.underWay.goOn(call);
    try {
      for (;;) {
        const step = await next();
        if (step.done === true) return;
        yield step.value;
      }
    } finally {
      this.underWay.end(call);
      await pieces.return(undefined);
    }
  }

  async #answer(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<PublicAnswer> {
    const command = this.has(method) ? publicCommands[method] : undefined;
    const row = findMethod(method);
    if (command === undefined || row === undefined || row.withoutNode === 'none') return needsNode(method);
    const basis = row.withoutNode;
    try {
      const required = row.parameters.filter((parameter) => parameter.required).length;
      if (params.length < required || params.length > mostParametersOf(method)) throw failure('misc', helpOf(method));
      const value = await command(this.#context(signal), params);
      if (value === undefined) return needsNode(method);
      if (value instanceof RpcStream) return { pieces: value.pieces() as AsyncGenerator<string>, basis };
      return { result: await inTurns(jsonInSteps(value)), streamed: STREAMED.has(method), basis };
    } catch (error) {
      if (error instanceof NodeRpcError) return { code: error.code, message: error.message, basis };
      // a node says in its own words what it cannot read
      if (error instanceof ChainError) return { code: rpcError.misc, message: error.message, basis };
      return { error: faultOf(error) };
    }
  }

  /**
   * One call as a node's client makes it.
   * @throws NodeRpcError as a node; PlanchetError where nobody can answer
   */
  readonly call: NodeRpc['call'] = async <T>(
    method: string,
    params: readonly unknown[] = [],
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<T> => {
    const answer = await wholeAnswer(await this.answer(method, params, signal), foreignBounds.nodeAnswer.bytes);
    if ('error' in answer) throw answer.error;
    if ('code' in answer) throw new NodeRpcError(answer.code, answer.message);
    return JSON.parse(answer.result) as T;
  };

  /** Asks a node, and these answers while no node is asked at all. */
  orNode(node: NodeRpc): NodeRpc {
    const asked = (): NodeRpc => (this.source === 'public' ? this : node);
    return {
      call: (method, params, options) => asked().call(method, params, options),
      get callBytes() {
        const answering = asked();
        return answering.callBytes?.bind(answering);
      },
    };
  }

  #context(signal: AbortSignal | undefined): PublicContext {
    const { network, headers, chainData, ownSince, toldMempool: told } = this.#options;
    const lookUps = this.#lookUps;
    const mostTransactions = this.#options.mostTransactions();
    const asked = signal === undefined ? chainData : chainData.until(signal);
    const addresses = addressNetwork(network);
    const mempool = told && { figures: () => told.figures(signal), ids: () => told.ids(signal) };
    return { network, addresses, headers, lookUps, chainData: asked, mempool, mostTransactions, ownSince };
  }
}

/** Whether a node lacks the command, the block or the transaction: it may be pruned or without an index. @param error of the node; null for none */
export function isLacking(error: { readonly code: number; readonly message: string } | null): boolean {
  if (error === null) return false;
  const told = new NodeRpcError(error.code, error.message);
  return lacksCommand(told) || error.code === rpcError.notFound || isPruned(told);
}

/** An answer as a whole. @param longest characters of a result that is made while it is sent */
export async function wholeAnswer(
  answer: PublicAnswer,
  longest: number,
): Promise<Exclude<PublicAnswer, { pieces: unknown }>> {
  if (!('pieces' in answer)) return answer;
  let result = '';
  try {
    for await (const piece of answer.pieces) {
      result += piece;
      if (result.length > longest) return { error: tooLarge('publicSources', longest) };
    }
  } catch (error) {
    return { error: faultOf(error) };
  }
  return { result, streamed: true, basis: answer.basis };
}

/** What cached answers rest on: nothing has to be asked to know where a block is. */
function verifiedChain(headers: () => WorkedHeaders): CachedChain {
  // cached answers ask for the same blocks again and again, and none of them moves while the tip is the same
  const places = new Map<string, number>();
  let placedUnder: string | undefined;
  const heightOf = (hash: string): number | undefined => {
    const tip = headers().tip?.hash;
    if (placedUnder !== tip || places.size >= MOST_PLACES) places.clear();
    placedUnder = tip;
    const known = places.get(hash);
    if (known !== undefined) return known;
    const height = headers().header(hash)?.height;
    // older headers may be read later, under the same tip
    if (height !== undefined) places.set(hash, height);
    return height;
  };
  return {
    isFresh: () => headers().tip !== null && headers().isAgreed,
    heightOf,
    locate: async (hash) => heightOf(hash),
    get tip() {
      return headers().tip;
    },
    age: 0,
  };
}

function faultOf(error: unknown): PlanchetError {
  if (error instanceof PlanchetError) return error;
  if (!(error instanceof TooManyWait)) return new PlanchetError(toFailure(error));
  const seconds = Math.ceil(error.waitMs / 1_000);
  return new PlanchetError('gateway.share-used', { name: error.asker, seconds }, { detail: { retryAfter: seconds } });
}

function needsNode(method: string): PublicAnswer {
  return { error: new PlanchetError('gateway.needs-node', { method }) };
}
