import { describe, expect, it } from 'vitest';
import { feeFor, p2pkhScript, satoshis, sha256, toHex, type Utxo } from '../../../chain/index.ts';
import { reviewCheckIds } from '../../../contract/index.ts';
import {
  changed,
  coin,
  contents,
  facts,
  failedIds,
  honest,
  type Parts,
  RATE,
  request,
  withOutput,
} from '../test-support/review-fixture.ts';
import { reviewTransaction } from './review.ts';
import type { CoinFact, ReviewRequest } from './review-subject.ts';

describe('reviewTransaction', () => {
  it('accepts the base64 text of a file if the setting allows it, but no text that only looks like it', () => {
    const inscribed = (text: string) =>
      honest((p) => Object.assign(p.tokens[0] as Parts['tokens'][0], { content: Buffer.from(text) }));
    const accepting = { ...request(), acceptsBase64: true };
    const text = Buffer.from('first file').toString('base64');
    expect(failedIds(inscribed(text), accepting)).toEqual([]);
    expect(failedIds(inscribed(text))).toEqual(['base64-content']);
    // It decodes to the same bytes and is another text.
    const loose = `${text.slice(0, -3)}${text.at(-3) === 'Q' ? 'R' : 'Q'}${text.slice(-2)}`;
    expect(failedIds(inscribed(loose), accepting)).toEqual(['content']);
  });

  it('passes the requested transaction, and describes its contents', () => {
    const review = reviewTransaction(request(), honest(), facts);
    expect(review.checks.filter(({ passed }) => !passed)).toEqual([]);
    expect(review.ok).toBe(true);
    expect(review.outputs.map(({ kind, satoshis: value, itemId }) => [kind, value > 1, itemId])).toEqual([
      ['token', false, 'item-0'],
      ['token', false, 'item-1'],
      ['change', true, null],
    ]);
    expect(review.outputs[1]?.contentSha256).toBe(toHex(sha256(contents[1] as Uint8Array)));
    expect(review.fee).toBe(feeFor(review.size, RATE));
    expect(review.inputs.map(({ satoshis: value }) => value)).toEqual([5_000, 4_000]);
    expect(review.checks.every(({ id }) => (reviewCheckIds as readonly string[]).includes(id))).toBe(true);
  });

  const tampered: [what: string, txObj: () => unknown, check: string, says: RegExp][] = [
    ['an object that is none', () => 'no object', 'form', /cannot be read/],
    [
      'an input that is signed',
      () => changed((t) => Object.assign(t.inputs[0] as object, { script: '00' }), true),
      'form',
      /signed already/,
    ],
    [
      'a fractional amount',
      () => changed((t) => Object.assign(t.outputs[0] as object, { satoshis: 1.5 }), true),
      'form',
      /amount/,
    ],
    ['the id', () => changed((t) => Object.assign(t, { hash: 'c'.repeat(64) }), true), 'txid', /cccc.*bytes give/],
    ['the version', () => changed((t) => Object.assign(t, { version: 2 })), 'version', /version 2/],
    ['the lock time', () => changed((t) => Object.assign(t, { nLockTime: 900_000 })), 'final', /locked until 900000/],
    [
      'a sequence number',
      () => changed((t) => Object.assign(t.inputs[1] as object, { sequenceNumber: 1 })),
      'final',
      /Input 1 is not final/,
    ],
    [
      'an input of another transaction',
      () => changed((t) => Object.assign(t.inputs[0] as object, { prevTxId: 'd'.repeat(64) })),
      'inputs',
      /d{64}_0, which was not chosen/,
    ],
    [
      'another output of the same transaction',
      () => changed((t) => Object.assign(t.inputs[0] as object, { outputIndex: 9 })),
      'inputs',
      /a{64}_9, which was not chosen/,
    ],
    [
      'an input left out',
      () => changed((t) => Object.assign(t, { inputs: t.inputs.slice(0, 1) })),
      'inputs',
      /b{64}_3 is not spent/,
    ],
    [
      'an input spent twice',
      () => changed((t) => Object.assign(t, { inputs: [...t.inputs, t.inputs[0] as (typeof t.inputs)[0]] })),
      'inputs',
      /a second time/,
    ],
    ['an input more', () => honest((p) => p.spent.push(coin('e', 3_000))), 'inputs', /e{64}_0, which was not chosen/],
    [
      'the value claimed for an input',
      () => changed((t) => Object.assign((t.inputs[0] as { output: object }).output, { satoshis: 4_999 })),
      'input-values',
      /said to hold 4999 satoshis, but it holds 5000/,
    ],
    [
      'the script claimed for an input',
      () =>
        changed((t) =>
          Object.assign((t.inputs[1] as { output: object }).output, { script: toHex(p2pkhScript(new Uint8Array(20))) }),
        ),
      'input-scripts',
      /script of input 1/,
    ],
    [
      'a token of more satoshis',
      () => withOutput(0, (o) => Object.assign(o, { satoshis: 2 })),
      'token-values',
      /Output 0 holds 2 satoshis/,
    ],
    [
      'a token of none',
      () => withOutput(1, (o) => Object.assign(o, { satoshis: 0 })),
      'token-values',
      /Output 1 holds 0 satoshis/,
    ],
    [
      'the destination of one token',
      () => honest((p) => Object.assign(p.tokens[1] as Parts['tokens'][0], { pubKeyHash: new Uint8Array(20) })),
      'destination',
      /Output 1 goes to .* instead of/,
    ],
    [
      'the content',
      () => honest((p) => Object.assign(p.tokens[0] as Parts['tokens'][0], { content: Buffer.from('other file') })),
      'content',
      /Output 0 holds 10 bytes/,
    ],
    [
      'the content as base64 text',
      () =>
        honest((p) =>
          Object.assign(p.tokens[0] as Parts['tokens'][0], {
            content: Buffer.from(Buffer.from('first file').toString('base64')),
          }),
        ),
      'base64-content',
      /base64 text/,
    ],
    ['the tokens in another order', () => honest((p) => p.tokens.reverse()), 'content', /Output 0/],
    [
      'the content type',
      () => honest((p) => Object.assign(p.tokens[0] as Parts['tokens'][0], { contentType: 'text/html' })),
      'content-type',
      /“text\/html” instead of “image\/png”/,
    ],
    ...(['name', 'type', 'subType', 'subTypeData', 'description', 'app', 'eyes'] as const).flatMap(
      (key): (typeof tampered)[number][] => [
        [
          `the metadata ${key}`,
          () => honest((p) => Object.assign((p.tokens[0] as Parts['tokens'][0]).map, { [key]: 'x' })),
          'metadata',
          new RegExp(`Output 0 says ${key} “x” instead of`),
        ],
        [
          `the metadata without ${key}`,
          () => honest((p) => Reflect.deleteProperty((p.tokens[1] as Parts['tokens'][0]).map, key)),
          'metadata',
          new RegExp(`Output 1 lacks the metadata “${key}”`),
        ],
      ],
    ),
    [
      'metadata nobody wrote',
      () => honest((p) => Object.assign((p.tokens[0] as Parts['tokens'][0]).map, { royalties: '[]' })),
      'metadata',
      /“royalties”, which was not asked for/,
    ],
    [
      'a byte after the inscription',
      () => withOutput(0, (o) => Object.assign(o, { script: `${o.script}51` })),
      'outputs',
      /Output 0 is not the token/,
    ],
    ['a token left out', () => honest((p) => p.tokens.pop()), 'outputs', /Output 1 is not the token of “Token 1”/],
    [
      'an output more',
      () =>
        changed((t) =>
          Object.assign(t, {
            outputs: [...t.outputs, { satoshis: 5, script: toHex(p2pkhScript(new Uint8Array(20))) }],
          }),
        ),
      'outputs',
      /Output 3 was not asked for: 5 satoshis to m/,
    ],
    [
      'a data output',
      () => changed((t) => Object.assign(t, { outputs: [...t.outputs, { satoshis: 0, script: '006a0568656c6c6f' }] })),
      'outputs',
      /script without an address/,
    ],
    [
      'a second change output',
      () => changed((t) => Object.assign(t, { outputs: [...t.outputs, t.outputs[2] as (typeof t.outputs)[0]] })),
      'outputs',
      /Output 3 was not asked for/,
    ],
    [
      'the receiver of the change',
      () => withOutput(2, (o) => Object.assign(o, { script: toHex(p2pkhScript(new Uint8Array(20))) })),
      'change',
      /change goes to .* instead of/,
    ],
    [
      'the place of the change',
      () => changed((t) => Object.assign(t, { changeIndex: 0 })),
      'change',
      /output 0 is the change; it has to be output 2/,
    ],
    [
      'change of one satoshi',
      () => honest((p) => Object.assign(p, { fee: 9_000 - 2 - 1 })),
      'change',
      /never be spent as money/,
    ],
    [
      'more change than there is',
      () => withOutput(2, (o) => Object.assign(o, { satoshis: o.satoshis + 5_000 })),
      'change',
      /more than the inputs hold/,
    ],
    [
      'less change',
      () => withOutput(2, (o) => Object.assign(o, { satoshis: o.satoshis - 5_000 })),
      'fee-maximum',
      /more than 2 times/,
    ],
    ['too small a fee', () => honest((p) => Object.assign(p, { fee: 100 })), 'fee-minimum', /100 satoshis is below/],
    [
      'no change',
      () => changed((t) => Object.assign(t, { outputs: t.outputs.slice(0, 2), changeIndex: undefined })),
      'fee-maximum',
      /more than 2 times/,
    ],
  ];

  it.each(tampered)('finds %s', (_, txObj, id, says) => {
    const review = reviewTransaction(request(), txObj(), facts);
    expect(review.ok).toBe(false);
    const failed = review.checks.filter(({ passed }) => !passed);
    expect(failed.map((check) => check.id)).toContain(id);
    expect(failed.find((check) => check.id === id)?.text).toMatch(says);
  });

  it('reports hidden marks in names without refusing them', () => {
    const named = (...names: string[]) =>
      request({
        items: names.map((name, i) => {
          const item = request().items[i] as ReviewRequest['items'][number];
          return { ...item, metadata: { ...item.metadata, name } };
        }),
      });
    const told = (of: ReviewRequest) =>
      reviewTransaction(of, honest(), facts).checks.filter(({ id }) => id === 'hidden-marks');
    expect(told(named('👩🏽‍🚀 קמר', 'Token 1'))).toEqual([]);
    const [check, ...more] = told(named('Mo\u200Bon', 'Sky\u202E'));
    expect(more).toEqual([]);
    expect(check).toMatchObject({ passed: true, text: expect.stringMatching(/U\+200B.*U\+202E/s) as string });
  });

  it('takes the values of inputs from the node, not from the service', () => {
    const richer = {
      coins: facts.coins.map((fact) => ({ ...fact, utxo: { ...(fact.utxo as Utxo), satoshis: satoshis(90_000) } })),
    };
    expect(failedIds(honest(), request(), richer)).toEqual(['input-values', 'fee-maximum', 'fee-limit', 'fee-rate']);
    const unknown = { coins: facts.coins.map(({ txid, vout }) => ({ txid, vout, unspent: false })) };
    expect(failedIds(honest(), request(), unknown)).toEqual([
      ...['input-values', 'input-scripts', 'input-unspent', 'fee-minimum', 'fee-maximum', 'fee-limit', 'fee-rate'],
    ]);
    const spent = { coins: facts.coins.map((fact) => ({ ...fact, unspent: false })) };
    expect(failedIds(honest(), request(), spent)).toEqual(['input-unspent']);
    // a coin without an answer does not change the result for the other
    const [first, ...others] = spent.coins as [CoinFact, ...CoinFact[]];
    const unanswered = { ...first, unspent: true, isUnanswered: true as const };
    const gone = others.map((one) => ({ ...one, unspent: false }));
    expect(failedIds(honest(), request(), { coins: [unanswered, ...gone] })).toEqual(['input-unspent']);
    const told = { coins: [unanswered, ...others.map((one) => ({ ...one, unspent: true }))] };
    expect(failedIds(honest(), request(), told)).toEqual([]);
    expect(reviewTransaction(request(), honest(), told).checks.map(({ id }) => id)).toContain('unanswered');
    const foreign = {
      coins: facts.coins.map((f) => ({
        ...f,
        utxo: { ...(f.utxo as Utxo), lockingScript: p2pkhScript(new Uint8Array(20)) },
      })),
    };
    expect(failedIds(honest(), request(), foreign)).toEqual(['input-scripts']);
  });

  it('refuses foreign coins, even if node and service agree on them', () => {
    const foreign = { ...coin('b', 4_000, 3), lockingScript: p2pkhScript(new Uint8Array(20)) };
    const known = { coins: [facts.coins[0], { ...facts.coins[1], utxo: foreign }] as typeof facts.coins };
    const review = reviewTransaction(
      request(),
      honest((p) => Object.assign(p, { spent: [coin('a', 5_000), foreign] })),
      known,
    );
    expect(review.checks.filter(({ passed }) => !passed)).toMatchObject([
      { id: 'input-scripts', sentences: [{ key: 'review.input-scripts.foreign', values: { input: 1 } }] },
    ]);
    const own = { paysFrom: [...request().paysFrom, foreign.lockingScript] };
    const further = reviewTransaction(
      request(own),
      honest((p) => Object.assign(p, { spent: [coin('a', 5_000), foreign] })),
      known,
    );
    expect(further.checks.filter(({ passed }) => !passed)).toEqual([]);
  });

  it('names a picture that no program can open', () => {
    const broken = request().items.map((item, i) => ({ ...item, isUnreadable: i === 1 }));
    const review = reviewTransaction(request({ items: broken }), honest(), facts);
    expect(review.checks.filter(({ passed }) => !passed)).toMatchObject([
      { id: 'pictures', sentences: [{ values: { output: 1, name: 'Token 1' } }] },
    ]);
  });

  it('says of a version below 1 and of one above it what they are', () => {
    const of = (version: number) =>
      reviewTransaction(
        request(),
        changed((t) => Object.assign(t, { version })),
        facts,
      ).checks.find(({ id }) => id === 'version')?.sentences;
    expect(of(0)).toMatchObject([{ key: 'review.version.other' }]);
    expect(of(2)).toMatchObject([{ key: 'review.version.malleable' }]);
  });
});
