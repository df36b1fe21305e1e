import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { fromHex, parseBlock, parseInscription, type Tx, txidOf } from '../chain/index.ts';
import { crashPoints } from './studio/steps.ts';
import {
  closeTestHost,
  newDataDir,
  openTestHost,
  type TestClient,
  type TestHost,
  until,
} from './test-support/open-host.ts';

const script = fileURLToPath(new URL('./test-support/mint-and-die.ts', import.meta.url));
/** In `npm test` one point of each kind; all of them in `npm run test:long`. */
const slice = ['upload-sent', 'build-sent', 'reviewed', 'signed', 'submit-sent', 'seen', 'mined'];
const points = process.env.PLANCHET_LONG ? crashPoints : crashPoints.filter((point) => slice.includes(point));

let dataDir: string;
let opened: TestHost | undefined;
afterEach(async () => {
  if (opened) await closeTestHost(opened);
  opened = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

function runUntilKilled(point: string): Promise<string | null> {
  const child = spawn(process.execPath, [script, dataDir, point], { stdio: ['ignore', 'inherit', 'inherit'] });
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
    dataDir = newDataDir();
    expect(await runUntilKilled(point)).toBe('SIGKILL');

    opened = await openTestHost({ dataDir, scope: 'core' });
    const { client } = opened;
    const job = await until(async () => {
      const [found] = await client.mint.list();
      if (!found) return undefined;
      if (found.failure && !found.active) throw new Error(`${found.failure.code}: ${found.failure.message}`);
      if (found.awaitingApproval && found.review)
        await client.mint.approve({ id: found.id, digest: found.review.digest });
      return found.state === 'proven' ? found : undefined;
    }, 30_000);

    const content = `killed at ${point}`;
    const tokens = (await allTransactions(client)).filter((tx) =>
      tx.outputs.some(({ script }) => new TextDecoder().decode(parseInscription(script)?.content) === content),
    );
    expect(tokens.map((tx) => txidOf(tx))).toEqual([job.txid]);
    const { balance } = await client.wallet.status();
    // Ten coinbases of 50 BSV each at genesis, less what this one transaction cost.
    expect(balance.spendable + balance.reserved).toBe(10 * 5_000_000_000 - (job.fee ?? 0) - 1);
    expect(balance).toMatchObject({ reserved: 0, tokens: 1 });
  });
});
