import { promises as dns, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Agent, fetch } from 'undici';
import { type Network, PlanchetError, phrase, type Sentence } from '../../../contract/index.ts';
import { foreignBounds, OutOfBounds, readForeignValue } from '../../foreign-json.ts';
import type { Outbound } from '../../ports/outbound.ts';

const DEADLINE_MS = 15_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Addresses that are nobody's on the public network. */
const privateAddresses = new BlockList();
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  privateAddresses.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  privateAddresses.addSubnet(address, prefix, 'ipv6');

/** Whether nobody on the public network has an IP address. */
export function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  const plain = mapped ?? address;
  return privateAddresses.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** Resolves a name only where all of its addresses are public: whoever names a host must not reach what is behind a router. */
const publicOnly: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const hidden = addresses?.find(({ address }) => isPrivateAddress(address));
    if (error || hidden !== undefined || addresses.length === 0) {
      done(error ?? Object.assign(new Error('a private address'), { code: 'EPRIVATE' }), '', 4);
      return;
    }
    if (options.all === true) done(null, addresses);
    else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
  });
};

export interface PaymailHostOptions {
  readonly network: Network;
  /** The way to other machines. */
  readonly outbound: Outbound;
}

/** What a host said, and with which status. */
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
  readonly #direct = new Agent({ connect: { lookup: publicOnly, timeout: DEADLINE_MS } });

  constructor(options: PaymailHostOptions) {
    this.#options = options;
  }

  async close(): Promise<void> {
    await this.#direct.close();
  }

  /** Where the capabilities of a domain stand. A service record counts only where it names a host of the same domain: its answer is not signed. */
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
  async ask(paymail: string, address: string, body?: object): Promise<HostAnswer> {
    const url = this.#check(paymail, address);
    const isHere = LOOPBACK.test(url.hostname);
    try {
      const answer = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(DEADLINE_MS),
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

  #check(paymail: string, address: string): URL {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    const isPlain = url?.username === '' && url.password === '';
    if (url !== undefined && isPlain && this.#mayBeHere(url.hostname)) return url;
    const bare = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
    const isPublic = !LOOPBACK.test(url?.hostname ?? '') && !(isIP(bare) !== 0 && isPrivateAddress(bare));
    if (url !== undefined && isPlain && url.protocol === 'https:' && isPublic) return url;
    throw new PlanchetError('wallet.paymail-address', { paymail, address: address.slice(0, 200) });
  }
}

function reasonOf(error: unknown): string | Sentence {
  if (error instanceof OutOfBounds) return phrase('reason.answer-too-long');
  const { cause, name } = error as { cause?: NodeJS.ErrnoException; name?: string };
  if (name === 'TimeoutError') return phrase('reason.no-answer');
  if (cause?.code === 'EPRIVATE') return phrase('reason.private-address');
  return cause?.code ?? cause?.message ?? String(error);
}
