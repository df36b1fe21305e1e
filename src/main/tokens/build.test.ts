import { beforeEach, describe, expect, it } from 'vitest';
import { formatOutpoint, parseTx } from '../../chain/index.ts';
import type { TokenRequest } from '../../contract/index.ts';
import { UtxoError } from '../../token/errors.ts';
import { decodeContract, decodeToken } from '../../token/index.ts';
import { addressOf } from '../../token/test-support/forge.ts';
import { keys } from '../../token/test-support/keys.ts';
import { asPlanchetError, spentByRequest } from './build.ts';
import { design, isToken, OWNER, own, TokenLedger } from './test-support/token-ledger.ts';

const alice = addressOf(keys.alice);
const bob = addressOf(keys.bob);
const carol = addressOf(keys.carol);

let ledger: TokenLedger;
beforeEach(() => {
  ledger = new TokenLedger();
});

/** Builds, signs with the wallet's keys and runs every script. @returns the amounts of the tokens that it made, and the redeemed one */
async function amountsOf(request: TokenRequest): Promise<number[]> {
  ledger.fund(100_000);
  const draft = await ledger.draft(request);
  const { outputs } = ledger.accept(draft);
  return outputs.slice(0, -1).map(({ satoshis }) => satoshis);
}

describe('a draft of a token transaction', () => {
  it('of a contract holds the supply and carries the key of the wallet', async () => {
    ledger.fund(50_000);
    const draft = await ledger.draft({ action: 'contract', schema: design(1_000) });
    const { outputs } = ledger.accept(draft);
    const contract = decodeContract(outputs[0]?.lockingScript as Uint8Array);
    expect(outputs[0]?.satoshis).toBe(1_000);
    expect(contract?.schema).toMatchObject(design(1_000));
    expect(draft.symbol).toBe('CAFE');
  });

  it('of an issue pays each receiver with the rules and data that were asked for', async () => {
    ledger.fund(50_000);
    const { made } = await ledger.perform({ action: 'contract', schema: design(1_000) });
    ledger.fund(50_000);
    const to = [
      { address: alice, satoshis: 600, data: 'first' },
      { address: bob, satoshis: 400 },
    ];
    const draft = await ledger.draft({ action: 'issue', contract: made[0] as string, splittable: false, to });
    const tokens = ledger.accept(draft).outputs.flatMap(({ lockingScript }) => decodeToken(lockingScript) ?? []);
    expect(tokens.map(({ splittable }) => splittable)).toEqual([false, false]);
    expect(new TextDecoder().decode(tokens[0]?.data)).toBe('first');
    expect(tokens[1]?.data?.length ?? 0).toBe(0);
  });

  it.each<[string, (made: string[]) => TokenRequest, number[]]>([
    ['a transfer', ([token = '']) => ({ action: 'transfer', token, to: bob }), [600]],
    [
      'a split',
      ([token = '']) => ({
        action: 'split',
        token,
        to: [
          { address: bob, satoshis: 350 },
          { address: carol, satoshis: 250 },
        ],
      }),
      [350, 250],
    ],
    ['a merge', (tokens) => ({ action: 'merge', tokens, to: bob }), [1_000]],
    [
      'a merge that splits',
      (tokens) => ({
        action: 'mergeSplit',
        tokens,
        to: [
          { address: bob, satoshis: 999 },
          { address: alice, satoshis: 1 },
        ],
      }),
      [999, 1],
    ],
    ['a redemption', ([token = '']) => ({ action: 'redeem', token }), [600]],
    [
      'a redemption of a part',
      ([token = '']) => ({ action: 'redeemSplit', token, to: [{ address: alice, satoshis: 200 }] }),
      [400, 200],
    ],
  ])('of %s passes the scripts of the token and makes or loses none', async (_what, request, amounts) => {
    const made: string[] = [];
    for (const token of await ledger.issued([600, 400])) made.push(await ledger.moved(token));
    expect(await amountsOf(request(made))).toEqual(amounts);
  });

  it('takes one coin of the wallet for the fee, which the change pays', async () => {
    const [token = ''] = await ledger.issued([600]);
    const coin = ledger.fund(90_000);
    const { unsigned, spent } = await ledger.draft({ action: 'transfer', token, to: bob });
    expect(spent.filter(({ lockingScript }) => !isToken(lockingScript))).toHaveLength(1);
    const change = parseTx(Buffer.from(unsigned.hex, 'hex')).outputs.at(-1);
    expect(change?.satoshis).toBe((spent[1]?.satoshis ?? 0) - unsigned.fee);
    expect(coin.satoshis).toBeGreaterThan(unsigned.fee);
  });

  it('spends a token at a further address of the wallet with the key of that address', async () => {
    const [token = ''] = await ledger.issued([600], own.further);
    ledger.fund(50_000);
    const draft = await ledger.draft({ action: 'transfer', token, to: bob });
    expect(draft.unsigned.signingInfo[0]?.publicKey).toBe(own.further.toPublicKey().toString());
    expect(ledger.accept(draft).outputs[0]?.satoshis).toBe(600);
  });

  it('of a token that the wallet did not issue finds its issuer in the history', async () => {
    const world = ledger.world;
    const foreign = world.issued({ supply: 500 }).outputs[0];
    ledger.fund(50_000);
    const token = `${foreign?.txid}_${foreign?.vout}`;
    ledger.accept(await ledger.draft({ action: 'redeem', token }));
    expect(world.tokenSupply()).toBe(0);
  });
});

describe('a request that cannot be built', () => {
  it.each([1, 2])(
    'is refused for a supply that is all money that exists, times %i, with the name of the field',
    async (satsPerToken) => {
      const schema = { ...design(2_100_000_000_000_000), satsPerToken };
      await expect(ledger.draft({ action: 'contract', schema })).rejects.toMatchObject({
        id: 'token.supply-too-large',
        detail: { field: 'schema.totalSupply' },
      });
    },
  );

  it('is refused without a large enough coin, with the amount that it must hold', async () => {
    const [token = ''] = await ledger.issued([600]);
    for (const [id, utxo] of ledger.world.unspent) if (!isToken(utxo.lockingScript)) ledger.world.unspent.delete(id);
    // Enough together, but the script of a token allows one payment.
    for (let n = 0; n < 20; n++) ledger.fund(40);
    await expect(ledger.draft({ action: 'transfer', token, to: bob })).rejects.toMatchObject({
      id: 'token.no-single-coin',
      values: { address: addressOf(own.key) },
    });
  });

  it('is refused for a merge of a token from too large a transaction, with the place of that token', () => {
    const field = 'mergeTokens[1].previousTx';
    const numbers = { inputs: 40, outputs: 2 };
    const refusal = asPlanchetError(new UtxoError('merge-invalid', field, `${field} has 40 inputs.`, numbers));
    expect(refusal).toMatchObject({ id: 'token.merge-parent', values: { n: 2 }, detail: numbers });
    expect(JSON.stringify(refusal.toFailure())).not.toContain('previousTx');
  });

  it('is refused for an ordinary coin in place of a token', async () => {
    const coin = formatOutpoint(ledger.fund(50_000));
    ledger.fund(50_000);
    const refusal = { id: 'token.not-a-token', values: { outpoint: coin } };
    await expect(ledger.draft({ action: 'transfer', token: coin, to: bob })).rejects.toMatchObject(refusal);
    const to = [{ address: bob, satoshis: 50_000 }];
    await expect(ledger.draft({ action: 'issue', contract: coin, splittable: true, to })).rejects.toMatchObject(
      refusal,
    );
  });

  it('is refused with the reason of the library', async () => {
    const [token = ''] = await ledger.issued([600]);
    ledger.fund(50_000);
    const to = [{ address: bob, satoshis: 601 }];
    await expect(ledger.draft({ action: 'split', token, to })).rejects.toMatchObject({ id: 'token.request-invalid' });
  });
});

describe('what a request spends', () => {
  it('is held for the job before anything is built', async () => {
    const [token = ''] = await ledger.issued([600]);
    await expect(ledger.draft({ action: 'transfer', token, to: 'nonsense' })).rejects.toMatchObject({
      id: 'token.destination-invalid',
    });
    expect(ledger.held.get(token)).toBe(OWNER);
  });

  it('is the contract, the token, or both tokens', () => {
    const a = `${'aa'.repeat(32)}_0`;
    const b = `${'bb'.repeat(32)}_3`;
    const outpoint = { txid: 'bb'.repeat(32), vout: 3 };
    expect(spentByRequest({ action: 'contract', schema: design(1) })).toEqual([]);
    expect(spentByRequest({ action: 'issue', contract: b, splittable: true, to: [] })).toEqual([outpoint]);
    expect(spentByRequest({ action: 'redeem', token: b })).toEqual([outpoint]);
    expect(spentByRequest({ action: 'merge', tokens: [a, b], to: bob })).toHaveLength(2);
  });
});
