import { PlanchetError, phrase } from '../../../contract/index.ts';
import { foreignBounds, OutOfBounds, readForeignValue } from '../../foreign-json.ts';

/** The name that the wallet app shows to its owner. */
const ORIGIN = 'http://planchet.local';
const ASK_MS = 10_000;
/** A person has so long to agree in the wallet app. */
export const AGREE_MS = 280_000;
/** Codes of its errors (BRC-100, as the SDK reads them). */
const TOO_LITTLE_MONEY = 7;

type Chain = 'mainnet' | 'testnet';

/**
 * A wallet of another program on this machine, as somebody who pays (BRC-100, JSON over HTTP). It is believed nothing: what it hands over is
 * bytes that have to be checked.
 */
export class WalletApp {
  readonly #url: string;

  /** @param url where it listens, on this machine */
  constructor(url: string) {
    this.#url = url.replace(/\/+$/, '');
  }

  /** The chain that it pays on. @throws PlanchetError `upstream-*` */
  async chain(): Promise<Chain> {
    const { network } = await this.#call('getNetwork', {}, ASK_MS);
    if (network === 'mainnet' || network === 'testnet') return network;
    throw new PlanchetError('wallet.app-refused', { reason: phrase('reason.no-network') });
  }

  /**
   * Asks for a payment, and waits until its owner agreed. It sends the transaction itself.
   * @param payment.lockingScript hex
   * @returns the transaction with its ancestors as Atomic BEEF (BRC-95), unchecked
   * @throws PlanchetError `upstream-*`, `funds-insufficient` where it has too little money
   */
  async pay({ lockingScript, satoshis }: { lockingScript: string; satoshis: number }): Promise<Uint8Array> {
    const { tx } = await this.#call(
      'createAction',
      {
        description: 'Payment to Planchet',
        outputs: [{ lockingScript, satoshis, outputDescription: 'Payment to Planchet' }],
        labels: ['planchet'],
        options: { acceptDelayedBroadcast: false, returnTXIDOnly: false },
      },
      AGREE_MS,
    );
    const isBytes = Array.isArray(tx) && tx.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
    if (isBytes && tx.length > 0) return Uint8Array.from(tx);
    throw new PlanchetError('wallet.app-unreadable', { reason: phrase('reason.no-transaction') });
  }

  async #call(name: string, args: object, within: number): Promise<Record<string, unknown>> {
    let answer: unknown;
    let ok: boolean;
    try {
      const response = await fetch(`${this.#url}/${name}`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json', origin: ORIGIN, originator: ORIGIN },
        body: JSON.stringify(args),
        redirect: 'error',
        signal: AbortSignal.timeout(within),
      });
      ok = response.ok;
      answer = response.body === null ? undefined : await readForeignValue(response.body, foreignBounds.walletPayment);
    } catch (error) {
      if (error instanceof OutOfBounds)
        throw new PlanchetError('wallet.app-unreadable', { reason: phrase('reason.too-long') }, { cause: error });
      const isSilent = (error as Error).name === 'TimeoutError';
      const id = isSilent && within === AGREE_MS ? 'wallet.app-silent' : 'wallet.app-unreachable';
      throw new PlanchetError(id, { url: this.#url }, { cause: error });
    }
    if (!isObject(answer)) throw new PlanchetError('wallet.app-unreachable', { url: this.#url });
    if (ok) return answer;
    if (answer.code === TOO_LITTLE_MONEY && Number.isSafeInteger(answer.moreSatoshisNeeded))
      throw new PlanchetError('wallet.app-poor', { missing: Number(answer.moreSatoshisNeeded) });
    const { message, description } = answer;
    const reason = [message, description].find((text) => typeof text === 'string' && text !== '');
    throw new PlanchetError('wallet.app-refused', {
      reason: typeof reason === 'string' ? reason.slice(0, 300) : phrase('reason.none'),
    });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
