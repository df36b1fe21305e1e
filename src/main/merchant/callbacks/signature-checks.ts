import { isValidSignature, type UncheckedSignature } from '../../../chain/index.ts';

/** Fewer signatures are checked in less time than it takes to hand them to a thread. */
const MANY = 8;
const COMPRESSED_KEY_BYTES = 33;

interface Pending {
  readonly signature: UncheckedSignature;
  readonly resolve: (isValid: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Checks signatures of messages. Those of messages that came together are checked together, by threads where there are many. */
export class SignatureChecks {
  readonly #inThreads: (signatures: readonly UncheckedSignature[]) => Promise<boolean[]>;
  #pending: Pending[] = [];

  /** @param inThreads checks signatures with compressed keys */
  constructor(inThreads: (signatures: readonly UncheckedSignature[]) => Promise<boolean[]>) {
    this.#inThreads = inThreads;
  }

  /** @throws what the threads throw when they end */
  async isValid(signature: UncheckedSignature): Promise<boolean> {
    if (signature.publicKey.length !== COMPRESSED_KEY_BYTES) return isValidSignature(signature);
    return new Promise((resolve, reject) => {
      this.#pending.push({ signature, resolve, reject });
      // Messages that this turn of the event loop still reads join the group.
      if (this.#pending.length === 1) setImmediate(() => void this.#check());
    });
  }

  async #check(): Promise<void> {
    const group = this.#pending;
    this.#pending = [];
    const signatures = group.map(({ signature }) => signature);
    try {
      const verdicts = group.length < MANY ? signatures.map(isValidSignature) : await this.#inThreads(signatures);
      for (const [n, { resolve }] of group.entries()) resolve(verdicts[n] === true);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
