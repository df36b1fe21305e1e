import {
  answer,
  count,
  flag,
  hash,
  hex,
  json,
  list,
  named,
  type OpenApiDocument,
  type Operation,
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
import { outputFields } from '../merchant/status.ts';
import { fundingTexts, merchantTexts } from '../merchant/texts.ts';

const number: Part = { type: 'integer' };
const anything: Part = {};
const fee = object({ satoshis: count, bytes: count });
const head = { apiVersion: { enum: ['1.2.0', '1.4.0', '1.5.0'] }, timestamp: time };
const miner = { minerId: { ...text, description: 'The public key that signs; empty or left out without signatures.' } };
const tip = { currentHighestBlockHash: hash, currentHighestBlockHeight: count };
const callbackAddress = object({ ipAddress: text });
const result = {
  txid: { ...hash, description: 'Left out where no transaction could be read.' },
  returnResult: { enum: ['success', 'failure'] },
  resultDescription: { ...text, description: 'Why it failed; empty otherwise.' },
  warnings: { ...list(text), description: 'From version 1.5.0.' },
  failureRetryable: { ...flag, description: 'From version 1.5.0: the same transaction may be accepted later.' },
  conflictedWith: list(object({ txid: hash, size: count, hex })),
};
const resultOptions = ['txid', 'warnings', 'failureRetryable', 'conflictedWith'];
const quote = {
  ...head,
  expiryTime: time,
  ...miner,
  ...tip,
  fees: list(object({ feeType: { enum: ['standard', 'data'] }, miningFee: fee, relayFee: fee })),
};

const schemas: Record<string, Part> = {
  FeeQuote: object({ ...quote, callbacks: list(callbackAddress) }, ['minerId', 'callbacks']),
  PolicyQuote: object(
    {
      ...quote,
      callbacks: list(callbackAddress),
      policies: { type: 'object', description: 'The limits of the node, by their names.' },
    },
    ['minerId'],
  ),
  Submission: object({ ...head, ...result, ...miner, ...tip, txSecondMempoolExpiry: count }, resultOptions),
  Batch: object({
    ...head,
    ...miner,
    ...tip,
    txSecondMempoolExpiry: count,
    txs: list(object(result, resultOptions)),
    failureCount: count,
  }),
  Status: object(
    {
      ...head,
      txid: hash,
      returnResult: result.returnResult,
      resultDescription: text,
      blockHash: hash,
      blockHeight: count,
      confirmations: number,
      ...miner,
      txSecondMempoolExpiry: count,
      merkleProof: { ...anything, description: 'Where it was asked for (version 1.5.0).' },
    },
    ['resultDescription', 'blockHash', 'blockHeight', 'confirmations', 'minerId', 'merkleProof'],
  ),
  Outputs: object(
    {
      ...head,
      ...miner,
      returnResult: { const: 'success' },
      resultDescription: text,
      txouts: list(
        object(
          {
            scriptPubKey: hex,
            scriptPubKeyLen: count,
            value: { type: 'number', description: 'In BSV.' },
            isStandard: flag,
            confirmations: count,
            error: { enum: ['missing', 'spent'] },
            collidedWith: object({ txid: hash, size: count, hex }),
          },
          [...outputFields, 'error', 'collidedWith'],
        ),
      ),
    },
    ['minerId'],
  ),
  Problem: object({ type: text, title: text, status: number, detail: text, traceId: text }, ['detail']),
  Submitted: {
    type: 'object',
    description: 'Names may be written in any casing.',
    properties: {
      rawTx: { ...hex, description: 'The signed transaction.' },
      callbackUrl: orNull('string'),
      callbackToken: orNull('string', { description: 'Sent with callbacks as Authorization header.' }),
      merkleProof: { type: ['boolean', 'string', 'null'] },
      merkleFormat: { enum: ['TSC', '', null] },
      dsCheck: { type: ['boolean', 'string', 'null'] },
      callbackEncryption: orNull('string', {
        description: 'libsodium sealed_box and a Curve25519 public key in Base64.',
      }),
    },
  },
  FundingError: object({ status: number, error: text }),
  Message: object(
    {
      callbackPayload: { description: 'JSON text; an object from version 1.5.0.', anyOf: [text, { type: 'object' }] },
      apiVersion: text,
      timestamp: time,
      minerId: text,
      blockHash: {
        type: 'string',
        pattern: '^(?:[0-9a-f]{64})?$',
        description: 'Empty for doubleSpendAttempt: no block holds the other transaction.',
      },
      blockHeight: { type: 'integer', minimum: -1, description: '-1 for doubleSpendAttempt.' },
      callbackTxId: hash,
      callbackReason: { enum: ['merkleProof', 'doubleSpend', 'doubleSpendAttempt'] },
    },
    ['minerId'],
  ),
};

function envelope(payload: string): Part {
  return object({
    payload: { type: 'string', contentMediaType: 'application/json', contentSchema: named(payload) },
    signature: orNull('string', { description: 'DER in hex, over the SHA-256 of payload.' }),
    publicKey: orNull('string'),
    encoding: { enum: ['UTF-8', 'json'] },
    mimetype: { const: 'application/json' },
  });
}

const problem = { 'application/problem+json': { schema: named('Problem') } };
const errors = shared('Error', {
  '400': {
    description: [merchantTexts.notObject, merchantTexts.txidInvalid, merchantTexts.validationFailed].join('\n'),
    content: problem,
  },
  '401': { description: `The key is missing or unknown: ${merchantTexts.tokenMalformed}`, content: json(text) },
  '4XX': { description: 'The request cannot be evaluated.', content: problem },
  '5XX': { description: merchantTexts.internalError, content: problem },
});
const funding = shared('Funding', {
  '4XX': answer(
    [fundingTexts.otherKeyRegistered, fundingTexts.noKeyRegistered, fundingTexts.sizeInvalid].join('\n'),
    named('FundingError'),
  ),
  '5XX': answer(fundingTexts.internalError, named('FundingError')),
});

const operation = operations(errors.references);

function enveloped(summary: string, payload: string, more?: Partial<Operation>): Operation {
  return operation(summary, answer('The payload in an envelope.', envelope(payload)), more);
}

const options = [
  query('callbackUrl', 'As in the JSON form.'),
  query('callbackToken', 'As in the JSON form.'),
  query('merkleProof', 'true or false.'),
  query('merkleFormat', 'TSC.'),
  query('dsCheck', 'true or false.'),
  query('callbackEncryption', 'As in the JSON form.'),
];
const bytes = { 'application/octet-stream': { schema: {} } };

const fundingPaths: OpenApiDocument['paths'] = {
  '/pubkey': {
    post: {
      summary: 'Register the public key of a data-writing client',
      requestBody: {
        required: true,
        content: json(
          object({ signature: { ...hex, description: 'DER, over the SHA-256 of the API key.' }, publicKey: hex }),
        ),
      },
      responses: { '200': { description: 'Registered.' }, ...funding.references },
    },
  },
  '/txTemplates': {
    get: {
      summary: 'A coin for a document',
      parameters: [
        query('size', 'Bytes of the output.', { type: 'integer', minimum: 1 }),
        query('feesRequired', 'Whether the coin pays the fee too.', { enum: ['true', 'false'] }),
      ],
      responses: {
        '200': answer(
          'A transaction that is broadcast, and one without outputs that spends it.',
          object({ feeTransaction: hex, dataTransaction: hex }),
        ),
        ...funding.references,
      },
    },
  },
  '/submitTransactions': {
    post: {
      summary: 'Submit both, signed',
      requestBody: { required: true, content: json(object({ feeTransaction: hex, dataTransaction: hex })) },
      responses: {
        '201': answer('Accepted.', object({ status: { const: 201 }, txid: hash })),
        ...funding.references,
      },
    },
  },
};

/** The merchant API of the sandbox, with the funding of the data-writing client beside it. */
export const mapiDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Merchant API',
    version: '1.5.0',
    description:
      'Quotes, submission and status of transactions in signed envelopes (mAPI 1.2.0 to 1.5.0), as the sandbox serves them.',
  },
  servers: [{ url: 'http://127.0.0.1:9600/mapi', description: 'The sandbox; mapiUrl names another miner.' }],
  security: [{ apiKey: [] }],
  components: {
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'planchet serve --json prints one as sandboxApiKey.' },
    },
    schemas,
    responses: { ...errors.components, ...funding.components },
  },
  paths: {
    '/feeQuote': { get: enveloped('Fees', 'FeeQuote') },
    '/policyQuote': { get: enveloped('Fees and limits', 'PolicyQuote') },
    '/tx': {
      post: enveloped('Submit a transaction', 'Submission', {
        description: 'What could be evaluated is answered with 200, also a refusal: returnResult tells.',
        parameters: options,
        requestBody: { required: true, content: { ...json(named('Submitted')), ...bytes } },
      }),
    },
    '/txs': {
      post: enveloped('Submit many transactions', 'Batch', {
        description: 'The query has defaults of all. Transactions may build on each other in any order.',
        parameters: options,
        requestBody: { required: true, content: { ...json(list(named('Submitted'))), ...bytes } },
      }),
    },
    '/tx/{txid}': {
      get: enveloped('Status of a transaction', 'Status', {
        parameters: [
          path('txid', '64 hex digits.'),
          query('merkleProof', 'true: with its Merkle proof (version 1.5.0).'),
          query('merkleFormat', 'TSC.'),
        ],
      }),
    },
    '/txouts': {
      post: enveloped('State of outputs (version 1.5.0)', 'Outputs', {
        parameters: [
          query(
            'returnField',
            'Once for each field; without it, all but scriptPubKey.',
            list({ enum: [...outputFields] }),
          ),
          query('includeMempool', 'false: outputs of blocks only.'),
        ],
        requestBody: { required: true, content: json(list(object({ txid: text, n: count }))) },
      }),
    },
    ...fundingPaths,
    // the same paths for clients that append the version to the miner's address
    ...Object.fromEntries(Object.entries(fundingPaths).map(([path, operations]) => [`/api/v1${path}`, operations])),
  },
  webhooks: {
    callback: {
      post: {
        summary: 'What becomes of a transaction, sent to its callbackUrl',
        description:
          '{callbackReason} in the address is replaced by the reason. Sent again until it is answered with 2xx.',
        requestBody: { required: true, content: { ...json(envelope('Message')), ...bytes } },
        responses: { '2XX': { description: 'Taken.' } },
      },
    },
  },
};
