import PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import { keyLockOf, sha256, sighashPreimage, type Tx, type Utxo } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { WalletKey } from '../keys/wallet-key.ts';

/** ALL with the fork id: the only hash type the wallet signs with. */
const SIGHASH = 0x41;
/** From so many inputs on, threads sign faster than one, and the event loop stays free. */
const BULK_INPUTS = 32;

/** An input to sign: its place, the output it spends, and the key that owns this. */
export interface SignerInput {
  readonly index: number;
  readonly spent: Utxo;
  readonly key: WalletKey;
}

/** Makes the wallet's signatures. It judges nothing: what may be signed is decided before. */
export interface Signer {
  /**
   * @returns for each input, in order, the signature: DER followed by the hash type
   * @throws PlanchetError `conflict` where the keys cannot sign, `upstream-*` where another wallet does not answer
   */
  sign(tx: Tx, inputs: readonly SignerInput[]): Promise<Uint8Array[]>;
}

/** The signature is one of the SHA-256 of the message, made with this private key (32 bytes). */
interface SignJob {
  readonly message: Uint8Array;
  readonly privateKey: Uint8Array;
}

/** Signs many messages in threads. @returns DER with a low S, in order */
export type SignBatch = (jobs: readonly SignJob[]) => Promise<Uint8Array[]>;

/** What the signature of an input signs the SHA-256 of: the SHA-256 of its preimage. */
export function messageOf(tx: Tx, { index, spent }: SignerInput): Uint8Array {
  const { signed } = keyLockOf(spent.lockingScript) ?? { signed: spent.lockingScript };
  return sha256(sighashPreimage(tx, index, signed, spent.satoshis, SIGHASH));
}

/** A DER signature as it stands in a script. */
export function withHashType(der: Uint8Array): Uint8Array {
  return Uint8Array.of(...der, SIGHASH);
}

/** Signs with the private keys of this process. */
export class OwnSigner implements Signer {
  readonly #signBatch: SignBatch | undefined;

  /** @param signBatch signs in threads; left out, everything is signed here */
  constructor(signBatch?: SignBatch) {
    this.#signBatch = signBatch;
  }

  async sign(tx: Tx, inputs: readonly SignerInput[]): Promise<Uint8Array[]> {
    const jobs = inputs.map((input) => ({ message: messageOf(tx, input), privateKey: secretOf(input.key) }));
    try {
      const inThreads = this.#signBatch !== undefined && jobs.length >= BULK_INPUTS;
      const signatures = inThreads ? await this.#signBatch?.(jobs) : jobs.map(signOne);
      return (signatures ?? []).map(withHashType);
    } finally {
      for (const { privateKey } of jobs) privateKey.fill(0);
    }
  }
}

/** The SDK hashes the message once more, which completes the double SHA-256. */
function signOne({ message, privateKey }: SignJob): Uint8Array {
  const key = new PrivateKey(Array.from(privateKey));
  return Uint8Array.from(key.sign(Array.from(message)).toDER() as number[]);
}

function secretOf({ privateKey, address }: WalletKey): Uint8Array {
  if (privateKey === undefined) throw new PlanchetError('wallet.watch-only', { address });
  return Uint8Array.from(Buffer.from(privateKey.toHex().padStart(64, '0'), 'hex'));
}
