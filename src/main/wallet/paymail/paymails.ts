import { z } from 'zod';
import { addressNetwork, encodeAddress, fromHex, parseP2pkh, toHex, txidOf } from '../../../chain/index.ts';
import {
  type Failure,
  MAX_RECEIVERS,
  type PaymailReceiver,
  PlanchetError,
  phrase,
  toFailure,
  type WalletSendRequest,
} from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { beefOf } from '../coins/coin-beef.ts';
import { sumOf } from '../coins/coin-selection.ts';
import { type PaymailHostOptions, PaymailHosts } from './paymail-host.ts';

/** Capabilities by their number (BRFC). */
const CAPABILITIES = {
  destination: '2a40af698840',
  receive: '5f1323cddf31',
  receiveBeef: '5c55a7fdb7bb',
  key: 'pki',
  verifyKey: 'a9f510c16bde',
} as const;
const MOST_OUTPUTS = 100;

const capabilitiesSchema = z.object({ capabilities: z.record(z.string(), z.unknown()) });
const destinationSchema = z.object({
  outputs: z.array(
    z.object({ script: z.string().regex(/^([0-9a-f]{2}){1,10000}$/i), satoshis: z.number().int().min(1) }),
  ),
  reference: z.string().min(1).max(256),
});

const keySchema = z.object({ handle: z.string(), pubkey: z.string().regex(/^0[23][0-9a-f]{64}$/i) });
const ownerSchema = z.object({ match: z.boolean() });

const PAYMAIL = /^([a-z0-9][a-z0-9._+-]{0,63})@((?:[a-z0-9-]+\.)+[a-z]{2,}|localhost:\d{1,5}|127\.0\.0\.1:\d{1,5})$/i;

/** Whether a text is meant as a paymail address, well formed or not. */
export function isPaymail(text: string): boolean {
  return text.includes('@');
}

/** @throws PlanchetError `address-invalid` */
function checkPaymail(text: string): { alias: string; domain: string } {
  const [, alias, domain] = PAYMAIL.exec(text.trim()) ?? [];
  if (alias === undefined || domain === undefined) throw new PlanchetError('wallet.paymail-invalid', { paymail: text });
  return { alias: alias.toLowerCase(), domain: domain.toLowerCase() };
}

/** Whether a text is a paymail address; nobody is asked whether it exists. */
export function validatePaymail(text: string): { valid: boolean; failure: Failure | null; own: boolean } {
  try {
    checkPaymail(text);
    return { valid: true, failure: null, own: false };
  } catch (error) {
    return { valid: false, failure: toFailure(error), own: false };
  }
}

export interface PaymailsOptions extends PaymailHostOptions {
  readonly chainData: ChainData;
}

/** Payments to paymail addresses: their hosts name the outputs before, and are handed the transaction after it is sent. */
export class Paymails {
  readonly #options: PaymailsOptions;
  readonly #hosts: PaymailHosts;

  constructor(options: PaymailsOptions) {
    this.#options = options;
    this.#hosts = new PaymailHosts(options);
  }

  close(): Promise<void> {
    return this.#hosts.close();
  }

  /**
   * A request in which the outputs that its host chose stand in place of each paymail address.
   * @throws PlanchetError `invalid-input` for a paymail that is to take all that is left; `upstream-*` where a host does not answer, takes no such
   *   payments, or asks for another sum than it is to get
   */
  async resolve(request: WalletSendRequest): Promise<WalletSendRequest> {
    const to: WalletSendRequest['to'][number][] = [];
    const paymails: PaymailReceiver[] = [];
    for (const [at, receiver] of request.to.entries()) {
      const { address: paymail, satoshis } = receiver;
      if (!isPaymail(paymail)) {
        to.push(receiver);
        continue;
      }
      if (satoshis === 'all') throw new PlanchetError('wallet.paymail-all', { paymail });
      const { outputs, ...told } = await this.#destination(paymail, satoshis);
      // A longer request could not be read again.
      if (to.length + outputs.length + request.to.length - at - 1 > MAX_RECEIVERS)
        throw new PlanchetError('wallet.paymail-unreachable', { paymail, reason: phrase('reason.answer-too-long') });
      paymails.push({ paymail, satoshis, first: to.length, count: outputs.length, ...told });
      to.push(...outputs);
    }
    return { ...request, to, paymails };
  }

  async #destination(paymail: string, satoshis: number) {
    const { alias, domain } = checkPaymail(paymail);
    const listed = await this.#hosts.ask(paymail, await this.#hosts.capabilitiesAt(domain));
    const { capabilities } = read(capabilitiesSchema, listed, paymail);
    const at = (id: string): string | undefined => {
      const template = capabilities[id];
      return typeof template === 'string'
        ? template.replaceAll('{alias}', encodeURIComponent(alias)).replaceAll('{domain.tld}', domain)
        : undefined;
    };
    const destination = at(CAPABILITIES.destination);
    const [raw, beef] = [at(CAPABILITIES.receive), at(CAPABILITIES.receiveBeef)];
    const tell = raw ?? beef;
    if (destination === undefined || tell === undefined)
      throw new PlanchetError('wallet.paymail-unsupported', { paymail });
    this.#hosts.check(paymail, tell);
    const key = await this.#keyOf(paymail, `${alias}@${domain}`, at(CAPABILITIES.key), at(CAPABILITIES.verifyKey));
    const named = await this.#hosts.ask(paymail, destination, { satoshis });
    if (named.status === 404) throw new PlanchetError('wallet.paymail-unknown', { paymail });
    const { outputs, reference } = read(destinationSchema, named, paymail);
    const sum = sumOf(outputs);
    if (outputs.length > MOST_OUTPUTS || sum !== satoshis)
      throw new PlanchetError('wallet.paymail-sum', { paymail, told: sum, asked: satoshis });
    return {
      reference,
      url: tell,
      ...(key !== undefined && { key }),
      form: raw === undefined ? ('beef' as const) : ('raw' as const),
      outputs: outputs.map((output) => ({
        address: this.#addressOf(paymail, output.script),
        satoshis: output.satoshis,
      })),
    };
  }

  /**
   * The identity key of an address. A host that does not name one of this very handle names none: the address may have had none ever.
   * @param verify where the host says whose a key is
   * @throws PlanchetError where it denies what it named
   */
  async #keyOf(paymail: string, handle: string, at: string | undefined, verify: string | undefined) {
    const named = at === undefined ? undefined : await this.#hosts.ask(paymail, at).catch(() => undefined);
    const { data } = keySchema.safeParse(named?.value);
    if (named?.status !== 200 || data?.handle.toLowerCase() !== handle) return undefined;
    const key = data.pubkey.toLowerCase();
    const owner = await (verify && this.#hosts.ask(paymail, verify.replaceAll('{pubkey}', key)).catch(() => undefined));
    const isDenied = owner && owner.status === 200 && ownerSchema.safeParse(owner.value).data?.match === false;
    if (isDenied) throw new PlanchetError('wallet.paymail-key-denied', { paymail, key });
    return key;
  }

  /** @throws PlanchetError for another script than that of an address: nobody could tell a person what it does */
  #addressOf(paymail: string, script: string): string {
    const hash = parseP2pkh(fromHex(script.toLowerCase()));
    if (hash === undefined) throw new PlanchetError('wallet.paymail-script', { paymail });
    return encodeAddress(hash, addressNetwork(this.#options.network));
  }

  /**
   * Hands a host the transaction that pays one of its addresses. Handed over again under the same reference, it changes nothing there.
   * @throws PlanchetError `upstream-*` where it does not take it now
   */
  async tell(
    { paymail, url, reference, form }: PaymailReceiver,
    rawTx: Uint8Array,
    signal: AbortSignal,
  ): Promise<void> {
    const chain = this.#options.chainData.until(signal);
    const body = form === 'raw' ? { hex: toHex(rawTx) } : { beef: toHex(await beefOf(rawTx, chain)) };
    const { status, value } = await this.#hosts.ask(paymail, url, { ...body, reference, metadata: {} }, signal);
    if (status >= 200 && status < 300) return;
    const { message, txid } = (value ?? {}) as { message?: unknown; txid?: unknown };
    // It has it: this process ended, or the connection did, before its first answer was read.
    if (status === 409 || txid === txidOf(rawTx)) return;
    const reason =
      typeof message === 'string' && message !== '' ? message.slice(0, 200) : phrase('reason.http-status', { status });
    throw new PlanchetError('wallet.paymail-unreachable', { paymail, reason });
  }
}

function read<T>(schema: z.ZodType<T>, { status, value }: { status: number; value: unknown }, paymail: string): T {
  const parsed = schema.safeParse(value);
  if (status >= 200 && status < 300 && parsed.success) return parsed.data;
  if (status === 404) throw new PlanchetError('wallet.paymail-unsupported', { paymail });
  throw new PlanchetError('wallet.paymail-unreachable', { paymail, reason: phrase('reason.http-status', { status }) });
}
