/** Any argument is either accepted or refused with an error of the library, never with an internal TypeError. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex } from '../../chain/index.ts';
import * as token from '../index.ts';
import { addressOf, hashOf } from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import { first, schema, World } from '../test-support/world.ts';

const RUNS = process.env.PLANCHET_LONG ? 5_000 : 40;
const { alice, bob, issuer, payer } = keys;

const world = new World({ quick: true });
const issued = world.issued();
const tokenUtxo = first(issued);
const divided = world.accept(
  token.split({
    ownerKey: alice,
    tokenUtxo: first(world.issued()),
    destinations: [
      { address: addressOf(alice), satoshis: 4_000 },
      { address: addressOf(alice), satoshis: 6_000 },
    ],
  }),
);
const payment = world.pay();
const contractPublicKey = token.publicKeyOf(issuer);
const destinations = [
  { address: addressOf(bob), satoshis: 4_000 },
  { address: addressOf(alice), satoshis: 6_000 },
];
const spend = { ownerKey: alice, tokenUtxo, ...payment, feeRate: { satoshis: 50, bytes: 1_000 } };
const merging = {
  ownerKey: alice,
  mergeTokens: divided.outputs.map((utxo) => ({ utxo, previousTx: divided.tx })),
  ...payment,
};
const unsigned = token.unsignedTransfer({
  ownerKey: token.publicKeyOf(alice),
  tokenUtxo,
  destination: addressOf(bob),
});
const config = {
  apiUrl: 'http://127.0.0.1:9',
  username: 'u',
  password: 'p',
  network: 'test',
  feeRate: { satoshis: 1, bytes: 1 },
};
const callbacks = { owner: async () => 'aa', payment: async () => 'bb' };
const publicly = <T extends object>(params: T) =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      /Key$/.test(name) && name !== 'contractPublicKey' ? token.publicKeyOf(value as never) : value,
    ]),
  );

/** Parameters of each function. */
const actions: Record<string, object> = {
  contract: {
    issuerKey: issuer,
    inputUtxos: [world.coin(issuer, 10_000)],
    paymentUtxos: [payment.paymentUtxo],
    paymentKey: payer,
    schema: { ...schema, properties: { meta: { media: [{ URI: 'a' }] } } },
    tokenSatoshis: 10_000,
  },
  issue: {
    issuerKey: issuer,
    issueInfo: [{ address: addressOf(alice), satoshis: 10_000, data: 'x' }],
    contractUtxo: first(world.contract()),
    isSplittable: true,
    symbol: 'CAFE',
    version: 2,
    template: token.planchetTemplate(1),
    ...payment,
  },
  transfer: { ...spend, destination: addressOf(bob), template: token.planchetTemplate(2) },
  split: { ...spend, destinations, maxDestinations: 3 },
  merge: { ...merging, destination: addressOf(bob) },
  mergeSplit: { ...merging, destinations },
  redeem: { ...spend, contractPublicKey },
  redeemSplit: { ...spend, contractPublicKey, destinations: destinations.slice(0, 1) },
};

type Call = readonly [name: string, run: (...args: unknown[]) => unknown, args: readonly unknown[]];
const library = token as unknown as Record<string, (...args: unknown[]) => unknown>;
const call = (name: string, ...args: unknown[]): Call => [name, library[name] as Call[1], args];
const capital = (name: string) => name.replace(/^./, (letter) => letter.toUpperCase());
const template = token.planchetTemplate(2) as unknown as Record<string, Call[1]>;
const fields = token.decodeToken(tokenUtxo.lockingScript);

const calls: Call[] = [
  ...Object.entries(actions).flatMap(([name, params]) => [
    call(name, params),
    call(`${name}WithCallback`, publicly(params), callbacks),
    call(`unsigned${capital(name)}`, publicly(params)),
  ]),
  call('finishTransaction', unsigned, ['aa']),
  call('traceToken', tokenUtxo, world.fetchTx, {
    maxTransactions: 5,
    templates: [token.planchetTemplate(2)],
    signal: new AbortController().signal,
  }),
  call('decodeToken', tokenUtxo.lockingScript, [token.planchetTemplate(2)]),
  call('decodeContract', first(world.contract()).lockingScript),
  call('parseSchema', schema),
  call('planchetTemplate', 2),
  call('covenant', 1),
  ['template.lock', template.lock as Call[1], [fields]],
  ['template.decode', template.decode as Call[1], [tokenUtxo.lockingScript]],
  [
    'template.unlock',
    template.unlock as Call[1],
    [tokenUtxo.lockingScript, { tokens: [{ satoshis: 1, owner: hashOf(bob) }] }, new Uint8Array(9)],
  ],
  call('publicKeyOf', alice),
  call('loadTokenConfig', {
    path: '/nowhere/at/all.json',
    env: { API_USERNAME: 'a', API_PASSWORD: 'b', NETWORK: 'c' },
  }),
  call('broadcastTransaction', issued, config),
  call('fetchTransaction', issued.txid, config),
  call('encodeAddress', hashOf(bob), 'test'),
  call('p2pkhScript', hashOf(bob)),
  call('hash160', hashOf(bob)),
  call('toHex', hashOf(bob)),
  call('fromHex', 'aabb'),
  call('satoshis', 5),
  call('parseTx', fromHex(issued.hex)),
  call('serializeTx', issued.tx),
  call('txidOf', issued.tx),
];

/** Paths of every value in a structure; descends into lists and plain objects only. */
function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value ?? 0) === Object.prototype;
  const inner = isPlain ? Object.entries(value as object) : [];
  return [path, ...inner.flatMap(([name, part]) => (path.length < 5 ? placesIn(part, [...path, name]) : []))];
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...(value as object) };
  copy[name] = replaced(copy[name], rest, by);
  return copy;
}

const throwing = new Proxy(
  {},
  {
    get: () => {
      throw new RangeError('no');
    },
    ownKeys: () => {
      throw new TypeError('no keys');
    },
  },
);
const cyclic: unknown[] = [];
cyclic.push(cyclic);
const nasty = fc.constantFrom<unknown>(
  null,
  undefined,
  0,
  -0,
  -1,
  0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  5n,
  '',
  'x',
  '00',
  '\ud800',
  'ab'.repeat(32),
  true,
  false,
  Symbol('s'),
  () => 1,
  () => {
    throw new TypeError('mine');
  },
  async () => ({}),
  class {
    constructor() {
      throw new Error('no');
    }
  },
  [],
  [null],
  [undefined, undefined],
  new Array(3),
  {},
  { length: 5 },
  {
    toString: () => {
      throw new TypeError('no text');
    },
  },
  { toHex: () => 5 },
  {
    toHex: () => {
      throw new TypeError('no hex');
    },
  },
  { toDER: () => null },
  { toPublicKey: () => null, sign: () => null },
  { toPublicKey: () => ({ toDER: () => [2, ...new Array(32).fill(1)] }), sign: () => null },
  Object.create(null),
  new Date(),
  new Map(),
  new Uint8Array(0),
  new Uint8Array(33),
  Uint8Array.of(2, ...new Array(32).fill(255)),
  new ArrayBuffer(8),
  throwing,
  cyclic,
  { txid: 'ab'.repeat(32), vout: 0, satoshis: 1, lockingScript: '' },
  { inputs: null, outputs: [{}] },
  { inputs: [], outputs: [], version: 1, lockTime: 0 },
  'L'.repeat(52),
  Promise.resolve(1),
  globalThis,
  { lock: () => null, decode: () => ({}), unlock: () => 5, maxOutputs: 3, merges: true },
  { lock: () => new Uint8Array(), decode: () => ({ owner: 5 }), unlock: () => 5, maxOutputs: 3, merges: true },
);
const anything = fc.oneof(
  { weight: 3, arbitrary: nasty },
  {
    weight: 1,
    arbitrary: fc.anything({
      withBigInt: true,
      withDate: true,
      withTypedArray: true,
      withSparseArray: true,
      maxDepth: 2,
    }),
  },
);

/** Runs a call and checks that anything it throws is an error of the library. */
async function accepted(run: Call[1], args: readonly unknown[]): Promise<unknown> {
  try {
    return await run(...args);
  } catch (error) {
    if (error instanceof token.TokenError) {
      expect(error.message.length).toBeGreaterThan(5);
      expect(typeof error.field).toBe('string');
      return error;
    }
    throw error;
  }
}

describe('the functions with any value as any argument', () => {
  it('succeed if no argument is modified', async () => {
    for (const [name, run, args] of calls) {
      const outcome = await accepted(run, args);
      const code = outcome instanceof token.TokenError ? outcome.code : undefined;
      const expected = /WithCallback$|^finish/.test(name)
        ? 'signature-invalid'
        : /^broadcast|^fetch/.test(name)
          ? 'broadcast-unreachable'
          : undefined;
      expect([name, code]).toEqual([name, expected]);
    }
  });

  it.each(calls)('throw nothing but errors of the library: %s', { timeout: 600_000 }, async (name, run, args) => {
    const places = args.flatMap((arg, index) => placesIn(arg).map((path) => [index, path] as const));
    // a call that gets as far as the network can only report that the service is unreachable
    const runs = Math.ceil(RUNS / (/^broadcast|^fetch/.test(name) ? 4 : 1));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), anything, async ([index, path], value) => {
        await accepted(
          run,
          args.map((arg, at) => (at === index ? replaced(arg, path, value) : arg)),
        );
      }),
      { numRuns: runs },
    );
  });

  it('throw nothing but errors of the library if arguments are missing', async () => {
    for (const [name, run, args] of calls) {
      for (let count = 0; count < args.length; count++) {
        const outcome = await accepted(run, args.slice(0, count));
        const mayBeLeftOut = (count === 0 && name === 'loadTokenConfig') || count > 0 || name === 'template.decode';
        if (!mayBeLeftOut) expect(outcome, name).toBeInstanceOf(token.TokenError);
      }
    }
  });
});
