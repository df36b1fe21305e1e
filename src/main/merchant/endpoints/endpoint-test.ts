import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isRateAbove } from '../../../chain/index.ts';
import {
  type MinerQuote,
  type MinerTest,
  type MinerTestInput,
  type MinerTestStep,
  type minerTestContract,
  minerTestSteps,
  type Phrase,
  PlanchetError,
  phrase,
  phraseText,
  type Reason,
  type Serves,
  toFailure,
} from '../../../contract/index.ts';
import { isCertificateFault } from '../../http/connection-reason.ts';
import { PhrasedError, reasonOf as reasonOfError } from '../../phrased-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MinerEndpoint } from '../../ports/merchant/miners.ts';
import { type EndpointConfig, keyOrNone, type MinerRegistry, withoutCredentials } from './miner-registry.ts';

const STEP_TIMEOUT_MS = 10_000;
/** Clocks may differ by this much without a warning. */
const CLOCK_TOLERANCE_MS = 60_000;

export interface EndpointTesterOptions {
  miners: Pick<MinerRegistry, 'setupOf'>;
  /**
   * Makes a client that remembers nothing.
   * @param pinnedKey the only key that the answers may be signed with; undefined where the known one counts
   */
  create: (config: EndpointConfig, pinnedKey: string | undefined) => MinerEndpoint;
  /** Satoshis per 1,000 bytes above which a quote is refused. */
  maxFeeRate: () => number;
  /** Whether requests to an address go through a proxy. */
  isProxied: (url: string) => boolean;
  clock: Clock;
}

interface Subject extends EndpointConfig {
  readonly pinnedKey: string | undefined;
}

interface Found {
  readonly outcome: MinerTestStep['outcome'];
  readonly sentence: Phrase | PlanchetError;
}
const passed = (sentence: Phrase): Found => ({ outcome: 'passed', sentence });
const skipped = (sentence: Phrase): Found => ({ outcome: 'skipped', sentence });
const warned = (sentence: PlanchetError): Found => ({ outcome: 'warning', sentence });

/** Tests endpoints step by step, those that are set up and those that are being typed. */
export class EndpointTester implements Serves<typeof minerTestContract> {
  readonly #options: EndpointTesterOptions;

  constructor(options: EndpointTesterOptions) {
    this.#options = options;
  }

  /**
   * Changes nothing, and remembers no key.
   * @throws PlanchetError `invalid-input` without an address to test, `not-found`
   */
  async test(input: MinerTestInput): Promise<MinerTest> {
    const subject = this.#subjectOf(input);
    const endpoint = this.#options.create(subject, subject.pinnedKey);
    const isProxied = this.#options.isProxied(subject.url());
    const steps: MinerTestStep[] = [];
    let quote: MinerQuote | null = null;
    let failed = false;
    /** The step in which the one request for the quote failed, and how. */
    let refused: { step: MinerTestStep['step']; error: unknown } | undefined;
    const ask = async (): Promise<void> => {
      try {
        quote = await endpoint.quote();
      } catch (error) {
        refused = { step: stepOf(error), error };
      }
    };
    const run: Record<MinerTestStep['step'], () => Found | Promise<Found>> = {
      // a proxy makes the connection, and nothing is sent beside it
      address: () => (isProxied ? skipped(phrase('test.proxied')) : tryAddress(subject.url())),
      tls: () => (isProxied ? skipped(phrase('test.proxied')) : tryTls(subject)),
      key: async () => {
        await ask();
        return keyFound(subject);
      },
      quote: () => this.#quoteFound(quote, endpoint),
      signature: () => signatureFound(subject, quote),
      time: () => this.#timeFound(quote),
    };
    for (const step of minerTestSteps) {
      const started = performance.now();
      const note = ({ outcome, sentence }: Found): void => {
        const milliseconds = Math.round((performance.now() - started) * 10) / 10;
        const what =
          sentence instanceof PlanchetError
            ? { message: sentence.message, sentence: null, failure: sentence.toFailure() }
            : { message: phraseText(sentence), sentence, failure: null };
        steps.push({ step, outcome, milliseconds, ...what });
      };
      if (failed) {
        note(skipped(phrase('test.not-tried')));
        continue;
      }
      try {
        const found = await run[step]();
        if (refused?.step === step) throw refused.error;
        note(found);
      } catch (error) {
        failed = true;
        note({ outcome: 'failed', sentence: new PlanchetError(toFailure(error)) });
      }
    }
    return { address: withoutCredentials(subject.url()), kind: subject.kind, passed: !failed, steps, quote };
  }

  #subjectOf({ id, kind, url, apiKey, keyStyle, pinnedKey }: MinerTestInput): Subject {
    const saved = id === undefined ? undefined : this.#options.miners.setupOf(id);
    const address = url ?? saved?.config.url() ?? '';
    const chosen = kind ?? saved?.config.kind;
    if (chosen === undefined || address === '') throw new PlanchetError('miners.test-incomplete');
    const style = keyStyle ?? saved?.config.keyStyle;
    const typedKey = (): Uint8Array | undefined => (apiKey ? Buffer.from(apiKey) : undefined);
    return {
      id: id ?? 'test',
      name: saved?.config.name ?? 'test',
      kind: chosen,
      url: () => address,
      apiKey: apiKey === undefined ? (saved?.config.apiKey ?? typedKey) : typedKey,
      ...(style !== undefined && { keyStyle: style }),
      pinnedKey: (pinnedKey === undefined ? saved?.pinnedKey : pinnedKey) ?? undefined,
    };
  }

  async #quoteFound(quote: MinerQuote | null, endpoint: MinerEndpoint): Promise<Found> {
    if (quote === null) return skipped(phrase('test.not-tried'));
    const reason = await endpoint.complaint?.();
    if (typeof reason === 'string') return warned(new PlanchetError('miners.test-unhealthy', { reason }));
    const { standard, data } = quote;
    const maxFeeRate = this.#options.maxFeeRate();
    const dear = [standard, data].find((rate) => isRateAbove(rate, maxFeeRate));
    if (dear !== undefined) return warned(new PlanchetError('merchant.fee-too-high', { ...dear, maxFeeRate }));
    const { satoshis: dataSatoshis, bytes: dataBytes } = data;
    return passed(phrase('test.miner-rates', { ...standard, dataSatoshis, dataBytes }));
  }

  #timeFound(quote: MinerQuote | null): Found {
    if (quote === null || quote.minerTime === null) return skipped(phrase('test.miner-no-time'));
    const difference = Math.abs(quote.minerTime - this.#options.clock.now());
    const seconds = Math.round(difference / 1_000);
    if (difference <= CLOCK_TOLERANCE_MS) return passed(phrase('test.clocks', { seconds }));
    return warned(new PlanchetError('miners.test-clock', { seconds }));
  }
}

/** The step that a failed request for the quote belongs to. */
function stepOf(error: unknown): MinerTestStep['step'] {
  const { code, id } = toFailure(error);
  if (code === 'unauthorized' || code === 'api-key-missing' || code === 'vault-locked') return 'key';
  if (code === 'merchant-key-changed' || id === 'merchant.signature-wrong' || id === 'merchant.signer-other')
    return 'signature';
  return 'quote';
}

/** With a locked vault the request itself fails, which says more. */
function keyFound(subject: Subject): Found {
  const key = keyOrNone(subject);
  if (key === undefined) return passed(phrase('test.credential-none'));
  key.fill(0);
  const { protocol, hostname } = new URL(subject.url());
  if (protocol === 'http:' && !isLoopback(hostname)) return warned(new PlanchetError('miners.test-key-in-clear'));
  return passed(phrase('test.api-key-not-refused'));
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

function signatureFound({ pinnedKey }: Subject, quote: MinerQuote | null): Found {
  // A quote that was refused for its signature is not here.
  if (quote === null) return skipped(phrase('test.not-tried'));
  const { source } = quote;
  if (source === null) return skipped(phrase('test.arc-unsigned'));
  if (source.publicKey === null) return warned(new PlanchetError('miners.test-unsigned'));
  const isPinned = pinnedKey !== undefined || source.pinned;
  return passed(phrase(isPinned ? 'test.signed-pinned' : 'test.signed', { key: source.publicKey }));
}

async function tryAddress(address: string): Promise<Found> {
  const url = new URL(address);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  await opened(connectTcp({ host: hostOf(url), port }), 'connect', (error) => {
    return new PlanchetError('miners.test-unreachable', { host: url.host, reason: reasonOf(error) });
  });
  return passed(phrase('test.connects', { host: url.host }));
}

async function tryTls(subject: Subject): Promise<Found> {
  const url = new URL(subject.url());
  if (url.protocol === 'http:') return skipped(phrase('test.plain-http'));
  const host = hostOf(url);
  const port = Number(url.port || 443);
  await opened(
    connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) }),
    'secureConnect',
    (error) => {
      const { code = '' } = error as NodeJS.ErrnoException;
      const id = isCertificateFault(code) ? 'miners.test-certificate' : 'miners.test-no-tls';
      return new PlanchetError(id, { host: url.host, reason: reasonOf(error) });
    },
  );
  return passed(phrase('test.certificate-trusted'));
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Several addresses of a host that all fail are one error without a text of its own. */
function reasonOf(error: Error): Reason {
  const reason = reasonOfError(error instanceof AggregateError ? error.errors[0] : error);
  return typeof reason === 'string' ? reason.replace(/\.$/, '') : reason;
}

function opened(socket: Socket, event: 'connect' | 'secureConnect', explain: (error: Error) => Error): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    socket.setTimeout(STEP_TIMEOUT_MS, () => reject(explain(new PhrasedError(phrase('reason.does-not-answer')))));
    socket.once(event, () => resolve());
    socket.once('error', (error) => reject(explain(error)));
  }).finally(() => socket.destroy());
}
