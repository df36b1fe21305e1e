import { describe, expect, it } from 'vitest';
import {
  concatBytes,
  hashToDisplay,
  p2pkhScript,
  pushData,
  serializeTx,
  type TxOutput,
  type Utxo,
} from '../../chain/index.ts';
import {
  coin,
  forge,
  hashOf,
  judgeInput,
  out,
  outpoint,
  parentInput,
  parentOf,
  tokenScript,
} from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import {
  changeOut,
  type MergeCase,
  mergeOf,
  plain,
  refusals,
  sats,
  stepOf,
  type TokenOfTx,
  token,
} from '../test-support/merge-case.ts';
import { TAIL_OFFSET } from './covenant.ts';
import { proofPieces, type TokenSpend } from './template.ts';

const { alice, bob, payer } = keys;

describe('covenant version 2: the previous transaction of the other token', () => {
  it('parses a previous transaction like a node, whatever its scripts contain', () => {
    // what a parser that searched for the token anywhere would find
    const bait = concatBytes(
      Uint8Array.of(1),
      amountBytes(1_000_000),
      scriptLength(token()),
      token(),
      new Uint8Array(4),
    );
    const money = p2pkhScript(hashOf(alice));
    const hidden: [string, TokenOfTx][] = [
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
    // every script length that could be misread
    for (const length of [252, 253, 254, 255, 256, 300, 5_000, 65_535, 65_536, 65_600]) {
      // where a parser continues if it takes the first byte of the length for the whole length
      const at = length < 253 ? length : length < 65_536 ? 253 - 2 + 4 : 254 - 4 + 4;
      const script = concatBytes(new Uint8Array(at), bait, new Uint8Array(length)).slice(0, length);
      const verdict = judgeInput(mergeOf({ second: parentOf([out(money, 300)], 0, [parentInput(script)]) }), 0);
      if (verdict.ok || verdict.step !== 'merge') passed.push(`${length}: ${verdict.ok || verdict.step}`);
    }
    expect(passed).toEqual([]);
  });

  it('does not read a fourth input as outputs, for any outpoint and script', () => {
    const fake = concatBytes(amountBytes(1_000_000), scriptLength(token()), token(), new Uint8Array(4));
    const passed: string[] = [];
    for (const skipped of [29, 40, 100, 252]) {
      // read as outputs, the outpoint means: two outputs, the first with a script that ends inside the input's script
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

  it('refuses an outpoint whose output does not exist in the previous transaction', () => {
    const steps: string[] = [];
    const parents = [
      parentOf([changeOut, out(token(), 300)], 1),
      parentOf([out(token(), 300)], 0),
      parentOf([out(token(), 300), changeOut], 0),
    ];
    for (const { tx, utxo } of parents) {
      // no node would accept such an input, but the script does not rely on that
      for (const vout of [2, 3, 256, 0x10000, 0x80000000, 0x80000001, 0xffffffff]) {
        steps.push(stepOf(mergeOf({ second: { tx, utxo: { ...utxo, vout } } })));
      }
    }
    // minus zero equals zero, and the second and third parent do have that output
    expect(steps.filter((step) => step === 'passed')).toHaveLength(2);
    expect(new Set(steps)).toEqual(new Set(['merge', 'passed']));
  });

  it('refuses a previous transaction with more than two outputs or three inputs, or with scripts it cannot skip', () => {
    const output = out(token(), 300);
    const parents: [string, TokenOfTx][] = [
      ...[0, 1, 2].map((vout): [string, TokenOfTx] => [`3 outputs, ${vout}`, parentOf([output, output, output], vout)]),
      ['4 outputs', parentOf([output, changeOut, changeOut, changeOut], 0)],
      ['253 outputs', parentOf(new Array<TxOutput>(253).fill(output), 0)],
      ...[4, 5, 16, 127, 128, 252, 253].map((count): [string, TokenOfTx] => [
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

  it('refuses a previous transaction that is truncated, spliced, modified or a different one', () => {
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
    // the pieces themselves: missing, duplicated, reordered
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

  it('refuses an outpoint followed by another input, even one of zero bytes', () => {
    // trailing zeros do not change an output number, so only the length reveals the second outpoint
    const nowhere: Utxo = { ...coin(payer, 5_000), txid: '0'.repeat(64), vout: 0 };
    const [first, second] = [plain(700), plain(300)];
    const claimOf = (other: TokenOfTx, rest: Partial<TokenSpend>): TokenSpend => ({
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
});

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
