import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TxObj } from '../../../chain/index.ts';
import { guardScope, type ScopeGuard } from '../api/request-guard.ts';
import { policy } from '../node/consensus/consensus.ts';
import { ok, type TokenContext } from './context.ts';
import { Outputs } from './outputs.ts';
import { Projects } from './projects.ts';
import { Quota } from './quota.ts';
import { Transactions } from './transactions.ts';

/** Raw transactions are sent as hex. */
const SUBMIT_BYTES = 2 * policy.maxTxBytes + 65_536;

/** The services behind the token project and quota APIs. */
export interface TokenService {
  readonly projects: Projects;
  readonly outputs: Outputs;
  readonly transactions: Transactions;
  readonly quota: Quota;
}

export async function openTokenService(ctx: TokenContext): Promise<TokenService> {
  const projects = await Projects.open(ctx);
  const outputs = await Outputs.open(ctx, projects);
  const quota = new Quota(ctx);
  const transactions = await Transactions.open(ctx, projects, outputs, quota);
  return { projects, outputs, quota, transactions };
}

const uidOf = (request: FastifyRequest): string => (request.params as { uid: string }).uid;

/** The token project API (spec 4.1) together with the quota API, which the real service offers under the same address (wire.md 1.8). */
export async function tokenRoutes(
  app: FastifyInstance,
  { service, guard }: { service: TokenService; guard: ScopeGuard },
): Promise<void> {
  const { projects, outputs, transactions } = service;
  guardScope(app, guard, 'apikey');
  app.post('/project/create', async ({ owner, body }) => ok(await projects.create(owner, body)));
  app.get('/project', async ({ owner }) => ok(await projects.list(owner)));
  app.get('/project/:uid', async (request) => ok(await projects.detail(request.owner, uidOf(request))));
  const withFile = { config: { maxBytes: () => outputs.maxBodyBytes(), streamed: true } };
  app.post('/token/one-sat-ord/create-output', withFile, async ({ owner, body }) =>
    ok(await outputs.create(owner, body as Readable)),
  );
  app.put('/token/one-sat-ord/update-output/:uid', withFile, async (request) =>
    ok(await outputs.update(request.owner, uidOf(request), request.body as Readable)),
  );
  app.delete('/output/:uid', async (request) => ok(await outputs.remove(request.owner, uidOf(request))));
  app.get('/output/by-project/:uid', async (request) =>
    ok(await outputs.list(request.owner, uidOf(request), request.query)),
  );
  app.post('/token/one-sat-ord/create-transaction', async ({ owner, body }, reply) =>
    reply.type('application/json; charset=utf-8').send(createdTransaction(await transactions.create(owner, body))),
  );
  app.post('/submit', { config: { maxBytes: () => SUBMIT_BYTES } }, async ({ owner, body }) =>
    ok(await transactions.submit(owner, body)),
  );
  addQuotaRoutes(app, service);
}

/** The quota API (spec 4.2). */
export async function quotaRoutes(
  app: FastifyInstance,
  { service, guard }: { service: TokenService; guard: ScopeGuard },
): Promise<void> {
  guardScope(app, guard, 'apikey');
  addQuotaRoutes(app, service);
}

function addQuotaRoutes(app: FastifyInstance, { quota }: TokenService): void {
  app.get('/quota', async ({ owner, headers }) => ok(await quota.record(headers.apikey as string, owner)));
  app.post('/quota/keys', async ({ owner, body }) => ok(await quota.records(owner, body)));
}

/** The serialised form of `ok`, made faster: the scripts of the outputs are megabytes of hex, which needs no escapes. */
function createdTransaction({ transactionUid, txObj }: { transactionUid: string; txObj: TxObj }): Buffer {
  const { outputs, ...rest } = txObj;
  const texts = [
    `{"success":true,"data":{"transactionUid":${JSON.stringify(transactionUid)},"txObj":{"outputs":[`,
    ...outputs.flatMap(({ satoshis, script }, n) => [
      `${n > 0 ? ',' : ''}{"satoshis":${satoshis},"script":"`,
      script,
      '"}',
    ]),
    `],${JSON.stringify(rest).slice(1)}}}`,
  ];
  const body = Buffer.allocUnsafe(texts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const text of texts) at += body.write(text, at, 'latin1');
  return body;
}
