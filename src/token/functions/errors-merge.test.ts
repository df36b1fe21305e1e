import { PrivateKey } from '@bsv/sdk';
import { describe, expect, it } from 'vitest';
import { fromHex, p2pkhScript, toHex, type Utxo } from '../../chain/index.ts';
import * as token from '../index.ts';
import { addressOf, hashOf, output, tokenScript } from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import { changed, refusal } from '../test-support/refusal.ts';
import { first, World } from '../test-support/world.ts';

const { alice, bob, carol } = keys;
const world = new World();
const issued = world.issued();
const tokenUtxo = first(issued);
const payment = world.pay();
const to = (key: PrivateKey, satoshis: number) => ({ address: addressOf(key), satoshis });

describe('merging refuses', () => {
  const divided = world.accept(
    token.split({ ownerKey: alice, tokenUtxo, destinations: [to(alice, 4_000), to(alice, 6_000)] }),
  );
  const previousTx = fromHex(divided.hex);
  const tokens = divided.outputs.map((utxo) => ({ utxo, previousTx })) as unknown as [
    token.MergeToken,
    token.MergeToken,
  ];
  const base = { ownerKey: alice, mergeTokens: tokens, destination: addressOf(bob) };
  const merging = (mergeTokens: unknown) => () => token.merge(changed(base, { mergeTokens }));
  const single = (options: Parameters<World['issued']>[0]) => {
    const built = world.issued(options);
    return { utxo: first(built), previousTx: fromHex(built.hex) };
  };

  it('anything but two tokens', () => {
    expect(refusal(merging(null))).toEqual(['merge-invalid', 'mergeTokens', { count: 0 }]);
    expect(refusal(merging([tokens[0]]))).toEqual(['merge-invalid', 'mergeTokens', { count: 1 }]);
    expect(refusal(merging([...tokens, tokens[0]]))).toEqual(['merge-invalid', 'mergeTokens', { count: 3 }]);
    expect(refusal(merging([tokens[0], tokens[0]]))).toEqual(['utxo-invalid', 'mergeTokens[1].utxo', {}]);
    expect(refusal(merging([{ ...tokens[0], utxo: payment.paymentUtxo }, tokens[1]]))).toEqual(
      expect.arrayContaining(['not-a-token']),
    );
  });

  it('tokens of different owners, of different kinds, of version 1, and unsplittable ones', () => {
    const moved = world.accept(
      token.transfer({ ownerKey: alice, tokenUtxo: first(world.issued()), destination: addressOf(bob) }),
    );
    const bobs = { utxo: first(moved), previousTx: fromHex(moved.hex) };
    expect(refusal(merging([tokens[0], bobs]))).toEqual(['utxo-invalid', 'mergeTokens[1].utxo', {}]);
    expect(refusal(merging([tokens[0], single({ isSplittable: false })]))).toEqual([
      'merge-invalid',
      'mergeTokens[1]',
      {},
    ]);
    expect(refusal(merging([tokens[0], single({ version: 1 })]))).toEqual(['merge-invalid', 'mergeTokens[1]', {}]);
    expect(refusal(merging([single({ version: 1 }), single({ version: 1 })]))).toEqual([
      'merge-invalid',
      'mergeTokens[0]',
      {},
    ]);
    const wholes = [single({ isSplittable: false }), single({ isSplittable: false })];
    expect(refusal(merging(wholes))).toEqual(['not-splittable', 'mergeTokens', {}]);
  });

  it('previous transactions that do not match or that the script cannot parse', () => {
    const field = 'mergeTokens[1].previousTx';
    const withPrevious = (given: unknown) => merging([tokens[0], { ...tokens[1], previousTx: given }]);
    expect(refusal(withPrevious(fromHex(issued.hex)))).toEqual(['merge-invalid', field, {}]);
    expect(refusal(withPrevious(previousTx.slice(1)))).toEqual(['merge-invalid', field, {}]);
    expect(refusal(withPrevious(undefined))).toEqual(['merge-invalid', field, {}]);
    const lying = { ...tokens[1].utxo, satoshis: 6_001 as Utxo['satoshis'] };
    expect(refusal(merging([tokens[0], { utxo: lying, previousTx }]))).toEqual(['merge-invalid', field, {}]);
    const paid = world.accept(
      token.split({
        ownerKey: alice,
        tokenUtxo: first(world.issued()),
        destinations: [to(alice, 1), to(alice, 9_999)],
        ...world.pay(),
      }),
    );
    const third = { utxo: paid.outputs[0], previousTx: fromHex(paid.hex) };
    expect(refusal(merging([tokens[0], third]))).toEqual(['merge-invalid', field, { inputs: 2, outputs: 3 }]);
  });

  it('amounts that do not add up to both tokens', () => {
    const destinations = [to(bob, 4_000), to(carol, 5_999)];
    expect(refusal(() => token.mergeSplit({ ownerKey: alice, mergeTokens: tokens, destinations }))).toEqual([
      'sum-mismatch',
      'destinations',
      { given: 9_999, wanted: 10_000 },
    ]);
  });
});

describe('finishTransaction refuses', () => {
  const params = {
    ownerKey: token.publicKeyOf(alice),
    tokenUtxo: output(tokenScript(alice, 2), 9),
    destination: addressOf(bob),
  };
  const unsigned = token.unsignedTransfer(params);
  const signed = token.transfer({ ...params, ownerKey: alice });
  const script = signed.tx.inputs[0]?.script as Uint8Array;
  const length = script.at(-35 - 71) === 71 ? 71 : 72;
  const signature = toHex(script.slice(script.length - 34 - length, script.length - 34));
  const finish =
    (given: unknown, changes: object = {}) =>
    () =>
      token.finishTransaction({ ...unsigned, ...changes }, given as string[]);

  it('signatures that are missing, malformed, of another type or of another transaction', () => {
    expect(finish([signature])().hex).toBe(signed.hex);
    expect(refusal(finish([]))).toEqual(['signature-invalid', 'signatures', { given: 0, wanted: 1 }]);
    const other = token.transfer({ ...params, ownerKey: alice, destination: addressOf(carol) }).tx.inputs[0]?.script;
    const foreign = toHex((other as Uint8Array).slice(-34 - length, -34));
    for (const bad of [
      '',
      'zz',
      undefined,
      `${signature.slice(0, -2)}42`,
      signature.slice(2),
      `00${signature}`,
      foreign,
    ])
      expect(refusal(finish([bad]))).toEqual(expect.arrayContaining(['signature-invalid', 'signatures[0]']));
  });

  it('signing info that does not match the transaction', () => {
    const [info] = unsigned.signingInfo as [token.SigningInfo];
    const bad: [object, string][] = [
      [{ hex: '00' }, 'hex'],
      [{ hex: signed.hex.slice(2) }, 'hex'],
      [{ fee: -1 }, 'hex'],
      [{ estimatedSize: 1.5 }, 'estimatedSize'],
      [{ signingInfo: [] }, 'signingInfo'],
      [{ signingInfo: [{ ...info, inputIndex: 1 }] }, 'signingInfo'],
      [{ signingInfo: [{ ...info, publicKey: toHex(token.publicKeyOf(bob)) }] }, 'signingInfo[0]'],
      [{ signingInfo: [{ ...info, script: toHex(p2pkhScript(hashOf(bob))) }] }, 'signingInfo[0]'],
      [{ signingInfo: [{ ...info, satoshis: -1 }] }, 'signingInfo[0]'],
      [{ signingInfo: [{ ...info, type: 'p2pkh' }] }, 'signingInfo[0].type'],
    ];
    for (const [changes, field] of bad)
      expect(refusal(finish([signature], changes))).toEqual(expect.arrayContaining(['unsigned-invalid', field]));
    // a different amount gives a different digest
    expect(refusal(finish([signature], { signingInfo: [{ ...info, satoshis: 8 }] }))).toEqual(
      expect.arrayContaining(['signature-invalid']),
    );
  });

  it('a signature with the higher of the two values of s', () => {
    const der = fromHex(signature).slice(0, -1);
    const rLength = der[3] as number;
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const s = BigInt(`0x${toHex(der.slice(6 + rLength))}`);
    const high = fromHex(`00${(order - s).toString(16).padStart(64, '0')}`);
    const body = [...der.slice(2, 4 + rLength), 0x02, high.length, ...high];
    const twisted = toHex(Uint8Array.of(0x30, body.length, ...body, 0x41));
    expect(refusal(finish([twisted]))).toEqual(expect.arrayContaining(['signature-invalid', 'signatures[0]']));
  });

  it('keys of the wrong kind for the form', () => {
    expect(refusal(() => token.unsignedTransfer({ ...params, ownerKey: new Uint8Array(32) }))).toEqual([
      'key-invalid',
      'ownerKey',
      { length: 32 },
    ]);
    const privateKey = PrivateKey.fromRandom();
    expect(refusal(() => token.unsignedTransfer(changed(params, { ownerKey: privateKey })))).toEqual([
      'key-invalid',
      'ownerKey',
      {},
    ]);
  });
});
