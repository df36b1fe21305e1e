import { describe, expect, it } from 'vitest';
import { satoshis, type Tx, txidOf, type Utxo } from '../../chain/index.ts';
import { type BuiltTransaction, issue, merge, split, type TokenError, traceToken, transfer } from '../index.ts';
import { addressOf, forge, hashOf, out, outpoint, tokenScript } from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import { first, remember, World } from '../test-support/world.ts';

const { alice, bob, issuer } = keys;

/** Why a token is refused by its structure alone: a script that ran would end the trace with a different error. */
async function whyRefused(world: World, token: { txid: string; vout: number }): Promise<string> {
  const error = await traceToken(token, world.fetchTx, { maxOperations: 1 }).then(
    () => expect.fail('the history was accepted'),
    (thrown: TokenError) => thrown,
  );
  expect(error).toMatchObject({ name: 'TraceError', code: 'trace-invalid' });
  return error.message;
}

/** Adds a transaction without validating it, as another node would return it. */
function addUnchecked(world: World, built: BuiltTransaction): BuiltTransaction {
  world.txs.set(built.txid, built.tx);
  return built;
}

const withParent = (built: BuiltTransaction) => ({ utxo: first(built), previousTx: built.tx });

function merged(world: World, one: BuiltTransaction, other: BuiltTransaction): BuiltTransaction {
  const mergeTokens = [withParent(one), withParent(other)];
  return addUnchecked(world, merge({ ownerKey: alice, mergeTokens, destination: addressOf(alice), ...world.pay() }));
}

describe('traceToken refuses histories that contradict themselves', () => {
  it('a token spent in two transactions, whose tokens are merged', async () => {
    const world = new World();
    const token = first(world.issued());
    const move = () =>
      addUnchecked(
        world,
        transfer({ ownerKey: alice, tokenUtxo: token, destination: addressOf(alice), ...world.pay() }),
      );
    const doubled = merged(world, move(), move());
    expect(first(doubled).satoshis).toBe(20_000);
    expect(await whyRefused(world, first(doubled))).toMatch(
      new RegExp(`it spends ${token.txid}_0, which [0-9a-f]{64} spends too`),
    );
  });

  it('with two spends of one output five transactions back', async () => {
    const world = new World();
    const token = first(world.issued());
    const move = () =>
      addUnchecked(
        world,
        transfer({ ownerKey: alice, tokenUtxo: token, destination: addressOf(alice), ...world.pay() }),
      );
    let last = merged(world, move(), move());
    for (let hop = 0; hop < 5; hop++) {
      last = addUnchecked(
        world,
        transfer({ ownerKey: alice, tokenUtxo: first(last), destination: addressOf(alice), ...world.pay() }),
      );
    }
    expect(await whyRefused(world, first(last))).toContain('spends too');
  });

  it('a contract issued twice, whose tokens are merged', async () => {
    const world = new World();
    const contractUtxo = first(world.contract());
    const issueTo = (parts: number[]) =>
      addUnchecked(
        world,
        issue({
          issuerKey: issuer,
          issueInfo: parts.map((amount) => ({ address: addressOf(alice), satoshis: amount })),
          contractUtxo,
          isSplittable: true,
          symbol: 'CAFE',
          ...world.pay(),
        }),
      );
    const doubled = merged(world, issueTo([10_000]), issueTo([10_000]));
    expect(await whyRefused(world, first(doubled))).toContain(`it spends ${contractUtxo.txid}_0, which`);
  });

  it('one coin that paid for two transactions', async () => {
    const world = new World();
    const pay = world.pay();
    const moved = addUnchecked(
      world,
      transfer({ ownerKey: alice, tokenUtxo: first(world.issued()), destination: addressOf(alice), ...pay }),
    );
    const again = addUnchecked(
      world,
      transfer({ ownerKey: alice, tokenUtxo: first(moved), destination: addressOf(bob), ...pay }),
    );
    expect(await whyRefused(world, first(again))).toContain('spends too');
  });

  it('one token listed twice in a merge', async () => {
    const world = new World();
    const token = first(world.issued());
    const twice: Tx = {
      version: 1,
      inputs: [token, token].map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: 0xffffffff })),
      outputs: [out(tokenScript(alice, 2), 20_000)],
      lockTime: 0,
    };
    expect(await whyRefused(world, remember(world, twice))).toContain('it spends one output twice');
  });

  it('outputs that hold more than the inputs', async () => {
    const world = new World();
    const token = first(world.issued());
    const payment = world.coin(keys.payer, 5_000);
    // the token's script does not check the amount of change: the node does
    const change = { satoshis: satoshis(6_000), keyHash: hashOf(keys.payer) };
    const claim = {
      tokens: [{ satoshis: token.satoshis, owner: hashOf(bob) }],
      payment: outpoint(payment),
      change,
    };
    const { tx } = forge(
      [
        { utxo: token, key: alice, claim },
        { utxo: payment, key: keys.payer },
      ],
      [out(tokenScript(bob, 2), token.satoshis), out(payment.lockingScript, 6_000)],
    );
    expect(await whyRefused(world, remember(world, tx))).toContain('its outputs hold 16000 satoshis, its inputs 15000');
  });

  it('more money than exists, whose sum would be rounded', async () => {
    const world = new World();
    const outputs = Array.from({ length: 5 }, () => out(tokenScript(alice, 2), 21e14));
    const { txid } = remember(world, forge([{ utxo: first(world.contract()), key: issuer }], outputs).tx);
    expect(await whyRefused(world, { txid, vout: 0 })).toContain('it moves more money than exists');
  });

  it('a transaction that spends nothing, and a token that holds nothing', async () => {
    const world = new World();
    const outputs = [out(tokenScript(alice, 2), 500)];
    const none: Tx = { version: 1, inputs: [], outputs, lockTime: 0 };
    const coinbase: Tx = {
      ...none,
      inputs: [{ txid: '0'.repeat(64), vout: 0xffffffff, script: new Uint8Array(3), sequence: 0 }],
    };
    for (const tx of [none, coinbase]) {
      expect(await whyRefused(world, remember(world, tx))).toContain('it spends nothing');
    }
    const empty = { ...none, outputs: [out(tokenScript(alice, 2), 0)] };
    expect(await whyRefused(world, remember(world, empty))).toContain('holds nothing');
  });

  it('a token that was merged with a counterfeit, which the token’s script cannot detect', async () => {
    const world = new World();
    const real = world.issued();
    const coin = world.coin(keys.mallory, 500);
    const lookalike = forge([{ utxo: coin, key: keys.mallory }], [out(tokenScript(alice, 2), 500)]).tx;
    const utxo = remember(world, lookalike);
    world.unspent.set(`${utxo.txid}_0`, utxo);
    const mergeTokens = [withParent(real), { utxo, previousTx: lookalike }];
    // every script of it succeeds
    const mixed = world.accept(merge({ ownerKey: alice, mergeTokens, destination: addressOf(bob), ...world.pay() }));
    expect(await whyRefused(world, first(mixed))).toContain(
      'it spends neither a token of the kind nor exactly one contract',
    );
  });

  it('but accepts merges of split tokens, of two contracts, and of two outputs of one transaction', async () => {
    const world = new World();
    const divided = world.accept(
      split({
        ownerKey: alice,
        tokenUtxo: first(world.issued()),
        destinations: [
          { address: addressOf(alice), satoshis: 4_000 },
          { address: addressOf(alice), satoshis: 6_000 },
        ],
      }),
    );
    const mergeTokens = divided.outputs.slice(0, 2).map((utxo: Utxo) => ({ utxo, previousTx: divided.tx }));
    const whole = world.accept(merge({ ownerKey: alice, mergeTokens, destination: addressOf(alice), ...world.pay() }));
    const all = world.accept(
      merge({
        ownerKey: alice,
        mergeTokens: [withParent(whole), withParent(world.issued())],
        destination: addressOf(bob),
        ...world.pay(),
      }),
    );
    const trace = await traceToken(first(all), world.fetchTx);
    expect(trace.satoshis).toBe(20_000);
    expect(trace.origins.map(({ satoshis }) => satoshis)).toEqual([10_000, 10_000]);
    expect(new Set(trace.origins.map(({ txid }) => txid)).size).toBe(2);
    expect(trace.steps.map(({ txid }) => txid)).toHaveLength(new Set(trace.steps.map(({ txid }) => txid)).size);
    expect(trace.steps.at(-1)?.txid).toBe(txidOf(all.tx));
  });
});
