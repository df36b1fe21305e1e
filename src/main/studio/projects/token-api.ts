import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request } from 'undici';
import type { z } from 'zod';
import { hexPieces } from '../../../chain/index.ts';
import {
  type Network,
  type OutputFilter,
  type Phrase,
  PlanchetError,
  type Project,
  phrase,
  type Quota,
  quotaSchema,
} from '../../../contract/index.ts';
import { retryAfterMs } from '../../async/back-off.ts';
import { type ForeignBounds, foreignBounds, OutOfBounds, readForeignValue } from '../../foreign-json.ts';
import { connectionReason } from '../../http/connection-reason.ts';
import { classifyRefusal, refusalError } from '../../merchant/refusals.ts';
import { pause } from '../../pause.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecretStore } from '../../ports/secrets.ts';
import type { Endpoints } from '../../ports/settings.ts';
import {
  createdOutputSchema,
  createdProjectSchema,
  failureText,
  listedProjectSchema,
  outputListSchema,
  outputSchema,
  projectDetailSchema,
  projectListSchema,
  type RemoteOutput,
  type RemoteProject,
  saysQuotaIsUsedUp,
  submittedSchema,
  type UnsignedTransaction,
  unsignedTransactionSchema,
} from './api-replies.ts';
import { type ProjectKeeper, TOKEN_PROTOCOL } from './project-keeper.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const REPLY_TIMEOUT_MS = 30_000;
/** Room in the reply to `create-transaction` apart from the transaction itself. */
const SPARE_BYTES = 1_048_576;
const SPARE_PARTS = 10_000;
const PARTS_OF_INPUT_OR_OUTPUT = 32;
/** A body up to this size is sent in one piece: a stream takes longer than such a file. */
const AT_ONCE_BYTES = 196_608;

export interface TokenApiOptions {
  network: Network;
  endpoints: Endpoints;
  secrets: SecretStore;
  clock: Pick<Clock, 'now'>;
  /** Limit of waiting for a reply in milliseconds. */
  replyTimeoutMs?: number;
}

export interface NewOutput {
  projectUid: string;
  contentType: string;
  /** The file in pieces whose lengths are multiples of 3 but for the last. */
  pieces: AsyncIterable<Uint8Array>;
  bytes: number;
  metadata: Readonly<Record<string, string>>;
}

interface Call {
  /** The setting with the address; `baseUrl` where it is left out. */
  root?: 'consoleBaseUrl';
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: string | Buffer | { stream: Readable; length: number };
  maxReply?: ForeignBounds;
  signal?: AbortSignal | undefined;
}

/**
 * Client of the token project and quota APIs (spec 4.1, 4.2). Every method throws PlanchetError `api-key-missing` | `vault-locked`
 * before anything is sent; `unauthorized` where the key is refused; `quota-exceeded`; `rejected` or `not-found` where the service
 * refused the request; `upstream-unreachable` | `upstream-timeout` | `upstream-error` where it did not decide, so that
 * the same call may be tried again; `cancelled` where the signal ended it.
 */
export class TokenApi implements ProjectKeeper {
  readonly #options: TokenApiOptions;
  #agent: Agent | undefined;

  constructor(options: TokenApiOptions) {
    this.#options = options;
  }

  /** The host of its address, `sandbox` for the embedded network's own; null where no address is set. */
  get name(): string | null {
    const { network, endpoints } = this.#options;
    if (network === 'sandbox') return network;
    return endpoints.baseUrl === '' ? null : new URL(endpoints.baseUrl).host;
  }

  open(): void {
    const limit = this.#options.replyTimeoutMs ?? REPLY_TIMEOUT_MS;
    this.#agent ??= new Agent({
      connect: { timeout: Math.min(CONNECT_TIMEOUT_MS, limit) },
      headersTimeout: limit,
      bodyTimeout: limit,
    });
  }

  async close(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    await agent?.destroy();
  }

  async createProject(project: { name: string; type: Project['type'] }): Promise<string> {
    const body = JSON.stringify({ ...project, isFungible: false, tokenProtocol: TOKEN_PROTOCOL });
    const reply = await this.#call({ method: 'POST', path: '/project/create', body }, createdProjectSchema);
    return reply.projectUid;
  }

  async listProjects(): Promise<Omit<RemoteProject, 'type'>[]> {
    const call: Call = { method: 'GET', path: '/project/', maxReply: foreignBounds.tokenProjects };
    return eachOf('projectList', (await this.#call(call, projectListSchema)).projectList, listedProjectSchema);
  }

  getProject(uid: string): Promise<RemoteProject> {
    return this.#call({ method: 'GET', path: `/project/${encodeURIComponent(uid)}` }, projectDetailSchema);
  }

  /** A large file is sent as it is read: it is never held in memory. @returns the output's id */
  async createOutput(output: NewOutput, signal?: AbortSignal): Promise<string> {
    const { projectUid, contentType, metadata, pieces, bytes } = output;
    const head = `${JSON.stringify({ projectUid, contentType, metadata }).slice(0, -1)},"b64File":"`;
    const tail = '"}';
    async function* body(): AsyncGenerator<string> {
      yield head;
      for await (const piece of pieces) yield base64(piece);
      yield tail;
    }
    const length = Buffer.byteLength(head) + 4 * Math.ceil(bytes / 3) + tail.length;
    const isSmall = length <= AT_ONCE_BYTES;
    const call: Call = {
      method: 'POST',
      path: '/token/one-sat-ord/create-output',
      body: isSmall ? await whole(body(), length) : { stream: Readable.from(body(), { objectMode: false }), length },
      signal,
    };
    return (await this.#call(call, createdOutputSchema)).uid;
  }

  async deleteOutput(uid: string, signal?: AbortSignal): Promise<void> {
    await this.#call({ method: 'DELETE', path: `/output/${encodeURIComponent(uid)}`, signal }, undefined);
  }

  /** Changes the metadata of an output that no transaction holds. */
  async updateOutput(uid: string, metadata: Readonly<Record<string, string>>): Promise<void> {
    const path = `/token/one-sat-ord/update-output/${encodeURIComponent(uid)}`;
    await this.#call({ method: 'PUT', path, body: JSON.stringify({ metadata }) }, undefined);
  }

  async listOutputs(projectUid: string, signal?: AbortSignal, filter: OutputFilter = {}): Promise<RemoteOutput[]> {
    const query = new URLSearchParams({
      ...(filter.onChain !== undefined && { 'on-chain': filter.onChain ? '1' : '0' }),
      ...(filter.type !== undefined && { type: filter.type }),
    });
    const path = `/output/by-project/${encodeURIComponent(projectUid)}${query.size > 0 ? `?${query}` : ''}`;
    const call: Call = { method: 'GET', path, maxReply: foreignBounds.tokenOutputs, signal };
    return eachOf('outputList', (await this.#call(call, outputListSchema)).outputList, outputSchema);
  }

  /**
   * @param size bytes of the signed transaction as predicted, which bound the reply together with the number of inputs and outputs
   * @throws PlanchetError `review-failed` where the reply holds far more than the transaction that was asked for
   */
  createTransaction(
    request: {
      projectUid: string;
      publicKey: string;
      dstAddress: string;
      outputList: readonly string[];
      utxoList: readonly { outputIndex: number; txId: string }[];
    },
    size: number,
    signal?: AbortSignal,
  ): Promise<UnsignedTransaction> {
    const call = this.#call(
      {
        method: 'POST',
        path: '/token/one-sat-ord/create-transaction',
        body: JSON.stringify(request),
        maxReply: {
          // The transaction comes back as hex, perhaps twice (its scripts and the whole of it).
          bytes: SPARE_BYTES + 5 * size,
          depth: foreignBounds.tokenReply.depth,
          values: SPARE_PARTS + PARTS_OF_INPUT_OR_OUTPUT * (request.outputList.length + request.utxoList.length),
        },
        signal,
      },
      unsignedTransactionSchema,
    );
    return call.catch((error: unknown) => {
      throw error instanceof ReplyTooLarge ? notWhatWasAskedFor() : error;
    });
  }

  /**
   * @param rawTx the signed transaction
   * @returns its id as the service names it
   * @throws PlanchetError `rejected` or `upstream-error` as the service passes on the miner's refusal, and what every call throws
   */
  async submit(transactionUid: string, rawTx: Uint8Array, signal?: AbortSignal): Promise<string> {
    const body = submission(transactionUid, rawTx);
    try {
      const reply = await this.#call({ method: 'POST', path: '/submit', body, signal }, submittedSchema);
      return reply.txId.toLowerCase();
    } catch (error) {
      const reason = error instanceof PlanchetError && error.code === 'rejected' ? error.detail?.reason : undefined;
      if (typeof reason !== 'string' || classifyRefusal(reason).code === 'other') throw error;
      throw refusalError(reason) ?? error;
    }
  }

  quota(signal?: AbortSignal): Promise<Quota> {
    return this.#call({ root: 'consoleBaseUrl', method: 'GET', path: '/quota', signal }, quotaSchema);
  }

  async #call<T extends z.ZodType>(call: Call, schema: T | undefined): Promise<z.infer<T>> {
    const apiKey = this.#apiKey();
    const setting = call.root ?? 'baseUrl';
    const root = this.#options.endpoints[setting].replace(/\/+$/, '');
    if (root === '') {
      throw this.#options.network === 'sandbox'
        ? new PlanchetError('token-service.sandbox-not-running')
        : new PlanchetError('token-service.no-address', { setting });
    }
    let status: number;
    let body: unknown;
    let retryAfter: number | undefined;
    try {
      const reply = await this.#send(root, call, apiKey);
      status = reply.statusCode;
      retryAfter = retryAfterMs(reply.headers['retry-after'], this.#options.clock.now());
      body = await readForeignValue(reply.body, call.maxReply ?? foreignBounds.tokenReply);
    } catch (error) {
      throw this.#noAnswer(error, root, call.signal);
    }
    return judge({ status, body, retryAfter }, schema);
  }

  #send(root: string, call: Call, apiKey: string): Promise<Dispatcher.ResponseData> {
    const { body, signal } = call;
    const streamed = typeof body === 'object' && !Buffer.isBuffer(body);
    return request(root + call.path, {
      ...(this.#agent === undefined ? {} : { dispatcher: this.#agent }),
      method: call.method,
      headers: {
        Apikey: apiKey,
        Accept: 'application/json',
        ...(body === undefined && call.method !== 'DELETE' ? {} : { 'Content-Type': 'application/json' }),
        ...(streamed ? { 'Content-Length': String(body.length) } : {}),
      },
      body: streamed ? body.stream : (body ?? null),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  #apiKey(): string {
    const key = this.#options.secrets.get(`apiKey:${this.#options.network}`);
    if (key !== undefined && key.length > 0) return Buffer.from(key).toString('utf8');
    throw new PlanchetError('token-service.api-key-missing', { network: this.#options.network });
  }

  #noAnswer(error: unknown, root: string, signal: AbortSignal | undefined): PlanchetError {
    if (error instanceof OutOfBounds) return new ReplyTooLarge();
    if (signal?.aborted) return new PlanchetError('token-service.cancelled', {}, { cause: error });
    const code = (error as { code?: string } | null)?.code ?? '';
    if (/TIMEOUT|TIMEDOUT/.test(code)) return new PlanchetError('token-service.timeout', { root }, { cause: error });
    return new PlanchetError(
      this.#options.network === 'sandbox' ? 'token-service.sandbox-unreachable' : 'token-service.unreachable',
      { root, reason: code === '' ? phrase('reason.no-connection') : connectionReason(error) },
      { cause: error },
    );
  }
}

/** The body of a submission. The hex is written straight into the buffer that is sent, because it can be megabytes. */
function submission(transactionUid: string, rawTx: Uint8Array): Buffer {
  const head = `${JSON.stringify({ transactionUid }).slice(0, -1)},"tx":"`;
  const body = Buffer.allocUnsafe(Buffer.byteLength(head) + 2 * rawTx.length + 2);
  let at = body.write(head);
  for (const piece of hexPieces(rawTx)) at += body.write(piece, at, 'latin1');
  body.write('"}', at);
  return body;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

async function whole(pieces: AsyncIterable<string>, length: number): Promise<Buffer> {
  const body = Buffer.allocUnsafe(length);
  let at = 0;
  for await (const piece of pieces) at += body.write(piece, at);
  return body.subarray(0, at);
}

class ReplyTooLarge extends PlanchetError<'token-service.reply-too-large'> {
  constructor() {
    super('token-service.reply-too-large');
  }
}

/** The failure where a service answers with another transaction. It would do so again, so it is not asked again automatically. */
export function notWhatWasAskedFor(what: Phrase = phrase('reason.far-more-data')): PlanchetError {
  return new PlanchetError('token-service.other-transaction', { what });
}

function judge<T extends z.ZodType>(
  { status, body, retryAfter }: { status: number; body: unknown; retryAfter: number | undefined },
  schema: T | undefined,
): z.infer<T> {
  const reported = failureText(body);
  const refused = isRecord(body) && body.success === false;
  if (status >= 200 && status < 300 && isRecord(body) && !refused) {
    if (schema === undefined) return undefined as z.infer<T>;
    const parsed = schema.safeParse(body.data);
    if (parsed.success) return parsed.data;
    throw malformed(parsed.error);
  }
  if (status === 402 || (((refused && status < 500) || status === 429) && saysQuotaIsUsedUp(body))) {
    throw new PlanchetError('token-service.quota-used', { reason: reported ? `: ${reported}` : '.' });
  }
  if (status === 401 || status === 403) {
    throw new PlanchetError('token-service.unauthorized', { reason: reported ? `: ${reported}` : '.' });
  }
  if (refused && status < 500 && status !== 408 && status !== 429) {
    throw new PlanchetError(
      status === 404 ? 'token-service.not-found' : 'token-service.rejected',
      { reason: reported ?? phrase('reason.http-status', { status }) },
      { detail: { status, ...(reported !== undefined && { reason: reported }) } },
    );
  }
  throw new PlanchetError(
    'token-service.failed',
    { status, reason: reported ? `: ${reported}` : '.' },
    { detail: { status, ...(retryAfter !== undefined && { retryAfterMs: retryAfter }) } },
  );
}

/** Reads the elements of a list, with pauses for the event loop. @throws PlanchetError for the first malformed element */
async function eachOf<T extends z.ZodType>(list: string, elements: unknown[], schema: T): Promise<z.infer<T>[]> {
  const read: z.infer<T>[] = [];
  for (const [index, element] of elements.entries()) {
    const { data, error } = schema.safeParse(element);
    if (error !== undefined) throw malformed(error, [list, index]);
    read.push(data);
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return read;
}

function malformed({ issues }: z.ZodError, at: readonly PropertyKey[] = []): PlanchetError {
  return new PlanchetError('token-service.malformed', {
    field: [...at, ...(issues[0]?.path ?? [])].map(String).join('.') || 'data',
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
