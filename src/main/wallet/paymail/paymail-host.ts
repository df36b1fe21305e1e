import { promises as dns } from 'node:dns';
import { Agent, fetch } from 'undici';
import { MAX_PAYMAIL_URL, type Network, type Phrase, PlanchetError, phrase } from '../../../contract/index.ts';
import { foreignBounds, OutOfBounds, readForeignValue } from '../../foreign-json.ts';
import { connectionReason } from '../../http/connection-reason.ts';
import { namesPrivateHost, publicLookup } from '../../http/public-hosts.ts';
import type { Outbound } from '../../ports/outbound.ts';

const DEADLINE_MS = 15_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export interface PaymailHostOptions {
  readonly network: Network;
  /** The way to other machines. */
  readonly outbound: Outbound;
}

export interface HostAnswer {
  readonly status: number;
  /** Undefined for what is no JSON. */
  readonly value: unknown;
}

/**
 * Requests to hosts that a paymail address names: over HTTPS, to public addresses, within a size and a time. On the networks of worthless coins a
 * host on this machine is asked as well, over HTTP.
 */
export class PaymailHosts {
  readonly #options: PaymailHostOptions;
  readonly #direct = new Agent({ connect: { lookup: publicLookup, timeout: DEADLINE_MS } });

  constructor(options: PaymailHostOptions) {
    this.#options = options;
  }

  /** Ends what is under way. */
  close(): Promise<void> {
    return this.#direct.destroy();
  }

  /** The address of a domain's capabilities. A service record counts only where it names a host of the same domain: its answer is not signed. */
  async capabilitiesAt(domain: string): Promise<string> {
    const path = '/.well-known/bsvalias';
    if (this.#mayBeHere(domain.replace(/:\d+$/, ''))) return `http://${domain}${path}`;
    // behind a proxy, names are resolved there alone
    if (this.#options.outbound(`https://${domain}${path}`) !== undefined) return `https://${domain}${path}`;
    const [record] = await dns.resolveSrv(`_bsvalias._tcp.${domain}`).catch(() => []);
    const isOwn = record !== undefined && (record.name === domain || record.name.endsWith(`.${domain}`));
    return `https://${isOwn ? `${record.name}:${record.port}` : domain}${path}`;
  }

  /**
   * @param body sent as JSON; without one it is a GET
   * @throws PlanchetError `invalid-input` for an address that is not asked, `upstream-unreachable` where it does not answer
   */
  async ask(paymail: string, address: string, body?: object, signal?: AbortSignal): Promise<HostAnswer> {
    const url = this.check(paymail, address);
    const isHere = LOOPBACK.test(url.hostname);
    try {
      const answer = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), ...(signal === undefined ? [] : [signal])]),
        ...(!isHere && { dispatcher: this.#options.outbound(url.href) ?? this.#direct }),
      });
      const value = answer.body === null ? undefined : await readForeignValue(answer.body, foreignBounds.paymail);
      return { status: answer.status, value };
    } catch (error) {
      throw new PlanchetError('wallet.paymail-unreachable', { paymail, reason: reasonOf(error) }, { cause: error });
    }
  }

  /** Whether a host may be this machine. */
  #mayBeHere(hostname: string): boolean {
    return LOOPBACK.test(hostname) && ['sandbox', 'private'].includes(this.#options.network);
  }

  /** @throws PlanchetError `upstream-error` for an address that is not asked */
  check(paymail: string, address: string): URL {
    const url = address.length <= MAX_PAYMAIL_URL && URL.canParse(address) ? new URL(address) : undefined;
    const isPlain = url?.username === '' && url.password === '';
    if (url !== undefined && isPlain && this.#mayBeHere(url.hostname)) return url;
    if (url !== undefined && isPlain && url.protocol === 'https:' && !namesPrivateHost(url)) return url;
    throw new PlanchetError('wallet.paymail-address', { paymail, address: address.slice(0, 200) });
  }
}

function reasonOf(error: unknown): string | Phrase {
  if (error instanceof OutOfBounds) return phrase('reason.answer-too-long');
  const { cause, name } = error as { cause?: NodeJS.ErrnoException; name?: string };
  if (name === 'TimeoutError') return phrase('reason.no-answer');
  if (cause?.code === 'EPRIVATE') return phrase('reason.private-address');
  return connectionReason(error);
}
