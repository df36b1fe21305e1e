/** The forms in which wallets and other libraries represent keys, scripts and amounts. */
import { LockingScript, PrivateKey } from '@bsv/sdk';
import { describe, expect, it } from 'vitest';
import { serializeTx, type Tx, toHex, type Utxo } from '../../chain/index.ts';
import * as token from '../index.ts';
import { addressOf } from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import { refusal } from '../test-support/refusal.ts';
import { first, schema, World } from '../test-support/world.ts';

const { alice, bob, issuer } = keys;
const world = new World({ quick: true });
const tokenUtxo = first(world.issued());
const pay = world.pay();
const base = { ownerKey: alice, tokenUtxo, destination: addressOf(bob), ...pay };
const { hex } = token.transfer(base);

describe('an output to spend', () => {
  const plain = { txid: tokenUtxo.txid, vout: 0, satoshis: 10_000 };
  it.each([
    ['plain numbers and bytes', { ...plain, lockingScript: tokenUtxo.lockingScript }],
    ['a script as hex', { ...plain, lockingScript: toHex(tokenUtxo.lockingScript) }],
    ['a script as hex in capitals', { ...plain, lockingScript: toHex(tokenUtxo.lockingScript).toUpperCase() }],
    ['a script of the SDK', { ...plain, lockingScript: LockingScript.fromHex(toHex(tokenUtxo.lockingScript)) }],
    ['a txid in capitals', { ...plain, txid: plain.txid.toUpperCase(), lockingScript: tokenUtxo.lockingScript }],
  ])('has %s', (_, utxo) => {
    expect(token.transfer({ ...base, tokenUtxo: utxo }).hex).toBe(hex);
  });

  it('is accepted by decodeToken and decodeContract in the same forms', () => {
    const contract = first(world.contract());
    for (const form of [
      (bytes: Uint8Array) => bytes,
      toHex,
      (bytes: Uint8Array) => LockingScript.fromHex(toHex(bytes)),
    ]) {
      expect(token.decodeToken(form(tokenUtxo.lockingScript))?.symbol).toBe('CAFE');
      expect(token.decodeContract(form(contract.lockingScript))?.schema).toEqual(schema);
    }
    expect(refusal(() => token.decodeToken(5 as never))).toEqual(['parameter-invalid', 'lockingScript', {}]);
  });

  it('can be merged with its transaction as bytes, hex or parsed', () => {
    const tokens = [first(world.issued()), first(world.issued())];
    const merged = (form: (tx: Tx) => Tx | Uint8Array | string) =>
      token.merge({
        ownerKey: alice,
        mergeTokens: tokens.map((utxo: Utxo) => ({ utxo, previousTx: form(world.txs.get(utxo.txid) as Tx) })),
        destination: addressOf(bob),
        ...pay,
      }).hex;
    const parsed = merged((tx) => tx);
    expect(merged(serializeTx)).toBe(parsed);
    expect(merged((tx) => toHex(serializeTx(tx)))).toBe(parsed);
  });
});

describe('a key', () => {
  it('is a private key of the SDK or a WIF if the function signs', () => {
    const wif = { ...base, ownerKey: alice.toWif(), paymentKey: pay.paymentKey.toWif([0xef]) };
    expect(token.transfer(wif).hex).toBe(hex);
    expect(token.publicKeyOf(alice.toWif())).toEqual(token.publicKeyOf(alice));
  });

  it('is a public key of the SDK, its bytes or their hex elsewhere', () => {
    const forms = [alice, pay.paymentKey].map((key) => [
      key.toPublicKey(),
      token.publicKeyOf(key),
      key.toPublicKey().toString(),
    ]);
    const [owners, payers] = forms as [unknown[], unknown[]];
    const made = owners.map((ownerKey, at) =>
      JSON.stringify(token.unsignedTransfer({ ...base, ownerKey, paymentKey: payers[at] } as never)),
    );
    expect(new Set(made).size).toBe(1);
    for (const contractPublicKey of [issuer.toPublicKey(), issuer.toPublicKey().toString()]) {
      expect(token.redeem({ ownerKey: alice, tokenUtxo, contractPublicKey }).outputs[0]?.satoshis).toBe(10_000);
    }
  });

  it('is never quoted in an error', () => {
    const secret = PrivateKey.fromRandom().toWif();
    const broken = `${secret.slice(0, -1)}${secret.endsWith('1') ? '2' : '1'}`;
    for (const [act, field] of [
      [() => token.transfer({ ...base, ownerKey: broken }), 'ownerKey'],
      [
        () => token.unsignedTransfer({ ...base, ownerKey: secret, paymentKey: token.publicKeyOf(pay.paymentKey) }),
        'ownerKey',
      ],
      [() => token.publicKeyOf(broken), 'key'],
    ] as const) {
      try {
        act();
        expect.fail('the key was taken');
      } catch (error) {
        expect(error).toMatchObject({ code: 'key-invalid', field });
        const told = `${(error as Error).message} ${(error as Error).stack} ${JSON.stringify(error)} ${(error as Error).cause}`;
        expect(told).not.toContain(broken.slice(4, -4));
      }
    }
  });
});

describe('error messages', () => {
  it('name fields in the caller’s terms', () => {
    const cases: [() => unknown, string][] = [
      [() => token.transfer({ ...base, paymentUtxo: { ...pay.paymentUtxo, vout: 1.5 } }), 'paymentUtxo.vout'],
      [() => token.transfer({ ...base, paymentKey: null }), 'paymentKey'],
      [
        () => token.split({ ...base, destinations: [{ address: '', satoshis: 1 }] } as never),
        'destinations[0].address',
      ],
      [() => token.redeem({ ...base, contractPublicKey: undefined } as never), 'contractPublicKey'],
      [() => token.merge({ ...base, mergeTokens: [null, null] } as never), 'mergeTokens[0].utxo'],
      [() => token.transfer(undefined as never), 'params'],
      [() => token.unsignedTransfer(7 as never), 'params'],
    ];
    for (const [act, field] of cases) {
      const thrown = (() => {
        try {
          act();
        } catch (error) {
          return error as token.TokenError;
        }
        return expect.fail(field);
      })();
      expect(thrown).toBeInstanceOf(token.TokenError);
      expect([thrown.field, thrown.message.includes(field)]).toEqual([field, true]);
    }
  });
});

it('errors of the library have what a callback throws as their cause', async () => {
  const cause = new TypeError('the device is locked');
  const params = { ...base, ownerKey: token.publicKeyOf(alice), paymentKey: token.publicKeyOf(pay.paymentKey) };
  const asked = token.transferWithCallback(params, { owner: () => Promise.reject(cause) });
  await expect(asked).rejects.toMatchObject({ code: 'signing-failed', field: 'signatures[0]', cause });
});
