import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ChainError } from '../../../chain/index.ts';
import { inTurns, pause } from '../../pause.ts';
import { ApiError } from '../api/api-error.ts';
import { guardScope, type ScopeGuard } from '../api/request-guard.ts';
import type { SandboxParts } from '../parts.ts';
import { merchantErrorBody } from './error-bodies.ts';
import { formatProblem, isTrue, type Options, optionsOf, optionTypeProblem, withDefaults } from './options.ts';
import { Payloads, type PayloadsOptions } from './payloads.ts';
import { type OutputField, outputFields, outputStatus, statusOf } from './status.ts';
import {
  type Candidate,
  candidateOf,
  candidateOfBytes,
  candidatesOfStream,
  NotSubmittedError,
  readAll,
  type Submitter,
  submitAll,
} from './submission.ts';
import { merchantTexts } from './texts.ts';
import type { Watches } from './watches.ts';

/** Body limit of the reference implementation. */
const BODY_BYTES = 30_000_000;
/** Ten thousand transactions of half a kilobyte in hex, with their options. */
const BATCH_BODY_BYTES = 100_000_000;
const JSON_TYPE = 'application/json';
const BINARY_TYPE = 'application/octet-stream';
const mediaTypes = [JSON_TYPE, BINARY_TYPE];
const submission = { config: { mediaTypes, maxBytes: () => BODY_BYTES } };
const batchSubmission = { config: { mediaTypes, maxBytes: () => BATCH_BODY_BYTES } };

export interface MerchantOptions extends PayloadsOptions, Pick<SandboxParts, 'logger' | 'submit'> {
  readonly guard: ScopeGuard;
  readonly watches: Watches;
}

/** The merchant API (spec 4.3, wire.md 3): quotes, submission and status in signed envelopes. */
export async function merchantRoutes(app: FastifyInstance, options: MerchantOptions): Promise<void> {
  const { node, signer, logger, settings, watches, submit } = options;
  const payloads = new Payloads(options);
  const send = (reply: FastifyReply, value: unknown): FastifyReply => reply.type(JSON_TYPE).send(signer.wrap(value));
  const refusePrivate = (): boolean => settings.current().sandbox.refusePrivateCallbacks;
  const submitter = (): Submitter => ({ node, watches, submit, modern: payloads.modern });

  app.setErrorHandler((error, request, reply) => answerFailure(error, request, reply, logger));
  guardScope(app, options.guard, 'bearer');
  app.get('/feeQuote', async (_, reply) => send(reply, payloads.feeQuote()));
  app.get('/policyQuote', async (_, reply) => send(reply, payloads.policyQuote()));
  app.post('/tx', submission, async (request, reply) => {
    const [result] = await submitAll(submitter(), [await oneOf(request, refusePrivate())]);
    if (result === undefined) throw new Error('a submission has no result');
    return send(reply, payloads.submission(result));
  });
  app.post('/txs', batchSubmission, async (request, reply) => {
    const results = await submitAll(submitter(), await manyOf(request, refusePrivate()));
    await pause();
    const payload = payloads.batch(results);
    // serialising it takes as long as creating it
    await pause();
    return send(reply, payload);
  });
  app.get('/tx/:hash', async (request, reply) => {
    const { hash } = request.params as { hash: string };
    if (!/^[0-9a-fA-F]{64}$/.test(hash)) throw new Problem(merchantTexts.txidInvalid);
    const txid = hash.toLowerCase();
    const proof = payloads.modern ? proofWanted(request.query) : undefined;
    if (proof !== undefined && 'problem' in proof)
      return send(reply, payloads.status(txid, { failure: proof.problem }));
    return send(reply, payloads.status(txid, await statusOf(node, txid, proof?.form)));
  });
  app.post('/txouts', async ({ body, query }, reply) => {
    if (!payloads.modern) throw new ApiError('not-found', 'sandbox-api.address-unknown');
    const wanted = readOutputs(body);
    const fields = readFields(query);
    const includeMempool = String(readOptions(query).get('includemempool') ?? 'true').toLowerCase() !== 'false';
    const txouts = await Promise.all(wanted.map((output) => outputStatus(node, output, fields, includeMempool)));
    return send(reply, payloads.outputs(txouts));
  });
}

async function oneOf({ body, query }: FastifyRequest, refusePrivate: boolean): Promise<Candidate> {
  if (Buffer.isBuffer(body)) return candidateOfBytes(body, readOptions(query), refusePrivate);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Problem(merchantTexts.notObject);
  return inTurns(candidateOf(readOptions(body), refusePrivate));
}

async function manyOf({ body, query }: FastifyRequest, refusePrivate: boolean): Promise<Candidate[]> {
  const defaults = withDefaults(new Map(), readOptions(query));
  if (!Buffer.isBuffer(body)) {
    if (!Array.isArray(body)) throw new Problem(merchantTexts.notArray);
    return readAll(body, (element) => candidateOf(withDefaults(readOptions(element), defaults), refusePrivate));
  }
  try {
    return await candidatesOfStream(body, defaults, refusePrivate);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new Problem(merchantTexts.streamUnreadable, error.message);
  }
}

/** @throws Problem for an option of the wrong type, before anything else is done */
function readOptions(value: unknown): Options {
  const options = optionsOf(value);
  const problem = optionTypeProblem(options);
  if (problem !== undefined) throw new Problem(merchantTexts.validationFailed, problem);
  return options;
}

function proofWanted(query: unknown): { form: 'TSC' | 'node' } | { problem: string } | undefined {
  const options = readOptions(query);
  if (!isTrue(options.get('merkleproof'))) return undefined;
  const format = options.get('merkleformat') ?? 'TSC';
  if (format === 'TSC') return { form: 'TSC' };
  return format === '' ? { form: 'node' } : { problem: formatProblem(format) };
}

const outputsSchema = z
  .array(
    z.object({
      txid: z
        .string()
        .regex(/^[0-9a-fA-F]{64}$/)
        .transform((txid) => txid.toLowerCase()),
      n: z.number().int().min(0).max(0xffffffff),
    }),
  )
  .max(10_000);

function readOutputs(body: unknown): z.infer<typeof outputsSchema> {
  const outputs = outputsSchema.safeParse(body);
  if (outputs.success) return outputs.data;
  throw new Problem(merchantTexts.notOutputs);
}

function readFields(query: unknown): ReadonlySet<OutputField> {
  const given = optionsOf(query).get('returnfield');
  // the locking script may be large, so it is included only if requested
  if (given === undefined) return new Set(outputFields.filter((field) => field !== 'scriptPubKey'));
  const names = [given].flat().map((name) => outputFields.find((field) => field === name));
  if (names.includes(undefined)) throw new Problem(merchantTexts.returnFieldInvalid);
  return new Set(names.filter((name) => name !== undefined));
}

/** An invalid request: answered with 400 and a problem document (wire.md 3.5). */
class Problem extends Error {
  override readonly name = 'Problem';
  readonly detail: string | undefined;

  constructor(title: string, detail?: string) {
    super(title);
    this.detail = detail;
  }
}

function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): FastifyReply {
  if (error instanceof Problem) return problem(reply, 400, error.message, error.detail);
  if (error instanceof ApiError) return problem(reply, error.minerStatusCode, error.message);
  const detail = error instanceof NotSubmittedError ? error.message : undefined;
  logger.error({ err: error, route: request.routeOptions.url }, 'the sandbox merchant API failed');
  return problem(reply, 500, merchantTexts.internalError, detail);
}

function problem(reply: FastifyReply, status: number, title: string, detail?: string): FastifyReply {
  const { type, text } = merchantErrorBody(status, title, detail);
  return reply.code(status).type(type).send(text);
}
