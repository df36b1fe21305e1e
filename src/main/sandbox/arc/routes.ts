import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { PlanchetError } from '../../../contract/index.ts';
import { pause } from '../../pause.ts';
import { ApiError } from '../api/api-error.ts';
import { guardScope, type ScopeGuard } from '../api/request-guard.ts';
import { policy } from '../node/consensus/consensus.ts';
import type { SandboxParts } from '../parts.ts';
import { readMany, readOne } from './forms.ts';
import type { MerklePaths } from './merkle-paths.ts';
import { type ArcOptions, readOptions } from './options.ts';
import { asPlayed } from './played-status.ts';
import { ArcProblem, problemDocument } from './problems.ts';
import type { ArcSubmitter, Outcome } from './submission.ts';
import type { ArcTransactions } from './transactions.ts';

const BODY_BYTES = 30_000_000;
/** Ten thousand transactions of half a kilobyte in hex. */
const BATCH_BODY_BYTES = 100_000_000;
const VERSION = 'v1.5.3-sandbox';
const mediaTypes = ['application/json', 'text/plain', 'application/octet-stream'];
const submission = { config: { mediaTypes, maxBytes: () => BODY_BYTES } };
const batchSubmission = { config: { mediaTypes, maxBytes: () => BATCH_BODY_BYTES } };

export interface ArcRoutesOptions extends Pick<SandboxParts, 'clock' | 'logger' | 'settings' | 'faults'> {
  /** Accepts clients without a key, as some public miners do. */
  readonly isOpen?: true;
  readonly guard: ScopeGuard;
  readonly transactions: ArcTransactions;
  readonly submitter: ArcSubmitter;
  readonly merklePaths: MerklePaths;
}

/** ARC over the sandbox's node: policy, health, submission and status. */
export async function arcRoutes(app: FastifyInstance, options: ArcRoutesOptions): Promise<void> {
  const { clock, logger, settings, submitter } = options;
  const answers = new Answers(options);
  app.setErrorHandler((error, request, reply) => answerFailure(error, request, reply, logger));
  guardScope(app, options.guard, options.isOpen ? 'none' : 'any');
  const optionsOf = ({ headers }: FastifyRequest): ArcOptions =>
    readOptions(headers, settings.current().sandbox.refusePrivateCallbacks);

  app.get('/policy', async () => ({
    timestamp: new Date(clock.now()).toISOString(),
    policy: {
      maxscriptsizepolicy: policy.maxTxBytes,
      maxtxsigopscountspolicy: 4_294_967_295,
      maxtxsizepolicy: policy.maxTxBytes,
      miningFee: policy.miningFee,
      standardFormatSupported: true,
    },
  }));
  app.get('/health', async () => ({ healthy: true, version: VERSION, reason: null }));
  app.get('/tx/:txid', async (request) => {
    const { txid } = request.params as { txid: string };
    if (!/^[0-9a-fA-F]{64}$/.test(txid)) throw new ArcProblem(400, 'the txid is not 64 hex digits');
    return answers.status(txid.toLowerCase());
  });
  app.post('/tx', submission, async (request, reply) => {
    const wanted = optionsOf(request);
    const [outcome] = await submitter.submit([await readOne(request.body, isText(request))], wanted);
    if (outcome === undefined) throw new Error('a submission has no result');
    if (outcome instanceof ArcProblem) throw outcome;
    const [answer] = await answers.wait([outcome], wanted);
    return reply.send(answer);
  });
  app.post('/txs', batchSubmission, async (request, reply) => {
    const wanted = optionsOf(request);
    const outcomes = await submitter.submit(await readMany(request.body, isText(request)), wanted);
    return reply.send(await answers.wait(outcomes, wanted));
  });
}

class Answers {
  readonly #options: ArcRoutesOptions;

  constructor(options: ArcRoutesOptions) {
    this.#options = options;
  }

  /** @throws ArcProblem 404 */
  async status(txid: string): Promise<object> {
    const { transactions, merklePaths, faults } = this.#options;
    const found = asPlayed(await transactions.get(txid), faults, 'arc');
    if (found === undefined) throw new ArcProblem(404, 'transaction not found', txid);
    const { status, extraInfo, competing, blockHash, blockHeight, changedAt } = found;
    return {
      timestamp: new Date(changedAt).toISOString(),
      txid,
      txStatus: status,
      blockHash,
      blockHeight,
      merklePath: await merklePaths.of(found),
      extraInfo,
      competingTxs: competing.length === 0 ? null : competing,
      status: 200,
      title: 'OK',
    };
  }

  /** Waits for the status that the client wants. @returns a status or an error document for each outcome, in order */
  async wait(outcomes: readonly Outcome[], { waitFor, timeoutMs }: ArcOptions): Promise<object[]> {
    const { transactions, clock } = this.#options;
    if (waitFor !== undefined) {
      const { promise: deadline, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(timeoutMs, resolve);
      const followed = outcomes.flatMap((one) => (one instanceof ArcProblem ? [] : [one.txid]));
      await Promise.all(followed.map((txid) => transactions.waitFor(txid, waitFor, deadline)));
      cancel();
    }
    const answers: object[] = [];
    for (const outcome of outcomes) {
      await pause();
      if (outcome instanceof ArcProblem) answers.push(problemDocument(outcome.status, outcome.message, outcome.txid));
      else answers.push(await this.status(outcome.txid));
    }
    return answers;
  }
}

/** Whether the transactions of a body are in hex. */
export function isText({ headers }: FastifyRequest): boolean {
  return /^text\/plain\b/i.test(headers['content-type'] ?? '');
}

function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): FastifyReply {
  const send = (status: number, extraInfo: string, txid: string | null = null): FastifyReply =>
    reply
      .code(status)
      .type('application/json')
      .send(JSON.stringify(problemDocument(status, extraInfo, txid)));
  if (error instanceof ArcProblem) return send(error.status, error.message, error.txid);
  if (error instanceof ApiError) return send(error.minerStatusCode, error.message);
  logger.error({ err: error, route: request.routeOptions.url }, 'the sandbox failed to answer over ARC');
  const isPassing = error instanceof PlanchetError;
  return send(isPassing ? 503 : 500, isPassing ? error.message : '');
}
