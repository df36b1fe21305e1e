import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeadersStatus } from '../../contract/index.ts';
import { TestSandbox } from '../sandbox/test-support/open-sandbox.ts';
import { callCommand } from '../test-support/hosts/call-command.ts';

let sandbox: TestSandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
  await sandbox.service.mine({ blocks: 5 });
  folder = mkdtempSync(join(tmpdir(), 'planchet-headers-command-'));
});
afterAll(async () => {
  await sandbox.remove();
  rmSync(folder, { recursive: true, force: true });
});

function headers(sources: readonly string[], ...args: string[]) {
  const named = sources.map((source) => source.replace('=', `=${sandbox.root}`)).join();
  const settings = ['--set', 'chainData=public', '--set', `publicSources=${named}`];
  return callCommand(['--data-dir', folder, '--network', 'test', ...settings, 'headers', ...args]);
}

const two = ['whatsonchain=/woc/v1/bsv/test', 'arcade=/arcade'];

describe('planchet headers', () => {
  it('sync reads the chain of public services without a node, and status tells what is stored', async () => {
    const synced = await headers([...two, 'cdn=/cdn'], 'sync', '--json');
    expect(synced.code, synced.err).toBe(0);
    const status = JSON.parse(synced.out) as HeadersStatus;
    const { height, hash } = sandbox.service.node.tip();
    expect(status).toMatchObject({ chain: 'regtest', lowest: 0, isAgreed: true, isReading: false, failure: null });
    expect(status.tip).toMatchObject({ height, hash });
    const told = await headers(two, 'status');
    expect(told.out).toContain(`regtest: 0 to ${height}, ${80 * (height + 1)} bytes`);
  });

  it('sync fails where one operator alone answers, and says so', async () => {
    const alone = await headers(['arcade=/arcade'], 'sync', '--from', '0');
    expect(alone.code).toBe(1);
    expect(alone.out).toContain('No two operators agree on the newest block, so nothing counts as settled.');
    expect(alone.out).toContain('arcade (BSV Association) is at');
  });

  it('refuses heights that are none', async () => {
    expect(await headers(two, 'sync', '--from', '-1')).toMatchObject({ code: 2 });
  });
});
