import { transactionOrigins, transactionStates } from '../../contract/index.ts';
import {
  count,
  hash,
  hex,
  json,
  list,
  type OpenApiDocument,
  object,
  orNull,
  type Part,
  text,
  time,
} from '../open-api/parts.ts';

const plain = { 'text/plain': { schema: text } };
const mapi: Part = object(
  {
    payload: { type: 'string', description: 'The message as JSON text.', contentMediaType: 'application/json' },
    signature: orNull('string'),
    publicKey: orNull('string'),
    encoding: text,
    mimetype: text,
  },
  ['signature', 'publicKey', 'encoding', 'mimetype'],
);
const arc: Part = {
  type: 'object',
  description: 'A status of ARC, or up to 1,000 of them under "callbacks".',
  properties: { txid: hash, txStatus: text, blockHash: text, blockHeight: { type: 'integer' }, merklePath: hex },
};

/** What Planchet takes from miners (callbacks) and sends to an address of yours (`stateWebhook`). */
export const callbacksDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Callbacks and webhook',
    version: '1',
    description:
      'Messages of miners arrive here; each submission has a path and a token of its own. States of transactions are sent to stateWebhook.',
  },
  servers: [
    { url: 'http://127.0.0.1:9700', description: 'Setting callbackBind; callbackPublicUrl names it for miners.' },
  ],
  security: [{ token: [] }],
  components: {
    securitySchemes: {
      token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The token of the submission.' },
    },
  },
  paths: {
    '/{path}': {
      post: {
        summary: 'What a miner tells of a transaction',
        parameters: [
          { name: 'path', in: 'path', required: true, description: 'As it was given to the miner.', schema: text },
        ],
        requestBody: {
          required: true,
          content: { ...json({ anyOf: [mapi, arc, { type: 'object' }] }), 'application/octet-stream': { schema: {} } },
        },
        responses: {
          '200': { description: 'It is on the disk; there is no body.' },
          '400': {
            description: 'It cannot be read, has more values or levels than a callback, or its signature is wrong.',
            content: plain,
          },
          '401': { description: 'The token is unknown, or older than 60 days.', content: plain },
          '403': { description: 'A web page, or another Host.', content: plain },
          '405': { description: 'A callback is sent with POST.', content: plain },
          '413': { description: 'Larger than 8 MiB, or 2 MiB from a miner with ARC.', content: plain },
          '503': { description: 'It could not be recorded: send it again.', content: plain },
        },
      },
    },
  },
  webhooks: {
    states: {
      post: {
        summary: 'States that transactions entered, in order, at most 100',
        parameters: [
          {
            name: 'X-Planchet-Signature',
            in: 'header',
            required: true,
            description: 't=<seconds>,v1=<HMAC-SHA256 of "<seconds>.<body>" with the secret, hex>.',
            schema: text,
          },
        ],
        requestBody: {
          required: true,
          content: json(
            object({
              network: { enum: ['sandbox', 'private', 'test', 'main'] },
              states: list(
                object({
                  id: count,
                  txid: hash,
                  state: { enum: [...transactionStates.names] },
                  at: time,
                  text,
                  origin: { enum: [...transactionOrigins] },
                  label: text,
                  block: { anyOf: [object({ hash, height: count }), { type: 'null' }] },
                  doubleSpentBy: orNull('string'),
                }),
              ),
            }),
          ),
        },
        responses: { '2XX': { description: 'Taken. Anything else is tried again, with growing pauses.' } },
      },
    },
  },
};
