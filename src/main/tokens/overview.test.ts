import { describe, expect, it } from 'vitest';
import { formatOutpoint, toHex } from '../../chain/index.ts';
import { tokenOverviewSchema } from '../../contract/index.ts';
import { contractScript } from '../../token/schema/schema.ts';
import { addressOf, hashOf, out, parentOf } from '../../token/test-support/forge.ts';
import { keys } from '../../token/test-support/keys.ts';
import { holdingsOf } from './overview.ts';
import { design, OWNER, own, TokenLedger } from './test-support/token-ledger.ts';

const unchecked = () => ({ history: 'unchecked', satsPerToken: null }) as const;

describe('the tokens of the wallet', () => {
  it('are joined by kind, the largest first, with their sum', async () => {
    const ledger = new TokenLedger();
    const made = await ledger.issued([100, 700, 200]);
    ledger.heights.set((made[0] as string).slice(0, 64), 7);
    ledger.held.set(made[2] as string, OWNER);
    const { holdings, contracts } = holdingsOf([ledger.wallet], 'test', unchecked);
    expect(contracts).toEqual([]);
    expect(holdings).toHaveLength(1);
    expect(holdings[0]).toMatchObject({ symbol: 'CAFE', satoshis: 1_000, ownIssue: true, splittable: true });
    expect(holdings[0]?.tokens.map(({ satoshis, confirmed, inUse }) => [satoshis, confirmed, inUse])).toEqual([
      [700, true, false],
      [200, true, true],
      [100, true, false],
    ]);
    expect(holdings[0]?.tokens.every(({ address }) => address === addressOf(own.token))).toBe(true);
  });

  it('are kept apart where they follow other rules', async () => {
    const ledger = new TokenLedger();
    await ledger.issued([500]);
    const { made } = await ledger.perform({ action: 'contract', schema: design(300) });
    const to = [{ address: addressOf(keys.alice), satoshis: 300 }];
    await ledger.perform({ action: 'issue', contract: made[0] as string, splittable: false, to });
    const { holdings } = holdingsOf([ledger.wallet], 'test', unchecked);
    expect(holdings.map(({ satoshis, splittable, mergeable }) => [satoshis, splittable, mergeable])).toEqual([
      [500, true, true],
      [300, false, false],
    ]);
  });

  it('list a contract of the wallet that is not issued yet', async () => {
    const ledger = new TokenLedger();
    ledger.fund(50_000);
    const { made } = await ledger.perform({ action: 'contract', schema: design(300) });
    const { contracts, holdings, issuer } = holdingsOf([ledger.wallet], 'test', unchecked);
    expect(contracts).toMatchObject([{ outpoint: made[0], satoshis: 300, confirmed: false, inUse: false }]);
    expect(contracts[0]?.schema).toMatchObject(design(300));
    expect(holdings).toEqual([]);
    expect(issuer?.address).toBe(addressOf(own.key));
  });

  it('are listed also where somebody else paid the wallet a contract that no answer can hold, which has no schema', async () => {
    const ledger = new TokenLedger();
    const made = await ledger.issued([500]);
    const issuer = hashOf(own.key);
    let deep: unknown = 1;
    for (let depth = 0; depth < 100; depth++) deep = [deep];
    for (const numbers of [{ satsPerToken: 1_000_000_001 }, { totalSupply: 2_100_000_000_000_001 }, { deep }]) {
      const spam = contractScript(issuer, { ...design(1), tokenId: toHex(issuer), ...numbers });
      const { tx, utxo } = parentOf([out(spam, 2)], 0);
      ledger.world.txs.set(utxo.txid, tx);
      ledger.world.unspent.set(formatOutpoint(utxo), utxo);
    }
    const shown = holdingsOf([ledger.wallet], 'test', unchecked);
    expect(tokenOverviewSchema.safeParse({ ...shown, jobs: [] }).error).toBeUndefined();
    const unread = { satoshis: 2, schema: null, inUse: false };
    expect(shown.contracts).toEqual(Array.from({ length: 3 }, () => expect.objectContaining(unread)));
    expect(shown.holdings.flatMap(({ tokens }) => tokens.map(({ outpoint }) => outpoint))).toEqual(made);
  });

  it('are not shown while the wallet is locked', async () => {
    const ledger = new TokenLedger();
    await ledger.issued([500]);
    ledger.state = 'locked';
    expect(holdingsOf([ledger.wallet], 'test', unchecked)).toEqual({
      address: null,
      issuer: null,
      contracts: [],
      holdings: [],
    });
  });
});
