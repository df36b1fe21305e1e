import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { lockOwner } from '../infrastructure/data-folder.ts';
import { addItem, closeTestHost, filledDataDir, openTestHost, type TestHost } from '../test-support/hosts/open-host.ts';

let opened: TestHost | undefined;
afterEach(async () => {
  if (opened) await closeTestHost(opened);
  if (opened) rmSync(opened.dataDir, { recursive: true, force: true });
});

// an error that no request can catch would end the process, and with it this run
it('the console goes on when readers leave in the middle of a file', async () => {
  opened = await openTestHost({ dataDir: await filledDataDir() });
  const { client, host, dataDir } = opened;
  const project = await client.projects.create({ name: 'Large', type: 'single' });
  await addItem(client, project.uid, {
    name: 'large.txt',
    bytes: Buffer.from(randomBytes(500_000).toString('hex')),
  });
  const [item] = await client.items.list({ projectUid: project.uid });
  const url = `${host.info().endpoints.console}/api/files/read`;
  const headers = { authorization: `Bearer ${lockOwner(dataDir)?.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ json: { sha256: item?.file.sha256 } });
  /** Reads so many bytes of the file's answer at least, and leaves. */
  const leaveAfter = (bytes: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const asking = request(url, { method: 'POST', headers }, (answer) => {
        let got = 0;
        answer.on('error', () => undefined);
        answer.on('data', (part: Buffer) => {
          got += part.length;
          if (got >= bytes) answer.destroy();
        });
        answer.once('close', () => resolve(answer.statusCode ?? 0));
      });
      asking.once('error', reject).end(body);
    });
  for (let round = 0; round < 10; round++) {
    const asked = Array.from({ length: 8 }, (_, n) => leaveAfter(1 + n * 110_000));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
  }
  const whole = await client.files.read({ sha256: item?.file.sha256 as string });
  expect(whole.size).toBe(1_000_000);
});
