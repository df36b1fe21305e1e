import type { z } from 'zod';
import {
  doubleSpendSchema,
  freezeSchema,
  relayResultSchema,
  relaySchema,
  sandboxClockSchema,
  sandboxFaultAreas,
  sandboxFaultNames,
  sandboxFaultSchema,
  sandboxResetSchema,
  sandboxSnapshotSchema,
  sandboxStatusSchema,
} from '../../../contract/index.ts';
import {
  hash,
  json,
  list,
  named,
  type OpenApiDocument,
  type Operation,
  object,
  operations,
  type Part,
  path,
  query,
  shared,
  text,
  time,
} from '../../open-api/parts.ts';
import { ZodSchemas } from '../../open-api/zod-schemas.ts';
import { fundSchema, keySchema, mineSchema, reorgSchema, snapshotSchema } from '../api/admin-routes.ts';
import { apiErrorAnswers, apiErrorSchema, success } from './api-errors.ts';

const zod = new ZodSchemas({ Fault: sandboxFaultSchema, Snapshot: sandboxSnapshotSchema });
const errors = shared('Error', apiErrorAnswers(named('Error')));
const operation = operations(errors.references);
const bytes = { 'application/octet-stream': { schema: {} } };
const nothing: Part = object({});

function control(summary: string, body: z.ZodType, answered: string, data: Part, example?: Part): { post: Operation } {
  const requestBody = { required: true, content: json(zod.of(body, 'input'), example) };
  return { post: operation(summary, success(answered, data), { requestBody }) };
}

const hashes = object({ hashes: list(hash) });
const faults = object({ faults: list(zod.of(sandboxFaultSchema, 'output')) });
const status = zod.of(sandboxStatusSchema, 'output');
const { tip, clock } = status.properties as Record<string, { properties: Part }>;

export const controlsDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Sandbox controls',
    version: '1',
    description: 'Blocks, coins, keys, time, faults and copies of the sandbox network.',
  },
  servers: [{ url: 'http://127.0.0.1:9600/admin', description: 'Setting sandbox.bind.' }],
  security: [{ apiKey: [] }],
  paths: {
    '/mine': control('Mine blocks', mineSchema, 'Their hashes.', hashes),
    '/fund': control(
      'Pay coins to an address',
      fundSchema,
      'The payment; it waits for a block.',
      object({ txid: hash }),
    ),
    '/reorg': control('Replace the newest blocks', reorgSchema, 'The branch, one block longer.', hashes),
    '/double-spend': control(
      'Spend the coins of a transaction again',
      doubleSpendSchema,
      'The other transaction.',
      object({ txid: hash }),
    ),
    '/freeze': control('Keep an output from being spent', freezeSchema, 'Done.', nothing),
    '/relay': control(
      'Hand a transaction in as a peer would',
      relaySchema,
      'What the node did with it.',
      zod.of(relayResultSchema, 'output'),
    ),
    '/keys': control('Make an API key', keySchema, 'Shown this once.', object({ apiKey: text }), {}),
    '/status': {
      get: operation(
        'State of the network',
        success('The state; times are ISO 8601, but for takenAt of a snapshot: milliseconds since 1970-01-01 UTC.', {
          ...status,
          properties: {
            network: text,
            ...(status.properties as Part),
            tip: { ...tip, properties: { ...tip?.properties, time } },
            medianTime: time,
            clock: { ...clock, properties: { ...clock?.properties, now: time } },
          },
          required: ['network', ...(status.required as string[])],
        }),
      ),
    },
    '/faults': {
      ...control('Turn a fault on', sandboxFaultSchema, 'Those that are on.', faults),
      delete: operation('Turn faults off', success('Those that are still on.', faults), {
        parameters: [
          query('name', 'Only those of this name.', { enum: [...sandboxFaultNames] }),
          query('area', 'Only those of this area.', { enum: [...sandboxFaultAreas] }),
        ],
      }),
    },
    '/clock': control('Set the time of the sandbox', sandboxClockSchema, 'Set.', nothing),
    '/snapshots': control(
      'Take a snapshot',
      snapshotSchema,
      'Taken; takenAt is in milliseconds since 1970-01-01 UTC.',
      zod.of(sandboxSnapshotSchema, 'output'),
    ),
    '/snapshots/{name}': {
      delete: operation('Remove a snapshot', success('Removed.', nothing), { parameters: [path('name', 'Its name.')] }),
    },
    '/revert': control('Go back to a snapshot', snapshotSchema, 'Gone back.', nothing),
    '/reset': control('Begin a new network', sandboxResetSchema, 'Begun.', nothing, {}),
    '/export': {
      get: operation('The whole network as a file', { description: 'The file.', content: bytes }),
    },
    '/import': {
      post: operation('Replace the network by an exported one', success('Replaced.', nothing), {
        requestBody: { required: true, content: bytes },
      }),
    },
  },
  components: {
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'planchet serve --json prints one as sandboxApiKey.' },
    },
    schemas: { ...zod.components, Error: apiErrorSchema },
    responses: errors.components,
  },
};
