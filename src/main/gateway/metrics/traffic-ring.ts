import type { Failure, GatewayCall } from '../../../contract/index.ts';
import { maskSecrets } from './mask-secrets.ts';

/** Number of calls to remember, for views that open later or are slower than a burst. */
const REMEMBERED = 10_000;
/** Characters of the parameters to show with a call, and their size in bytes at most. */
const SHOWN_PARAMS = 500;
const SHOWN_BYTES = SHOWN_PARAMS * 3;
/** Most names to store once; they are forgotten when there are more. */
const MAX_NAMES = 4_096;

/**
 * The newest calls, in memory that is allocated once. Objects and strings that live for thousands of calls would be copied by the garbage collector;
 * bytes and numbers in fixed arrays are not.
 * Names of clients and commands are few, and each is stored once.
 */
export class TrafficRing {
  #count = 0;
  readonly #at = new Float64Array(REMEMBERED);
  readonly #milliseconds = new Float64Array(REMEMBERED);
  readonly #bytes = new Float64Array(REMEMBERED);
  readonly #status = new Uint16Array(REMEMBERED);
  readonly #params = Buffer.alloc(REMEMBERED * SHOWN_BYTES);
  readonly #paramsBytes = new Uint16Array(REMEMBERED);
  readonly #paramsCut = new Uint8Array(REMEMBERED);
  readonly #names = new Map<string, string>();
  readonly #callers: string[] = [];
  readonly #methods: string[] = [];
  readonly #sources: GatewayCall['source'][] = [];
  readonly #reasons: (string | null)[] = [];
  readonly #failures: (Failure | null)[] = [];

  /** @returns the number of the call, from 1; `params` are truncated */
  add({
    at,
    milliseconds,
    bytes,
    status,
    caller,
    method,
    params,
    source,
    reason,
    failure,
  }: Omit<GatewayCall, 'number' | 'paramsCut'>): number {
    const slot = this.#count % REMEMBERED;
    this.#at[slot] = at;
    this.#milliseconds[slot] = milliseconds;
    this.#bytes[slot] = bytes;
    this.#status[slot] = status;
    const cut = isCut(params);
    this.#paramsCut[slot] = cut ? 1 : 0;
    this.#paramsBytes[slot] = this.#params.write(
      cut ? params.slice(0, SHOWN_PARAMS) : params,
      slot * SHOWN_BYTES,
      'utf8',
    );
    this.#callers[slot] = this.#named(caller);
    this.#methods[slot] = this.#named(method);
    this.#sources[slot] = source;
    this.#reasons[slot] = reason;
    this.#failures[slot] = failure;
    this.#count += 1;
    return this.#count;
  }

  /** A call by its number; undefined if it is no longer stored. */
  get(number: number): GatewayCall | undefined {
    if (number < 1 || number > this.#count || number <= this.#count - REMEMBERED) return undefined;
    const slot = (number - 1) % REMEMBERED;
    const from = slot * SHOWN_BYTES;
    return {
      number,
      at: this.#at[slot] as number,
      caller: this.#callers[slot] as string,
      method: this.#methods[slot] as string,
      params: maskSecrets(
        this.#methods[slot] as string,
        this.#params.toString('utf8', from, from + (this.#paramsBytes[slot] as number)),
        'params',
      ),
      paramsCut: this.#paramsCut[slot] === 1,
      source: this.#sources[slot] as GatewayCall['source'],
      milliseconds: this.#milliseconds[slot] as number,
      bytes: this.#bytes[slot] as number,
      status: this.#status[slot] as number,
      reason: this.#reasons[slot] as string | null,
      failure: this.#failures[slot] as Failure | null,
    };
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

  #named(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_NAMES) this.#names.clear();
    this.#names.set(name, name);
    return name;
  }
}

/** Whether parameters are too long to be shown as a whole. */
export function isCut(params: string): boolean {
  return params.length > SHOWN_PARAMS;
}
