import type { PrivateKey } from '@bsv/sdk';
import { describe, expect, it } from 'vitest';
import { toHex, type Utxo } from '../../chain/index.ts';
import * as token from '../index.ts';
import { addressOf, hashOf } from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import { changed, refusal } from '../test-support/refusal.ts';
import { first, schema, World } from '../test-support/world.ts';

const { alice, bob, carol, issuer, payer } = keys;
const contractPublicKey = token.publicKeyOf(issuer);

const world = new World();
const issued = world.issued();
const tokenUtxo = first(issued);
const whole = first(world.issued({ isSplittable: false }));
const payment = world.pay();
const to = (key: PrivateKey, satoshis: number) => ({ address: addressOf(key), satoshis });

describe('the contract function refuses', () => {
  const inputUtxos = [world.coin(issuer, 10_000)];
  const base: token.ContractParams<PrivateKey> = { issuerKey: issuer, inputUtxos, schema, tokenSatoshis: 10_000 };
  const coins = [world.coin(payer, 10_000)];
  const cases: [string, Record<string, unknown>, unknown[]][] = [
    ['no key', { issuerKey: null }, ['key-missing', 'issuerKey', {}]],
    ['a public key in place of a private one', { issuerKey: contractPublicKey }, ['key-invalid', 'issuerKey', {}]],
    ['no inputs', { inputUtxos: [] }, ['utxo-invalid', 'inputUtxos', {}]],
    ['inputs that are no list', { inputUtxos: null }, ['utxo-invalid', 'inputUtxos', {}]],
    [
      'an input without txid',
      { inputUtxos: [{ ...inputUtxos[0], txid: 'x' }] },
      ['utxo-invalid', 'inputUtxos[0].txid', { length: 1 }],
    ],
    ['an input that is none', { inputUtxos: [null] }, ['utxo-invalid', 'inputUtxos[0]', {}]],
    ['a hole in the inputs', { inputUtxos: new Array(2) }, ['utxo-invalid', 'inputUtxos[0]', {}]],
    [
      'an input with a number as text',
      { inputUtxos: [{ ...inputUtxos[0], satoshis: '10000' }] },
      ['utxo-invalid', 'inputUtxos[0].satoshis', { given: Number.NaN }],
    ],
    [
      'an input whose script is no hex',
      { inputUtxos: [{ ...inputUtxos[0], lockingScript: '76a' }] },
      ['utxo-invalid', 'inputUtxos[0].lockingScript', {}],
    ],
    ['an input twice', { inputUtxos: [inputUtxos[0], inputUtxos[0]] }, ['utxo-invalid', 'inputUtxos[1]', {}]],
    ['another’s input', { inputUtxos: coins }, ['utxo-invalid', 'inputUtxos[0]', {}]],
    [
      'a token as input',
      { issuerKey: alice, schema: { ...schema, tokenId: toHex(hashOf(alice)) }, inputUtxos: [tokenUtxo] },
      ['utxo-invalid', 'inputUtxos[0]', {}],
    ],
    ['payment without key', { paymentUtxos: coins }, ['payment-incomplete', 'paymentKey', {}]],
    ['payment key without payment', { paymentKey: payer }, ['payment-incomplete', 'paymentUtxos', {}]],
    ['no schema', { schema: null }, ['schema-invalid', 'schema', {}]],
    ['no symbol', { schema: { ...schema, symbol: undefined } }, ['symbol-invalid', 'schema.symbol', {}]],
    ['a symbol with a space', { schema: { ...schema, symbol: 'A B' } }, ['symbol-invalid', 'schema.symbol', {}]],
    ['a symbol too long', { schema: { ...schema, symbol: 'A'.repeat(129) } }, ['symbol-invalid', 'schema.symbol', {}]],
    ['no token id', { schema: { ...schema, tokenId: undefined } }, ['schema-invalid', 'schema.tokenId', {}]],
    [
      'another’s token id',
      { schema: { ...schema, tokenId: toHex(hashOf(bob)) } },
      ['schema-invalid', 'schema.tokenId', {}],
    ],
    [
      'no total supply',
      { schema: { ...schema, totalSupply: undefined } },
      ['schema-invalid', 'schema.totalSupply', {}],
    ],
    [
      'no satoshis for a token',
      { schema: { ...schema, satsPerToken: 0 } },
      ['schema-invalid', 'schema.satsPerToken', {}],
    ],
    ['nine decimals', { schema: { ...schema, decimals: 9 } }, ['schema-invalid', 'schema.decimals', {}]],
    ['a name too long', { schema: { ...schema, name: 'n'.repeat(33) } }, ['schema-invalid', 'schema.name', {}]],
    [
      'terms too long',
      { schema: { ...schema, properties: { meta: { legal: { terms: 't'.repeat(20_001) } } } } },
      ['schema-invalid', 'schema.properties.meta.legal.terms', {}],
    ],
    ['no supply', { tokenSatoshis: 0 }, ['amount-invalid', 'tokenSatoshis', { given: 0 }]],
    ['a fraction', { tokenSatoshis: 10.5 }, ['amount-invalid', 'tokenSatoshis', { given: 10.5 }]],
    [
      'less than one token',
      { tokenSatoshis: 9 },
      ['supply-invalid', 'tokenSatoshis', { supply: 9, satsPerToken: 10, totalSupply: 1_000, available: 10_000 }],
    ],
    [
      'a part of a token',
      { tokenSatoshis: 9_995 },
      ['supply-invalid', 'tokenSatoshis', { supply: 9_995, satsPerToken: 10, totalSupply: 1_000, available: 10_000 }],
    ],
    [
      'more than there is',
      { tokenSatoshis: 10_010 },
      ['supply-invalid', 'tokenSatoshis', { supply: 10_010, satsPerToken: 10, totalSupply: 1_000, available: 10_000 }],
    ],
    [
      'a supply that is less than the schema says',
      { tokenSatoshis: 9_990 },
      ['supply-invalid', 'tokenSatoshis', { supply: 9_990, satsPerToken: 10, totalSupply: 1_000, available: 10_000 }],
    ],
    [
      'a schema that says less than the supply',
      { schema: { ...schema, totalSupply: 999 } },
      ['supply-invalid', 'tokenSatoshis', { supply: 10_000, satsPerToken: 10, totalSupply: 999, available: 10_000 }],
    ],
    [
      'numbers whose product would be rounded',
      { schema: { ...schema, totalSupply: Number.MAX_SAFE_INTEGER, satsPerToken: 10 } },
      [
        'supply-invalid',
        'tokenSatoshis',
        { supply: 10_000, satsPerToken: 10, totalSupply: Number.MAX_SAFE_INTEGER, available: 10_000 },
      ],
    ],
    [
      'a list as parameters of the fee',
      { feeRate: [], paymentUtxos: coins, paymentKey: payer },
      ['fee-invalid', 'feeRate', { satoshis: Number.NaN, bytes: Number.NaN }],
    ],
    [
      'a payment too small',
      { paymentUtxos: [{ ...coins[0], satoshis: 200 }], paymentKey: payer },
      ['funds-insufficient', 'paymentUtxos', { fee: 257, supplied: 200, size: 513 }],
    ],
  ];
  it.each(cases)('%s', (_, change, expected) => {
    expect(refusal(() => token.contract(changed(base, change)))).toEqual(expected);
  });
});

describe('the issue function refuses', () => {
  const contractUtxo = first(world.contract());
  const base: token.IssueParams<PrivateKey> = {
    issuerKey: issuer,
    issueInfo: [to(alice, 10_000)],
    contractUtxo,
    isSplittable: true,
    symbol: 'CAFE',
  };
  const cases: [string, Record<string, unknown>, unknown[]][] = [
    ['no key', { issuerKey: undefined }, ['key-missing', 'issuerKey', {}]],
    ['no contract', { contractUtxo: null }, ['utxo-invalid', 'contractUtxo', {}]],
    [
      'money in the place of a contract',
      { contractUtxo: world.coin(issuer, 10_000) },
      ['not-a-contract', 'contractUtxo', { scriptLength: 25 }],
    ],
    ['nobody', { issueInfo: [] }, ['issue-invalid', 'issueInfo', { count: 0 }]],
    ['no list', { issueInfo: null }, ['issue-invalid', 'issueInfo', { count: 0 }]],
    ['no flag', { isSplittable: 'yes' }, ['issue-invalid', 'isSplittable', {}]],
    ['version 3', { version: 3 }, ['issue-invalid', 'version', { version: 3 }]],
    ['another symbol', { symbol: 'TEA' }, ['symbol-mismatch', 'symbol', {}]],
    ['no symbol', { symbol: '' }, ['symbol-invalid', 'symbol', { length: 0 }]],
    [
      'an address too short',
      { issueInfo: [{ address: 'abc', satoshis: 10_000 }] },
      ['address-invalid', 'issueInfo[0].address', { length: 3 }],
    ],
    ['no address', { issueInfo: [{ satoshis: 10_000 }] }, ['address-invalid', 'issueInfo[0].address', {}]],
    [
      'nothing for one',
      { issueInfo: [to(alice, 10_000), to(bob, 0)] },
      ['amount-invalid', 'issueInfo[1].satoshis', { given: 0 }],
    ],
    [
      'less than the supply',
      { issueInfo: [to(alice, 9_990)] },
      ['sum-mismatch', 'issueInfo', { given: 9_990, wanted: 10_000 }],
    ],
    [
      'more than the supply',
      { issueInfo: [to(alice, 10_000), to(bob, 10)] },
      ['sum-mismatch', 'issueInfo', { given: 10_010, wanted: 10_000 }],
    ],
    [
      'a part of a token',
      { issueInfo: [to(alice, 9_995), to(bob, 5)] },
      ['amount-invalid', 'issueInfo[0].satoshis', { given: 9_995, satsPerToken: 10 }],
    ],
    [
      'tokens for the issuer’s own address',
      { issueInfo: [to(alice, 9_000), to(issuer, 1_000)] },
      ['issuer-address', 'issueInfo[1].address', {}],
    ],
    ['an entry that is none', { issueInfo: [to(alice, 9_000), null] }, ['parameter-invalid', 'issueInfo[1]', {}]],
    [
      'text with half a character',
      { issueInfo: [{ ...to(alice, 10_000), data: '\ud800' }] },
      ['data-invalid', 'issueInfo[0].data', { length: 1, most: 60_000 }],
    ],
    [
      'data too long',
      { issueInfo: [{ ...to(alice, 10_000), data: new Uint8Array(60_001) }] },
      ['data-invalid', 'issueInfo[0].data', { length: 60_001, most: 60_000 }],
    ],
    [
      'empty data',
      { issueInfo: [{ ...to(alice, 10_000), data: '' }] },
      ['data-invalid', 'issueInfo[0].data', { length: 0, most: 60_000 }],
    ],
    ['payment without key', { paymentUtxo: payment.paymentUtxo }, ['payment-incomplete', 'paymentKey', {}]],
    ['payment key without payment', { paymentKey: payer }, ['payment-incomplete', 'paymentUtxo', {}]],
    [
      'a token to pay with',
      { ...payment, paymentUtxo: tokenUtxo, paymentKey: alice },
      ['utxo-invalid', 'paymentUtxo', {}],
    ],
    [
      'no rate',
      { ...payment, feeRate: { satoshis: 1, bytes: 0 } },
      ['fee-invalid', 'feeRate', { satoshis: 1, bytes: 0 }],
    ],
  ];
  it.each(cases)('%s', (_, change, expected) => {
    expect(refusal(() => token.issue(changed(base, change)))).toEqual(expected);
  });

  it('a contract of another issuer', () => {
    expect(refusal(() => token.issue({ ...base, issuerKey: bob }))).toEqual(
      expect.arrayContaining(['not-a-contract', 'contractUtxo']),
    );
  });
});

describe('the functions on a token refuse', () => {
  const transfer = { ownerKey: alice, tokenUtxo, destination: addressOf(bob) };
  const split = { ownerKey: alice, tokenUtxo, destinations: [to(bob, 4_000), to(alice, 6_000)] };
  const redeem = { ownerKey: alice, contractPublicKey, tokenUtxo };
  const redeemSplit = { ...redeem, destinations: [to(bob, 4_000)] };
  const cases: [string, () => unknown, unknown[]][] = [
    ['no owner', () => token.transfer(changed(transfer, { ownerKey: null })), ['key-missing', 'ownerKey', {}]],
    ['no token', () => token.transfer(changed(transfer, { tokenUtxo: null })), ['utxo-invalid', 'tokenUtxo', {}]],
    [
      'money',
      () => token.transfer(changed(transfer, { tokenUtxo: payment.paymentUtxo })),
      ['not-a-token', 'tokenUtxo', { scriptLength: 25 }],
    ],
    ['another’s token', () => token.transfer({ ...transfer, ownerKey: bob }), ['utxo-invalid', 'tokenUtxo', {}]],
    [
      'no destination',
      () => token.transfer(changed(transfer, { destination: null })),
      ['address-invalid', 'destination', {}],
    ],
    [
      'a wrong address',
      () => token.transfer({ ...transfer, destination: `${addressOf(bob)}x` }),
      ['address-invalid', 'destination', { length: 35 }],
    ],
    [
      'the issuer’s address',
      () => token.transfer({ ...transfer, destination: addressOf(issuer) }),
      ['issuer-address', 'destination', {}],
    ],
    [
      'another’s payment',
      () => token.transfer({ ...transfer, ...payment, paymentKey: bob }),
      ['utxo-invalid', 'paymentUtxo', {}],
    ],
    [
      'no destinations',
      () => token.split({ ...split, destinations: [] }),
      ['amount-invalid', 'destinations', { count: 0, most: 2 }],
    ],
    [
      'three destinations',
      () => token.split({ ...split, destinations: [to(bob, 1), to(carol, 1), to(alice, 9_998)] }),
      ['amount-invalid', 'destinations', { count: 3, most: 2 }],
    ],
    [
      'five destinations',
      () => token.split({ ...split, maxDestinations: 5 }),
      ['amount-invalid', 'maxDestinations', { given: 5, most: 4 }],
    ],
    [
      'a sum too small',
      () => token.split({ ...split, destinations: [to(bob, 4_000)] }),
      ['sum-mismatch', 'destinations', { given: 4_000, wanted: 10_000 }],
    ],
    ['to split a whole token', () => token.split({ ...split, tokenUtxo: whole }), ['not-splittable', 'tokenUtxo', {}]],
    [
      'to redeem a part of a whole token',
      () => token.redeemSplit({ ...redeemSplit, tokenUtxo: whole }),
      ['not-splittable', 'tokenUtxo', {}],
    ],
    [
      'no issuer',
      () => token.redeem(changed(redeem, { contractPublicKey: null })),
      ['key-missing', 'contractPublicKey', {}],
    ],
    [
      'half a key',
      () => token.redeem({ ...redeem, contractPublicKey: contractPublicKey.slice(1) }),
      ['key-invalid', 'contractPublicKey', { length: 32 }],
    ],
    [
      'another issuer',
      () => token.redeem({ ...redeem, contractPublicKey: token.publicKeyOf(bob) }),
      ['redemption-invalid', 'contractPublicKey', {}],
    ],
    [
      'nothing to redeem',
      () => token.redeemSplit({ ...redeemSplit, destinations: [to(bob, 10_000)] }),
      ['redemption-invalid', 'destinations', { kept: 10_000, available: 10_000, redeemed: 0 }],
    ],
    [
      'more than there is',
      () => token.redeemSplit({ ...redeemSplit, destinations: [to(bob, 10_001)] }),
      ['redemption-invalid', 'destinations', { kept: 10_001, available: 10_000, redeemed: -1 }],
    ],
    [
      'the issuer’s address among others',
      () => token.split({ ...split, destinations: [to(bob, 1), to(issuer, 9_999)] }),
      ['issuer-address', 'destinations[1].address', {}],
    ],
  ];
  it.each(cases)('%s', (_, act, expected) => {
    expect(refusal(act)).toEqual(expected);
  });

  it('an insufficient payment, and reports the missing amount', () => {
    const paymentUtxo = world.coin(payer, 700);
    const [code, field, numbers] = refusal(() => token.transfer({ ...transfer, paymentUtxo, paymentKey: payer })) as [
      string,
      string,
      Record<string, number>,
    ];
    expect([code, field, numbers.supplied]).toEqual(['funds-insufficient', 'paymentUtxo', 700]);
    // one satoshi less than fee and change is just too little
    const enough = (numbers.fee as number) + 1;
    const paid = (satoshis: number) => () =>
      token.transfer({
        ...transfer,
        paymentUtxo: { ...paymentUtxo, satoshis: satoshis as Utxo['satoshis'] },
        paymentKey: payer,
      });
    expect(refusal(paid(enough - 1))).toEqual(expect.arrayContaining(['funds-insufficient']));
    expect(paid(enough)().outputs.at(-1)?.satoshis).toBe(1);
  });
});
