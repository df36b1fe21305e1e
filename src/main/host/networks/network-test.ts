import { request } from 'undici';
import {
  type ConnectionTest,
  type Network,
  type NetworkTestStep,
  networkTestSteps,
  PlanchetError,
  toFailure,
} from '../../../contract/index.ts';
import { testConnection } from '../../gateway/upstream/health/connection-test.ts';
import { upstreamSubject } from '../../gateway/upstream/health/upstream-subject.ts';
import { Subscription } from '../../gateway/zmq/zmtp/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Endpoints } from '../../ports/settings.ts';

const TIMEOUT_MS = 10_000;
/** Blocks come every ten minutes on average; a gap of three hours happens about once in a thousand years. */
const OLD_TIP_MS = 3 * 3_600_000;

export interface NetworkTestSubject {
  network: Network;
  endpoints: Omit<Endpoints, 'arcUrl'>;
  apiKeyHeader: string;
  ignoreCertificate: boolean;
  /** The API key, or why it cannot be read. */
  apiKey: string | undefined | PlanchetError;
  clock: Clock;
}

type Found = Pick<NetworkTestStep, 'outcome' | 'message'>;
const passed = (message: string): Found => ({ outcome: 'passed', message });
const skipped = (message: string): Found => ({ outcome: 'skipped', message });

/** Tries the addresses and keys of a network step by step. A failed step says what to do; the steps that need it are skipped. */
export async function testNetwork(subject: NetworkTestSubject): Promise<NetworkTestStep[]> {
  const node = await testNode(subject);
  const isOnChain = node?.passed === true;
  const run: Record<NetworkTestStep['step'], () => Found | Promise<Found>> = {
    connect: () => nodeStep(node, ['tcp', 'tls']),
    credential: () => nodeStep(node, ['credential']),
    chain: () => nodeStep(node, ['method', 'chain']),
    tip: () => (isOnChain ? tryTip(subject) : skipped('Not tried, because an earlier step failed.')),
    zmq: () => tryZmq(subject.endpoints.bitcoinZmqUrl),
    tokenApi: () => tryTokenApi(subject),
    miner: () => tryMiner(subject),
  };
  return Promise.all(
    networkTestSteps.map(async (step): Promise<NetworkTestStep> => {
      try {
        return { step, ...(await run[step]()), failure: null };
      } catch (error) {
        const failure = toFailure(error);
        return { step, outcome: 'failed', message: failure.message, failure };
      }
    }),
  );
}

/** The first upstream that fails, else the first one. */
async function testNode({ endpoints, apiKey, ...rest }: NetworkTestSubject): Promise<ConnectionTest | undefined> {
  const addresses = endpoints.bitcoinRpcUrl.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  const key = apiKey instanceof PlanchetError ? undefined : apiKey;
  const tests = await Promise.all(
    addresses.map((address) => testConnection(upstreamSubject(address, { ...rest, apiKey: key }))),
  );
  return tests.find((test) => !test.passed) ?? tests[0];
}

function nodeStep(test: ConnectionTest | undefined, names: readonly string[]): Found {
  if (test === undefined) {
    if (names.includes('tcp')) throw new PlanchetError('upstream.none');
    return skipped('Not tried, because an earlier step failed.');
  }
  const steps = test.steps.filter(({ step }) => names.includes(step));
  const failed = steps.find(({ outcome }) => outcome === 'failed');
  if (failed?.failure) throw new PlanchetError(failed.failure);
  const last = steps.findLast(({ outcome }) => outcome === 'passed');
  return last ? passed(last.message) : skipped('Not tried, because an earlier step failed.');
}

async function tryTip({ network, endpoints, apiKey, apiKeyHeader, ignoreCertificate, clock }: NetworkTestSubject) {
  const address = (endpoints.bitcoinRpcUrl.split(',')[0] as string).trim();
  const key = apiKey instanceof PlanchetError ? undefined : apiKey;
  const subject = upstreamSubject(address, { network, apiKey: key, apiKeyHeader, ignoreCertificate });
  const call = async (method: string, params: unknown[]): Promise<unknown> => {
    const { body } = await request(subject.address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...subject.headers },
      body: JSON.stringify({ jsonrpc: '1.0', id: 'test', method, params }),
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    return ((await body.json()) as { result?: unknown }).result;
  };
  const header = (await call('getblockheader', [await call('getbestblockhash', [])])) as {
    time?: number;
    height?: number;
  } | null;
  const age = clock.now() - (header?.time ?? 0) * 1_000;
  const minutes = Math.max(0, Math.round(age / 60_000));
  if (network !== 'sandbox' && age > OLD_TIP_MS) throw new PlanchetError('networks.tip-old', { minutes });
  return passed(`Block ${String(header?.height)} is ${minutes} min old.`);
}

function tryZmq(address: string): Promise<Found> | Found {
  if (address === '') return skipped('No address is set: blocks are looked for over RPC.');
  return new Promise((resolve, reject) => {
    const end = (done: () => void): void => {
      subscription.close();
      done();
    };
    const subscription = new Subscription<true>({
      address,
      topics: ['hashblock'],
      topicAt: () => true,
      wanted: () => true,
      message: () => undefined,
      read: () => true,
      opened: () =>
        end(() =>
          resolve(passed('Subscribed to new blocks. No message has come yet: the next block brings the first.')),
        ),
      lost: ({ message }) => end(() => reject(new PlanchetError('networks.zmq-silent', { address, reason: message }))),
      handshakeMs: TIMEOUT_MS,
    });
  });
}

async function tryTokenApi({ endpoints: { baseUrl }, apiKey }: NetworkTestSubject): Promise<Found> {
  if (apiKey instanceof PlanchetError) throw apiKey;
  if (baseUrl === '' || apiKey === undefined) throw new PlanchetError('networks.token-api-none');
  const { status, json } = await get(`${baseUrl.replace(/\/$/, '')}/project/`, { apikey: apiKey }).catch(
    (error: unknown) => {
      throw new PlanchetError('networks.token-api-silent', { reason: reasonOf(error) }, { cause: error });
    },
  );
  if (status === 401 || status === 403) throw new PlanchetError('networks.token-api-refused', { status });
  const answer = json as { success?: unknown } | undefined;
  if (status === 200 && answer?.success === true) return passed('The API key is accepted.');
  throw new PlanchetError('networks.token-api-silent', { reason: `HTTP ${status}` });
}

async function tryMiner({ endpoints: { mapiUrl }, apiKey }: NetworkTestSubject): Promise<Found> {
  if (mapiUrl === '') throw new PlanchetError('networks.miner-none');
  const key = apiKey instanceof PlanchetError ? undefined : apiKey;
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const { status, json } = await get(`${mapiUrl.replace(/\/$/, '')}/feeQuote`, headers).catch((error: unknown) => {
    throw new PlanchetError('networks.miner-silent', { reason: reasonOf(error) }, { cause: error });
  });
  const envelope = json as { payload?: unknown } | undefined;
  if (status === 200 && typeof envelope?.payload === 'string') return passed('It answers with a fee quote.');
  throw new PlanchetError('networks.miner-silent', { reason: `HTTP ${status}` });
}

async function get(url: string, headers: Record<string, string>): Promise<{ status: number; json: unknown }> {
  const { statusCode, body } = await request(url, { headers, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const text = await body.text();
  try {
    return { status: statusCode, json: JSON.parse(text) };
  } catch {
    return { status: statusCode, json: undefined };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
