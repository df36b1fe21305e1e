import { request } from 'undici';
import {
  type ConnectionTest,
  type KeyStyle,
  type MinerKind,
  type Network,
  type NetworkTestStep,
  networkTestSteps,
  type PhraseKey,
  type PhraseValues,
  PlanchetError,
  phrase,
  phraseText,
  quotaSchema,
  toFailure,
} from '../../../contract/index.ts';
import type { HeaderOperator } from '../../chain-data/headers/public/header-operator.ts';
import { type ForeignBounds, foreignBounds, jsonOf, readForeign } from '../../foreign-json.ts';
import { lastBlock, testConnection } from '../../gateway/upstream/health/connection-test.ts';
import { upstreamSubject } from '../../gateway/upstream/health/upstream-subject.ts';
import { httpReason } from '../../http/http-reason.ts';
import { protocols } from '../../merchant/protocols/protocols.ts';
import { reasonOf } from '../../phrased-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Outbound } from '../../ports/outbound.ts';
import type { Endpoints } from '../../ports/settings.ts';
import { Subscription } from '../../zmtp/index.ts';

const TIMEOUT_MS = 10_000;
/** Blocks come every ten minutes on average; a gap of three hours happens about once in a thousand years. */
const OLD_TIP_MS = 3 * 3_600_000;

export interface TestedMiner {
  readonly name: string;
  readonly kind: MinerKind;
  readonly url: string;
  readonly keyStyle: KeyStyle;
  /** @throws PlanchetError `vault-locked` */
  readonly apiKey: () => Uint8Array | undefined;
}

export interface NetworkTestSubject {
  network: Network;
  /** The public services that are asked about the chain; none where only a node is. */
  sources: readonly HeaderOperator[];
  endpoints: Omit<Endpoints, 'arcUrl' | 'mapiUrl'>;
  apiKeyHeader: string;
  ignoreCertificate: boolean;
  /** The API key, or why it cannot be read. */
  apiKey: string | undefined | PlanchetError;
  miners: readonly TestedMiner[];
  /** The way to public services and miners. */
  outbound: Outbound;
  clock: Clock;
}

type Found = Pick<NetworkTestStep, 'outcome' | 'message' | 'sentence'>;
type TestedStep = Pick<NetworkTestStep, 'step' | 'miner' | 'source'> & { run: () => Found | Promise<Found> };

function found(outcome: Found['outcome'], key: PhraseKey, values: PhraseValues = {}): Found {
  const sentence = phrase(key, values);
  return { outcome, message: phraseText(sentence), sentence };
}
const passed = (key: PhraseKey, values?: PhraseValues): Found => found('passed', key, values);
const skipped = (key: PhraseKey): Found => found('skipped', key);

/** Left out where public services stand in for a node. */
const nodeSteps: readonly NetworkTestStep['step'][] = ['connect', 'credential', 'chain', 'serves', 'tip', 'zmq'];

/** Tries the addresses and keys of a network step by step. A failed step says what to do; the steps that need it are skipped. */
export async function testNetwork(subject: NetworkTestSubject): Promise<NetworkTestStep[]> {
  const node = await testNode(subject);
  const isOnChain = node?.steps.some(({ step, outcome }) => step === 'chain' && outcome === 'passed') === true;
  const { sources, endpoints } = subject;
  const leftOut = sources.length > 0 && endpoints.bitcoinRpcUrl === '' ? nodeSteps : [];
  const run: Record<Exclude<NetworkTestStep['step'], 'miner' | 'source'>, () => Found | Promise<Found>> = {
    connect: () => nodeStep(node, ['tcp', 'tls']),
    credential: () => nodeStep(node, ['credential']),
    chain: () => nodeStep(node, ['method', 'chain']),
    serves: () => nodeStep(node, ['serves']),
    tip: () => (isOnChain ? tryTip(subject) : skipped('test.not-tried')),
    zmq: () => tryZmq(subject.endpoints.bitcoinZmqUrl),
    tokenApi: () => (hasTokenService(subject) ? tryTokenApi(subject) : skipped('test.token-service-none')),
    quota: () => (hasTokenService(subject) ? tryQuota(subject) : skipped('test.token-service-none')),
  };
  const steps = networkTestSteps.flatMap((step): TestedStep[] => {
    if (step === 'miner') return minerSteps(subject);
    if (step === 'source')
      return sources.map((one) => ({ step, miner: null, source: one.name, run: () => trySource(one) }));
    return leftOut.includes(step) ? [] : [{ step, miner: null, run: run[step] }];
  });
  return Promise.all(
    steps.map(async ({ run: find, ...step }): Promise<NetworkTestStep> => {
      try {
        return { ...step, ...(await find()), failure: null };
      } catch (error) {
        const failure = toFailure(error);
        return { ...step, outcome: 'failed', message: failure.message, sentence: null, failure };
      }
    }),
  );
}

/** What is asked at an address of the node. A key that cannot be read is none: the steps of the token API say why. */
function nodeSubject(address: string, { apiKey, network, apiKeyHeader, ignoreCertificate }: NetworkTestSubject) {
  const key = apiKey instanceof PlanchetError ? undefined : apiKey;
  return upstreamSubject(address, { network, apiKey: key, apiKeyHeader, ignoreCertificate });
}

/** Of the upstream nodes. */
function addressesOf({ bitcoinRpcUrl }: NetworkTestSubject['endpoints']): string[] {
  return bitcoinRpcUrl.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

/** The first upstream that fails, else the first one. */
async function testNode(subject: NetworkTestSubject): Promise<ConnectionTest | undefined> {
  const { endpoints } = subject;
  const tests = await Promise.all(
    addressesOf(endpoints).map((address) =>
      testConnection({ ...nodeSubject(address, subject), isHelped: subject.sources.length > 0 }),
    ),
  );
  return tests.find((test) => !test.passed) ?? tests[0];
}

function nodeStep(test: ConnectionTest | undefined, names: readonly string[]): Found {
  if (test === undefined) {
    if (names.includes('tcp')) throw new PlanchetError('upstream.none');
    return skipped('test.not-tried');
  }
  const steps = test.steps.filter(({ step }) => names.includes(step));
  const failed = steps.find(({ outcome }) => outcome === 'failed');
  if (failed?.failure) throw new PlanchetError(failed.failure);
  const last = steps.findLast(({ outcome }) => outcome === 'passed');
  return last ? { outcome: 'passed', message: last.message, sentence: last.sentence } : skipped('test.not-tried');
}

/** Asks a public service for its newest block. */
async function trySource({ name, operator, tip }: HeaderOperator): Promise<Found> {
  const answer = await tip(AbortSignal.timeout(TIMEOUT_MS)).catch(() => undefined);
  if (answer?.state === 'present') return passed('test.source', { operator, height: answer.value.height });
  throw new PlanchetError('networks.source-silent', {
    name,
    reason: answer?.reason ?? phrase('reason.no-answer-within', { ms: TIMEOUT_MS }),
  });
}

async function tryTip(subject: NetworkTestSubject) {
  const { network, endpoints, clock } = subject;
  const [address = ''] = addressesOf(endpoints);
  const block = await lastBlock(nodeSubject(address, subject));
  // A node that lacks the command fails in the step before.
  if (block === undefined) return skipped('test.not-tried');
  const age = clock.now() - block.time * 1_000;
  const minutes = Math.max(0, Math.round(age / 60_000));
  if (network !== 'sandbox' && age > OLD_TIP_MS) throw new PlanchetError('networks.tip-old', { minutes });
  return passed('test.tip', { height: block.height, minutes });
}

function tryZmq(address: string): Promise<Found> | Found {
  if (address === '') return skipped('test.zmq-none');
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
      opened: () => end(() => resolve(passed('test.zmq'))),
      lost: (error) =>
        end(() => reject(new PlanchetError('networks.zmq-silent', { address, reason: reasonOf(error) }))),
      handshakeMs: TIMEOUT_MS,
    });
  });
}

/** Projects are kept on this computer where no token service is set; the sandbox always has one. */
const hasTokenService = ({ network, endpoints }: NetworkTestSubject): boolean =>
  network === 'sandbox' || endpoints.baseUrl !== '';

/** Asks the token service with the API key. @throws PlanchetError without key or address, and as `silent` where nothing answers */
async function askTokenService(
  { apiKey }: NetworkTestSubject,
  address: string,
  path: string,
  silent: 'networks.token-api-silent' | 'networks.quota-silent',
  bounds: ForeignBounds,
): Promise<{ status: number; json: unknown }> {
  if (apiKey instanceof PlanchetError) throw apiKey;
  if (address === '' || apiKey === undefined) throw new PlanchetError('networks.token-api-none');
  const answer = await get(`${address.replace(/\/$/, '')}${path}`, { apikey: apiKey }, bounds).catch(
    (error: unknown) => {
      throw new PlanchetError(silent, { reason: reasonOf(error) }, { cause: error });
    },
  );
  const { status } = answer;
  if (status === 401 || status === 403) throw new PlanchetError('networks.token-api-refused', { status });
  return answer;
}

async function tryTokenApi(subject: NetworkTestSubject): Promise<Found> {
  const { baseUrl } = subject.endpoints;
  const { status, json } = await askTokenService(
    subject,
    baseUrl,
    '/project/',
    'networks.token-api-silent',
    foreignBounds.tokenProjects,
  );
  const answer = json as { success?: unknown } | undefined;
  if (status === 200 && answer?.success === true) return passed('test.api-key-accepted');
  throw new PlanchetError('networks.token-api-silent', { reason: phrase('reason.http-status', { status }) });
}

/** The quota has an address of its own where the token service keeps it apart. */
async function tryQuota(subject: NetworkTestSubject): Promise<Found> {
  const { baseUrl, consoleBaseUrl } = subject.endpoints;
  const { status, json } = await askTokenService(
    subject,
    consoleBaseUrl || baseUrl,
    '/quota',
    'networks.quota-silent',
    foreignBounds.tokenReply,
  );
  const quota = quotaSchema.safeParse((json as { data?: unknown } | null | undefined)?.data).data;
  if (status !== 200 || quota === undefined)
    throw new PlanchetError('networks.quota-silent', { reason: phrase('reason.http-status', { status }) });
  return passed('test.quota', { available: quota.available, limit: quota.monthlyMintLimit });
}

/** One step for each miner; one that fails where there is none. */
function minerSteps({ miners, outbound }: NetworkTestSubject): TestedStep[] {
  const step = 'miner';
  const none = (): Found => {
    throw new PlanchetError('networks.miner-none');
  };
  if (miners.length === 0) return [{ step, miner: null, run: none }];
  return miners.map((miner) => ({ step, miner: miner.name, run: () => tryMiner(miner, outbound) }));
}

async function tryMiner({ name, kind, url, apiKey, keyStyle }: TestedMiner, outbound: Outbound): Promise<Found> {
  const way = { url: () => url, apiKey, keyStyle, timeoutMs: TIMEOUT_MS, outbound };
  const { status, given } = await protocols[kind].terms(way);
  if (status === 200 && given) return passed('test.miner');
  throw new PlanchetError('networks.miner-silent', { name, reason: httpReason(status) });
}

async function get(
  url: string,
  headers: Record<string, string>,
  bounds: ForeignBounds,
): Promise<{ status: number; json: unknown }> {
  const { statusCode, body } = await request(url, { headers, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  return { status: statusCode, json: jsonOf(await readForeign(body, bounds)) };
}
