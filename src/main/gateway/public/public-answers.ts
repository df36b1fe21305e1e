import { addressNetwork, ChainError } from '../../../chain/index.ts';
import { type Network, PlanchetError, toFailure } from '../../../contract/index.ts';
import {
  decodeRawTransaction,
  decodeScript,
  verifyMerkleProof,
  verifyTxOutProof,
} from '../../node-format/chainless-commands.ts';
import { jsonInSteps } from '../../node-format/json.ts';
import { failure, rpcError } from '../../node-format/params.ts';
import { inTurns } from '../../pause.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { helpOf } from '../methods/help.ts';
import { findMethod } from '../methods/method-registry.ts';
import type { MethodRow } from '../methods/method-row.ts';
import type { PublicCommands, PublicContext, WorkedHeaders } from './command.ts';
import { findHeader, headerCommands } from './header-commands.ts';
import { outputCommands } from './output-commands.ts';
import { transactionCommands } from './transaction-commands.ts';

/** Every command that can be answered without a node. */
export const publicCommands: PublicCommands = {
  ...headerCommands,
  ...transactionCommands,
  ...outputCommands,
  decoderawtransaction: ({ addresses }, params) => decodeRawTransaction(params, addresses),
  decodescript: ({ addresses }, params) => decodeScript(params, addresses),
  verifymerkleproof: (_, params) => verifyMerkleProof(params),
  verifytxoutproof: (context, [proof]) =>
    verifyTxOutProof(proof, async (hash) => (await findHeader(context, hash)) !== undefined),
};

/** Commands whose result a node streams: no line end follows it (node-rpc.md section 0). */
const STREAMED: ReadonlySet<string> = new Set(['getblockheader', 'getrawtransaction', 'decoderawtransaction']);

/** Who answers: a node alone, public services alone, or these where the node cannot. */
export type GatewaySource = 'node' | 'public' | 'both';

/** What a command rests on where no node answers it. */
export type AnswerBasis = Exclude<MethodRow['withoutNode'], 'none'>;

export type PublicAnswer =
  | { readonly result: string; readonly streamed: boolean; readonly basis: AnswerBasis }
  | { readonly code: number; readonly message: string; readonly basis: AnswerBasis }
  /** Nobody can answer now, or only a node could. */
  | { readonly error: PlanchetError };

export interface PublicAnswersOptions {
  readonly source: () => GatewaySource;
  readonly network: Network;
  readonly headers: WorkedHeaders;
  readonly chainData: ChainData;
}

/**
 * Answers a node's commands from the verified headers and public services, in a node's own form. What nobody could show is left out of an answer,
 * never made up; a command that needs all blocks or a mempool is refused.
 */
export class PublicAnswers implements NodeRpc {
  readonly #options: PublicAnswersOptions;

  constructor(options: PublicAnswersOptions) {
    this.#options = options;
  }

  get source(): GatewaySource {
    return this.#options.source();
  }

  /** Whether a command can be answered at all. */
  has(method: string): boolean {
    return Object.hasOwn(publicCommands, method);
  }

  /** Why nothing can be answered now; undefined if it can. */
  get fault(): PlanchetError | undefined {
    const { tip, isAgreed } = this.#options.headers;
    if (tip === null) return new PlanchetError('chain.no-headers');
    return isAgreed ? undefined : new PlanchetError('gateway.tip-not-agreed');
  }

  /** The newest verified block. */
  get tip(): { hash: string; height: number } | null {
    const { tip } = this.#options.headers;
    return tip && { hash: tip.hash, height: tip.height };
  }

  /** @param params by position. Never throws. */
  async answer(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<PublicAnswer> {
    const command = this.has(method) ? publicCommands[method] : undefined;
    const row = findMethod(method);
    if (command === undefined || row === undefined || row.withoutNode === 'none') return needsNode(method);
    const basis = row.withoutNode;
    try {
      const required = row.parameters.filter((parameter) => parameter.required).length;
      if (params.length < required || params.length > row.parameters.length) throw failure('misc', helpOf(method));
      const value = await command(this.#context(signal), params);
      if (value === undefined) return needsNode(method);
      return { result: await inTurns(jsonInSteps(value)), streamed: STREAMED.has(method), basis };
    } catch (error) {
      if (error instanceof NodeRpcError) return { code: error.code, message: error.message, basis };
      // a node says in its own words what it cannot read
      if (error instanceof ChainError) return { code: rpcError.misc, message: error.message, basis };
      return { error: error instanceof PlanchetError ? error : new PlanchetError(toFailure(error)) };
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
    const answer = await this.answer(method, params, signal);
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
    const { network, headers, chainData } = this.#options;
    const asked = signal === undefined ? chainData : chainData.until(signal);
    return { network, addresses: addressNetwork(network), headers, chainData: asked };
  }
}

/** Whether a node lacks the command, the block or the transaction: it may be pruned or without an index. @param error of the node; null for none */
export function isLacking(error: { readonly code: number; readonly message: string } | null): boolean {
  if (error === null) return false;
  return error.code === rpcError.methodNotFound || error.code === rpcError.notFound || /pruned/.test(error.message);
}

function needsNode(method: string): PublicAnswer {
  return { error: new PlanchetError('gateway.needs-node', { method }) };
}
