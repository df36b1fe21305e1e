import { randomUUID } from 'node:crypto';
import {
  type AnswerBasis,
  type GatewayCall,
  OWN_CALLER,
  PlanchetError,
  toFailure,
  withHint,
} from '../../../contract/index.ts';
import { foreignBounds } from '../../foreign-json.ts';
import type { NodeBroadcast } from '../../ports/merchant/broadcast.ts';
import { NodeRpcError } from '../../ports/node.ts';
import type { Endpoints } from '../../ports/settings.ts';
import { rpcCodes, statusOf } from '../messages/message.ts';
import type { LocalCommands } from '../methods/local-commands.ts';
import { findBroadcastMethod, findMethod, unknownMethodMessage } from '../methods/method-registry.ts';
import type { TrafficLog } from '../metrics/traffic.ts';
import { isLacking, type PublicAnswers, wholeAnswer } from '../public/public-answers.ts';
import type { TipGuard } from '../rpc/tip-guard.ts';
import { readUpstream } from '../upstream/answers/response.ts';
import type { NodeClient } from '../upstream/client.ts';
import { tooLarge } from '../upstream/errors.ts';

/** The result of a call under the gateway's rules: the node's result, or an error of the node or the gateway. */
export type CallOutcome =
  | { readonly result: unknown; readonly error: null; readonly basis?: AnswerBasis }
  | { readonly result: null; readonly error: { readonly code: number; readonly message: string } };

export interface OwnCallsOptions {
  readonly node: Pick<NodeClient, 'ask'>;
  readonly endpoints: () => Endpoints;
  readonly local: LocalCommands;
  readonly guard: TipGuard;
  readonly traffic: TrafficLog;
  readonly broadcast?: NodeBroadcast | undefined;
  readonly withoutNode?: PublicAnswers | undefined;
}

interface Answered {
  readonly outcome: CallOutcome;
  readonly source: GatewayCall['source'];
}

/** The calls that the application makes itself, such as those of its console, under the same rules as those that come to the port. */
export class OwnCalls {
  readonly #options: OwnCallsOptions;

  constructor(options: OwnCallsOptions) {
    this.#options = options;
  }

  /**
   * Runs one call. It is always sent upstream, except for commands that need no chain, and where there is no node. Unknown commands get error
   * -32601. The answer is compared with the known tip, and another upstream is asked if the first is behind.
   * @throws PlanchetError `upstream-*` if no node is reachable, no answer is a node's, or all upstreams that answer are behind
   */
  async call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<CallOutcome> {
    const started = performance.now();
    const record = ({ result, error }: CallOutcome, source: Answered['source'], fault?: PlanchetError): void => {
      const answer = JSON.stringify({ result, error });
      this.#options.traffic.record(OWN_CALLER, method, JSON.stringify(params), {
        source,
        started,
        bytes: error === null ? answer.length : 0,
        status: error === null ? 200 : statusOf(error.code),
        reason: error?.message,
        failure: fault?.toFailure(),
        answer,
      });
    };
    try {
      const { outcome, source } = await this.#answer(method, params, signal);
      record(outcome, source);
      return outcome;
    } catch (error) {
      const told = error instanceof PlanchetError ? error : new PlanchetError(toFailure(error));
      const source = this.#options.withoutNode?.source === 'public' ? 'local' : 'upstream';
      record(failed(rpcCodes.misc, withHint(told)), source, told);
      throw error;
    }
  }

  async #answer(method: string, params: readonly unknown[], signal: AbortSignal | undefined): Promise<Answered> {
    const { broadcast, endpoints } = this.#options;
    if (broadcast?.isOn() === true && findBroadcastMethod(method) !== undefined) {
      const answer = await broadcast.send(method, params);
      const outcome = 'result' in answer ? passed(answer.result) : failed(answer.code, answer.message);
      return { outcome, source: 'local' };
    }
    if (findMethod(method) === undefined) {
      const outcome = failed(rpcCodes.methodNotFound, unknownMethodMessage(method, endpoints().mapiUrl));
      return { outcome, source: 'refused' };
    }
    const own = await this.#answerHere(method, JSON.stringify(params));
    if (own !== undefined) return { outcome: own, source: 'local' };
    const { withoutNode } = this.#options;
    const askPublic = async (answers: PublicAnswers) =>
      wholeAnswer(await answers.answer(method, params, signal), foreignBounds.nodeCall.bytes);
    if (withoutNode?.source === 'public') {
      const answer = await askPublic(withoutNode);
      if ('error' in answer) throw answer.error;
      const { basis } = answer;
      const outcome =
        'result' in answer ? passed(JSON.parse(answer.result), basis) : failed(answer.code, answer.message);
      return { outcome, source: basis };
    }
    let outcome: CallOutcome | undefined;
    let fault: unknown;
    try {
      outcome = await this.#askUpstream(method, params, signal);
    } catch (error) {
      fault = error;
    }
    if (withoutNode?.source === 'both' && (outcome === undefined || isLacking(outcome.error))) {
      const answer = await askPublic(withoutNode);
      if ('result' in answer) return { outcome: passed(JSON.parse(answer.result), answer.basis), source: answer.basis };
    }
    if (outcome === undefined) throw fault;
    return { outcome, source: 'upstream' };
  }

  /** @throws as {@link call} */
  async #askUpstream(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<CallOutcome> {
    const mark = JSON.stringify(`planchet-${randomUUID()}`);
    const paramsText = JSON.stringify(params);
    const body = `{"jsonrpc":"1.0","id":${mark},"method":${JSON.stringify(method)},"params":${paramsText}}`;
    let origin = '';
    const json = foreignBounds.nodeCall;
    const { node, guard } = this.#options;
    try {
      const answer = await node.ask(body, { signal, wholeBytes: json.bytes, json }, (asked) => {
        origin = asked.origin;
        return guard.check({ method, paramsText }, readUpstream(asked, mark), origin);
      });
      if (answer.kind === 'flowing') {
        answer.discard();
        throw tooLarge(origin, json.bytes);
      }
      if (answer.kind === 'error') return failed(answer.code, answer.message);
      // the text is used, because the guard may have updated confirmations or the tip in it
      return passed((JSON.parse(`${answer.before}${mark}${answer.after}`) as { result: unknown }).result);
    } catch (error) {
      // one that is still starting
      if (error instanceof NodeRpcError) return failed(error.code, error.message);
      throw error;
    }
  }

  /** Answers commands that need no chain like the port does, so that the console's help works without a node. */
  async #answerHere(method: string, paramsText: string): Promise<CallOutcome | undefined> {
    const { local } = this.#options;
    const own = local.takesTurns(method, paramsText)
      ? await local.decodeInTurns(method, paramsText)
      : local.answer(method, paramsText);
    if (own === undefined) return undefined;
    return 'result' in own ? passed(JSON.parse(own.result)) : failed(own.code, own.message);
  }
}

function passed(result: unknown, basis?: AnswerBasis): CallOutcome {
  return { result, error: null, ...(basis && { basis }) };
}

function failed(code: number, message: string): CallOutcome & { result: null } {
  return { result: null, error: { code, message } };
}
