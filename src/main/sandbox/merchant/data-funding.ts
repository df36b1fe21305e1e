import PublicKey from '@bsv/sdk/primitives/PublicKey';
import Signature from '@bsv/sdk/primitives/Signature';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import {
  ChainError,
  FINAL_SEQUENCE,
  feeFor,
  fromHex,
  hash160,
  P2PKH_INPUT_BYTES,
  p2pkhScript,
  parseTx,
  satoshis,
  serializeTx,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { ApiError, StatusError } from '../api/api-error.ts';
import type { KeyOwner } from '../api/api-keys.ts';
import { guardScope, type ScopeGuard } from '../api/request-guard.ts';
import { policy } from '../node/consensus/consensus.ts';
import type { SandboxParts } from '../parts.ts';
import { fundingErrorBody } from './error-bodies.ts';
import { fundingTexts } from './texts.ts';

const JSON_TYPE = 'application/json';
const MAX_BODY_BYTES = 2 * policy.maxTxBytes + 65_536;
/** Size of version, lock time and the counts of inputs and outputs. */
const FRAME_BYTES = 12;
const TX_VERSION = 1;

export interface DataFundingOptions extends Pick<SandboxParts, 'db' | 'node' | 'clock' | 'logger' | 'submit'> {
  readonly guard: ScopeGuard;
}

/**
 * The funding service of the data-writing client (wire.md 4.1): the client registers a public key, receives a transaction that funds
 * that key and a template that spends it, adds its data and submits both.
 */
export async function dataFundingRoutes(app: FastifyInstance, options: DataFundingOptions): Promise<void> {
  const { node, db, clock, submit } = options;
  app.setErrorHandler((error, _request, reply) => answerFailure(error, reply, options.logger));
  guardScope(app, options.guard, 'bearer-or-key');

  app.post('/pubkey', async ({ owner, headers, body }, reply) => {
    const publicKey = readRegistration(body, (headers.authorization ?? '').replace(/^Bearer +/i, ''));
    const registered = await registeredKey(db, owner);
    if (registered !== undefined && registered !== publicKey) {
      throw new StatusError(409, fundingTexts.otherKeyRegistered);
    }
    if (registered === undefined) {
      await db
        .insertInto('mapi_writers')
        .values({ key_hash: owner.keyHash, public_key: publicKey, registered_at: clock.now() })
        .execute();
    }
    return reply.code(200).send();
  });

  app.get('/txTemplates', async ({ owner, query }, reply) => {
    const { size, feesRequired } = readTemplateQuery(query);
    const publicKey = await registeredKey(db, owner);
    if (publicKey === undefined) throw new StatusError(400, fundingTexts.noKeyRegistered);
    const script = p2pkhScript(hash160(fromHex(publicKey)));
    const bytes = FRAME_BYTES + P2PKH_INPUT_BYTES + size;
    if (bytes > policy.maxTxBytes) throw new StatusError(413, fundingTexts.sizeTooLarge(policy.maxTxBytes));
    // a template without a fee still needs a valid output
    const amount = Math.max(policy.dustSatoshis, feesRequired ? feeFor(bytes, policy.miningFee) : 0);
    // broadcast immediately, so that no two templates spend the same faucet coin
    const feeTxid = await node.fund(script, satoshis(amount));
    const funded = await node.transaction(feeTxid);
    if (funded === undefined) throw new Error('the node lost a payment of the faucet');
    const dataTransaction = serializeTx({
      version: TX_VERSION,
      inputs: [{ txid: feeTxid, vout: 0, script: new Uint8Array(), sequence: FINAL_SEQUENCE }],
      outputs: [],
      lockTime: 0,
    });
    const templates = { feeTransaction: toHex(funded.raw), dataTransaction: toHex(dataTransaction) };
    return reply.type(JSON_TYPE).send(JSON.stringify(templates));
  });

  const withTransactions = { config: { maxBytes: () => MAX_BODY_BYTES } };
  app.post('/submitTransactions', withTransactions, async ({ body }, reply) => {
    const { fee, data } = readTransactions(body);
    // already paid for here, so no further fee is needed if the client asked for none
    const issued = (await node.transaction(txidOf(fee))) !== undefined;
    const results = await submit([fee, data], { checkFee: !issued });
    for (const result of results) {
      if (!result.ok) throw new StatusError(400, `${result.code} ${result.reason}`);
    }
    return reply
      .code(201)
      .type(JSON_TYPE)
      .send(JSON.stringify({ status: 201, txid: txidOf(data) }));
  });
}

async function registeredKey(db: SandboxParts['db'], owner: KeyOwner): Promise<string | undefined> {
  const row = await db
    .selectFrom('mapi_writers')
    .select('public_key')
    .where('key_hash', '=', owner.keyHash)
    .executeTakeFirst();
  return row?.public_key;
}

function textOf(body: unknown, name: string): string {
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
  if (typeof value !== 'string' || value === '') throw new StatusError(400, fundingTexts.missing(name));
  return value;
}

/** @returns the public key, if its holder proved ownership by signing the API key */
function readRegistration(body: unknown, apiKey: string): string {
  const publicKey = textOf(body, 'publicKey').toLowerCase();
  const signature = textOf(body, 'signature').toLowerCase();
  if (!/^0[23][0-9a-f]{64}$/.test(publicKey)) throw new StatusError(400, fundingTexts.publicKeyInvalid);
  try {
    const key = PublicKey.fromString(publicKey);
    const message = Array.from(Buffer.from(apiKey, 'ascii'));
    if (key.toString() === publicKey && key.verify(message, Signature.fromDER(signature, 'hex'))) return publicKey;
  } catch {
    // the answer is the same for an invalid point and an invalid signature
  }
  throw new StatusError(400, fundingTexts.signatureInvalid);
}

function readTemplateQuery(query: unknown): { size: number; feesRequired: boolean } {
  const { size, feesRequired } = query as Record<string, unknown>;
  if (typeof size !== 'string' || !/^[1-9]\d{0,9}$/.test(size)) throw new StatusError(400, fundingTexts.sizeInvalid);
  return { size: Number(size), feesRequired: feesRequired !== 'false' };
}

function readTransactions(body: unknown): { fee: Uint8Array; data: Uint8Array } {
  try {
    const [fee, data] = [fromHex(textOf(body, 'feeTransaction')), fromHex(textOf(body, 'dataTransaction'))];
    const { inputs } = parseTx(data);
    parseTx(fee);
    if (!inputs.some(({ txid }) => txid === txidOf(fee))) throw new StatusError(400, fundingTexts.notSpent);
    return { fee, data };
  } catch (error) {
    if (error instanceof ChainError) throw new StatusError(400, fundingTexts.unreadable(error.message));
    throw error;
  }
}

function answerFailure(error: unknown, reply: FastifyReply, logger: Logger): FastifyReply {
  const [status, message] = answerTo(error);
  if (status === 500) logger.error({ err: error }, 'the sandbox failed to answer the data-writing client');
  const { type, text } = fundingErrorBody(status, message);
  return reply.code(status).type(type).send(text);
}

function answerTo(error: unknown): [number, string] {
  if (error instanceof StatusError) return [error.status, error.message];
  if (error instanceof ApiError) return [error.minerStatusCode, error.message];
  if (error instanceof PlanchetError) return [503, error.message];
  return [500, fundingTexts.internalError];
}
