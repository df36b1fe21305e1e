import type { GatewayCall } from '../../../contract/index.ts';

/** Number of calls to remember for views that open later. */
const REMEMBERED = 500;
/** Characters of the parameters to show with a call, and their size in bytes at most. */
const SHOWN_PARAMS = 500;
const SHOWN_BYTES = SHOWN_PARAMS * 3;

/**
 * The newest calls, in memory that is allocated once. Objects and strings that live for 500 calls would be copied by the garbage collector;
 * bytes and numbers in fixed arrays are not.
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
  readonly #callers: string[] = [];
  readonly #methods: string[] = [];
  readonly #sources: GatewayCall['source'][] = [];
  readonly #reasons: (string | null)[] = [];

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
    this.#callers[slot] = caller;
    this.#methods[slot] = method;
    this.#sources[slot] = source;
    this.#reasons[slot] = reason;
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
      params: this.#params.toString('utf8', from, from + (this.#paramsBytes[slot] as number)),
      paramsCut: this.#paramsCut[slot] === 1,
      source: this.#sources[slot] as GatewayCall['source'],
      milliseconds: this.#milliseconds[slot] as number,
      bytes: this.#bytes[slot] as number,
      status: this.#status[slot] as number,
      reason: this.#reasons[slot] as string | null,
    };
  }

  /** The newest calls, newest first. @param most number of calls at most */
  newest(most: number): GatewayCall[] {
    const calls: GatewayCall[] = [];
    for (let number = this.#count; calls.length < most; number--) {
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
