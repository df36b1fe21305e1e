import { writerStates } from '../../../contract/index.ts';
import {
  type Answer,
  type Content,
  count,
  hash,
  header,
  json,
  list,
  named,
  type OpenApiDocument,
  object,
  orNull,
  type Part,
  path,
  query,
  shared,
  text,
  time,
} from '../../open-api/parts.ts';
import { idsOf, refusalAnswers } from '../../open-api/refusals.ts';
import { writeCodes } from '../write-errors.ts';

const documentHeaders = [
  header('X-Tag', 'Free text in front of the document on the chain, at most 512 bytes.'),
  header('X-FeesRequired', 'Whether the service pays the fee too: true, or anything else for no.', {
    type: 'string',
    default: 'false',
  }),
  header('X-Mode', 'hash writes the SHA-256 alone; encrypt writes what only this key can read.', {
    type: 'string',
    enum: ['raw', 'hash', 'encrypt'],
    default: 'raw',
  }),
  header('Idempotency-Key', 'The same key gives the same answer and writes once.', { type: 'string', maxLength: 255 }),
];
const state = { type: 'string', enum: [...writerStates.names] };
const id = { type: 'string', pattern: '^[0-9a-f]{32}$' };
const document = {
  id,
  keyId: text,
  state,
  txid: orNull('string', { description: 'Null until the transaction is signed.' }),
  vout: orNull('integer'),
  tag: orNull('string'),
  contentType: text,
  bytes: count,
  fee: orNull('integer', { description: 'Its share of the fee of its transaction, in satoshis.' }),
  attempts: count,
  nextAttemptAt: orNull('string', {
    description: 'When it is tried again, where an attempt failed and another follows.',
  }),
  reason: orNull('string', { description: 'Why the last attempt failed, or why it was given up.' }),
  createdAt: time,
  updatedAt: time,
  blockHash: orNull('string'),
  blockHeight: orNull('integer'),
};
const accepted = { status: { const: 202 }, id, state: { const: 'accepted' } };
const errorFields = {
  status: { type: 'integer' },
  code: { type: 'integer', enum: Object.values(writeCodes) },
  error: text,
};
const usageHour = object({ keyId: text, hour: time, tag: orNull('string'), documents: count, bytes: count });
const proof = object({
  index: count,
  txOrId: hash,
  targetType: { const: 'header' },
  target: { ...text, description: 'The block header, hex.' },
  nodes: list(text),
});

const schemas: Record<string, Part> = {
  Error: object(errorFields),
  Document: object(document),
  DocumentDetails: object({
    status: { const: 200 },
    ...document,
    timeline: list(object({ state, at: time })),
    proof: {
      anyOf: [proof, { type: 'null' }],
      description: 'The Merkle proof (TSC), once a block holds the document.',
    },
  }),
  BatchLine: { anyOf: [object({ line: count, ...accepted }), object({ line: count, ...errorFields })] },
};

const error: Answer = {
  description: 'Refused; the code stands in the table of the user guide.',
  content: json(named('Error')),
};
const answers = refusalAnswers(idsOf('write-api'), json(named('Error')));
const errors = shared('Error', { ...answers, '4XX': error, '5XX': error });
const refusals = errors.references;
const location = { Location: { description: 'Where the document is asked for.', schema: text } };
/** The responses of what answers 200 alone. */
const given = (description: string, content: Content) => ({ '200': { description, content }, ...refusals });
const vout = query('vout', 'An output of the transaction, where it writes several documents.', count);

/** The interface in the words of OpenAPI 3.1, as `/openapi.json` gives it. */
export const openApiDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Planchet data writer', version: '1', description: 'JSON in, proof out: never lost and never twice.' },
  servers: [{ url: 'http://127.0.0.1:9500', description: 'Setting writerBind.' }],
  components: {
    securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    schemas,
    responses: errors.components,
  },
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
            description: 'The miner has it; with wait=mined, a block has it.',
            headers: location,
            content: json(
              object({ status: { const: 201 }, txid: hash, vout: count, blockHash: hash, blockHeight: count }, [
                'vout',
                'blockHash',
                'blockHeight',
              ]),
            ),
          },
          '202': {
            description: 'It is on disk and will be written; what was waited for did not happen in time.',
            headers: location,
            content: json(
              object({ status: { const: 202 }, id, state, txid: hash, reason: orNull('string') }, ['txid', 'reason']),
            ),
          },
          ...refusals,
          '429': {
            ...(answers['429'] as Answer),
            headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } },
          },
        },
      },
    },
    '/api/v1/write/batch': {
      post: {
        summary: 'Write one document for each line; one line answers each',
        parameters: documentHeaders,
        requestBody: { required: true, content: { 'application/x-ndjson': { schema: text } } },
        responses: given('Lines in the same order.', {
          'application/x-ndjson': { schema: text, 'x-itemSchema': named('BatchLine') },
        }),
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
        responses: given(
          'A page.',
          json(object({ status: { const: 200 }, documents: list(named('Document')), next: orNull('string') })),
        ),
      },
    },
    '/api/v1/writes/{id}': {
      get: {
        summary: 'One document by its id or txid, with its timeline and its Merkle proof',
        parameters: [path('id', 'Id of the document, or txid of its transaction.'), vout],
        responses: given('The document.', json(named('DocumentDetails'))),
      },
    },
    '/api/v1/read/{txid}': {
      get: {
        summary: 'The body as it was written, from here or from the chain',
        parameters: [
          path('txid', 'Txid of the transaction, or id of the document.'),
          vout,
          header('X-Key', 'Secret of a document encrypted by an earlier generation of clients.'),
        ],
        responses: given('The body, in its own content type.', { '*/*': { schema: {} } }),
      },
    },
    '/api/v1/usage': {
      get: {
        summary: 'Documents and bytes of this key, for each hour and tag of the last 31 days',
        responses: given('The usage.', json(object({ status: { const: 200 }, usage: list(usageHour) }))),
      },
    },
    '/health': {
      get: {
        summary: 'Whether the client runs',
        security: [],
        responses: given('It does.', json(object({ status: { const: 'ok' } }))),
      },
    },
    '/openapi.json': {
      get: {
        summary: 'This document',
        security: [],
        responses: given('OpenAPI 3.1.', json({ type: 'object' })),
      },
    },
  },
};
