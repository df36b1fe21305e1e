import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestSandbox } from '../sandbox/test-support/open-sandbox.ts';
import { callCommand } from '../test-support/hosts/call-command.ts';
import { publicSourcesAt } from '../test-support/public-sources-at.ts';

let sandbox: TestSandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
  folder = mkdtempSync(join(tmpdir(), 'planchet-gateway-command-'));
});
afterAll(async () => {
  await sandbox.remove();
  rmSync(folder, { recursive: true, force: true });
});

function withoutNode(...args: string[]) {
  const publicSources = publicSourcesAt(sandbox.root, ['whatsonchain', 'bananablocks']);
  const settings = ['--set', 'chainData=public', '--set', `publicSources=${publicSources}`];
  return callCommand(['--data-dir', folder, '--network', 'test', ...settings, ...args]);
}

it('planchet rpc tells what an answer rests on where no node gives it', async () => {
  const { hash } = sandbox.service.node.tip();
  const synced = await withoutNode('headers', 'sync', '--json');
  expect(synced.code, synced.err).toBe(0);
  const asked = await withoutNode('rpc', 'getblockheader', hash, 'false');
  expect(asked.out.trim(), asked.err).toMatch(/^[0-9a-f]{160}$/);
  expect(asked.err).toContain('Without a node, proven');

  const explained = await withoutNode('gateway', 'explain', 'getblock');
  expect(explained.out, explained.err).toContain('Without a node: proven');
  expect(explained.out).toContain('Left out, because only a node can tell: size, num_tx, status');
  const json = await withoutNode('gateway', 'explain', 'gettxoutsetinfo', '--json');
  expect(JSON.parse(json.out)).toMatchObject({ name: 'gettxoutsetinfo', withoutNode: 'none' });
  const unknown = await withoutNode('gateway', 'explain', 'nothing');
  expect(unknown.code).not.toBe(0);
});
