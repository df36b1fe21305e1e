import { fromHex, toHex } from '../../../../chain/encoding/bytes.ts';
import { ownerKeyHash } from '../../../../chain/inscription/key-lock.ts';
import { decodeAddress } from '../../../../chain/keys/address.ts';

/** Begins an envelope: an inscription may stand before the lock of its key, which need not hold the hash. */
const ENVELOPE = '0063';

interface Payee {
  /** @param script hex */
  isPaidBy(script: string): boolean;
}

/** Whoever an address is of, and which scripts pay it by the rule of the wallet; undefined for what is no address. */
export function payeeOf(address: string): Payee | undefined {
  const hash = hashOf(() => decodeAddress(address).pubKeyHash);
  if (hash === undefined) return undefined;
  return {
    // A block has thousands of scripts, some of megabytes: most need not be read.
    isPaidBy: (script) =>
      (script.startsWith(ENVELOPE) || script.includes(hash)) && hashOf(() => ownerKeyHash(fromHex(script))) === hash,
  };
}

function hashOf(read: () => Uint8Array | undefined): string | undefined {
  try {
    const hash = read();
    return hash && toHex(hash);
  } catch {
    return undefined;
  }
}
