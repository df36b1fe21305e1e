import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { DoctorFinding } from '../contract/index.ts';
import { callCommand } from './test-support/hosts/call-command.ts';
import { runCommand } from './test-support/hosts/command-line.ts';

// nobody is reached behind this proxy, and each request to a public service waits for its turn
const withoutAnybody = ['publicSources=whatsonchain', 'chainData=public', 'outboundProxy=http://127.0.0.1:1'];
const alone = ['--network', 'test', '--json', ...withoutAnybody.flatMap((setting) => ['--set', setting])];

const dataDir = mkdtempSync(join(tmpdir(), 'planchet-cli-network-'));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const planchet = (...args: string[]) => callCommand(['--data-dir', dataDir, ...args]);
const saved = () => (JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')) as { network?: string }).network;

it('the command line changes to the main network with --yes-main alone, and says what is missing on it', async () => {
  const refused = await planchet('settings', 'set', 'network', 'main');
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/Missing on it: a node or public services, .*a wallet/);
  expect(refused.err).toContain('--yes-main');
  expect(saved() ?? 'sandbox').toBe('sandbox');
  const changed = await planchet('settings', 'set', 'network', 'main', '--yes-main');
  expect(changed).toMatchObject({
    code: 0,
    out: expect.stringContaining('Missing there: a node or public services') as string,
  });
  expect(saved()).toBe('main');
});

it('a command ends with its reason where its own host waits for nothing but time', async () => {
  const { code, err } = await runCommand(['--data-dir', dataDir, ...alone, 'rpc', 'getblockcount']);
  expect(JSON.parse(err)).toMatchObject({ error: { hint: expect.stringContaining('asks again') as string } });
  expect(code).toBe(1);
});

it('the doctor says who does not answer where there is no node', async () => {
  const { out } = await planchet(...alone, 'doctor');
  const { findings } = JSON.parse(out) as { findings: DoctorFinding[] };
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'node', ok: false, message: 'None of the public services answers.' }),
  );
});
