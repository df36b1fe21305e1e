import { writeStates } from './tables.ts';
import { writeCodes } from './write-errors.ts';

const error = {
  description: 'Refused; the code stands in the table of the user guide.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['status', 'code', 'error'],
        properties: {
          status: { type: 'integer' },
          code: { type: 'integer', enum: Object.values(writeCodes) },
          error: { type: 'string' },
        },
      },
    },
  },
};
const refusals = { '4XX': error, '5XX': error };
const header = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'header',
  description,
  schema,
});
const query = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'query',
  description,
  schema,
});
const path = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const json = (schema: object) => ({ 'application/json': { schema } });

const documentHeaders = [
  header('X-Tag', 'Free text in front of the document on the chain, at most 512 bytes.'),
  header('X-FeesRequired', 'Whether the service pays the fee too.', { type: 'boolean' }),
  header('X-Mode', 'hash writes the SHA-256 alone; encrypt writes what only this key can read.', {
    type: 'string',
    enum: ['raw', 'hash', 'encrypt'],
    default: 'raw',
  }),
  header('Idempotency-Key', 'The same key gives the same answer and writes once.', { type: 'string', maxLength: 255 }),
];
const state = { type: 'string', enum: [...writeStates] };
const document = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    keyId: { type: 'string' },
    state,
    txid: { type: ['string', 'null'] },
    vout: { type: ['integer', 'null'] },
    tag: { type: ['string', 'null'] },
    contentType: { type: 'string' },
    bytes: { type: 'integer' },
    fee: { type: ['integer', 'null'] },
    attempts: { type: 'integer' },
    reason: { type: ['string', 'null'] },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
    blockHash: { type: ['string', 'null'] },
    blockHeight: { type: ['integer', 'null'] },
  },
};

/** The interface in the words of OpenAPI 3.1, as `/openapi.json` gives it. */
export const openApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Planchet data writer', version: '1', description: 'JSON in, proof out: never lost and never twice.' },
  components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } }, schemas: { Document: document } },
  security: [{ apiKey: [] }],
  paths: {
    '/api/v1/write': {
      post: {
        summary: 'Write one document to the chain',
        parameters: [
          query('wait', 'accepted answers as soon as the document is on disk; mined waits for its block.', {
            type: 'string',
            enum: ['accepted', 'submitted', 'mined'],
            default: 'submitted',
          }),
          ...documentHeaders,
        ],
        requestBody: { required: true, content: { 'application/json': { schema: {} } } },
        responses: {
          '201': {
            description: 'The miner has it.',
            content: json({
              type: 'object',
              required: ['status', 'txid'],
              properties: { status: { const: 201 }, txid: { type: 'string' } },
            }),
          },
          '202': {
            description: 'It is on disk and will be written.',
            content: json({
              type: 'object',
              required: ['status', 'id', 'state'],
              properties: { status: { const: 202 }, id: { type: 'string' }, state },
            }),
          },
          '429': { ...error, headers: { 'Retry-After': { schema: { type: 'integer' } } } },
          ...refusals,
        },
      },
    },
    '/api/v1/write/batch': {
      post: {
        summary: 'Write one document for each line; one line answers each',
        parameters: documentHeaders,
        requestBody: { required: true, content: { 'application/x-ndjson': { schema: { type: 'string' } } } },
        responses: {
          '200': { description: 'Lines in the same order.', content: { 'application/x-ndjson': { schema: {} } } },
          ...refusals,
        },
      },
    },
    '/api/v1/writes': {
      get: {
        summary: 'The documents of this key, a page at a time',
        parameters: [
          query('tag', 'Of this tag.'),
          query('state', 'In this state.', state),
          query('since', 'Accepted at this time or later: ISO 8601, or milliseconds.'),
          query('cursor', 'The "next" of the page before.'),
          query('order', 'By time of acceptance.', { type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
          query('limit', 'Documents on the page.', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
        ],
        responses: {
          '200': {
            description: 'A page.',
            content: json({
              type: 'object',
              properties: {
                documents: { type: 'array', items: { $ref: '#/components/schemas/Document' } },
                next: { type: ['string', 'null'] },
              },
            }),
          },
          ...refusals,
        },
      },
    },
    '/api/v1/writes/{id}': {
      get: {
        summary: 'One document by its id or txid, with its timeline and its Merkle proof',
        parameters: [path('id')],
        responses: {
          '200': { description: 'The document.', content: json({ $ref: '#/components/schemas/Document' }) },
          ...refusals,
        },
      },
    },
    '/api/v1/read/{txid}': {
      get: {
        summary: 'The body as it was written, from here or from the chain',
        parameters: [
          path('txid'),
          header('X-Key', 'Secret of a document encrypted by an earlier generation of clients.'),
        ],
        responses: { '200': { description: 'The body, in its own content type.' }, ...refusals },
      },
    },
    '/api/v1/usage': {
      get: {
        summary: 'Documents and bytes of this key, for each hour and tag of the last 31 days',
        responses: { '200': { description: 'The usage.' }, ...refusals },
      },
    },
    '/health': {
      get: { summary: 'Whether the client runs', security: [], responses: { '200': { description: 'It does.' } } },
    },
  },
};
