import type { PrivateKey } from '@bsv/sdk';
import { describe, expect, it } from 'vitest';
import { feeFor, fromHex, p2pkhScript, type Rate, toHex, type Utxo } from '../../chain/index.ts';
import * as token from '../index.ts';
import { addressOf, hashOf, judge, kind } from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import { signInfo } from '../test-support/sign-info.ts';
import { first, schema, World } from '../test-support/world.ts';

const { alice, bob, carol, issuer, payer } = keys;
const contractPublicKey = token.publicKeyOf(issuer);
type Params = Record<string, unknown>;

interface Function {
  readonly name: string;
  readonly params: (world: World, payment: object) => Params;
  readonly withKeys: (params: never) => token.BuiltTransaction;
  readonly withCallback: (params: never, callbacks: token.SignCallbacks) => Promise<token.BuiltTransaction>;
  readonly unsigned: (params: never) => token.UnsignedTransaction;
}

const both = [
  { address: addressOf(bob), satoshis: 4_000 },
  { address: addressOf(carol), satoshis: 6_000 },
];

function mergeTokens(world: World) {
  const built = world.accept(
    token.split({
      ownerKey: alice,
      tokenUtxo: first(world.issued()),
      destinations: both.map((destination) => ({ ...destination, address: addressOf(alice) })),
    }),
  );
  return built.outputs.map((utxo) => ({ utxo, previousTx: fromHex(built.hex) }));
}

const functions: Function[] = [
  {
    name: 'contract',
    params: (world, payment) => {
      const { paymentUtxo, ...rest } = payment as { paymentUtxo?: Utxo };
      const coins = [world.coin(issuer, 6_000), world.coin(issuer, 4_001)];
      const paymentUtxos = paymentUtxo ? { paymentUtxos: [paymentUtxo] } : {};
      return { issuerKey: issuer, inputUtxos: coins, schema, tokenSatoshis: 10_000, ...rest, ...paymentUtxos };
    },
    withKeys: token.contract,
    withCallback: token.contractWithCallback,
    unsigned: token.unsignedContract,
  },
  {
    name: 'issue',
    params: (world, payment) => ({
      issuerKey: issuer,
      issueInfo: [...both.slice(0, 1), { ...both[1], data: 'first edition' }],
      contractUtxo: first(world.contract()),
      isSplittable: false,
      symbol: 'CAFE',
      ...payment,
    }),
    withKeys: token.issue,
    withCallback: token.issueWithCallback,
    unsigned: token.unsignedIssue,
  },
  {
    name: 'transfer',
    params: (world, payment) => ({
      ownerKey: alice,
      tokenUtxo: first(world.issued({ version: 1 })),
      destination: addressOf(bob),
      ...payment,
    }),
    withKeys: token.transfer,
    withCallback: token.transferWithCallback,
    unsigned: token.unsignedTransfer,
  },
  {
    name: 'split',
    params: (world, payment) => ({ ownerKey: alice, tokenUtxo: first(world.issued()), destinations: both, ...payment }),
    withKeys: token.split,
    withCallback: token.splitWithCallback,
    unsigned: token.unsignedSplit,
  },
  {
    name: 'merge',
    params: (world, payment) => ({
      ownerKey: alice,
      mergeTokens: mergeTokens(world),
      destination: addressOf(bob),
      ...payment,
    }),
    withKeys: token.merge,
    withCallback: token.mergeWithCallback,
    unsigned: token.unsignedMerge,
  },
  {
    name: 'mergeSplit',
    params: (world, payment) => ({ ownerKey: alice, mergeTokens: mergeTokens(world), destinations: both, ...payment }),
    withKeys: token.mergeSplit,
    withCallback: token.mergeSplitWithCallback,
    unsigned: token.unsignedMergeSplit,
  },
  {
    name: 'redeemSplit',
    params: (world, payment) => ({
      ownerKey: alice,
      contractPublicKey,
      tokenUtxo: first(world.issued()),
      destinations: both.slice(0, 1),
      ...payment,
    }),
    withKeys: token.redeemSplit,
    withCallback: token.redeemSplitWithCallback,
    unsigned: token.unsignedRedeemSplit,
  },
  {
    name: 'redeem',
    params: (world, payment) => ({
      ownerKey: alice,
      contractPublicKey,
      tokenUtxo: first(world.issued({ isSplittable: false })),
      ...payment,
    }),
    withKeys: token.redeem,
    withCallback: token.redeemWithCallback,
    unsigned: token.unsignedRedeem,
  },
];

/** The same parameters with public keys. */
function publicly(params: Params): Params {
  const entries = Object.entries(params).map(([name, value]) =>
    ['issuerKey', 'ownerKey', 'paymentKey'].includes(name)
      ? [name, token.publicKeyOf(value as PrivateKey)]
      : [name, value],
  );
  return Object.fromEntries(entries);
}

describe.each(functions)('$name', ({ params, withKeys, withCallback, unsigned }) => {
  it.each([true, false])('builds the same transaction in its three forms (with a payment: %s)', async (paid) => {
    const world = new World();
    const given = params(world, paid ? world.pay() : {});
    const signed = world.accept(withKeys(given as never));
    expect(signed.fee).toBe(paid ? feeFor(signed.estimatedSize, { satoshis: 500, bytes: 1_000 }) : 0);
    const asked: string[] = [];
    const signer = (who: string) => async (request: token.SigningRequest) => {
      asked.push(who);
      return signInfo(request);
    };
    const calledBack = await withCallback(publicly(given) as never, {
      owner: signer('owner'),
      payment: signer('payment'),
    });
    const prepared = JSON.parse(JSON.stringify(unsigned(publicly(given) as never))) as token.UnsignedTransaction;
    const finished = token.finishTransaction(prepared, prepared.signingInfo.map(signInfo));
    expect(calledBack.hex).toBe(finished.hex);
    expect(finished.tx.outputs).toEqual(signed.tx.outputs);
    expect(finished.fee).toBe(signed.fee);
    const spent = signed.tx.inputs.map((_, i) => spentAt(prepared, signed, i));
    expect(judge({ tx: finished.tx, spent })).toEqual({ ok: true });
    expect(asked.filter((who) => who === 'payment').length).toBe(paid ? 1 : 0);
    expect(asked.at(-1)).toBe(paid ? 'payment' : 'owner');
  });

  it('predicts its size and pays for it, for any rate and change amount', () => {
    const rates: (Rate | undefined)[] = [
      undefined,
      { satoshis: 50, bytes: 1_000 },
      { satoshis: 1, bytes: 1 },
      { satoshis: 0, bytes: 1 },
    ];
    for (const feeRate of rates) {
      const world = new World();
      const given = params(world, { ...world.pay(), feeRate });
      const { fee, estimatedSize } = unsigned(publicly(given) as never);
      expect(fee).toBe(feeFor(estimatedSize, feeRate ?? { satoshis: 500, bytes: 1_000 }));
      // change amounts whose encodings differ in length in an unlocking script
      for (const change of [1, 16, 17, 127, 128, 129, 32_767, 32_768]) {
        const isContract = 'paymentUtxos' in given;
        const [utxo] = [given.paymentUtxos ?? given.paymentUtxo].flat() as [Utxo];
        const paymentUtxo = { ...utxo, satoshis: (fee + change) as Utxo['satoshis'] };
        const built = withKeys({
          ...given,
          ...(isContract ? { paymentUtxos: [paymentUtxo] } : { paymentUtxo }),
        } as never);
        expect(built.size).toBeLessThanOrEqual(built.estimatedSize);
        expect(built.size).toBeGreaterThanOrEqual(built.estimatedSize - 4);
        expect(built.fee).toBe(feeFor(built.estimatedSize, feeRate ?? { satoshis: 500, bytes: 1_000 }));
        expect(built.outputs.at(-1)?.satoshis).toBeGreaterThanOrEqual(1);
      }
    }
  });
});

function spentAt(prepared: token.UnsignedTransaction, signed: token.BuiltTransaction, index: number): Utxo {
  const info = prepared.signingInfo[index] as token.SigningInfo;
  const { txid, vout } = signed.tx.inputs[index] as { txid: string; vout: number };
  return { txid, vout, satoshis: info.satoshis as Utxo['satoshis'], lockingScript: fromHex(info.script) };
}

describe('the functions of the token library', () => {
  const world = new World();
  const payment = { ...world.pay() };
  const change = p2pkhScript(hashOf(payer));
  const scripts = (built: token.BuiltTransaction) => built.tx.outputs.map(({ script }) => toHex(script));

  it('order the outputs as documented', () => {
    const contracted = world.contract();
    expect(token.decodeContract(first(contracted).lockingScript)).toEqual({ issuer: hashOf(issuer), schema });
    expect(scripts(contracted)[1]).toBe(toHex(change));
    const issued = world.issued();
    expect(token.decodeToken(first(issued).lockingScript)).toMatchObject({ ...kind, owner: hashOf(alice) });
    const part = token.redeemSplit({
      ownerKey: alice,
      contractPublicKey,
      tokenUtxo: first(issued),
      destinations: both.slice(0, 1),
      ...payment,
    });
    expect(part.outputs.map(({ satoshis }) => satoshis).slice(0, 2)).toEqual([6_000, 4_000]);
    expect(scripts(part)[0]).toBe(toHex(p2pkhScript(hashOf(issuer))));
    expect(token.decodeToken(part.outputs[1]?.lockingScript as Uint8Array)?.owner).toEqual(hashOf(bob));
    expect(scripts(part)[2]).toBe(toHex(change));
  });

  it('return the remainder of a contract without payment to the issuer', () => {
    const built = token.contract({
      issuerKey: issuer,
      inputUtxos: [world.coin(issuer, 10_007)],
      schema,
      tokenSatoshis: 10_000,
    });
    expect(built.outputs.map(({ satoshis }) => satoshis)).toEqual([10_000, 7]);
    expect(scripts(built)[1]).toBe(toHex(p2pkhScript(hashOf(issuer))));
    expect(built.fee).toBe(0);
  });

  it('return the remainder to the issuer if somebody else pays, and as a single change output if the issuer pays', () => {
    const given = { issuerKey: issuer, inputUtxos: [world.coin(issuer, 10_007)], schema, tokenSatoshis: 10_000 };
    const paid = world.accept(
      token.contract({ ...given, paymentUtxos: [world.coin(payer, 9_000)], paymentKey: payer }),
    );
    const [, surplus, rest] = scripts(paid);
    expect([surplus, rest]).toEqual([toHex(p2pkhScript(hashOf(issuer))), toHex(change)]);
    expect(paid.outputs.map(({ satoshis }) => satoshis)).toEqual([10_000, 7, 9_000 - paid.fee]);
    const own = { ...given, inputUtxos: [world.coin(issuer, 10_007)], paymentKey: issuer };
    const ownPaid = world.accept(token.contract({ ...own, paymentUtxos: [world.coin(issuer, 9_000)] }));
    expect(ownPaid.outputs.map(({ satoshis }) => satoshis)).toEqual([10_000, 9_007 - ownPaid.fee]);
  });

  it('estimate the size within 4 bytes for any number of signatures', () => {
    for (let round = 0; round < 3; round++) {
      const inputUtxos = Array.from({ length: 30 }, () => world.coin(issuer, 1_000));
      const given = { ...schema, totalSupply: 3_000 };
      const built = token.contract({ issuerKey: issuer, inputUtxos, schema: given, tokenSatoshis: 30_000 });
      world.accept(built);
      expect(built.estimatedSize - built.size).toBeLessThanOrEqual(4);
    }
  });

  it('keep contract, token and code within 2 kB', () => {
    expect(token.covenant(1).code.length).toBeLessThan(1_024);
    expect(first(world.issued()).lockingScript.length).toBeLessThan(2_048);
  });
});

describe('a custom template', () => {
  /** The same covenant under a different name, for scripts with a suffix that only this operator writes. */
  const inner = token.planchetTemplate(2);
  const template: token.TokenTemplate = {
    ...inner,
    name: 'operator',
    lock: (fields) => inner.lock({ ...fields, data: Uint8Array.of(7) }),
    decode: (script) => {
      const fields = inner.decode(script);
      return fields?.data?.[0] === 7 ? fields : undefined;
    },
  };

  it('works for issuing, spending and tracing', async () => {
    const world = new World();
    const issued = world.accept(
      token.issue({
        issuerKey: issuer,
        issueInfo: [{ address: addressOf(alice), satoshis: 10_000 }],
        contractUtxo: first(world.contract()),
        isSplittable: true,
        symbol: 'CAFE',
        template,
        ...world.pay(),
      }),
    );
    const moved = world.accept(
      token.transfer({ ownerKey: alice, tokenUtxo: first(issued), destination: addressOf(bob), template }),
    );
    expect(template.decode(first(moved).lockingScript)?.owner).toEqual(hashOf(bob));
    const trace = await token.traceToken(first(moved), world.fetchTx, { templates: [template] });
    expect(trace.token.template.name).toBe('operator');
  });
});
