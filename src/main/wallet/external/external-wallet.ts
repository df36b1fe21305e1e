import { randomBytes } from 'node:crypto';
import PublicKey from '@bsv/sdk/primitives/PublicKey';
import Signature from '@bsv/sdk/primitives/Signature';
import { ProtoWallet } from '@bsv/sdk/wallet/ProtoWallet';
import HTTPWalletJSON from '@bsv/sdk/wallet/substrates/HTTPWalletJSON';
import WalletClient from '@bsv/sdk/wallet/WalletClient';
import { sha256, type Tx } from '../../../chain/index.ts';
import { PlanchetError, phrase, type Reason } from '../../../contract/index.ts';
import { foreignBounds, readForeign } from '../../foreign-json.ts';
import { isMoneyIndex } from '../keys/wallet-key.ts';
import { messageOf, type Signer, type SignerInput, withHashType } from '../sending/signer.ts';
import type { KnownWallet } from './known-wallet.ts';

/** The name that the other wallet shows to its owner. */
const ORIGINATOR = 'planchet.local';
/** The other wallet derives keys for this name alone (BRC-43); the owner is asked once. */
const PROTOCOL: [1, string] = [1, 'planchet wallet'];
const TIMEOUT_MS = 60_000;
/** The key that the other wallet signs a challenge with. */
const CHALLENGE_KEY = 'who answers';
const CHALLENGE_BYTES = 32;

/** A wallet outside this process that derives keys and signs with them (BRC-100, JSON over HTTP). */
export class ExternalWallet implements Signer {
  readonly #url: string;
  readonly #client: WalletClient;
  readonly known: KnownWallet;

  /** @param url where it listens, on this machine @param known whose keys are expected */
  constructor(url: string, known: KnownWallet) {
    this.#url = url;
    this.known = known;
    this.#client = new WalletClient(new HTTPWalletJSON(ORIGINATOR, url.replace(/\/+$/, ''), ask), ORIGINATOR);
  }

  /**
   * Makes sure that the wallet that is known answers. A public key alone can be named by anybody, so it signs a challenge.
   * @returns its identity key
   * @throws PlanchetError `conflict` for another wallet, `upstream-unreachable`, `upstream-error`
   */
  async authenticate(): Promise<string> {
    const data = Array.from(randomBytes(CHALLENGE_BYTES));
    const { publicKey: identityKey } = await this.#ask(() => this.#client.getPublicKey({ identityKey: true }));
    requirePublicKey(identityKey);
    const named = { protocolID: PROTOCOL, keyID: CHALLENGE_KEY };
    const { signature } = await this.#ask(() =>
      this.#client.createSignature({ ...named, data, counterparty: 'anyone' }),
    );
    const proof = { ...named, data, signature, counterparty: identityKey };
    const proven = await new ProtoWallet('anyone').verifySignature(proof).catch(() => undefined);
    if (proven?.valid !== true) throw new PlanchetError('wallet.external-unproven', { url: this.#url });
    await this.known.check(identityKey);
    return identityKey;
  }

  /**
   * The public key at an index: 66 hex digits.
   * @throws PlanchetError `upstream-unreachable`, `upstream-error` where the wallet refuses
   */
  async publicKey(index: number): Promise<string> {
    const { publicKey } = await this.#ask(() =>
      this.#client.getPublicKey({ protocolID: PROTOCOL, keyID: keyIdOf(index), counterparty: 'self', forSelf: true }),
    );
    requirePublicKey(publicKey);
    return publicKey;
  }

  /**
   * Asks for one signature after the other: a person may have to agree to each.
   * @throws PlanchetError `conflict` where another wallet answers, which is asked for nothing then; `upstream-*`
   */
  async sign(tx: Tx, inputs: readonly SignerInput[]): Promise<Uint8Array[]> {
    await this.authenticate();
    const signatures: Uint8Array[] = [];
    for (const input of inputs) {
      const message = messageOf(tx, input);
      const digest = sha256(message);
      const { signature } = await this.#ask(() =>
        this.#client.createSignature({
          protocolID: PROTOCOL,
          keyID: keyIdOf(input.key.index),
          counterparty: 'self',
          hashToDirectlySign: Array.from(digest),
        }),
      );
      if (!isSignatureOf(input.key.publicKey, message, signature))
        throw new PlanchetError('wallet.external-refused', { reason: phrase('reason.signed-by-other') });
      signatures.push(withHashType(Uint8Array.from(signature)));
    }
    return signatures;
  }

  async #ask<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      // the address is refused, or nobody answers in time; everything else is an answer of the wallet
      const silent = error instanceof TypeError || (error as Error).name === 'TimeoutError';
      if (silent) throw new PlanchetError('wallet.external-unreachable', { url: this.#url }, { cause: error });
      throw new PlanchetError('wallet.external-refused', { reason: reasonOf(error) }, { cause: error });
    }
  }
}

/** Asks within a limit of time. The SDK would read an answer of any size. */
const ask: typeof fetch = async (address, init) => {
  const { body, ok, status } = await fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = body === null ? '' : await readForeign(body, foreignBounds.signer);
  return new Response(text, { status: ok ? 200 : status });
};

/** @throws PlanchetError `upstream-error` */
function requirePublicKey(text: string): void {
  if (/^0[23][0-9a-f]{64}$/.test(text)) return;
  throw new PlanchetError('wallet.external-refused', { reason: phrase('reason.no-public-key') });
}

/** @param message that the SDK hashes once, as the wallet's digest is made */
function isSignatureOf(publicKey: string, message: Uint8Array, signature: number[]): boolean {
  try {
    return PublicKey.fromString(publicKey).verify(Array.from(message), Signature.fromDER(signature));
  } catch {
    return false;
  }
}

function keyIdOf(index: number): string {
  return isMoneyIndex(index) ? String(index) : 'tokens';
}

/** The SDK puts the call, its arguments and the message into one JSON text; only the message is for a person. */
function reasonOf(error: unknown): Reason {
  const text = error instanceof Error ? error.message : String(error);
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : phrase('reason.none');
  } catch {
    return text;
  }
}
