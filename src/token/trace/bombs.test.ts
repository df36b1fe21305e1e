import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, pushData, serializeTx, type Tx, toHex, type Utxo } from '../../chain/index.ts';
import { type FetchTx, TokenError, type TraceOptions, traceToken, transfer } from '../index.ts';
import { addressOf, forge, hashOf, out, outpoint, tokenScript } from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import { first, remember, World } from '../test-support/world.ts';

const { alice, bob } = keys;
const HOPS = process.env.PLANCHET_LONG ? 5_000 : 80;
const RUNS = process.env.PLANCHET_LONG ? 2_000 : 20;

const OP = { ONE: 0x51, DROP: 0x75, DUP: 0x76, CAT: 0x7e, MUL: 0x95, SHA256: 0xa8, HASH256: 0xaa } as const;
const CHECKSIG = 0xac;
const CHECKMULTISIG = 0xae;
const TWO_DUP = 0x6e;

const repeated = (ops: readonly number[], times: number) =>
  Uint8Array.from({ length: ops.length * times }, (_, at) => ops[at % ops.length] as number);

/** A token whose fee was paid by an output with an arbitrary script. */
function tokenPaidBy(world: World, script: Uint8Array): Utxo {
  const token = first(world.issued());
  const parent: Tx = { version: 1, inputs: [], outputs: [out(script, 5_000)], lockTime: world.txs.size };
  const payment = remember(world, parent);
  const claim = { tokens: [{ satoshis: token.satoshis, owner: hashOf(bob) }], payment: outpoint(payment) };
  const inputs = [
    { utxo: token, key: alice, claim },
    { utxo: payment, key: keys.payer },
  ];
  return remember(world, forge(inputs, [out(tokenScript(bob, 2), token.satoshis)]).tx);
}

async function refusalOf(token: Utxo, fetchTx: FetchTx, options?: TraceOptions): Promise<TokenError> {
  return await traceToken(token, fetchTx, options).then(
    () => expect.fail('the history was accepted'),
    (error: TokenError) => {
      expect(error).toBeInstanceOf(TokenError);
      return error;
    },
  );
}

/** Counts turns of the event loop while a promise is pending. @param onTurn called with the number of each turn */
async function turnsDuring(work: Promise<unknown>, onTurn: (turn: number) => void = () => {}): Promise<number> {
  let turns = 0;
  let open = true;
  const count = () => {
    turns += 1;
    onTurn(turns);
    if (open) setImmediate(count);
  };
  setImmediate(count);
  await work.finally(() => {
    open = false;
  });
  return turns;
}

describe('a hostile script in the history', () => {
  const bombs: [string, Uint8Array, object][] = [
    ['doubles a text until memory ends', repeated([OP.DUP, OP.CAT], 40), { field: 'maxStackBytes' }],
    ['doubles a number until memory ends', repeated([OP.DUP, OP.MUL], 60), { field: 'maxNumberBytes' }],
    [
      'copies a text until memory ends',
      concatBytes(repeated([OP.DUP, OP.CAT], 12), repeated([TWO_DUP], 400)),
      { field: 'maxStackBytes' },
    ],
    ['has more operations than may be run', repeated([OP.DUP, OP.DROP], 200_000), { field: 'maxOperations' }],
    [
      'is longer than a stack',
      concatBytes(pushData(new Uint8Array(2_000_001)), Uint8Array.of(OP.DROP)),
      { field: 'maxStackBytes' },
    ],
    [
      'checks as many signatures as a script can name',
      concatBytes(
        Uint8Array.of(0),
        repeated([0x01, 0x02], 20_000),
        pushData(Uint8Array.of(0x20, 0x4e)),
        Uint8Array.of(CHECKMULTISIG),
      ),
      { field: 'maxStackBytes' },
    ],
  ];
  it.each(bombs)('that %s aborts the trace', async (_, script, expected) => {
    const world = new World();
    const error = await refusalOf(tokenPaidBy(world, script), world.fetchTx);
    expect(error).toMatchObject({ code: 'trace-limit', ...expected });
  });

  it('that runs forever ends at the limit of operations or time', async () => {
    const world = new World();
    const token = tokenPaidBy(
      world,
      concatBytes(repeated([OP.DUP, OP.SHA256, OP.DROP], 30_000), Uint8Array.of(OP.ONE)),
    );
    expect((await traceToken(token, world.fetchTx)).steps).toHaveLength(2);
    const few = await refusalOf(token, world.fetchTx, { maxOperations: 20_000 });
    expect(few).toMatchObject({ code: 'trace-limit', field: 'maxOperations', numbers: { used: 20_001, most: 20_000 } });
    let ms = 0;
    const now = () => {
      ms += 1;
      return ms;
    };
    const late = await refusalOf(token, world.fetchTx, { maxDurationMs: 1_000, now });
    expect(late).toMatchObject({ code: 'trace-limit', field: 'maxDurationMs', numbers: { used: 1_001, most: 1_000 } });
  });

  it('yields to the event loop, and can be aborted', async () => {
    const world = new World();
    const slow = concatBytes(repeated([OP.DUP, OP.CAT], 14), repeated([OP.DUP, OP.HASH256, OP.DROP], 400));
    const token = tokenPaidBy(world, concatBytes(slow, Uint8Array.of(OP.ONE)));
    const stop = new AbortController();
    // every clock reading advances by a millisecond, so yields depend on the number of operations only
    let ms = 0;
    const work = refusalOf(token, world.fetchTx, { signal: stop.signal, now: () => ++ms });
    const turns = turnsDuring(work, (turn) => {
      if (turn === 3) stop.abort(new Error('enough'));
    });
    expect(await turns).toBeGreaterThan(1);
    const error = await work;
    expect(error).toMatchObject({ code: 'trace-aborted', field: 'signal', cause: new Error('enough') });
  });

  it('of any kind leads to a verdict', { timeout: 600_000 }, async () => {
    const world = new World();
    const op = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...Object.values(OP), TWO_DUP, CHECKSIG) },
      { weight: 3, arbitrary: fc.integer({ min: 0x51, max: 0xb9 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xff }) },
    );
    const part = fc
      .tuple(fc.array(op, { minLength: 1, maxLength: 6 }), fc.constantFrom(1, 2, 10, 100, 3_000))
      .map(([ops, times]) => repeated(ops, times));
    const limits = { maxOperations: 60_000, maxStackBytes: 500_000, maxDurationMs: 20_000 };
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        const token = tokenPaidBy(world, concatBytes(...parts));
        await traceToken(token, world.fetchTx, limits).catch((error: unknown) => {
          expect(error).toBeInstanceOf(TokenError);
          expect((error as TokenError).code).toMatch(/^trace-(?:invalid|limit)$/);
        });
      }),
      { numRuns: RUNS },
    );
  });
});

describe('an endless history', () => {
  it(`of ${HOPS} hops yields to the event loop in every phase, and can be aborted`, { timeout: 600_000 }, async () => {
    const world = new World({ quick: true });
    let last = world.issued();
    for (let hop = 0; hop < HOPS; hop++) {
      last = world.accept(
        transfer({ ownerKey: alice, tokenUtxo: first(last), destination: addressOf(alice), ...world.pay() }),
      );
    }
    // a cache that answers synchronously never yields by itself
    const fetchTx: FetchTx = (txid) => Promise.resolve(world.txs.get(txid));
    const trace = traceToken(first(last), fetchTx);
    expect(await turnsDuring(trace)).toBeGreaterThan(HOPS / 50);
    expect((await trace).steps).toHaveLength(HOPS + 1);
    const stop = new AbortController();
    let asked = 0;
    const stopping: FetchTx = (txid) => {
      if (++asked === 20) stop.abort();
      return fetchTx(txid);
    };
    expect(await refusalOf(first(last), stopping, { signal: stop.signal })).toMatchObject({ code: 'trace-aborted' });
    expect(asked).toBe(20);
  });

  it('with too many inputs is not fetched', async () => {
    const world = new World();
    const token = first(world.issued());
    const inputs = Array.from({ length: 20_000 }, (_, n) => ({
      txid: (n + 1).toString(16).padStart(64, '0'),
      vout: 0,
      script: new Uint8Array(),
      sequence: 0,
    }));
    const wide: Tx = {
      version: 1,
      inputs: [{ ...inputs[0], txid: token.txid } as (typeof inputs)[number], ...inputs],
      outputs: [out(tokenScript(bob, 2), token.satoshis)],
      lockTime: 0,
    };
    let asked = 0;
    const fetchTx: FetchTx = (txid) => {
      asked += 1;
      return world.fetchTx(txid);
    };
    const error = await refusalOf(remember(world, wide), fetchTx, { maxTransactions: 10 });
    expect(error).toMatchObject({ code: 'trace-limit', field: 'maxFetches', numbers: { used: 20_002, most: 100 } });
    expect(asked).toBe(1);
  });

  it('counts fee payments and the bytes of all transactions', async () => {
    const world = new World();
    const token = first(world.issued());
    const asked: number[] = [];
    const fetchTx: FetchTx = async (txid) => {
      const bytes = serializeTx(world.txs.get(txid) as Tx);
      asked.push(bytes.length);
      return bytes;
    };
    await traceToken(token, fetchTx);
    // the issue, its contract, and the fee payment
    expect(asked).toHaveLength(3);
    expect(await refusalOf(token, fetchTx, { maxFetches: 2 })).toMatchObject({ field: 'maxFetches' });
    const bytes = asked.slice(0, 3).reduce((sum, length) => sum + length, 0);
    for (const form of [
      fetchTx,
      async (id: string) => world.txs.get(id),
      async (id: string) => toHex(serializeTx(world.txs.get(id) as Tx)),
    ]) {
      await traceToken(token, form, { maxFetchedBytes: bytes });
      expect(await refusalOf(token, form, { maxFetchedBytes: bytes - 1 })).toMatchObject({
        code: 'trace-limit',
        field: 'maxFetchedBytes',
        numbers: { used: bytes, most: bytes - 1 },
      });
    }
  });

  it('of transactions with a million inputs or outputs is not parsed', async () => {
    const world = new World();
    const parts = Array.from({ length: 200_000 }, () => out(new Uint8Array(), 0));
    const tx: Tx = {
      version: 1,
      inputs: [{ txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(), sequence: 0 }],
      outputs: [out(tokenScript(alice, 2), 1), ...parts],
      lockTime: 0,
    };
    const error = await refusalOf(remember(world, tx), world.fetchTx);
    expect(error).toMatchObject({ code: 'trace-limit', numbers: { parts: 200_002, most: 200_000 } });
  });
});

describe('fetchTx', () => {
  const world = new World();
  const token = first(world.issued());

  it('throws an error of the library with its cause', async () => {
    for (const thrown of [new TypeError('no node'), 'text', undefined, null, 7]) {
      const fetchers: FetchTx[] = [
        () => Promise.reject(thrown),
        () => {
          throw thrown;
        },
      ];
      for (const fetchTx of fetchers) {
        const error = await refusalOf(token, fetchTx);
        expect(error).toMatchObject({ name: 'TraceError', code: 'trace-unavailable', field: token.txid });
        expect(error.cause).toBe(thrown);
      }
    }
  });

  it('breaks the history if it returns something other than the transaction', async () => {
    for (const given of [
      7,
      {},
      [],
      true,
      'zz',
      new Uint8Array(3),
      { inputs: [null], outputs: [] },
      () => 1,
      Symbol('s'),
      5n,
    ]) {
      const error = await refusalOf(token, (async () => given) as unknown as FetchTx);
      expect(error).toMatchObject({ code: 'trace-invalid', field: token.txid });
    }
    for (const given of [undefined, null]) {
      const error = await refusalOf(token, (async () => given) as unknown as FetchTx);
      expect(error.message).toContain('it is not known');
    }
  });

  it('is aborted with the trace, even if it never answers', async () => {
    const stop = new AbortController();
    let handed: AbortSignal | undefined;
    const work = refusalOf(
      token,
      (_, signal) => {
        handed = signal;
        return new Promise(() => undefined);
      },
      { signal: stop.signal },
    );
    stop.abort();
    expect(await work).toMatchObject({ code: 'trace-aborted', cause: stop.signal.reason });
    expect(handed).toBe(stop.signal);
    expect(await refusalOf(token, world.fetchTx, { signal: AbortSignal.abort() })).toMatchObject({
      code: 'trace-aborted',
    });
  });

  it('may modify its result later', async () => {
    const given: Uint8Array[] = [];
    const changing: FetchTx = async (txid) => {
      for (const bytes of given) bytes.fill(0);
      const bytes = serializeTx(world.txs.get(txid) as Tx);
      given.push(bytes);
      return bytes;
    };
    expect((await traceToken(token, changing)).steps).toHaveLength(1);
  });
});

describe('the parameters of a trace', () => {
  const world = new World();
  const token = first(world.issued());

  it('accept a txid in either case', async () => {
    const upper = { txid: token.txid.toUpperCase(), vout: 0 };
    expect((await traceToken(upper, world.fetchTx)).origins[0]?.schema.symbol).toBe('CAFE');
  });

  it('are refused by name', async () => {
    const cases: [unknown[], string, string][] = [
      [[], 'parameter-invalid', 'outpoint.txid'],
      [[null, world.fetchTx], 'parameter-invalid', 'outpoint.txid'],
      [[{ txid: 'ab', vout: 0 }, world.fetchTx], 'parameter-invalid', 'outpoint.txid'],
      [[{ ...token, vout: -1 }, world.fetchTx], 'parameter-invalid', 'outpoint.vout'],
      [[token], 'parameter-missing', 'fetchTx'],
      [[token, world.fetchTx, 7], 'parameter-invalid', 'options'],
      [[token, world.fetchTx, { maxFetches: 0 }], 'parameter-invalid', 'maxFetches'],
      [[token, world.fetchTx, { maxTransactions: '5' }], 'parameter-invalid', 'maxTransactions'],
      [[token, world.fetchTx, { signal: {} }], 'parameter-invalid', 'signal'],
      [[token, world.fetchTx, { now: 5 }], 'parameter-invalid', 'now'],
      [[token, world.fetchTx, { templates: [null] }], 'parameter-invalid', 'templates[0]'],
      [[token, world.fetchTx, { templates: {} }], 'parameter-invalid', 'templates'],
    ];
    for (const [args, code, field] of cases) {
      await expect((traceToken as (...args: unknown[]) => Promise<unknown>)(...args)).rejects.toMatchObject({
        code,
        field,
      });
    }
  });
});
