import { describe, expect, it } from 'vitest';
import {
  concatBytes,
  hashToDisplay,
  p2pkhScript,
  pushData,
  serializeTx,
  type Tx,
  type TxOutput,
  txidOf,
  type Utxo,
} from '../chain/index.ts';
import { TAIL_OFFSET } from './covenant.ts';
import { proofPieces, type TokenFields, type TokenSpend } from './template.ts';
import {
  coin,
  type ForgedInput,
  type Forgery,
  forge,
  hashOf,
  judge,
  judgeInput,
  out,
  outpoint,
  POLICY,
  parentInput,
  parentOf,
  tokenScript,
} from './test-support/forge.ts';
import { keys } from './test-support/keys.ts';

const { alice, bob, mallory, payer } = keys;
const token = (fields: Partial<TokenFields> = {}) => tokenScript(alice, 2, fields);
const changeOut = out(p2pkhScript(hashOf(payer)), 4_000);
const sats = (n: number) => n as Utxo['satoshis'];

interface Token {
  readonly tx: Tx;
  readonly utxo: Utxo;
}

interface MergeCase {
  readonly first?: Token;
  readonly second?: Token;
  /** Amounts of the token outputs; the sum of both where absent. */
  readonly amounts?: readonly number[];
  /** Outputs other than the claims say. */
  readonly outputs?: readonly TxOutput[];
  readonly claims?: readonly [ForgedInput['claims']?, ForgedInput['claims']?];
  readonly merges?: readonly [Partial<TokenSpend['merge']>?, Partial<TokenSpend['merge']>?];
  readonly modes?: readonly [boolean, boolean];
  readonly payment?: boolean;
  readonly redeemed?: number;
}

const plain = (amount: number, fields: Partial<TokenFields> = {}) => parentOf([out(token(fields), amount)], 0);

function mergeOf(given: MergeCase): Forgery {
  const { first = plain(700), second = plain(300), payment = true, modes = [true, true], redeemed } = given;
  const pair = [first, second] as const;
  const amounts = given.amounts ?? [first.utxo.satoshis + second.utxo.satoshis];
  const pay = coin(payer, 5_000);
  const inputs: ForgedInput[] = pair.map(({ utxo }, index) => {
    const other = pair[1 - index] as Token;
    const claim: TokenSpend = {
      ...(redeemed ? { redeemed: sats(redeemed) } : {}),
      tokens: amounts.map((amount) => ({ satoshis: sats(amount), owner: hashOf(bob) })),
      ...(payment ? { payment: outpoint(pay), change: { satoshis: sats(4_000), keyHash: hashOf(payer) } } : {}),
      ...(modes[index]
        ? {
            merge: {
              other: outpoint(other.utxo),
              second: index === 1,
              previousTx: serializeTx(other.tx),
              ...given.merges?.[index],
            },
          }
        : {}),
    };
    const claims = given.claims?.[index];
    return { utxo, key: alice, claim, ...(claims ? { claims } : {}) };
  });
  if (payment) inputs.push({ utxo: pay, key: payer });
  const tokens = amounts.map((amount) => out(tokenScript(bob, 2), amount));
  if (redeemed) tokens.unshift(out(p2pkhScript(hashOf(keys.issuer)), redeemed));
  return forge(inputs, given.outputs ?? (payment ? [...tokens, changeOut] : tokens));
}

function stepOf(forgery: Forgery): string {
  const verdict = judge(forgery);
  return verdict.ok ? 'passed' : verdict.step;
}

function refusals(cases: readonly (readonly [string, MergeCase])[]): { passed: string[]; steps: string[] } {
  const found = cases.map(([name, item]) => [name, stepOf(mergeOf(item))] as const);
  return {
    passed: found.filter(([, step]) => step === 'passed').map(([name]) => name),
    steps: [...new Set(found.map(([, step]) => step))].sort(),
  };
}

describe('covenant version 2: merge', () => {
  it('lets honest merges pass, by the stricter rules of relaying nodes too', () => {
    const change = out(p2pkhScript(hashOf(payer)), 900);
    const honest: [string, MergeCase][] = [
      ['two into one', {}],
      ['two into two', { amounts: [1, 999] }],
      ['two into four', { amounts: [1, 2, 3, 994] }],
      ['without payment', { payment: false }],
      ['token behind change', { second: parentOf([change, out(token(), 300)], 1) }],
      ['token before change', { first: parentOf([out(token(), 700), change], 0) }],
      ['token behind a token', { second: parentOf([out(token(), 5), out(token(), 300)], 1) }],
      [
        'parent of three inputs',
        {
          first: parentOf(
            [out(token(), 700)],
            0,
            [1, 2, 3].map(() => parentInput()),
          ),
        },
      ],
      [
        'parent with a long input script',
        { first: parentOf([out(token(), 700)], 0, [parentInput(new Uint8Array(3_000))]) },
      ],
      [
        'parent with an empty input script',
        { first: parentOf([out(token(), 700)], 0, [parentInput(new Uint8Array(0))]) },
      ],
      ...[252, 253, 254, 255, 256, 65_535].map(
        (length) =>
          [
            `parent with a script of ${length} bytes`,
            { first: parentOf([out(token(), 700)], 0, [parentInput(new Uint8Array(length)), parentInput()]) },
          ] as [string, MergeCase],
      ),
      ['both of one parent', oneParent()],
    ];
    for (const [name, item] of honest) expect([name, judge(mergeOf(item), POLICY)]).toEqual([name, { ok: true }]);
  });

  it('redeems from a merge as from any token', () => {
    expect(judge(mergeOf({ redeemed: 400, amounts: [600] }), POLICY)).toEqual({ ok: true });
    expect(stepOf(mergeOf({ redeemed: 400, amounts: [599] }))).toBe('conserve');
  });

  it('refuses another sum than that of both', () => {
    const sums = [
      [1],
      [300],
      [700],
      [999],
      [1_001],
      [1_400],
      [600],
      [2_000],
      [700, 299],
      [700, 301],
      [300, 701],
      [1, 1_000],
      [999, 2],
    ];
    const cases = sums.flatMap((amounts): [string, MergeCase][] => [
      [`${amounts.join('+')}`, { amounts }],
      [`${amounts.join('+')} without payment`, { amounts, payment: false }],
    ]);
    expect(cases.length).toBeGreaterThan(20);
    expect(refusals(cases)).toEqual({ passed: [], steps: ['conserve'] });
    expect(stepOf(mergeOf({ outputs: [out(tokenScript(bob, 2), 700), changeOut] }))).toBe('result');
  });

  it('refuses a token of another kind', () => {
    const others: Partial<TokenFields>[] = [
      { redemption: hashOf(mallory) },
      { redemption: new Uint8Array(20) },
      { splittable: false },
      { symbol: 'CAFF' },
      { symbol: 'cafe' },
      { symbol: 'CAFE1' },
      { symbol: 'CAF' },
      { data: Uint8Array.of(1) },
      { data: new Uint8Array(500) },
    ];
    const cases = others.flatMap((fields, i): [string, MergeCase][] => [
      [`second ${i}`, { second: plain(300, fields) }],
      [`first ${i}`, { first: plain(700, fields) }],
      [`second ${i}, at output 1`, { second: parentOf([changeOut, out(token(fields), 300)], 1) }],
    ]);
    expect(cases.length).toBeGreaterThan(20);
    const { passed, steps } = refusals(cases);
    expect(passed).toEqual([]);
    expect(steps).toEqual(['merge']);
    // both of the same other kind, but of one that cannot be divided
    const whole = { splittable: false };
    const kept = { first: plain(700, whole), second: plain(300, whole) };
    expect(stepOf(mergeOf({ ...kept, outputs: [out(tokenScript(bob, 2, whole), 1_000), changeOut] }))).toBe('merge');
  });

  it('refuses an other input that is no token', () => {
    const tail = token().subarray(TAIL_OFFSET);
    const scripts: [string, Uint8Array][] = [
      ['money', p2pkhScript(hashOf(alice))],
      ['a token of version 1', tokenScript(alice, 1)],
      ['the tail as data', concatBytes(p2pkhScript(hashOf(alice)), Uint8Array.of(0x6a), pushData(tail))],
      ['a token and more', concatBytes(token(), Uint8Array.of(0))],
      ['a token cut short', token().slice(0, -1)],
      ['a token as data', concatBytes(Uint8Array.of(0x51, 0x6a), pushData(token()))],
      ['a token without owner part', tail],
      ['a token with another first operation', concatBytes(Uint8Array.of(0x61), token().slice(1))],
      ['a token behind another operation', concatBytes(Uint8Array.of(0x61), token())],
      ['a token with a longer owner', concatBytes(token().slice(0, 3), new Uint8Array(21), tail)],
    ];
    const passed: string[] = [];
    for (const [name, script] of scripts) {
      for (const vout of [0, 1]) {
        const outputs = vout === 0 ? [out(script, 300)] : [changeOut, out(script, 300)];
        const verdict = judgeInput(mergeOf({ second: parentOf(outputs, vout) }), 0);
        if (verdict.ok || verdict.step !== 'merge') passed.push(`${name} at ${vout}: ${verdict.ok || verdict.step}`);
      }
    }
    expect(passed).toEqual([]);
  });

  it('reads a previous transaction as a node does, whatever it hides in its scripts', () => {
    // what a reader that looked for the token anywhere would find
    const bait = concatBytes(
      Uint8Array.of(1),
      amountBytes(1_000_000),
      scriptLength(token()),
      token(),
      new Uint8Array(4),
    );
    const money = p2pkhScript(hashOf(alice));
    const hidden: [string, Token][] = [
      ['in the input', parentOf([out(money, 300)], 0, [parentInput(pushData(bait))])],
      ['in the second input', parentOf([out(money, 300)], 0, [parentInput(), parentInput(pushData(bait))])],
      [
        'in the third input',
        parentOf([out(money, 300)], 0, [parentInput(), parentInput(), parentInput(pushData(bait))]),
      ],
      ['in the second output', parentOf([out(money, 300), out(bait, 0)], 0)],
      ['in the first output', parentOf([out(bait, 0), out(money, 300)], 1)],
      ['in its own script', parentOf([out(concatBytes(money, Uint8Array.of(0x6a), bait), 300)], 0)],
      ['in the output before', parentOf([out(token(), 1_000_000), out(money, 300)], 1)],
      ['in the output behind', parentOf([out(money, 300), out(token(), 1_000_000)], 0)],
    ];
    const passed: string[] = [];
    for (const [name, second] of hidden) {
      for (const amount of [1_000, 1_000_700]) {
        const verdict = judgeInput(mergeOf({ second, amounts: [amount] }), 0);
        if (verdict.ok || verdict.step !== 'merge') passed.push(`${name}: ${verdict.ok || verdict.step}`);
      }
    }
    // every length of a script that could be taken for something else
    for (const length of [252, 253, 254, 255, 256, 300, 5_000, 65_535, 65_536, 65_600]) {
      // where a reader goes on that takes the first byte of the length for the length: behind so many bytes and a sequence
      const at = length < 253 ? length : length < 65_536 ? 253 - 2 + 4 : 254 - 4 + 4;
      const script = concatBytes(new Uint8Array(at), bait, new Uint8Array(length)).slice(0, length);
      const verdict = judgeInput(mergeOf({ second: parentOf([out(money, 300)], 0, [parentInput(script)]) }), 0);
      if (verdict.ok || verdict.step !== 'merge') passed.push(`${length}: ${verdict.ok || verdict.step}`);
    }
    expect(passed).toEqual([]);
  });

  it('does not take a fourth input for outputs, however its outpoint and script are chosen', () => {
    const fake = concatBytes(amountBytes(1_000_000), scriptLength(token()), token(), new Uint8Array(4));
    const passed: string[] = [];
    for (const skipped of [29, 40, 100, 252]) {
      // read as outputs, the outpoint says: two of them, the first with a script that ends within the input's script
      const txid = new Uint8Array(32).fill(1);
      txid[0] = 2;
      txid[9] = skipped;
      const script = concatBytes(new Uint8Array(10 + skipped - 39), fake);
      const inputs = [
        parentInput(),
        parentInput(),
        parentInput(),
        { ...parentInput(script), txid: hashToDisplay(txid) },
      ];
      const second = parentOf([changeOut, out(p2pkhScript(hashOf(alice)), 300)], 1, inputs);
      for (const amounts of [[1_000_700], [1_000]]) {
        const verdict = judgeInput(mergeOf({ second, amounts }), 0);
        if (verdict.ok || verdict.step !== 'merge') passed.push(`${skipped}: ${verdict.ok || verdict.step}`);
      }
    }
    expect(passed).toEqual([]);
  });

  it('refuses an outpoint that names an output the previous transaction does not have', () => {
    const steps: string[] = [];
    const parents = [
      parentOf([changeOut, out(token(), 300)], 1),
      parentOf([out(token(), 300)], 0),
      parentOf([out(token(), 300), changeOut], 0),
    ];
    for (const { tx, utxo } of parents) {
      // no node would let such an input in; the script does not rely on that
      for (const vout of [2, 3, 256, 0x10000, 0x80000000, 0x80000001, 0xffffffff]) {
        steps.push(stepOf(mergeOf({ second: { tx, utxo: { ...utxo, vout } } })));
      }
    }
    // minus zero is zero, which the second and the third parent do have
    expect(steps.filter((step) => step === 'passed')).toHaveLength(2);
    expect(new Set(steps)).toEqual(new Set(['merge', 'passed']));
  });

  it('refuses a previous transaction with more than two outputs or three inputs, or with scripts it does not step over', () => {
    const output = out(token(), 300);
    const parents: [string, Token][] = [
      ...[0, 1, 2].map((vout): [string, Token] => [`3 outputs, ${vout}`, parentOf([output, output, output], vout)]),
      ['4 outputs', parentOf([output, changeOut, changeOut, changeOut], 0)],
      ['253 outputs', parentOf(new Array<TxOutput>(253).fill(output), 0)],
      ...[4, 5, 16, 127, 128, 252, 253].map((count): [string, Token] => [
        `${count} inputs`,
        parentOf(
          [output],
          0,
          Array.from({ length: count }, () => parentInput(new Uint8Array(1))),
        ),
      ]),
      ['a script of 65,536 bytes', parentOf([output], 0, [parentInput(new Uint8Array(65_536))])],
      ['a script of 65,536 bytes before', parentOf([out(new Uint8Array(65_536), 1), output], 1)],
    ];
    const cases = parents.flatMap(([name, parent]): [string, MergeCase][] => [
      [name, { second: parent }],
      [`${name}, first`, { first: parent }],
    ]);
    expect(cases.length).toBeGreaterThan(20);
    expect(refusals(cases)).toEqual({ passed: [], steps: ['merge'] });
  });

  it('refuses a previous transaction that is cut, spliced, changed or another one', () => {
    const second = parentOf([out(token(), 300), changeOut], 0, [parentInput(), parentInput()]);
    const bytes = serializeTx(second.tx);
    const flip = (at: number) => {
      const copy = bytes.slice();
      copy[at] = (copy[at] as number) ^ 1;
      return copy;
    };
    const bigger = serializeTx({ ...second.tx, outputs: [out(token(), 30_000), changeOut] });
    const other = plain(300);
    const forged: [string, Uint8Array][] = [
      ...[0, 4, 5, 36, 40, 41, 42, 60, 148, 200, 300, bytes.length - 1, bytes.length - 4, bytes.length - 20].map(
        (at): [string, Uint8Array] => [`byte ${at}`, flip(at)],
      ),
      ['cut short', bytes.slice(0, -1)],
      ['without lock time', bytes.slice(0, -4)],
      ['without version', bytes.slice(4)],
      ['made longer', concatBytes(bytes, Uint8Array.of(0))],
      ['longer in front', concatBytes(Uint8Array.of(0), bytes)],
      ['nothing', new Uint8Array(0)],
      ['another amount', bigger],
      ['another token’s', serializeTx(other.tx)],
      ['begun by another', concatBytes(serializeTx(other.tx).slice(0, 100), bytes.slice(100))],
      ['ended by another', concatBytes(bytes.slice(0, 100), serializeTx(other.tx).slice(100))],
      ['twice', concatBytes(bytes, bytes)],
    ];
    const cases = forged.map(([name, previousTx]): [string, MergeCase] => [name, { second, merges: [{ previousTx }] }]);
    expect(cases.length).toBeGreaterThan(20);
    expect(refusals(cases)).toEqual({ passed: [], steps: ['merge'] });
    // the pieces themselves: missing, doubled, in another order
    const pieces = proofPieces(bytes, token().subarray(TAIL_OFFSET));
    expect(pieces.length).toBe(2);
    const rearranged: ((pushes: Uint8Array[]) => Uint8Array[])[] = [
      (pushes) => swapped(pushes, pushes.length - 3, pushes.length - 4),
      (pushes) => pushes.map((push, at) => (at === pushes.length - 4 ? Uint8Array.of(0) : push)),
      (pushes) => pushes.map((push, at) => (at === pushes.length - 5 ? (pushes[at + 1] as Uint8Array) : push)),
      (pushes) => pushes.map((push, at) => (at === pushes.length - 3 ? Uint8Array.of(0) : push)),
    ];
    for (const claims of rearranged) expect(stepOf(mergeOf({ second, claims: [claims] }))).toBe('merge');
  });

  it('refuses claims about the other input that are not so', () => {
    const first = parentOf([out(token(), 700), out(token(), 70_000)], 0);
    const second = parentOf([out(token(), 300), out(token(), 30_000)], 0);
    const outpoints = [
      { ...outpoint(second.utxo), vout: 1 },
      { ...outpoint(second.utxo), vout: 2 },
      { ...outpoint(second.utxo), vout: 0x80000000 },
      { ...outpoint(second.utxo), vout: 0x80000001 },
      outpoint(first.utxo),
      { txid: txidOf(first.tx), vout: 1 },
      { txid: '0'.repeat(64), vout: 0 },
    ];
    const cases: [string, MergeCase][] = outpoints.flatMap((other, i): [string, MergeCase][] => [
      [`outpoint ${i}`, { first, second, merges: [{ other }] }],
      [`outpoint ${i}, the larger sum`, { first, second, merges: [{ other }], amounts: [30_700] }],
    ]);
    cases.push(
      ['both say they are first', { first, second, merges: [{}, { second: false }] }],
      ['both say they are second', { first, second, merges: [{ second: true }] }],
      ['each in the other’s place', { first, second, merges: [{ second: true }, { second: false }] }],
    );
    for (const length of [0, 1, 32, 35, 37, 40, 72, 108]) {
      const claims = (pushes: Uint8Array[]) => {
        const list = concatBytes((pushes.at(-2) as Uint8Array).slice(1), new Uint8Array(80));
        return [...pushes.slice(0, -2), pushData(list.slice(0, length)), pushes.at(-1) as Uint8Array];
      };
      cases.push([`an outpoint of ${length} bytes`, { first, second, claims: [claims] }]);
    }
    expect(cases.length).toBeGreaterThan(20);
    expect(refusals(cases)).toEqual({ passed: [], steps: ['inputs', 'merge'] });
  });

  it('refuses an outpoint with a further input behind it, even one whose bytes are all zero', () => {
    // zeros behind an output number leave the number as it is, so that only the length tells that there are two outpoints
    const nowhere: Utxo = { ...coin(payer, 5_000), txid: '0'.repeat(64), vout: 0 };
    const [first, second] = [plain(700), plain(300)];
    const claimOf = (other: Token, rest: Partial<TokenSpend>): TokenSpend => ({
      tokens: [{ satoshis: sats(1_000), owner: hashOf(bob) }],
      merge: { other: outpoint(other.utxo), second: other === first, previousTx: serializeTx(other.tx) },
      ...rest,
    });
    const longer = (pushes: Uint8Array[]) =>
      pushes.map((push, at) =>
        at === pushes.length - 2 ? pushData(concatBytes(push.subarray(1), new Uint8Array(36))) : push,
      );
    const forgery = forge(
      [
        { utxo: first.utxo, key: alice, claim: claimOf(second, {}), claims: longer },
        { utxo: second.utxo, key: alice, claim: claimOf(first, { payment: outpoint(nowhere) }) },
        { utxo: nowhere, key: payer },
      ],
      [out(tokenScript(bob, 2), 1_000)],
    );
    expect([1, 2].map((index) => judgeInput(forgery, index).ok)).toEqual([true, true]);
    expect(judgeInput(forgery, 0)).toMatchObject({ ok: false, step: 'merge' });
  });

  it('refuses one token that merges while the other only moves', () => {
    const steps: string[] = [];
    for (const modes of [
      [true, false],
      [false, true],
      [false, false],
    ] as const) {
      for (const amounts of [[1_000], [700], [300], [700, 300]]) {
        for (const payment of [true, false]) steps.push(stepOf(mergeOf({ modes, amounts, payment })));
        steps.push(stepOf(mergeOf({ modes, amounts, payment: false, redeemed: 300 })));
      }
    }
    expect(steps.length).toBeGreaterThan(20);
    expect([...new Set(steps)].sort()).toEqual(['conserve', 'inputs']);
  });

  it('refuses a third token in the place of the payment', () => {
    const third = plain(500);
    for (const amounts of [[1_000], [1_500], [700], [500]]) {
      const { tx, spent } = mergeOf({ amounts, payment: false });
      const [first, second] = spent as [Utxo, Utxo];
      const claim = (index: number): TokenSpend => ({
        tokens: amounts.map((amount) => ({ satoshis: sats(amount), owner: hashOf(bob) })),
        payment: outpoint(third.utxo),
        merge: {
          other: outpoint(index === 0 ? second : first),
          second: index === 1,
          previousTx: serializeTx(third.tx),
        },
      });
      for (const merging of [true, false]) {
        const last = merging ? claim(1) : { tokens: claim(0).tokens };
        const forgery = forge(
          [
            { utxo: first, key: alice, claim: claim(0) },
            { utxo: second, key: alice, claim: claim(1) },
            { utxo: third.utxo, key: alice, claim: last },
          ],
          tx.outputs,
        );
        expect(judgeInput(forgery, 2)).toMatchObject({ ok: false });
      }
    }
  });
});

/** Two outputs of one transaction, as a split without a fee makes them. */
function oneParent(): MergeCase {
  const first = parentOf([out(token(), 700), out(token(), 300)], 0);
  const utxo: Utxo = { ...first.utxo, vout: 1, satoshis: sats(300) };
  return { first, second: { tx: first.tx, utxo } };
}

function swapped<T>(items: readonly T[], a: number, b: number): T[] {
  const copy = [...items];
  [copy[a], copy[b]] = [copy[b] as T, copy[a] as T];
  return copy;
}

function amountBytes(amount: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setUint32(0, amount, true);
  return bytes;
}

function scriptLength(script: Uint8Array): Uint8Array {
  return Uint8Array.of(0xfd, script.length & 0xff, script.length >> 8);
}
