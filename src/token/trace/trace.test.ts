import { describe, expect, it } from 'vitest';
import { serializeTx, type Tx, toHex, type Utxo } from '../../chain/index.ts';
import { issue, publicKeyOf, split, TokenError, traceToken, transfer } from '../index.ts';
import { addressOf, forge, hashOf, out, parentOf, tokenScript } from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import { first, remember, schema, World } from '../test-support/world.ts';

const { alice, bob, issuer, mallory } = keys;

async function brokenAt(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TokenError);
  expect((error as TokenError).code).toBe('trace-invalid');
  return `${(error as TokenError).field} ${(error as TokenError).message}`;
}

describe('traceToken', () => {
  it('accepts transactions as bytes, hex or parsed', async () => {
    const world = new World();
    const moved = world.accept(
      transfer({ ownerKey: alice, tokenUtxo: first(world.issued()), destination: addressOf(bob), ...world.pay() }),
    );
    const forms = [(tx: Tx) => tx, (tx: Tx) => serializeTx(tx), (tx: Tx) => toHex(serializeTx(tx))];
    for (const form of forms) {
      const trace = await traceToken({ txid: moved.txid, vout: 0 }, async (txid) => {
        const tx = world.txs.get(txid);
        return tx && form(tx);
      });
      expect(trace.steps.map(({ action }) => action)).toEqual(['issue', 'transfer']);
      expect(trace.satoshis).toBe(10_000);
      expect(trace.token.owner).toEqual(hashOf(bob));
    }
  });

  it('distinguishes a counterfeit from an issued token', async () => {
    const world = new World();
    const { tx, utxo } = parentOf([out(tokenScript(mallory, 2), 500)], 0);
    world.txs.set(utxo.txid, tx);
    const source = tx.inputs[0] as Tx['inputs'][number];
    expect(await brokenAt(traceToken(utxo, world.fetchTx))).toContain(`${source.txid} The history breaks`);
  });

  it('refuses a counterfeit that was transferred', async () => {
    const world = new World();
    const coin = world.coin(mallory, 500);
    const tx = forge([{ utxo: coin, key: mallory }], [out(tokenScript(mallory, 2), 500)]).tx;
    const { txid } = remember(world, tx);
    const lookalike: Utxo = {
      txid,
      vout: 0,
      satoshis: 500 as Utxo['satoshis'],
      lockingScript: tokenScript(mallory, 2),
    };
    world.unspent.set(`${txid}_0`, lookalike);
    const moved = world.accept(transfer({ ownerKey: mallory, tokenUtxo: lookalike, destination: addressOf(bob) }));
    expect(await brokenAt(traceToken(first(moved), world.fetchTx))).toContain(
      `${txid} The history breaks at transaction ${txid}: it spends neither a token of the kind nor exactly one contract`,
    );
  });

  it('refuses an issue that creates more or less than the contract holds, or a different token', async () => {
    const world = new World();
    const contract = first(world.contract());
    const attempts: [string, Tx['outputs']][] = [
      ['it makes tokens of 9000 satoshis out of a contract of 10000', [out(tokenScript(alice, 2), 9_000)]],
      ['it makes tokens of 20000 satoshis', [out(tokenScript(alice, 2), 10_000), out(tokenScript(bob, 2), 10_000)]],
      ['it makes tokens of 10001 satoshis', [out(tokenScript(alice, 2), 10_000), out(tokenScript(bob, 1), 1)]],
      ['the contract is about another symbol', [out(tokenScript(alice, 2, { symbol: 'TEA' }), 10_000)]],
      ['the contract is another issuer’s', [out(tokenScript(alice, 2, { redemption: hashOf(bob) }), 10_000)]],
    ];
    for (const [why, outputs] of attempts) {
      // with enough money of others next to the contract, so that the sums alone do not reveal it
      const money = { utxo: world.coin(mallory, 20_000), key: mallory };
      const { txid } = remember(world, forge([{ utxo: contract, key: issuer }, money], outputs).tx);
      expect(await brokenAt(traceToken({ txid, vout: 0 }, world.fetchTx))).toContain(why);
    }
    const other = first(world.contract());
    const twice = forge(
      [contract, other].map((utxo) => ({ utxo, key: issuer })),
      [out(tokenScript(alice, 2), 20_000)],
    ).tx;
    const { txid } = remember(world, twice);
    expect(await brokenAt(traceToken({ txid, vout: 0 }, world.fetchTx))).toContain('exactly one contract');
  });

  it('refuses an issue that the issuer did not sign', async () => {
    const world = new World();
    const contract = first(world.contract());
    const outputs = [out(tokenScript(alice, 2), 10_000)];
    const byMallory = forge([{ utxo: contract, key: mallory }], outputs).tx;
    expect(await brokenAt(traceToken(remember(world, byMallory), world.fetchTx))).toContain(
      'the contract’s issuer did not sign it',
    );
    // the issuer's key with a signature of a different transaction
    const signed = forge([{ utxo: contract, key: issuer }], [out(tokenScript(bob, 2), 10_000)]).tx;
    const moved = { ...signed, outputs };
    expect(await brokenAt(traceToken(remember(world, moved), world.fetchTx))).toContain(
      'the scripts of its input 0 refuse it',
    );
  });

  it('returns the issuer’s public key, which is needed to redeem', async () => {
    const world = new World();
    const issued = world.issued();
    const { origins } = await traceToken(first(issued), world.fetchTx);
    expect(origins.map(({ issuerKey }) => issuerKey)).toEqual([publicKeyOf(issuer)]);
  });

  it('refuses outputs that are not tokens, and missing or wrong transactions', async () => {
    const world = new World();
    const issued = world.issued();
    expect(await brokenAt(traceToken({ txid: issued.txid, vout: 1 }, world.fetchTx))).toContain(
      'its output 1 is no token',
    );
    expect(await brokenAt(traceToken({ txid: issued.txid, vout: 9 }, world.fetchTx))).toContain('it has no output 9');
    expect(await brokenAt(traceToken(first(issued), async () => undefined))).toContain('it is not known');
    expect(await brokenAt(traceToken(first(issued), async () => 'zz'))).toContain('no transaction');
    const other = world.contract();
    expect(await brokenAt(traceToken(first(issued), async () => other.hex))).toContain(`is ${other.txid}`);
  });

  it('traces long histories up to the limit, each transaction once', async () => {
    const world = new World();
    let last = world.issued();
    for (let i = 0; i < 6; i++) {
      last = world.accept(transfer({ ownerKey: alice, tokenUtxo: first(last), destination: addressOf(alice) }));
    }
    const asked: string[] = [];
    const fetchTx = async (txid: string) => {
      asked.push(txid);
      return world.txs.get(txid);
    };
    expect((await traceToken(first(last), fetchTx)).steps).toHaveLength(7);
    expect(new Set(asked).size).toBe(asked.length);
    await expect(traceToken(first(last), fetchTx, { maxTransactions: 6 })).rejects.toMatchObject({
      code: 'trace-limit',
      field: 'maxTransactions',
      numbers: { used: 7, most: 6 },
    });
  });

  it('distinguishes tokens with different data from one issue', async () => {
    const world = new World();
    const issued = world.accept(
      issue({
        issuerKey: issuer,
        issueInfo: [
          { address: addressOf(alice), satoshis: 4_000, data: 'one' },
          { address: addressOf(alice), satoshis: 6_000, data: 'two' },
        ],
        contractUtxo: first(world.contract()),
        isSplittable: true,
        symbol: 'CAFE',
      }),
    );
    const divided = world.accept(
      split({
        ownerKey: alice,
        tokenUtxo: issued.outputs[1] as Utxo,
        destinations: [
          { address: addressOf(alice), satoshis: 1 },
          { address: addressOf(bob), satoshis: 5_999 },
        ],
      }),
    );
    const trace = await traceToken({ txid: divided.txid, vout: 1 }, world.fetchTx);
    expect(trace.steps.map(({ outputs }) => outputs.map(({ satoshis }) => satoshis))).toEqual([[6_000], [1, 5_999]]);
    expect(new TextDecoder().decode(trace.token.data)).toBe('two');
    expect(trace.origins[0]?.schema).toEqual(schema);
  });
});
