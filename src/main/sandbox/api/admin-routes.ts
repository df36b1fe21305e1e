import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  doubleSpendSchema,
  freezeSchema,
  PlanchetError,
  relaySchema,
  sandboxClockSchema,
  sandboxFaultAreas,
  sandboxFaultNames,
  sandboxFaultSchema,
  sandboxResetSchema,
  snapshotNameSchema,
} from '../../../contract/index.ts';
import type { Controls } from '../controls/controls.ts';
import { NETWORK, ok, read } from '../token/context.ts';
import { ApiError } from './api-error.ts';
import { guardScope, type ScopeGuard } from './request-guard.ts';

/** Maximum blocks mined or replaced per request; more would block everything else for seconds. */
export const MAX_BLOCKS = 1_000;
export const MAX_SATOSHIS = 2_100_000_000_000_000;
const MAX_IMPORT_BYTES = 20_000_000_000;

/** A transaction of maximum size in hex, with the JSON around it. */
const MAX_RELAY_BYTES = 20_001_000;

export const mineSchema = z.object({ blocks: z.number().int().min(1).max(MAX_BLOCKS) });
export const reorgSchema = z.object({ depth: z.number().int().min(1).max(MAX_BLOCKS) });
export const fundSchema = z.object({ address: z.string(), satoshis: z.number().int().min(1).max(MAX_SATOSHIS) });
export const keySchema = z.object({ sameUser: z.boolean().default(true) }).default({ sameUser: true });
export const snapshotSchema = z.object({ name: snapshotNameSchema });
const clearedSchema = z.object({
  name: z.enum(sandboxFaultNames).optional(),
  area: z.enum(sandboxFaultAreas).optional(),
});

export interface AdminOptions {
  readonly controls: Controls;
  readonly guard: ScopeGuard;
}

/** Control API of the sandbox: blocks, funds, keys, time, faults and copies of the network. */
export async function adminRoutes(app: FastifyInstance, { controls, guard }: AdminOptions): Promise<void> {
  guardScope(app, guard, 'bearer');
  const relayed = { config: { maxBytes: () => MAX_RELAY_BYTES } };
  app.post('/mine', async ({ body }) => ok(await controls.mine(read(mineSchema, body))));
  app.post('/fund', async ({ body }) => ok(await controls.fund(read(fundSchema, body))));
  app.post('/reorg', async ({ body }) => ok(await controls.reorg(read(reorgSchema, body))));
  app.post('/double-spend', async ({ body }) => ok(await controls.doubleSpend(read(doubleSpendSchema, body))));
  app.post('/freeze', async ({ body }) => done(controls.freeze(read(freezeSchema, body))));
  app.post('/relay', relayed, async ({ body }) => ok(await controls.relay(read(relaySchema, body))));
  app.post('/keys', async ({ owner, body }) => {
    const { sameUser } = read(keySchema, body);
    return ok(await controls.createKey({ userUid: owner.userUid, newUser: !sameUser }));
  });
  app.get('/status', async () => {
    const { tip, medianTime, clock, ...status } = await controls.status();
    return ok({
      network: NETWORK,
      ...status,
      tip: { ...tip, time: new Date(tip.time).toISOString() },
      medianTime: new Date(medianTime).toISOString(),
      clock: { ...clock, now: new Date(clock.now).toISOString() },
    });
  });
  app.post('/faults', async ({ body }) => ok({ faults: await controls.faults.set(read(sandboxFaultSchema, body)) }));
  app.delete('/faults', async ({ query }) =>
    ok({ faults: await controls.faults.clear(read(clearedSchema, query, 'query')) }),
  );
  app.post('/clock', async ({ body }) => done(controls.clock(read(sandboxClockSchema, body))));
  app.post('/snapshots', async ({ body }) => ok(await controls.snapshots.take(read(snapshotSchema, body))));
  app.delete('/snapshots/:name', async ({ params }) => done(controls.snapshots.remove(read(snapshotSchema, params))));
  app.post('/revert', async ({ body }) => done(controls.snapshots.revert(read(snapshotSchema, body))));
  app.post('/reset', async ({ body }) => done(controls.reset(read(sandboxResetSchema, body ?? {}))));
  app.get('/export', async (_, reply) => {
    const file = join(controls.workFolder, `download-${process.hrtime.bigint()}.db`);
    const { bytes } = await controls.export({ file });
    const stream = createReadStream(file);
    stream.once('close', () => void rm(file, { force: true }));
    return reply
      .type('application/octet-stream')
      .header('content-length', bytes)
      .header('content-disposition', 'attachment; filename="sandbox.planchet"')
      .send(stream);
  });
  const streamed = {
    config: { mediaTypes: ['application/octet-stream'], maxBytes: () => MAX_IMPORT_BYTES, streamed: true },
  };
  app.post('/import', streamed, async (request) => {
    const file = join(controls.workFolder, `upload-${process.hrtime.bigint()}.db`);
    try {
      await store(request, file);
      await controls.import({ file });
    } catch (error) {
      // its text names the temporary file of the body, which means nothing to the client
      if (error instanceof PlanchetError && error.id === 'sandbox.import-invalid')
        throw new ApiError('invalid-request', 'sandbox-api.import-invalid');
      throw error;
    } finally {
      await rm(file, { force: true });
    }
    return ok({});
  });
}

async function store({ body }: FastifyRequest, file: string): Promise<void> {
  let bytes = 0;
  const limited = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of source) {
      bytes += piece.length;
      if (bytes > MAX_IMPORT_BYTES)
        throw new ApiError('too-large', 'sandbox-api.import-too-large', { limit: MAX_IMPORT_BYTES });
      yield piece;
    }
  };
  await pipeline(body as Readable, limited, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
}

/** The answer to a request that has no result. */
async function done(work: unknown): Promise<object> {
  await work;
  return ok({});
}
