import type { ErrorId } from '../../contract/index.ts';
import {
  type Answer,
  answer,
  count,
  hash,
  hex,
  json,
  list,
  named,
  type OpenApiDocument,
  type Operation,
  object,
  orNull,
  type Parameter,
  type Part,
  path,
  shared,
  text,
} from '../open-api/parts.ts';
import { idsOf, refusalAnswers } from '../open-api/refusals.ts';
import { rpcCodes } from './messages/message.ts';
import { broadcastMethods } from './methods/broadcast-methods.ts';
import type { MethodHelp, MethodRow } from './methods/method-row.ts';
import { servedMethods } from './methods/served-methods.ts';

const plain = { 'text/plain': { schema: text } };
const methods: readonly (readonly [string, MethodHelp & Partial<Pick<MethodRow, 'withoutNode'>>])[] = [
  ...Object.entries(servedMethods),
  ...broadcastMethods,
];

/** `getblock "blockhash" (verbosity)`, and what it answers. */
function lineOf([name, { parameters, summary, withoutNode }]: (typeof methods)[number]): string {
  const usage = parameters.map((one) => (one.required ? one.usage : `(${one.usage})`));
  const basis = withoutNode === undefined || withoutNode === 'none' ? 'no answer' : withoutNode;
  return `- \`${[name, ...usage].join(' ')}\`: ${summary} Without a node: ${basis}.`;
}

const rpcId: Part = { description: 'Comes back as it was sent.' };
const schemas: Record<string, Part> = {
  Call: {
    type: 'object',
    properties: {
      jsonrpc: { ...text, description: 'Passed over, as a node does.' },
      id: rpcId,
      method: { type: 'string', description: methods.map(lineOf).join('\n') },
      params: { description: 'In order, or by name.', anyOf: [list({}), { type: 'object' }, { type: 'null' }] },
    },
    required: ['method'],
  },
  Reply: {
    type: 'object',
    description: 'In the key order of the node; some implementations leave out the error, or say jsonrpc too.',
    properties: { result: {}, error: { anyOf: [named('CallError'), { type: 'null' }] }, id: rpcId },
    required: ['id'],
  },
  CallError: object({
    code: {
      type: 'integer',
      description: `${rpcCodes.parse}: no JSON, or neither object nor array; ${rpcCodes.invalidRequest}: no request; ${rpcCodes.methodNotFound}: no such command here; -1: refused, or no upstream can answer; any other is the node's own.`,
    },
    message: text,
  }),
  Coin: object({ height: count, value: { type: 'number' }, scriptPubKey: { type: 'object' } }),
};

/** Refusals before a call is read: the texts are short and for people. */
const guard = shared('Refused', {
  '401': { description: 'No credential, or a wrong one; there is no body.' },
  '403': {
    description: 'A web page that is not paired, a wrong Host, or a command that the key may not call.',
    content: { ...plain, ...json(named('Reply')) },
  },
  '405': { description: 'Another method; Allow names those there are.', content: plain },
  '413': { description: 'Larger than the key or the gateway allows.', content: plain },
  '415': { description: 'A content type that no client of a node sends.', content: plain },
  '429': {
    description:
      'The key calls more often than it may or, as a reply of a node, has as many requests to public services waiting as it can have; Retry-After tells when to come again.',
    content: { ...plain, ...json(named('Reply')) },
  },
});
const rpc = shared('Rpc', {
  '400': {
    description: `${rpcCodes.invalidRequest}: no request object, no method, or more in one body than it may hold. As text: an ambiguous request.`,
    content: { ...plain, ...json(named('Reply')) },
  },
  '404': answer(
    `${rpcCodes.methodNotFound}: there is no such command here. Those that send name the merchant API.`,
    named('Reply'),
  ),
  '500': answer(
    `${rpcCodes.parse}: the body is empty, no JSON, or neither an object nor an array. Any other code: the node's own error, or the reason why no upstream can answer.`,
    named('Reply'),
  ),
  '503': {
    description: 'The upstreams want fewer calls (Retry-After), or the gateway is stopping.',
    content: { ...plain, ...json(named('Reply')) },
  },
});

const missing: Answer = { description: 'There is no such path; there is no body.' };
const texts = refusalAnswers(
  idsOf('rest').filter((id: ErrorId) => !['rest.forbidden', 'rest.path-unknown'].includes(id)),
  plain,
);
const rest = shared('Rest', {
  ...texts,
  '404': { ...(texts['404'] as Answer), description: `${texts['404']?.description}\n${missing.description}` },
});

const bodies = { bin: { schema: {} }, hex: { schema: { type: 'string' } } };
const types = { bin: 'application/octet-stream', hex: 'text/plain', json: 'application/json' } as const;
type Format = keyof typeof types;

function read(
  summary: string,
  parameters: readonly Parameter[],
  result: Part,
  formats: readonly Format[] = every,
): { get: Operation } {
  const content = formats.map((format) => [types[format], format === 'json' ? { schema: result } : bodies[format]]);
  const format = path('format', 'Form of the answer.', { enum: [...formats] });
  return {
    get: {
      summary,
      tags: ['rest'],
      parameters: formats.length === 1 ? parameters : [...parameters, format],
      responses: {
        '200': { description: 'What was asked for.', content: Object.fromEntries(content) },
        ...(formats.includes('bin') && {
          '206': { description: 'The part that Range asks for.', content: { [types.bin]: { schema: {} } } },
        }),
        ...guard.references,
        ...rest.references,
      },
    },
  };
}

const anyObject: Part = { type: 'object' };
const every: readonly Format[] = ['bin', 'hex', 'json'];
const txid = path('txid', '64 hex digits.');
const blockHash = path('hash', 'Hash of the block.');
const headersFrom = [path('count', 'How many, 1 to 2000.'), blockHash];
const utxos = object({ chainHeight: count, chaintipHash: hash, bitmap: text, utxos: list(named('Coin')) });
const outpoints: Parameter = {
  ...path('outpoints', 'One to 15 of TXID-N, divided by /, which may be escaped as %2F.'),
  'x-slashes': true,
};

/** The gateway: JSON-RPC with the commands of its table, the REST paths of a node, and pairing of web pages. */
export const gatewayDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Node gateway',
    version: '1',
    description: 'A node for wallets, explorers and scripts: JSON-RPC and REST.',
  },
  servers: [{ url: 'http://127.0.0.1:8332', description: 'Setting rpcBind.' }],
  security: [{ basic: [] }, { key: [] }],
  components: {
    securitySchemes: {
      basic: {
        type: 'http',
        scheme: 'basic',
        description: 'rpcUsername and rpcPassword, the .cookie file, or a key as id and secret.',
      },
      key: { type: 'http', scheme: 'bearer', description: 'A key as <id>.<secret>.' },
    },
    schemas,
    responses: { ...guard.components, ...rpc.components, ...rest.components },
  },
  paths: {
    '/': {
      post: {
        summary: 'Call a command, or several at once',
        tags: ['rpc'],
        requestBody: {
          required: true,
          content: json({ anyOf: [named('Call'), { ...list(named('Call')), maxItems: 1_000 }] }),
        },
        responses: {
          '200': answer(
            'The result, or one for each call of a batch. Age tells how old an answer is while no upstream answers.',
            { anyOf: [named('Reply'), list(named('Reply'))] },
          ),
          ...guard.references,
          ...rpc.references,
        },
      },
    },
    '/rest/tx/{txid}.{format}': read('A transaction', [txid], anyObject),
    '/rest/block/{hash}.{format}': read('A block with its transactions', [blockHash], anyObject),
    '/rest/block/notxdetails/{hash}.{format}': read('A block with its txids', [blockHash], anyObject),
    '/rest/headers/{count}/{hash}.{format}': read('Headers from a block on', headersFrom, list(anyObject)),
    '/rest/headers/extended/{count}/{hash}.{format}': read(
      'Headers with their coinbases',
      headersFrom,
      list(anyObject),
    ),
    '/rest/chaininfo.json': read('State of the chain', [], anyObject, ['json']),
    '/rest/mempool/info.json': read('Size and limits of the mempool', [], anyObject, ['json']),
    '/rest/mempool/contents.json': read('What waits for a block', [], anyObject, ['json']),
    '/rest/getutxos/{outpoints}.{format}': read('Which outputs are unspent', [outpoints], utxos),
    '/rest/getutxos/checkmempool/{outpoints}.{format}': read(
      'Which outputs are unspent, counting what waits for a block',
      [outpoints],
      utxos,
    ),
    '/rest/getutxos.{format}': {
      post: {
        ...read('Which outputs are unspent, asked in a body', [], utxos, ['bin', 'hex']).get,
        requestBody: {
          required: true,
          content: { 'application/octet-stream': { schema: {} }, 'text/plain': { schema: hex } },
        },
      },
    },
    '/pair': {
      post: {
        summary: 'Ask to let a web page in',
        description: 'From the script of a web page. Nothing is answered before the person has decided.',
        tags: ['pairing'],
        security: [],
        requestBody: {
          content: {
            'text/plain': {
              schema: { type: 'string', contentMediaType: 'application/json', contentSchema: object({ code: text }) },
            },
          },
        },
        responses: {
          '200': answer(
            'The key of this page.',
            object({ origin: text, username: text, password: text, expiresAt: orNull('integer') }),
          ),
          '400': { description: 'The body is neither empty nor a code.', content: plain },
          '4XX': { description: 'Refused; the page cannot read why.', content: plain },
        },
      },
    },
    '/healthz': {
      get: {
        summary: 'Whether the process answers',
        security: [],
        responses: { '200': { description: 'It does.', content: plain } },
      },
    },
    '/readyz': {
      get: {
        summary: 'Whether the gateway has an upstream to ask',
        security: [],
        responses: {
          '200': { description: 'Ready.', content: plain },
          '503': { description: 'Not ready.', content: plain },
        },
      },
    },
  },
};
