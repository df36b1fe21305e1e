import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../commands/shared/run.ts';
import { type Transport, transports } from '../console/test-support/transports.ts';
import { closeTestHost, filledDataDir, openTestHost, type TestHost, until } from '../test-support/hosts/open-host.ts';
import { pngOf as png } from '../test-support/png.ts';

const table = 'file,name,Eyes\n1.png,One,green\n2.png,,blue\n';

/** All of them in the long run. transports.test.ts shows them with less. */
const ways = Object.entries(transports).slice(process.env.PLANCHET_LONG ? 0 : -1);
describe.each(ways)('over %s', (_, open) => {
  let opened: TestHost;
  let transport: Transport;
  let client: ReturnType<Transport['connect']>;
  beforeEach(async () => {
    opened = await openTestHost({ dataDir: await filledDataDir() });
    transport = await open(opened.host.context);
    client = transport.connect();
  });
  afterEach(async () => {
    await transport.close();
    await closeTestHost(opened);
    rmSync(opened.dataDir, { recursive: true, force: true });
  });

  const inPhase = (id: string, phase: string) =>
    until(async () => {
      const status = await client.import.status({ id });
      expect(status.failure).toBeNull();
      return status.phase === phase ? status : undefined;
    });

  it('a folder is imported, corrected and committed', async () => {
    const folder = join(opened.dataDir, 'art');
    mkdirSync(folder);
    for (const n of [1, 2]) writeFileSync(join(folder, `${n}.png`), png(`${n}`));
    writeFileSync(join(folder, 'list.csv'), table);
    const { id } = await client.import.open({ paths: [folder], projectName: 'Rings' });
    expect(await inPhase(id, 'ready')).toMatchObject({ rows: 2, ready: 1, withErrors: 1 });
    expect((await client.import.list()).map((one) => one.id)).toEqual([id]);
    const mapping = await client.import.mapping.get({ id });
    expect(mapping.fields.map(({ field, target, example }) => [field, target, example])).toEqual([
      ['file', 'file', '1.png'],
      ['name', 'name', 'One'],
      ['Eyes', 'trait', 'green'],
    ]);
    const changed = await client.import.mapping.set({
      id,
      fields: [{ field: 'Eyes', target: 'trait', trait: 'Colour' }],
    });
    expect(changed.fields[2]).toMatchObject({ trait: 'Colour' });
    expect((await client.import.traits({ id }))[0]).toMatchObject({ name: 'Colour', count: 1 });
    const { rows, total } = await client.import.rows({ id, filter: 'errors' });
    expect([total, rows[0]?.problems.map(({ code, field }) => [code, field])]).toEqual([1, [['name-missing', 'name']]]);
    const row = rows[0]?.row ?? -1;
    const edited = await client.import.edit({ id, edits: [{ row, field: 'name', value: 'Two' }] });
    expect(edited.rows).toMatchObject([{ row, name: 'Two', state: 'ready' }]);
    expect((await client.import.files({ id })).total).toBe(2);
    await client.import.commit({ id });
    const done = await inPhase(id, 'done');
    expect(done.imported).toBe(2);
    const items = await client.items.list({ projectUid: done.projectUid as string });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['Rings', 'One', 'Two']);
    const sha256 = items[1]?.file.sha256 as string;
    expect((await client.files.read({ sha256 })).size).toBe(png('1').length);
    await client.import.discard({ id });
    const gone = await client.import.status({ id }).catch((error: unknown) => failureOf(error).code);
    expect(gone).toBe('not-found');
  });

  it('files of a browser are sent first', async () => {
    const { uploadId } = await client.import.upload.begin();
    const send = (name: string, content: Uint8Array) =>
      client.import.upload.append({ uploadId, name, offset: 0, piece: new Blob([Buffer.from(content)]) });
    await send('images/1.png', png('1'));
    expect(await send('list.csv', Buffer.from(table))).toEqual({ received: table.length });
    const { id } = await client.import.open({ uploadId, projectName: 'Sent' });
    expect(await inPhase(id, 'ready')).toMatchObject({ rows: 2, ready: 1 });
    const other = await client.import.upload.begin();
    await client.import.upload.abort({ uploadId: other.uploadId });
  });
});
