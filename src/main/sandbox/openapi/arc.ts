import {
  type Answer,
  answer,
  count,
  flag,
  hash,
  header,
  hex,
  json,
  list,
  named,
  type OpenApiDocument,
  object,
  operations,
  orNull,
  type Part,
  path,
  shared,
  text,
  time,
} from '../../open-api/parts.ts';
import { arcErrorTexts } from '../arc/problems.ts';
import { arcStatuses } from '../arc/statuses.ts';

const change = {
  timestamp: time,
  txid: hash,
  txStatus: { enum: [...arcStatuses] },
  extraInfo: text,
  competingTxs: { anyOf: [list(hash), { type: 'null' }] },
  merklePath: { ...hex, description: 'BUMP (BRC-74); empty unless mined.' },
  blockHash: { ...text, description: 'Empty unless mined.' },
  blockHeight: count,
};
const schemas: Record<string, Part> = {
  Status: object({ ...change, status: { const: 200 }, title: { const: 'OK' } }),
  Problem: object({
    type: text,
    title: text,
    status: { type: 'integer' },
    detail: text,
    instance: { type: 'null' },
    txid: orNull('string'),
    extraInfo: { ...text, description: 'The cause in words.' },
  }),
  Change: object(change),
  Transaction: object({ rawTx: { ...hex, description: 'Raw, in the extended format (BRC-30), or BEEF.' } }),
};

/** ARC's list of errors; those from 460 on are about the transaction. */
const known: Record<string, Answer> = Object.fromEntries(
  Object.entries(arcErrorTexts).map(([status, [title, detail]]) => [
    status,
    answer(`${title}: ${detail}`, named('Problem')),
  ]),
);
const errors = shared('Error', {
  ...known,
  '4XX': answer('Another refusal.', named('Problem')),
  '5XX': answer('Another failure.', named('Problem')),
});
const operation = operations(errors.references);
const yes: Part = { enum: ['true', 'false'] };
const headers = [
  header('X-CallbackUrl', 'Where changes are posted.'),
  header('X-CallbackToken', 'Comes back as Authorization: Bearer.'),
  header('X-CallbackBatch', 'Several messages in one request.', yes),
  header('X-FullStatusUpdates', 'Every change, not only the last ones.', yes),
  header('X-WaitFor', 'Answer at this status or a later one.', { enum: [...arcStatuses] }),
  header('X-MaxTimeout', 'Seconds to wait for it.', { type: 'integer', minimum: 1, maximum: 30, default: 5 }),
  header('X-SkipFeeValidation', 'Leave the fee to the network.', yes),
  header('X-SkipScriptValidation', 'Leave scripts to the network.', yes),
  header('X-SkipTxValidation', 'Leave everything to the network.', yes),
  header('X-CumulativeFeeValidation', 'It must pay for its unmined ancestors too.', yes),
];
const others = { 'text/plain': { schema: text }, 'application/octet-stream': { schema: {} } };

export const arcDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'ARC',
    version: '1.5.3',
    description: 'Submission and status of transactions, as ARC 1.5 answers and the sandbox serves it.',
  },
  servers: [{ url: 'http://127.0.0.1:9600/arc/v1', description: 'The sandbox.' }],
  security: [{ bearer: [] }, { apiKey: [] }],
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'planchet serve --json prints one as sandboxApiKey.' },
      apiKey: { type: 'apiKey', in: 'header', name: 'Api-Key' },
    },
    schemas,
    responses: errors.components,
  },
  paths: {
    '/policy': {
      get: operation(
        'Fee and limits',
        answer(
          'The policy.',
          object({
            timestamp: time,
            policy: object({
              maxscriptsizepolicy: count,
              maxtxsigopscountspolicy: count,
              maxtxsizepolicy: count,
              miningFee: object({ satoshis: count, bytes: count }),
              standardFormatSupported: flag,
            }),
          }),
        ),
      ),
    },
    '/health': {
      get: operation(
        'Whether it works',
        answer('It does.', object({ healthy: flag, version: text, reason: orNull('string') })),
      ),
    },
    '/tx': {
      post: operation('Submit a transaction', answer('Its status.', named('Status')), {
        parameters: headers,
        requestBody: { required: true, content: { ...json(named('Transaction')), ...others } },
      }),
    },
    '/tx/{txid}': {
      get: operation('Status of a submitted transaction', answer('Its status.', named('Status')), {
        parameters: [path('txid', '64 hex digits.')],
      }),
    },
    '/txs': {
      post: operation(
        'Submit many transactions',
        answer('A status or an error for each, in order.', list({ anyOf: [named('Status'), named('Problem')] })),
        {
          parameters: headers,
          requestBody: { required: true, content: { ...json(list(named('Transaction'))), ...others } },
        },
      ),
    },
  },
  webhooks: {
    callback: {
      post: {
        summary: 'A change of a transaction, sent to X-CallbackUrl',
        requestBody: {
          required: true,
          content: json({ anyOf: [named('Change'), object({ count, callbacks: list(named('Change')) })] }),
        },
        responses: { '2XX': { description: 'Taken.' } },
      },
    },
  },
};
