import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../../contract/index.ts';
import { callCommand } from '../../test-support/hosts/call-command.ts';
import { startCommand } from '../../test-support/hosts/command-line.ts';
import { OwnCoins } from '../../test-support/hosts/own-coins.ts';
import { startHere } from '../../test-support/hosts/start-here.ts';
import { until } from '../../test-support/hosts/until.ts';
import { pngOf } from '../../test-support/png.ts';

let folder: string;
let host: Awaited<ReturnType<typeof startHere>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-mint-cli-'));
  mkdirSync(join(folder, 'art'));
  for (let n = 1; n <= 60; n++) writeFileSync(join(folder, 'art', `${n}.png`), pngOf(`${n}`));
  host = await startHere({ dataDir: join(folder, 'data') });
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const planchet = (...args: string[]) => callCommand(['--data-dir', join(folder, 'data'), ...args]);

describe('planchet mint --project', () => {
  it('mints an imported collection in one run', async () => {
    expect((await planchet('import', join(folder, 'art'), '--project', 'Rings', '--json')).code).toBe(0);
    const { code, out, err } = await planchet('mint', '--project', 'Rings', '--wait', 'mined', '--json');
    expect(err).toBe('');
    expect(JSON.parse(out)).toEqual({
      jobId: expect.any(String),
      items: expect.any(Number),
      minted: JSON.parse(out).items,
      failed: 0,
      transactions: expect.any(Number),
      fee: expect.any(Number),
      seconds: expect.any(Number),
    });
    expect(code).toBe(0);
    expect(JSON.parse(out).items).toBeGreaterThanOrEqual(60);
    expect(JSON.parse(out).transactions).toBeGreaterThanOrEqual(3);
    // a run that only waits for its proofs would be gone on with
    await until(async () => (await host.client().runs.list({ limit: 1 })).runs[0]?.state === 'done');
    const again = await planchet('mint', '--project', 'Rings', '--json');
    expect(again.code).toBe(1);
    expect((JSON.parse(again.err) as { error: { message: string } }).error.message).toContain('no drafts');
  });

  it('rehearses a project on a network of its own, then mints the same drafts without the token service', {
    tags: 'long',
  }, async () => {
    mkdirSync(join(folder, 'few'));
    for (let n = 1; n <= 4; n++) writeFileSync(join(folder, 'few', `${n}.png`), pngOf(`few ${n}`));
    expect((await planchet('import', join(folder, 'few'), '--project', 'Few', '--json')).code).toBe(0);
    const { projects, items, sandbox } = host.client();
    const project = (await projects.list()).find(({ name }) => name === 'Few');
    const rehearsed = await planchet('mint', '--project', 'Few', '--rehearse', '--json');
    expect(rehearsed.err).toBe('');
    const result = JSON.parse(rehearsed.out) as RunResult;
    expect(result).toMatchObject({ minted: result.items, failed: 0 });
    const drafts = await items.list({ projectUid: project?.uid as string });
    expect(drafts.map(({ state }) => state)).toEqual(drafts.map(() => 'draft'));

    await sandbox.faults.set({ name: 'http-error', value: 503, area: 'token' });
    const direct = await planchet('mint', '--project', 'Few', '--direct', '--wait', 'mined');
    await sandbox.faults.clear({});
    const [, minted, transactions, fee] =
      /(\d+) of \d+ tokens in (\d+) transactions, (\d+) satoshis/.exec(direct.out) ?? [];
    expect([minted, fee].map(Number)).toEqual([result.items, result.fee]);
    // What is asked before counts as what is told after.
    expect(direct.err).toContain(` in ${transactions} transactions and pay`);
  });

  it('goes on with a run only where it does what is asked for', async () => {
    const { projects, runs, wallet } = host.client();
    mkdirSync(join(folder, 'begun'));
    writeFileSync(join(folder, 'begun', '1.png'), pngOf('begun'));
    expect((await planchet('import', join(folder, 'begun'), '--project', 'Begun', '--json')).code).toBe(0);
    const project = (await projects.list()).find(({ name }) => name === 'Begun');
    const destination = (await wallet.status()).address as string;
    const run = await runs.create({
      projectUid: project?.uid as string,
      destination,
      direct: false,
      idempotencyKey: randomUUID(),
    });
    const other = new OwnCoins().address;
    for (const asked of [['--to', other], ['--direct']]) {
      const refused = await planchet('mint', '--project', 'Begun', ...asked, '--json');
      expect(refused).toMatchObject({ code: 1, out: '' });
      const { error } = JSON.parse(refused.err) as { error: { code: string; message: string; hint: string } };
      expect(error.code).toBe('conflict');
      expect(error.message).toContain(run.id);
      expect(error.hint).toContain(asked[0]);
      if (asked[1]) expect(error.message).toContain(destination);
    }
    expect((await runs.get({ id: run.id })).run.state).toBe('planned');
    const gone = await planchet('mint', '--project', 'Begun', '--to', destination, '--json');
    expect(gone.err).toBe('');
    expect(JSON.parse(gone.out)).toMatchObject({ jobId: run.id });
  });

  it('ends with exit code 1 if the run is cancelled in the window', async () => {
    const { runs, sandbox } = host.client();
    mkdirSync(join(folder, 'dropped'));
    writeFileSync(join(folder, 'dropped', '1.png'), pngOf('dropped'));
    expect((await planchet('import', join(folder, 'dropped'), '--project', 'Dropped', '--json')).code).toBe(0);
    // nothing is signed without the token service
    await sandbox.faults.set({ name: 'http-error', value: 503, area: 'token' });
    const minting = planchet('mint', '--project', 'Dropped');
    const { id } = await until(async () => {
      const [run] = (await runs.list({ limit: 1 })).runs;
      return run?.projectName === 'Dropped' && run.approvedAt !== null && run;
    });
    await runs.cancel({ id });
    await sandbox.faults.clear({});
    const { code, out, err } = await minting;
    expect(out).toMatch(/^0 of \d+ tokens/);
    expect(err).toMatch(/0 of \d+ minted, \d+ cancelled/);
    expect(code).toBe(1);
  });

  const ways = [
    ['beside a running host', 'data', 'The run goes on in the running Planchet.'],
    ['with a host of its own', 'alone', 'The run stops here.'],
  ] as const;
  it.each(ways.slice(0, process.env.PLANCHET_LONG ? 2 : 1))(
    'says at Ctrl+C how the run goes on: %s',
    async (_, data, says) => {
      const args = ['--data-dir', join(folder, data), '--set', 'sandbox.mineOnArrival='].slice(
        0,
        data === 'data' ? 2 : 4,
      );
      if (data === 'data') await host.client().settings.set({ key: 'sandbox.mineOnArrival', value: '' });
      mkdirSync(join(folder, `${data}-held`));
      writeFileSync(join(folder, `${data}-held`, '1.png'), pngOf(`held ${data}`));
      const imported = await callCommand([
        ...args,
        'import',
        join(folder, `${data}-held`),
        '--project',
        'Held',
        '--json',
      ]);
      expect(imported.err).toBe('');
      const minting = startCommand([...args, 'mint', '--project', 'Held', '--wait', 'proven']);
      let told = '';
      minting.stderr.on('data', (chunk: Buffer) => {
        told += chunk.toString();
        // A second signal would end it at once.
        if (!minting.killed && /\d+ of \d+ minted/.test(told)) minting.kill('SIGINT');
      });
      expect(await once(minting, 'close')).toEqual([130, null]);
      expect(told).toContain(says);
    },
  );

  it('refuses a name that several projects have, and takes the id of one', async () => {
    const { projects } = host.client();
    const twins = [];
    for (let n = 0; n < 2; n++) twins.push(await projects.create({ name: 'Twins', type: 'collection' }));
    const uid = twins[1]?.uid as string;
    const refused = async (...args: string[]): Promise<string> => {
      const { code, err } = await planchet('mint', ...args, '--json');
      expect(code).toBe(1);
      return (JSON.parse(err) as { error: { message: string; hint: string } }).error.hint;
    };
    expect(await refused('--project', 'Twins')).toContain(uid);
    expect(await refused(join(folder, 'art', '1.png'), '--collection', 'Twins')).toContain(uid);
    const byId = await planchet('mint', join(folder, 'art', '1.png'), '--collection', uid, '--json');
    expect(byId).toMatchObject({ code: 0, err: '' });
    const again = await planchet('mint', '--project', uid, '--json');
    expect(JSON.parse(again.err)).toMatchObject({ error: { message: expect.stringContaining('no drafts') as string } });
  });

  it('names a project that is not there, and refuses files and a project at once', async () => {
    const missing = await planchet('mint', '--project', 'Nothing', '--json');
    expect(missing.code).toBe(1);
    expect((JSON.parse(missing.err) as { error: { code: string } }).error.code).toBe('not-found');
    expect((await planchet('mint', 'a.png', '--project', 'Rings')).code).toBe(2);
    expect((await planchet('mint')).code).toBe(2);
    expect((await planchet('mint', 'a.png', '--rehearse')).code).toBe(2);
  });
});
