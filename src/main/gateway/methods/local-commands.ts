import { addressNetwork, ChainError, runSteps, type Steps } from '../../../chain/index.ts';
import type { Network } from '../../../contract/index.ts';
import { inTurns } from '../../pause.ts';
import { helpText } from './help.ts';
import type { LocalAnswer, LocalContext } from './local-handlers.ts';
import { findMethod } from './method-registry.ts';

export interface LocalCommandsOptions {
  network: Network;
  enabled: () => boolean;
  /** Whether a block is known to be on the main chain at this moment. False means unknown. */
  isOnChain: (hash: string) => boolean;
  /** Whether the gateway serves the commands that send. */
  broadcasts?: () => boolean;
}

/** Characters. Calls with longer parameters go upstream: their results are long, and can be streamed through. */
const MAX_PARAMS_LENGTH = 512 * 1024;
/** Characters. Longer parameters are decoded in slices, because decoding them in one go would delay every other call. */
const MAX_SYNC_LENGTH = 8 * 1024;

/**
 * Answers the commands that need no chain, as a node does and without asking one. Parameters that are not plainly valid are left to the
 * node, because its error messages depend on its version.
 */
export class LocalCommands {
  readonly #enabled: () => boolean;
  readonly #context: LocalContext;

  constructor({ network, enabled, isOnChain, broadcasts = () => false }: LocalCommandsOptions) {
    this.#enabled = enabled;
    this.#context = {
      network: addressNetwork(network),
      isOnChain,
      helpText: (command) => helpText(command, broadcasts()),
    };
  }

  /** @returns undefined if the node has to be asked, or {@link decodeInTurns} has to be used */
  answer(method: string, paramsText: string): LocalAnswer | undefined {
    const local = findMethod(method)?.local;
    if (local === undefined || paramsText.length > MAX_PARAMS_LENGTH || !this.#enabled()) return undefined;
    if ('decode' in local) {
      const steps = paramsText.length > MAX_SYNC_LENGTH ? undefined : this.#decode(method, paramsText);
      return steps && runSteps(steps);
    }
    const params = JSON.parse(paramsText) as unknown[];
    const mayBeEmpty = findMethod(method)?.parameters[0]?.required === false;
    if (params.length !== 1 && !(mayBeEmpty && params.length === 0)) return undefined;
    try {
      return local.answer(params[0], this.#context);
    } catch (error) {
      // the node reports the fault in its own words
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }

  /** Whether a call is decoded here, but is too long for {@link answer}. */
  takesTurns(method: string, paramsText: string): boolean {
    const { length } = paramsText;
    if (length <= MAX_SYNC_LENGTH || length > MAX_PARAMS_LENGTH) return false;
    const local = findMethod(method)?.local;
    return local !== undefined && 'decode' in local && this.#enabled();
  }

  /** Answers a call for which {@link takesTurns} is true, in slices. @returns undefined if the node has to be asked */
  async decodeInTurns(method: string, paramsText: string): Promise<LocalAnswer | undefined> {
    const steps = this.#decode(method, paramsText);
    return steps && inTurns(steps);
  }

  #decode(method: string, paramsText: string): Steps<LocalAnswer | undefined> | undefined {
    const local = findMethod(method)?.local;
    const params = JSON.parse(paramsText) as unknown[];
    const [hex] = params;
    if (local === undefined || !('decode' in local) || params.length !== 1 || typeof hex !== 'string') return undefined;
    return local.decode(hex, this.#context);
  }
}
