import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Agent, request } from 'undici';
import {
  type ConnectionTest,
  type Failure,
  type Phrase,
  PlanchetError,
  phrase,
  phraseText,
  type TestStep,
  testSteps,
  toFailure,
} from '../../../../contract/index.ts';
import { foreignBounds, jsonOf, readForeign } from '../../../foreign-json.ts';
import { isCertificateFault } from '../../../http/connection-reason.ts';
import { PhrasedError, reasonOf } from '../../../phrased-error.ts';
import { type AskNode, type NodeAnswer, nodeLacks } from './node-needs.ts';

const STEP_TIMEOUT_MS = 10_000;

export interface TestSubject {
  readonly subject: ConnectionTest['subject'];
  /** No node is behind it, so not all that a node has is expected. */
  readonly isWithoutNode?: boolean;
  /** Public services are asked what it lacks of old blocks. */
  readonly isHelped?: boolean;
  /** Address with path and without credentials. */
  readonly address: string;
  /** The `Authorization` header, or another header with the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly ignoreCertificate: boolean;
  /** Names of the chain on the active network; undefined if unknown. */
  readonly chains: readonly string[];
}

const notTried = phrase('test.not-tried');

/** The result if there is nothing to connect to. Its first step says why. */
export function testNothing(subject: ConnectionTest['subject'], address: string, failure: Failure): ConnectionTest {
  const steps = testSteps.map((step, index): TestStep => {
    return index === 0
      ? { step, outcome: 'failed', message: failure.message, sentence: null, milliseconds: 0, failure }
      : { step, outcome: 'skipped', message: phraseText(notTried), sentence: notTried, milliseconds: 0, failure: null };
  });
  return { subject, address, passed: false, steps };
}

/** Tests an address step by step, and skips the steps after a failed one. It changes nothing. */
export async function testConnection(subject: TestSubject): Promise<ConnectionTest> {
  const steps: TestStep[] = [];
  const run: Record<TestStep['step'], () => Promise<Phrase>> = {
    tcp: () => tryTcp(subject),
    tls: () => tryTls(new URL(subject.address), subject.ignoreCertificate),
    credential: () => tryCredential(subject),
    method: () => tryMethod(subject),
    chain: () => tryChain(subject),
    serves: () => tryServes(subject),
  };
  let failed = false;
  for (const step of testSteps) {
    const started = performance.now();
    const note = (outcome: TestStep['outcome'], sentence: Phrase | Failure): void => {
      const failure = 'code' in sentence ? sentence : null;
      steps.push({
        step,
        outcome,
        message: 'code' in sentence ? sentence.message : phraseText(sentence),
        sentence: 'code' in sentence ? null : sentence,
        milliseconds: Math.round((performance.now() - started) * 10) / 10,
        failure,
      });
    };
    if (failed) note('skipped', notTried);
    else if (step === 'tls' && subject.address.startsWith('http:')) note('skipped', phrase('test.plain-http'));
    else {
      try {
        note('passed', await run[step]());
      } catch (error) {
        failed = true;
        note('failed', toFailure(error));
      }
    }
  }
  return { subject: subject.subject, address: subject.address, passed: !failed, steps };
}

function tryTcp({ subject, address }: TestSubject): Promise<Phrase> {
  const url = new URL(address);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return opened(connectTcp({ host, port }), 'connect', (error) => {
    const id = subject === 'gateway' ? 'upstream.test-gateway-unreachable' : 'upstream.test-unreachable';
    return new PlanchetError(id, { host: url.host, reason: reasonOf(error) });
  }).then(() => phrase('test.connects', { host: url.host }));
}

function tryTls(url: URL, ignoreCertificate: boolean): Promise<Phrase> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connectTls({
    host,
    port: Number(url.port || 443),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: !ignoreCertificate,
  });
  return opened(socket, 'secureConnect', (error) => {
    const code = String((error as { code?: unknown }).code ?? '');
    const id = isCertificateFault(code) ? 'upstream.test-certificate' : 'upstream.test-no-tls';
    return new PlanchetError(id, { host: url.host, reason: reasonOf(error) });
  }).then(() => phrase(ignoreCertificate ? 'test.certificate-unchecked' : 'test.certificate-trusted'));
}

function opened(
  socket: ReturnType<typeof connectTcp>,
  event: 'connect' | 'secureConnect',
  explain: (error: Error) => PlanchetError,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    socket.setTimeout(STEP_TIMEOUT_MS, () => reject(explain(new PhrasedError(phrase('reason.does-not-answer')))));
    socket.once(event, () => resolve());
    socket.once('error', (error) => reject(explain(error)));
  }).finally(() => socket.destroy());
}

async function tryCredential(subject: TestSubject): Promise<Phrase> {
  const { status, text } = await post(subject, 'getblockcount');
  if (status !== 401 && status !== 403) {
    if (Object.keys(subject.headers).length === 0) return phrase('test.credential-none');
    return phrase(answerIn(text) === undefined ? 'test.credential-not-refused' : 'test.credential-accepted');
  }
  throw new PlanchetError(
    subject.subject === 'gateway' ? 'upstream.test-gateway-unauthorized' : 'upstream.test-unauthorized',
    { status },
  );
}

async function tryMethod(subject: TestSubject): Promise<Phrase> {
  const count = await callAt(subject, 'getblockcount');
  if (Number.isInteger(count)) return phrase('test.block-count', { count: Number(count) });
  throw new PlanchetError('upstream.test-no-height');
}

async function tryChain(subject: TestSubject): Promise<Phrase> {
  const info = (await callAt(subject, 'getblockchaininfo')) as { chain?: unknown; blocks?: unknown } | null;
  const chain = String(info?.chain ?? '');
  if (subject.chains.includes(chain)) return phrase('test.chain', { chain, height: Number(info?.blocks) });
  throw new PlanchetError('upstream.test-wrong-network', { chain });
}

async function tryServes(subject: TestSubject): Promise<Phrase> {
  if (subject.isWithoutNode === true) return phrase('test.serves-without-node');
  const isHelped = subject.isHelped === true;
  const ask: AskNode = async (method, params) => answerIn((await post(subject, method, params)).text);
  const [lack] = await nodeLacks(ask, isHelped);
  if (lack !== undefined) throw lack;
  return phrase(isHelped ? 'test.serves-helped' : 'test.serves');
}

/** The last block of an upstream and its time in seconds; undefined where it does not tell. @throws PlanchetError where nothing answers */
export async function lastBlock(subject: TestSubject): Promise<{ height: number; time: number } | undefined> {
  const ask = async (method: string, params: readonly unknown[] = []): Promise<unknown> =>
    answerIn((await post(subject, method, params)).text)?.result;
  const header = (await ask('getblockheader', [await ask('getbestblockhash')])) as {
    time?: number;
    height?: number;
  } | null;
  return typeof header?.time === 'number' ? { height: header.height ?? 0, time: header.time } : undefined;
}

async function callAt(subject: TestSubject, method: string): Promise<unknown> {
  const { status, text } = await post(subject, method);
  const answer = answerIn(text);
  if (answer === undefined) {
    throw new PlanchetError('upstream.test-not-json-rpc', { status });
  }
  if (answer.error) {
    throw new PlanchetError(subject.subject === 'gateway' ? 'upstream.test-gateway-refused' : 'upstream.test-refused', {
      method,
      reason: answer.error.message ?? phrase('reason.none'),
    });
  }
  return answer.result;
}

/** Reads a node's answer, also that of an old node without `result`; undefined for a web page or other JSON. */
function answerIn(text: string): NodeAnswer {
  const answer = jsonOf(text);
  const isAnswer = typeof answer === 'object' && answer !== null && ('result' in answer || isError(answer));
  return isAnswer ? (answer as NodeAnswer) : undefined;
}

function isError(answer: object): boolean {
  const { error } = answer as { error?: unknown };
  return typeof error === 'object' && error !== null && 'code' in error;
}

async function post(
  subject: TestSubject,
  method: string,
  params: readonly unknown[] = [],
): Promise<{ status: number; text: string }> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: !subject.ignoreCertificate } });
  try {
    const { statusCode, body } = await request(subject.address, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json', ...subject.headers },
      body: JSON.stringify({ jsonrpc: '1.0', id: 'test', method, params }),
      headersTimeout: STEP_TIMEOUT_MS,
      bodyTimeout: STEP_TIMEOUT_MS,
    });
    return { status: statusCode, text: await readForeign(body, foreignBounds.nodeProbe) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PlanchetError('upstream.test-no-answer', { reason }, { cause: error });
  } finally {
    await dispatcher.destroy();
  }
}
