import { beforeAll, describe, expect, it } from 'vitest';
import { equalBytes, formatOutpoint, p2pkhScript, parseOutpoint } from '../../chain/index.ts';
import type { TokenHistory } from '../../contract/index.ts';
import { addressOf, hashOf, out, parentOf } from '../../token/test-support/forge.ts';
import { keys } from '../../token/test-support/keys.ts';
import { whyNotGenuine } from './genuine.ts';
import { historyOf } from './history.ts';
import { design, own, TokenLedger } from './test-support/token-ledger.ts';

const alice = addressOf(keys.alice);

const ledger = new TokenLedger();
let txids: string[] = [];
let first = '';
beforeAll(async () => {
  const [a = '', b = ''] = await ledger.issued([600, 400]);
  first = a;
  const to = [
    { address: alice, satoshis: 500 },
    { address: alice, satoshis: 100 },
  ];
  const split = await ledger.perform({ action: 'split', token: a, to });
  const [c, d] = [await ledger.moved(split.made[0] as string), await ledger.moved(b)];
  const merge = await ledger.perform({ action: 'merge', tokens: [c, d], to: alice });
  const moved = await ledger.perform({ action: 'transfer', token: merge.made[0] as string, to: alice });
  const part = await ledger.perform({
    action: 'redeemSplit',
    token: moved.made[0] as string,
    to: [{ address: alice, satoshis: 300 }],
  });
  const redeemed = await ledger.perform({ action: 'redeem', token: part.made[0] as string });
  const later = [merge, moved, part, redeemed].map(({ txid }) => txid);
  txids = [split.txid, c.slice(0, 64), d.slice(0, 64), ...later];
});

function read(outpoint: string, candidates: readonly string[] = txids): Promise<TokenHistory> {
  return historyOf(parseOutpoint(outpoint), {
    chain: ledger.chain,
    addresses: 'test',
    candidates,
    isOwn: (hash) => equalBytes(hash, hashOf(own.token)),
  });
}

it('the history of a token is verified also where its fees were paid with the change of large mints', async () => {
  const minting = new TokenLedger();
  let [token = ''] = await minting.issued([600]);
  for (let n = 0; n < 4; n++) {
    // the change of a mint of 17 MB, and the largest coin, which therefore pays
    const picture = out(new Uint8Array(17_000_000).fill(0x6a), 1);
    const { tx, utxo } = parentOf([out(p2pkhScript(hashOf(own.key)), 9_000_000 + n), picture], 0);
    minting.world.txs.set(utxo.txid, tx);
    minting.world.unspent.set(formatOutpoint(utxo), utxo);
    token = await minting.moved(token);
  }
  expect(await whyNotGenuine(parseOutpoint(token), minting.chain)).toBeUndefined();
});

it('the check of a token follows one that carries other data than the first of its issue', async () => {
  const other = new TokenLedger();
  const contract = (await other.perform({ action: 'contract', schema: design(1_000) })).made[0] as string;
  const to = [
    { address: alice, satoshis: 600, data: 'one' },
    { address: alice, satoshis: 400, data: 'two' },
  ];
  const token = (await other.perform({ action: 'issue', contract, splittable: true, to })).made[1] as string;
  const { txid } = await other.perform({ action: 'redeem', token });
  const context = { chain: other.chain, addresses: 'test' as const, candidates: [txid], isOwn: () => true };
  const { steps } = await historyOf(parseOutpoint(token), context);
  expect(steps.map(({ action }) => action)).toEqual(['contract', 'issue', 'redeem']);
  expect(steps[1]?.outputs.map(({ satoshis }) => satoshis)).toEqual([600, 400]);
  expect(steps.at(-1)?.inputs).toEqual([token]);
});

it('the history of a token shows a transfer as a transfer, even if redeemed money pays its fee', async () => {
  const other = new TokenLedger();
  const [token = ''] = await other.issued([600_000]);
  const to = [{ address: alice, satoshis: 100_000 }];
  const part = await other.perform({ action: 'redeemSplit', token, to });
  const left = part.made[0] as string;
  const { txid } = await other.perform({ action: 'transfer', token: left, to: alice });
  // the largest coin pays: the one that was redeemed
  expect(other.world.txs.get(txid)?.inputs[1]).toMatchObject({ txid: part.txid, vout: 0 });
  const context = { chain: other.chain, addresses: 'test' as const, candidates: [txid], isOwn: () => true };
  const { steps } = await historyOf(parseOutpoint(left), context);
  expect(steps.at(-1)).toMatchObject({ txid, action: 'transfer', inputs: [left] });
});

describe('the history of a token', () => {
  it('goes back to the contract and onward to the redemption', async () => {
    const { symbol, steps } = await read(first);
    expect(symbol).toBe('CAFE');
    expect(steps.map(({ action }) => action)).toEqual([
      'contract',
      'issue',
      'split',
      'transfer',
      'transfer',
      'merge',
      'transfer',
      'redeemSplit',
      'redeem',
    ]);
    expect(steps.map(({ txid }) => txid).slice(2)).toEqual(txids);
  });

  it('marks the steps before the token as verified, not those after it', async () => {
    const { steps } = await read(first);
    expect(steps.map(({ verified }) => verified)).toEqual([true, true, ...txids.map(() => false)]);
  });

  it('joins each step to those before it, and says which outputs are ours or redeemed', async () => {
    const { steps } = await read(first);
    const made = steps.flatMap(({ outputs }) => outputs.map(({ outpoint }) => outpoint));
    for (const { inputs } of steps.slice(1)) for (const outpoint of inputs) expect(made).toContain(outpoint);
    expect(steps.at(-2)?.outputs.map(({ satoshis, redeemed, own: ours }) => [satoshis, redeemed, ours])).toEqual([
      [600, true, false],
      [300, false, true],
    ]);
  });

  it('does not continue through transactions that are unknown here', async () => {
    expect((await read(first, [])).steps.map(({ action }) => action)).toEqual(['contract', 'issue']);
    expect((await read(first, ['ee'.repeat(32)])).steps).toHaveLength(2);
  });

  it('begins at the contract where that is asked for', async () => {
    const [contract] = (await read(first)).steps;
    const { steps } = await read(contract?.outputs[0]?.outpoint as string, []);
    expect(steps.map(({ action, verified }) => [action, verified])).toEqual([['contract', true]]);
  });

  it('refuses an output that is no token, and one that nobody knows', async () => {
    const coin = ledger.fund(5_000);
    await expect(read(`${coin.txid}_${coin.vout}`)).rejects.toMatchObject({ id: 'token.not-a-token' });
    await expect(read(`${'ee'.repeat(32)}_0`)).rejects.toMatchObject({ id: 'token.transaction-unknown' });
  });
});
