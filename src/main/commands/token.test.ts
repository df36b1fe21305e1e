import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TokenHistory, TokenOverview } from '../../contract/index.ts';
import { until, walletFilled } from '../test-support/hosts/open-host.ts';
import { startHere } from '../test-support/hosts/start-here.ts';
import { failureOf } from './shared/run.ts';
import { withClient } from './shared/with-client.ts';
import { runCommand } from './test-support/run-command.ts';
import { addTokenCommands } from './token.ts';

interface Sent {
  readonly action: string;
  readonly txid: string;
  readonly outputs: readonly { outpoint: string; kind: string; satoshis: number }[];
}

let folder: string;
let dataDir: string;
let host: Awaited<ReturnType<typeof startHere>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-token-cli-'));
  dataDir = join(folder, 'data');
  host = await startHere({ dataDir, set: { 'sandbox.mineOnArrival': '100ms' } });
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What a command of tokens gives with `--json`. */
async function token<T>(...args: string[]): Promise<T> {
  return (await runCommand<T>(dataDir, addTokenCommands, ['token', ...args])).value;
}

/** Sends one transaction and waits for its block and for the wallet to know of it. @returns its tokens, or its contract */
async function send(...args: string[]): Promise<string[]> {
  const { action, outputs } = await token<Sent>(...args, '--wait', 'mined');
  expect(action.toLowerCase()).toBe((args[0] as string).replace('-', ''));
  const made = outputs.filter(({ kind }) => kind === 'token' || kind === 'contract').map(({ outpoint }) => outpoint);
  await until(async () => {
    const { holdings, contracts } = await token<TokenOverview>('list');
    const known = [...holdings.flatMap(({ tokens }) => tokens), ...contracts].map(({ outpoint }) => outpoint);
    return made.every((outpoint) => known.includes(outpoint));
  });
  return made;
}

function schemaFile(schema: unknown): string {
  const path = join(folder, 'schema.json');
  writeFileSync(path, JSON.stringify(schema));
  return path;
}

describe('planchet token', () => {
  it('takes a token from contract to redemption, one command for each function', async () => {
    const schema = schemaFile({ symbol: 'CAFE', satsPerToken: 10, totalSupply: 100 });
    await withClient({ dataDir, set: {}, json: true, safeMode: false }, walletFilled);
    const [contract] = (await send('contract', '--schema', schema)) as [string];
    const [issued] = (await send('issue', contract, 'self=1000')) as [string];
    const [moved] = (await send('transfer', issued, 'self')) as [string];
    const [smaller, larger] = (await send('split', moved, 'self=300', 'self=700')) as [string, string];
    // both come from a transaction with three outputs, so each moves before they can be merged
    const [first] = (await send('transfer', smaller, 'self')) as [string];
    const [second] = (await send('transfer', larger, 'self')) as [string];
    const shares = (await send('merge-split', first, second, 'self=999', 'self=1')) as [string, string];
    const again: string[] = [];
    for (const share of shares) again.push(...(await send('transfer', share, 'self')));
    const [merged] = (await send('merge', again[0] as string, again[1] as string)) as [string];
    const [remaining] = (await send('redeem-split', merged, 'self=400')) as [string];
    await send('redeem', remaining);

    const { steps } = await token<TokenHistory>('history', remaining);
    const redeemed = steps.flatMap(({ outputs }) => outputs).filter((output) => output.redeemed);
    expect(redeemed.map(({ satoshis }) => satoshis)).toEqual([600, 400]);
    expect((await token<TokenOverview>('list')).holdings).toEqual([]);
  });

  it('says that a token is unknown, and what is wrong with the schema of a new one', async () => {
    const nowhere = `${'ab'.repeat(32)}_0`;
    await expect(token('redeem', nowhere).catch(failureOf)).resolves.toMatchObject({ code: 'not-found' });
    const bad = schemaFile({ symbol: 'not a symbol', satsPerToken: 1, totalSupply: 1 });
    await expect(token('contract', '--schema', bad).catch(failureOf)).resolves.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('symbol'),
    });
    const missing = join(folder, 'nowhere.json');
    await expect(token('contract', '--schema', missing).catch(failureOf)).resolves.toMatchObject({
      code: 'file-not-found',
    });
  });
});
