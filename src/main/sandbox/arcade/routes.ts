import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { parseJson } from '../../json-in-turns.ts';
import { type HandedIn, readMany, readOne } from '../arc/forms.ts';
import type { MerklePaths } from '../arc/merkle-paths.ts';
import type { ArcOptions } from '../arc/options.ts';
import { asPlayed } from '../arc/played-status.ts';
import { ArcProblem, arcErrorTexts } from '../arc/problems.ts';
import { isText } from '../arc/routes.ts';
import type { ArcSubmitter } from '../arc/submission.ts';
import type { ArcTransactions } from '../arc/transactions.ts';
import { policy } from '../node/consensus/consensus.ts';
import type { SandboxParts } from '../parts.ts';
import type { ArcadeEvents } from './events.ts';
import { arcadeStatusOf } from './statuses.ts';

const BODY_BYTES = 33_554_432;
const BATCH_BODY_BYTES = 268_435_456;
const BODY_LIMITS = { levels: 8, values: 10_000 } as const;
/** Limits of the public services of Arcade. */
const arcadeLimits = { maxTxBytes: 10_485_760, maxScriptBytes: 500_000 } as const;
/** Arcade's status for errors that have none of their own. */
const GENERIC = 467;
/** Maximum transactions that wait for a parent. */
const MOST_WAITING = 1_000;
const options: ArcOptions = {
  callback: undefined,
  waitFor: undefined,
  timeoutMs: 0,
  skip: { tx: false, fee: false, script: false },
  cumulativeFee: false,
};

export interface ArcadeRoutesOptions extends Pick<SandboxParts, 'node' | 'clock' | 'logger' | 'faults'> {
  readonly transactions: ArcTransactions;
  readonly submitter: ArcSubmitter;
  readonly merklePaths: MerklePaths;
  readonly events: ArcadeEvents;
}

/** Arcade, version 2, over the sandbox's node (public-services.md 2.2). It needs no credential. */
export async function arcadeRoutes(app: FastifyInstance, routes: ArcadeRoutesOptions): Promise<void> {
  const { clock, logger, faults, transactions, submitter, merklePaths, events, node } = routes;
  const waiting = new Map<string, HandedIn>();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BATCH_BODY_BYTES }, (_, body, done) =>
    done(null, body),
  );
  app.setErrorHandler((error, _, reply) => answerFailure(error, reply, logger));

  /** Submits transactions. Those with a missing parent wait for it. */
  async function take(handedIn: readonly HandedIn[], token: string): Promise<(ArcProblem | undefined)[]> {
    const txids = handedIn.map(({ txid }) => txid);
    events.expect(txids, token);
    const outcomes = await submitter.submit(handedIn, options);
    const problems = handedIn.map((one, index) => {
      const outcome = outcomes[index];
      if (!(outcome instanceof ArcProblem)) return undefined;
      if (outcome.status !== 460 || waiting.size >= MOST_WAITING) return outcome;
      waiting.set(one.txid, one);
      return undefined;
    });
    const again = [...waiting.values()].filter(({ txid }) => !txids.includes(txid));
    if (again.length > 0)
      for (const [index, outcome] of (await submitter.submit(again, options)).entries())
        if (!(outcome instanceof ArcProblem) || outcome.status !== 460) waiting.delete((again[index] as HandedIn).txid);
    return problems;
  }

  const terms = async () => ({
    policy: {
      miningFee: policy.miningFee,
      maxtxsizepolicy: arcadeLimits.maxTxBytes,
      maxscriptsizepolicy: arcadeLimits.maxScriptBytes,
      maxtxsigopscountspolicy: 4_294_967_295,
      standardFormatSupported: true,
    },
    timestamp: new Date(clock.now()).toISOString(),
  });
  app.get('/policy', terms);
  app.get('/v1/policy', terms);
  app.get('/health', async () => ({
    healthy: true,
    version: 'v2-sandbox',
    status: 'ok',
    blockHeight: node.tip().height,
    datahub_urls: [],
  }));
  app.get('/tx/:txid', async (request, reply) => {
    const { txid } = request.params as { txid: string };
    const known = /^[0-9a-f]{64}$/i.test(txid) ? await transactions.get(txid.toLowerCase()) : undefined;
    const found = asPlayed(known, faults, 'arcade');
    if (found === undefined && !waiting.has(txid)) return reply.code(404).send({ error: 'transaction not found' });
    const {
      status = 'SEEN_IN_ORPHAN_MEMPOOL',
      extraInfo = '',
      competing = [],
      blockHash = '',
      blockHeight = 0,
    } = found ?? {};
    return {
      txid,
      txStatus: arcadeStatusOf(status),
      timestamp: new Date(found?.changedAt ?? clock.now()).toISOString(),
      blockHash,
      blockHeight,
      merklePath: found ? await merklePaths.of(found) : '',
      extraInfo,
      competingTxs: competing,
      orphanedProofs: [],
    };
  });
  app.post('/tx', { bodyLimit: BODY_BYTES }, async (request, reply) => {
    const one = plain(await readOne(await bodyOf(request), isText(request)));
    const [problem] = await take([one], tokenOf(request));
    if (problem !== undefined) throw problem;
    return reply.code(202).send({ txid: one.txid, status: 202, txStatus: 'RECEIVED' });
  });
  app.post('/txs', { bodyLimit: BATCH_BODY_BYTES }, async (request, reply) => {
    const many = (await readMany(await bodyOf(request), isText(request))).map(plain);
    const known = await Promise.all(many.map(({ txid }) => transactions.get(txid)));
    const problems = await take(many, tokenOf(request));
    const duplicates = known.filter((one) => one !== undefined).length;
    const refused = problems.filter((one) => one !== undefined).length;
    return reply.code(202).send({ submitted: many.length - duplicates - refused, duplicates, total: many.length });
  });
  app.get('/events', (request, reply) => {
    const { callbackToken } = request.query as { callbackToken?: string };
    if (!callbackToken) {
      void reply.code(400).send({ error: 'callbackToken is required' });
      return;
    }
    reply.hijack();
    events.open(reply.raw, callbackToken, String(request.headers['last-event-id'] ?? ''));
  });
  app.addHook('preClose', async () => events.close());
}

/** Raw or in the extended format, within the policy. @throws ArcProblem */
function plain(one: HandedIn): HandedIn {
  const { txid, tx, raw, beef } = one;
  if (beef !== undefined) throw new ArcProblem(409, 'BEEF is not supported', txid);
  if (raw.length > arcadeLimits.maxTxBytes) throw new ArcProblem(409, 'tx-size: above maxtxsizepolicy', txid);
  if ([...tx.inputs, ...tx.outputs].some(({ script }) => script.length > arcadeLimits.maxScriptBytes))
    throw new ArcProblem(409, 'script is too large: above maxscriptsizepolicy', txid);
  return one;
}

async function bodyOf(request: FastifyRequest): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return request.body;
  try {
    return await parseJson(request.body as Buffer, BODY_LIMITS);
  } catch {
    throw new ArcProblem(400, 'the body is no JSON');
  }
}

function tokenOf({ headers }: FastifyRequest): string {
  return String(headers['x-callbacktoken'] ?? '');
}

function answerFailure(error: unknown, reply: FastifyReply, logger: Logger): FastifyReply {
  if (error instanceof ArcProblem) {
    const [title, detail] = arcErrorTexts[error.status];
    const status = error.status === 409 ? GENERIC : error.status;
    const { message: reason, txid } = error;
    return reply
      .code(400)
      .send({ error: 'transaction rejected', reason, txid, status, title, detail, type: 'about:blank' });
  }
  const { statusCode = 500 } = error as { statusCode?: number };
  if (statusCode >= 500) logger.error({ err: error }, 'the sandbox failed to answer as Arcade');
  return reply.code(statusCode).send({ error: statusCode >= 500 ? 'internal error' : 'bad request' });
}
