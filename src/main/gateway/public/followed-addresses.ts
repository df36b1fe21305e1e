import { ChainError, decodeAddress, toHex } from '../../../chain/index.ts';
import { askingFor } from '../../async/asker.ts';
import { isOver } from '../../async/left-until.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';

/** Milliseconds between two queries for transactions of the addresses. */
const ASK_MS = 10_000;

export interface FollowedAddressesOptions {
  readonly chainData: ChainData;
  readonly clock: Pick<Clock, 'now'>;
  /** With commas between. */
  readonly addresses: () => string;
}

/** Transactions of the addresses that the user chose: the only part of a mempool that public services report. */
export class FollowedAddresses {
  readonly #options: FollowedAddressesOptions;
  #askedAt = Number.NEGATIVE_INFINITY;
  #of = '';
  #txids: readonly string[] = [];

  constructor(options: FollowedAddressesOptions) {
    this.#options = options;
  }

  /** The ids of transactions that pay the addresses or spend from them, as of the last few seconds. @throws PlanchetError `upstream-*` */
  async transactions(): Promise<readonly string[]> {
    const { chainData, clock, addresses } = this.#options;
    const text = addresses();
    const keys = keysOf(text);
    if (keys.length === 0) return [];
    if (text === this.#of && !isOver(ASK_MS, this.#askedAt, clock.now())) return this.#txids;
    this.#askedAt = clock.now();
    const { value } = await askingFor(undefined, () => chainData.history(keys));
    this.#of = text;
    this.#txids = [...new Set([...(value?.mined.map(({ txid }) => txid) ?? []), ...(value?.waiting ?? [])])];
    return this.#txids;
  }
}

/** Hashes of the keys that addresses pay, hex. */
function keysOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .flatMap((address) => {
      try {
        return address === '' ? [] : [toHex(decodeAddress(address).pubKeyHash)];
      } catch (error) {
        if (error instanceof ChainError) return [];
        throw error;
      }
    });
}
