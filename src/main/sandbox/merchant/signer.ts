import PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import { signEnvelope, toHex } from '../../../chain/index.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { Faults } from '../controls/faults.ts';

/** Wraps payloads in envelopes, signed unless the setting disables it. */
export class EnvelopeSigner {
  readonly #key: PrivateKey;
  readonly #settings: SettingsView;
  readonly #faults: Faults;
  readonly #minerId: string;

  constructor(options: { key: PrivateKey; settings: SettingsView; faults: Faults }) {
    this.#key = options.key;
    this.#settings = options.settings;
    this.#faults = options.faults;
    this.#minerId = toHex(Uint8Array.from(options.key.toPublicKey().toDER() as number[]));
  }

  /** Compressed public key in hex; undefined if envelopes are not signed (wire.md 3.2). */
  get minerId(): string | undefined {
    return this.#settings.current().sandbox.signEnvelopes ? this.#minerId : undefined;
  }

  /** @returns the envelope as indented JSON, its keys in the order of the reference */
  wrap(value: unknown): string {
    const key = this.minerId === undefined ? undefined : this.#key;
    const { payload, publicKey, encoding, mimetype, ...envelope } = signEnvelope(JSON.stringify(value), key);
    const isWrong = key !== undefined && this.#faults.take('wrong-signature', 'mapi') !== undefined;
    const signature = isWrong ? signEnvelope(payload, PrivateKey.fromRandom()).signature : envelope.signature;
    return JSON.stringify({ payload, signature, publicKey, encoding, mimetype }, null, 2);
  }
}
