import type { z } from 'zod';
import {
  count,
  flag,
  hash,
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
  query,
  shared,
  text,
  time,
} from '../../open-api/parts.ts';
import { ZodSchemas } from '../../open-api/zod-schemas.ts';
import { FIXED_KEYS, subTypes } from '../token/metadata.ts';
import { createOutputSchema, updateOutputSchema } from '../token/outputs.ts';
import { createProjectSchema } from '../token/projects.ts';
import { quotaKeysSchema } from '../token/quota.ts';
import { createTransactionSchema, submitTransactionSchema } from '../token/transactions.ts';
import { apiErrorAnswers, apiErrorSchema, success } from './api-errors.ts';

const zod = new ZodSchemas();
const errors = shared('Error', apiErrorAnswers(named('Error')));
const operation = operations(errors.references);

const metadata: Part = { type: 'object', additionalProperties: text };
const newMetadata: Part = {
  type: 'object',
  description: 'app is added where it is left out; any other name is a trait.',
  properties: {
    name: text,
    type: { const: 'ord' },
    subType: { enum: [...subTypes] },
    subTypeData: { ...text, description: 'JSON text.' },
    description: text,
    app: text,
  },
  required: ['name', 'type', 'subType', 'subTypeData', 'description'],
  additionalProperties: text,
};
/** No value is valid: an edit must not send fields that cannot change. */
const notSent: Part = { not: {}, description: 'Cannot be changed; leave it out.' };
const changedMetadata: Part = {
  type: 'object',
  description: 'The traits sent replace all traits; description stays where it is left out.',
  properties: { name: text, description: text, ...Object.fromEntries(FIXED_KEYS.map((key) => [key, notSent])) },
  required: ['name'],
  additionalProperties: text,
};
const output = {
  uid: text,
  createdAt: time,
  projectUid: text,
  transactionUid: orNull('string', { description: 'The transaction it is part of.' }),
  type: { const: 'token' },
  tokenProtocol: { const: 'OneSatOrdinal' },
  metadata,
  offChainData: object({ b64FileHash: hash, b64FileSize: count, contentType: text }),
};
const txOutput = object({ satoshis: count, script: hex });
const schemas: Record<string, Part> = {
  Error: apiErrorSchema,
  Project: object({
    uid: text,
    name: text,
    tokenProtocol: text,
    network: text,
    isFungible: flag,
    type: { enum: ['single', 'collection'] },
  }),
  ListedProject: object({
    uid: text,
    name: text,
    network: text,
    offChainData: object({ isFungible: flag }),
    tokenProtocol: text,
  }),
  Output: object(output),
  DeletedOutput: object({ ...output, txId: orNull('string'), identityUid: text, address: { type: 'null' } }),
  ChangedOutput: object({ uid: text, type: { const: 'token' }, tokenProtocol: text }),
  TxObj: object(
    {
      hash: { ...hash, description: 'Txid of the unsigned form.' },
      version: count,
      inputs: list(
        object({
          prevTxId: hash,
          outputIndex: count,
          sequenceNumber: count,
          script: text,
          scriptString: text,
          output: txOutput,
        }),
      ),
      outputs: list(txOutput),
      nLockTime: count,
      changeScript: text,
      changeIndex: count,
    },
    ['changeScript', 'changeIndex'],
  ),
  Quota: object({
    apiKey: text,
    startDate: time,
    endDate: time,
    monthlyMintLimit: { type: 'integer' },
    totalUsed: count,
    available: { type: 'integer' },
  }),
};

function body(schema: z.ZodType, more: Readonly<Record<string, Part>> = {}) {
  const { properties, ...rest } = zod.of(schema, 'input');
  return { required: true, content: json({ ...rest, properties: { ...(properties as Part), ...more } }) };
}

const uid = path('uid', 'Id of the project or output.');
const security = [{ apikey: [] }];
const securitySchemes: Part = {
  apikey: {
    type: 'apiKey',
    in: 'header',
    name: 'Apikey',
    description: 'planchet serve --json prints one as sandboxApiKey.',
  },
};

const quotaPaths: OpenApiDocument['paths'] = {
  '/quota': {
    get: operation('Quota of the calling key', success('The quota.', named('Quota'))),
  },
  '/quota/keys': {
    post: operation(
      'Quota of several keys of one user',
      success('One record for each key, in order.', list(named('Quota'))),
      { requestBody: body(quotaKeysSchema) },
    ),
  },
};

/** The token project API of the sandbox, with the quota API beside it. */
export const tokenDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Token project API',
    version: '1',
    description:
      'Projects, outputs and unsigned transactions of one-satoshi ordinal tokens, as the sandbox serves them.',
  },
  servers: [{ url: 'http://127.0.0.1:9600/token/v1', description: 'The sandbox; baseUrl names another service.' }],
  security,
  components: { securitySchemes, schemas, responses: errors.components },
  paths: {
    '/project/create': {
      post: operation('Create a project', success('Created.', object({ projectUid: text })), {
        requestBody: body(createProjectSchema),
      }),
    },
    '/project': {
      get: operation(
        'The projects of the key',
        success('Oldest first.', object({ projectList: list(named('ListedProject')) })),
      ),
    },
    '/project/{uid}': {
      get: operation('One project', success('The project.', named('Project')), { parameters: [uid] }),
    },
    '/token/one-sat-ord/create-output': {
      post: operation('Add a token to a project', success('Added.', named('ChangedOutput')), {
        requestBody: body(createOutputSchema, { metadata: newMetadata }),
      }),
    },
    '/token/one-sat-ord/update-output/{uid}': {
      put: operation('Change a token that is in no transaction', success('Changed.', named('ChangedOutput')), {
        parameters: [uid],
        requestBody: body(updateOutputSchema, { metadata: changedMetadata }),
      }),
    },
    '/output/{uid}': {
      delete: operation(
        'Delete a token that is in no transaction',
        success('What was deleted.', named('DeletedOutput')),
        { parameters: [uid] },
      ),
    },
    '/output/by-project/{uid}': {
      get: operation(
        'The tokens of a project',
        success('In the order of their creation.', object({ outputList: list(named('Output')) })),
        {
          parameters: [
            uid,
            query('on-chain', '1: broadcast ones only; 0: the others.', { enum: ['0', '1'] }),
            query('type', 'Of this kind.', { enum: [...subTypes] }),
          ],
        },
      ),
    },
    '/token/one-sat-ord/create-transaction': {
      post: operation(
        'Build the unsigned transaction that mints tokens',
        success('To be signed.', object({ transactionUid: text, txObj: named('TxObj') })),
        { requestBody: body(createTransactionSchema) },
      ),
    },
    '/submit': {
      post: operation('Broadcast the signed transaction', success('Broadcast.', object({ txId: hash })), {
        requestBody: body(submitTransactionSchema),
      }),
    },
    ...quotaPaths,
  },
};

export const quotaDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Quota API', version: '1', description: 'How many tokens a key may still mint this month.' },
  servers: [
    { url: 'http://127.0.0.1:9600/console/v1', description: 'The sandbox; consoleBaseUrl names another service.' },
  ],
  security,
  components: {
    securitySchemes,
    schemas: { Error: schemas.Error as Part, Quota: schemas.Quota as Part },
    responses: errors.components,
  },
  paths: quotaPaths,
};
