/** Characters at each end by which people compare addresses, the network's first one among them. */
const COMPARED = 4;

/** An address is longer than both ends together. */
const SHORTEST = 2 * COMPARED + 1;

const endsOf = (address: string): string => `${address.slice(0, COMPARED)} ${address.slice(-COMPARED)}`;

/**
 * Addresses that somebody could take for each other: their first and last four characters are the same. By chance that happens to two of
 * 58^7 addresses; who wants it makes one in minutes, pays from it, and waits until it is copied from a list (address poisoning).
 */
export class LookAlikes {
  readonly #byEnds = new Map<string, Set<string>>();

  constructor(known: Iterable<string>) {
    for (const address of known) {
      if (address.length < SHORTEST || address.includes('@')) continue;
      const alike = this.#byEnds.get(endsOf(address));
      if (alike === undefined) this.#byEnds.set(endsOf(address), new Set([address]));
      else alike.add(address);
    }
  }

  /** Another one of the known addresses that this one looks like. */
  of(address: string): string | undefined {
    if (address.length < SHORTEST) return undefined;
    for (const known of this.#byEnds.get(endsOf(address)) ?? []) if (known !== address) return known;
    return undefined;
  }
}
