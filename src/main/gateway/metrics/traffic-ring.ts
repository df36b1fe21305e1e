import type { GatewayCall } from '../../../contract/index.ts';
import { copyOf } from './kept-texts.ts';
import { maskSecrets } from './mask-secrets.ts';

/** Number of calls to remember, for views that open later or are slower than a burst. */
const REMEMBERED = 10_000;
/** Characters of the parameters to show with a call. */
const SHOWN_PARAMS = 500;

/** The newest calls. */
export class TrafficRing {
  readonly #calls: GatewayCall[] = [];
  #count = 0;

  /** @returns the number of the call, from 1; `params` are truncated */
  add(call: Omit<GatewayCall, 'number' | 'paramsCut'>): number {
    const paramsCut = isCut(call.params);
    const params = copyOf(paramsCut ? call.params.slice(0, SHOWN_PARAMS) : call.params);
    this.#count += 1;
    this.#calls[this.#count % REMEMBERED] = { ...call, params, paramsCut, number: this.#count };
    return this.#count;
  }

  /** A call by its number; undefined if it is no longer stored. */
  get(number: number): GatewayCall | undefined {
    const call = this.#calls[number % REMEMBERED];
    return call?.number === number ? { ...call, params: maskSecrets(call.method, call.params, 'params') } : undefined;
  }

  /** The number of the newest call, and of the oldest that is still stored; without any, 0 and 1. */
  get range(): { oldest: number; newest: number } {
    return { oldest: Math.max(1, this.#count - REMEMBERED + 1), newest: this.#count };
  }

  /** Calls from a number on, oldest first. @param most number of calls at most */
  read(from: number, most: number): GatewayCall[] {
    const calls: GatewayCall[] = [];
    for (let number = from; calls.length < most; number++) {
      const call = this.get(number);
      if (call === undefined) break;
      calls.push(call);
    }
    return calls;
  }
}

/** Whether parameters are too long to be shown as a whole. */
export function isCut(params: string): boolean {
  return params.length > SHOWN_PARAMS;
}
