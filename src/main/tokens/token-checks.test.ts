import { pino } from 'pino';
import { expect, it } from 'vitest';
import { formatOutpoint, type Outpoint, parseOutpoint } from '../../chain/index.ts';
import { forge, out, tokenScript } from '../../token/test-support/forge.ts';
import { keys } from '../../token/test-support/keys.ts';
import { remember } from '../../token/test-support/world.ts';
import { createNodeChainData } from '../chain-data/node/node-chain-data.ts';
import { StillClock } from '../test-support/still-clock.ts';
import { ChainReader } from './chain-reader.ts';
import { holdingsOf } from './overview.ts';
import { own, TokenLedger } from './test-support/token-ledger.ts';
import { type TokenCheck, TokenChecks } from './token-checks.ts';

const logger = pino({ level: 'silent' });

function checkHarness() {
  const ledger = new TokenLedger();
  const clock = new StillClock(1_700_000_000_000);
  const asked = { calls: 0, atOnce: 0, most: 0 };
  const chain = new ChainReader(
    createNodeChainData({
      call: async (...call) => {
        asked.calls += 1;
        asked.most = Math.max(asked.most, ++asked.atOnce);
        await Promise.resolve();
        asked.atOnce -= 1;
        return ledger.node.call(...call);
      },
    }),
  );
  const checks = new TokenChecks({ chain, clock, logger });
  const checked = async (token: Outpoint): Promise<TokenCheck> => {
    await expect.poll(() => checks.of(token).history).not.toBe('checking');
    return checks.of(token);
  };
  return { ledger, clock, asked, checks, checked };
}

/** A token that nobody issued, of the same issuer, symbol and rules as the genuine ones. */
function lookalike(ledger: TokenLedger, satoshis: number): Outpoint {
  const coin = ledger.world.coin(keys.mallory, satoshis + 1_000);
  const { tx } = forge([{ utxo: coin, key: keys.mallory }], [out(tokenScript(own.token, 2), satoshis)]);
  const utxo = remember(ledger.world, tx);
  ledger.world.unspent.set(formatOutpoint(utxo), utxo);
  return utxo;
}

it('a lookalike is told from the genuine tokens that it is listed with, and counts for nothing', async () => {
  const { ledger, asked, checks, checked } = checkHarness();
  const made = await ledger.issued([300, 200]);
  const fake = lookalike(ledger, 900);
  const list = () => holdingsOf([ledger.wallet], 'test', (token) => checks.of(token)).holdings;
  expect(list().flatMap(({ tokens }) => tokens.map(({ history }) => history))).toEqual(Array(3).fill('checking'));
  for (const token of [...made.map(parseOutpoint), fake]) await checked(token);
  const [holding, ...others] = list();
  expect(others).toEqual([]);
  expect(holding).toMatchObject({ satoshis: 500, satsPerToken: 1 });
  expect(holding?.tokens.map(({ outpoint, history }) => [outpoint, history])).toEqual([
    [formatOutpoint(fake), 'notGenuine'],
    [made[0], 'genuine'],
    [made[1], 'genuine'],
  ]);
  // the results are stored, so nothing is traced again
  const { calls } = asked;
  list();
  await checks.stop();
  expect(asked.calls).toBe(calls);
});

it('the checks of tokens trace one after the other', async () => {
  const { ledger, asked, checks, checked } = checkHarness();
  const made = (await ledger.issued([300, 200, 100])).map(parseOutpoint);
  for (const token of made) expect(checks.of(token).history).toBe('checking');
  for (const token of made) expect(await checked(token)).toMatchObject({ history: 'genuine' });
  expect(asked.most).toBe(1);
});

it('the checks of tokens leave one unchecked whose history the node does not have, and try it again later', async () => {
  const { ledger, clock, checks, checked } = checkHarness();
  const [token] = (await ledger.issued([500])).map(parseOutpoint) as [Outpoint];
  const tx = ledger.world.txs.get(token.txid);
  const parent = tx?.inputs[0]?.txid as string;
  const contract = ledger.world.txs.get(parent);
  ledger.world.txs.delete(parent);
  expect(await checked(token)).toEqual({ history: 'unchecked', satsPerToken: null });
  if (contract !== undefined) ledger.world.txs.set(parent, contract);
  expect(checks.of(token).history).toBe('unchecked');
  clock.advance(60_000);
  await expect.poll(() => checks.of(token)).toEqual({ history: 'genuine', satsPerToken: 1 });
});

it('only a token that could not be checked is checked again after the clock was set back', async () => {
  const { ledger, clock, asked, checks, checked } = checkHarness();
  const [genuine] = (await ledger.issued([300])).map(parseOutpoint) as [Outpoint];
  await checked(genuine);
  const unknown = lookalike(ledger, 900);
  ledger.world.txs.delete(unknown.txid);
  expect(await checked(unknown)).toMatchObject({ history: 'unchecked' });
  clock.advance(-3_600_000);
  const { calls } = asked;
  expect(checks.of(genuine).history).toBe('genuine');
  expect(asked.calls).toBe(calls);
  checks.of(unknown);
  await expect.poll(() => asked.calls).toBeGreaterThan(calls);
});

it('nothing is checked once the checks of tokens are stopped', async () => {
  const { ledger, asked, checks } = checkHarness();
  const [token] = (await ledger.issued([500], keys.alice)).map(parseOutpoint) as [Outpoint];
  await checks.stop();
  expect(checks.of(token).history).toBe('unchecked');
  expect(asked.calls).toBe(0);
});

it('a token is checked even if it is requested in any microtask around the end of another check', async () => {
  const { ledger, asked, checks, clock } = checkHarness();
  const [first, second] = (await ledger.issued([300, 200])).map(parseOutpoint) as [Outpoint, Outpoint];
  // Each check ends at its first call, and is due again a minute later.
  ledger.world.txs.clear();
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const lost: number[] = [];
  for (let offset = 0; offset < 60; offset += 1) {
    clock.advance(61_000);
    const before = asked.calls;
    checks.of(first);
    for (let step = 0; step < offset; step += 1) await undefined;
    checks.of(second);
    for (let turn = 0; turn < 5; turn += 1) await settled();
    if (asked.calls - before !== 2) lost.push(offset);
  }
  expect(lost).toEqual([]);
});
