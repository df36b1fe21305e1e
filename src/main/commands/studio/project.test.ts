import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCommand } from '../../test-support/hosts/call-command.ts';
import { startHere } from '../../test-support/hosts/start-here.ts';
import { pngOf } from '../../test-support/png.ts';

const MAIN = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';

let folder: string;
let receiver: string;
let host: Awaited<ReturnType<typeof startHere>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-project-cli-'));
  host = await startHere({ dataDir: join(folder, 'data') });
  const client = host.client();
  receiver = (await client.wallet.status()).address as string;
  const { uid: projectUid } = await client.projects.create({ name: 'Rings', type: 'single' });
  const bytes = pngOf('ring');
  const { uploadId } = await client.files.begin({ name: 'ring.png', bytes: bytes.length, contentType: '' });
  await client.files.append({ uploadId, offset: 0, piece: new Blob([new Uint8Array(bytes)]) });
  const { sha256 } = await client.files.finish({ uploadId });
  for (const name of ['One', 'Two']) {
    const metadata = { name, description: '', traits: [], royalties: [{ destination: receiver, percentage: '0.05' }] };
    await client.items.create({ projectUid, sha256, fileName: 'ring.png', metadata });
  }
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const planchet = (...args: string[]) => callCommand(['--data-dir', join(folder, 'data'), ...args]);
const move = (...args: string[]) => planchet('project', 'move', 'Rings', '--to', 'main', ...args, '--json');

describe('planchet project move', () => {
  it('says what differs, copies nothing while a receiver is open, and then all of it', async () => {
    const preview = await move('--preview');
    expect(JSON.parse(preview.out)).toMatchObject({ name: 'Rings', items: 2, royalties: [receiver], miners: [] });
    const open = await move();
    expect(open.code).toBe(1);
    expect(JSON.parse(open.err)).toMatchObject({
      error: { code: 'invalid-input', message: expect.stringContaining(receiver) },
    });
    const { code, out } = await move('--royalty', `${receiver}=${MAIN}`);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ projectUid: expect.any(String), items: 2 });
    // the one here stays
    expect(JSON.parse((await planchet('ledger', '--project', 'Rings', '--json')).out)).toHaveLength(2);
  });

  it.each([
    ['a project that is not there', ['project', 'move', 'Suns', '--to', 'main'], 1],
    ['the network it is on', ['project', 'move', 'Rings', '--to', 'sandbox'], 1],
    ['an unknown network', ['project', 'move', 'Rings', '--to', 'moon'], 2],
    ['a royalty without a receiver', ['project', 'move', 'Rings', '--to', 'main', '--royalty', '=x'], 2],
  ])('refuses %s', async (_, args, expected) => {
    expect((await planchet(...args)).code).toBe(expected);
  });
});
