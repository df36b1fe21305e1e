import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { fromHex, parseBlock, parseInscription, type Tx, txidOf } from '../../chain/index.ts';
import { crashPoints } from '../studio/minting/steps/step-context.ts';
import { issueRequest } from '../test-support/crash/issue.ts';
import {
  closeTestHost,
  FIRST_MONEY,
  filledDataDir,
  openTestHost,
  type TestClient,
  type TestHost,
  until,
} from '../test-support/hosts/open-host.ts';
import { tokenCrashPoints } from '../tokens/redeemable-tokens.ts';

const scriptOf = (name: string) => fileURLToPath(new URL(`../test-support/crash/${name}.ts`, import.meta.url));
/** In `npm test` the one where another party may know more than the journal; all of them in `npm run test:long`. */
const slice = ['submit-sent'];
const points = process.env.PLANCHET_LONG ? crashPoints : crashPoints.filter((point) => slice.includes(point));

const tokenSlice = ['token-sent'];
const tokenPoints = process.env.PLANCHET_LONG
  ? tokenCrashPoints
  : tokenCrashPoints.filter((point) => tokenSlice.includes(point));

let dataDir: string;
let opened: TestHost | undefined;
afterEach(async () => {
  if (opened) await closeTestHost(opened);
  opened = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

function runUntilKilled(name: string, point: string): Promise<string | null> {
  const child = spawn(process.execPath, [scriptOf(name), dataDir, point], { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`)));
}

async function allTransactions(client: TestClient): Promise<Tx[]> {
  const height = (await client.node.call({ method: 'getblockcount', params: [] })).result as number;
  const found: Tx[] = [];
  for (let at = 1; at <= height; at += 1) {
    const block = await client.node.call({ method: 'getblockbyheight', params: [at, 0] });
    found.push(...parseBlock(fromHex(block.result as string)).transactions);
  }
  return found;
}

describe('a mint whose process is killed', () => {
  it.each(points)('at "%s" ends after a restart as one token, paid once', async (point) => {
    dataDir = await filledDataDir();
    expect(await runUntilKilled('mint-and-die', point)).toBe('SIGKILL');

    opened = await openTestHost({ dataDir, scope: 'core' });
    const { client } = opened;
    const job = await until(async () => {
      const [listed] = (await client.mint.list({})).jobs;
      if (!listed) return undefined;
      const found = await client.mint.get({ id: listed.id });
      if (found.failure && !found.active) throw new Error(`${found.failure.code}: ${found.failure.message}`);
      if (found.awaitingApproval && found.review)
        await client.mint.approve({ id: found.id, digest: found.review.digest });
      return found.state === 'proven' ? found : undefined;
    });

    const content = `killed at ${point}`;
    const tokens = (await allTransactions(client)).filter((tx) =>
      tx.outputs.some(({ script }) => new TextDecoder().decode(parseInscription(script)?.content) === content),
    );
    expect(tokens.map((tx) => txidOf(tx))).toEqual([job.txid]);
    const { balance } = await client.wallet.status();
    expect(balance.spendable + balance.reserved).toBe(FIRST_MONEY - (job.fee ?? 0) - 1);
    expect(balance).toMatchObject({ reserved: 0, tokens: 1 });
  });
});

describe('an issue of tokens whose process is killed', () => {
  const title = 'at "%s" ends after a restart as one transaction, paid once';
  it.each(tokenPoints)(title, async (point) => {
    dataDir = await filledDataDir();
    expect(await runUntilKilled('issue-and-die', point)).toBe('SIGKILL');

    opened = await openTestHost({ dataDir, scope: 'core' });
    const { client } = opened;
    const idempotencyKey = `issue-${point}`;
    const before = (await client.redeemableTokens.overview()).jobs.find(({ request }) => request.action === 'issue');
    // nothing was shown to anybody before the review was journalled, so the issue is asked for again
    expect(before === undefined).toBe(point === 'token-built');
    const request = before?.request ?? (await until(() => issueRequest(client)));
    const job = await client.redeemableTokens.prepare({ request, idempotencyKey });
    expect(job.id).toBe(before?.id ?? job.id);
    if (job.awaitingApproval) await client.redeemableTokens.approve({ id: job.id, digest: job.review.digest });
    const mined = await until(async () => {
      const now = await client.redeemableTokens.get({ id: job.id });
      if (now.failure && !now.active) throw new Error(`${now.failure.code}: ${now.failure.message}`);
      return now.state === 'mined' ? now : undefined;
    });

    const [contract, issue] = [...(await client.redeemableTokens.overview()).jobs].reverse();
    expect([contract, issue].map((one) => one?.request.action)).toEqual(['contract', 'issue']);
    const spends = (await allTransactions(client)).filter((tx) =>
      tx.inputs.some(({ txid }) => txid === contract?.txid),
    );
    expect(spends.map((tx) => txidOf(tx))).toEqual([mined.txid]);
    const { holdings, contracts } = await until(async () => {
      const overview = await client.redeemableTokens.overview();
      const tokens = overview.holdings.flatMap((holding) => holding.tokens);
      return tokens.length === 2 && tokens.every(({ confirmed, inUse }) => confirmed && !inUse) && overview;
    });
    expect(contracts).toEqual([]);
    expect(holdings).toMatchObject([{ symbol: 'CAFE', satoshis: 1_000 }]);
    const paid = (contract?.review.fee ?? 0) + mined.review.fee;
    const { balance } = await client.wallet.status();
    expect(balance.spendable).toBe(FIRST_MONEY - 1_000 - paid);
    expect(balance.reserved).toBe(0);
  });
});
