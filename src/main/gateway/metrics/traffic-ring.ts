import type { GatewayCall } from '../../../contract/index.ts';

/** Calls that are remembered for who looks later. */
const REMEMBERED = 500;
/** Characters of a call's parameters that are shown with it, and the bytes they take at most. */
const SHOWN_PARAMS = 500;
const SHOWN_BYTES = SHOWN_PARAMS * 3;

/**
 * The newest calls, in memory that is taken once: objects and texts that live for 500 calls would outlive the collector's nursery one by
 * one and be copied by it, bytes and numbers do not.
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

  /** @returns the call's number, from 1 on; `params` are cut to what is shown */
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

  /** A call by its number; undefined where it is not remembered. */
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

  /** The newest calls, the newest first. @param most as many as wanted */
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

/** Whether parameters are longer than what is shown of them. */
export function isCut(params: string): boolean {
  return params.length > SHOWN_PARAMS;
}
