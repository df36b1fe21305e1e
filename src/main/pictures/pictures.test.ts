import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Pictures } from '../ports/pictures.ts';
import { StillClock } from '../test-support/still-clock.ts';
import { pictureEnvironment } from './picture-process.ts';
import { createPictures, processesFor } from './pictures.ts';
import { readPdf } from './test-support/read-pdf.ts';
import { WatchedPictures } from './test-support/watched-pictures.ts';

let folder: string;
let picture: string;
let clock: StillClock;
let processes: WatchedPictures;
let pictures: Pictures;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-pictures-'));
  picture = join(folder, 'picture');
  await sharp({ create: { width: 640, height: 400, channels: 3, background: '#b4692e' } })
    .png()
    .toFile(picture);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => open());
afterEach(() => pictures.stop());

function open(entry?: string, several = {}): void {
  clock = new StillClock(0);
  processes = new WatchedPictures(entry);
  pictures = createPictures({ start: processes.start, clock, ...several });
}

/** Opens pictures whose process runs this script in place of Planchet's entry. */
function openWith(program: string, several = {}): void {
  const entry = join(folder, 'entry.mjs');
  writeFileSync(entry, program);
  open(entry, several);
}

const page = {
  heading: 'H',
  name: 'N',
  line: '',
  traits: [],
  facts: [],
  note: '',
  code: 'c',
  language: 'en',
  art: null,
};

it.each([
  ['small', 1, 900_000_000, 1],
  ['with many cores and little memory', 16, 4_100_000_000, 2],
  ['with one core and much memory', 1, 64_000_000_000, 2],
  ['large', 16, 64_000_000_000, 4],
])('a machine that is %s makes as many pictures at a time as its cores and memory bear', (_, cores, memory, most) => {
  expect(processesFor(cores, memory)).toBe(most);
});

describe('pictures', () => {
  it('are made by one process, which starts with the first of them', async () => {
    expect(processes.started).toHaveLength(0);
    const [small, certificate, none] = await Promise.all([
      pictures.thumbnail(picture),
      pictures.certificate(page),
      pictures.thumbnail(join(folder, 'nothing')),
    ]);
    expect(await sharp(small as Uint8Array).metadata()).toMatchObject({ format: 'webp', width: 320, height: 200 });
    expect(readPdf(certificate)).toMatchObject({ title: 'N', pictures: [] });
    expect(none).toBeNull();
    expect(processes.started).toHaveLength(1);
  });

  it('are made one at a time', async () => {
    openWith(`
      let busy = 0;
      process.on('message', ({ type, path }) => {
        if (type === 'end') process.exit(0);
        busy += 1;
        setImmediate(() => process.send({ bytes: new Uint8Array([busy--]) }));
      });
    `);
    const made = await Promise.all(['a', 'b', 'c'].map((path) => pictures.thumbnail(path)));
    expect(made.map((bytes) => bytes?.[0])).toEqual([1, 1, 1]);
  });

  it('are made by as many processes as are allowed, of which none starts while another has nothing to do', async () => {
    open(undefined, { processes: 2 });
    for (let round = 0; round < 3; round++) expect(await pictures.thumbnail(picture)).not.toBeNull();
    expect(processes.started).toHaveLength(1);
    const made = await Promise.all([1, 2, 3].map(() => pictures.thumbnail(picture)));
    expect(made.every((bytes) => bytes instanceof Uint8Array)).toBe(true);
    expect(processes.started).toHaveLength(2);
  });

  it('are given up in all processes when they are stopped', async () => {
    openWith("process.on('message', () => {});", { processes: 2 });
    const all = Promise.allSettled([1, 2, 3].map(() => pictures.thumbnail(picture)));
    await expect.poll(() => processes.asked).toHaveLength(2);
    await pictures.stop();
    expect(await all).toMatchObject([1, 2, 3].map(() => ({ reason: { code: 'cancelled' } })));
    expect(processes.ended).toEqual(['SIGKILL', 'SIGKILL']);
  });

  it('end an idle process after half a minute, and start another for the next picture', async () => {
    await pictures.thumbnail(picture);
    clock.advance(29_999);
    await pictures.thumbnail(picture);
    clock.advance(29_999);
    expect(processes.asked).toEqual(['thumbnail', 'thumbnail']);
    clock.advance(1);
    expect(processes.asked).toEqual(['thumbnail', 'thumbnail', 'end']);
    await expect.poll(() => processes.ended, { timeout: 30_000 }).toEqual(['0']);
    expect(await pictures.thumbnail(picture)).not.toBeNull();
    expect(processes.started).toHaveLength(2);
  });

  it('are made by a new process if one ends meanwhile', async () => {
    processes.toKill = 1;
    expect(await pictures.thumbnail(picture)).not.toBeNull();
    expect(processes.started).toHaveLength(2);
    expect(processes.ended).toEqual(['SIGKILL']);
  });

  it('are given up after their process ended twice, while others are still made', async () => {
    processes.toKill = 2;
    const [lost, made] = await Promise.allSettled([pictures.thumbnail(picture), pictures.thumbnail(picture)]);
    expect(lost).toMatchObject({ reason: { message: 'The process that makes pictures ended: SIGKILL' } });
    expect(made).toMatchObject({ status: 'fulfilled' });
    expect(processes.started).toHaveLength(3);
  });

  it('end a process that does not answer, twice at most', async () => {
    openWith("process.on('message', () => {}); process.on('SIGTERM', () => {});");
    const made = expect(pictures.thumbnail(picture)).rejects.toThrow('it did not answer in time');
    await expect.poll(() => processes.started).toHaveLength(1);
    clock.advance(30_000);
    await expect.poll(() => processes.started).toHaveLength(2);
    clock.advance(30_000);
    await made;
    await expect.poll(() => processes.ended, { timeout: 30_000 }).toEqual(['SIGKILL', 'SIGKILL']);
  });

  it('kill a process that sends an invalid reply', async () => {
    openWith("process.on('message', () => process.send({ bytes: '/etc/passwd' }));");
    await expect(pictures.thumbnail(picture)).rejects.toThrow('it answered what is no picture');
    expect(processes.started).toHaveLength(2);
  });

  it('fail when they are stopped, and leave no process running', async () => {
    openWith("process.on('message', () => {});");
    const all = Promise.allSettled([pictures.thumbnail(picture), pictures.thumbnail(picture)]);
    await expect.poll(() => processes.started).toHaveLength(1);
    await pictures.stop();
    expect(await all).toMatchObject([{ reason: { code: 'cancelled' } }, { reason: { code: 'cancelled' } }]);
    expect(processes.ended).toEqual(['SIGKILL']);
    expect(processes.started).toHaveLength(1);
  });

  it('say why no certificate could be drawn, and do not try it again', async () => {
    const broken = { ...page, facts: null as never };
    await expect(pictures.certificate(broken)).rejects.toThrow('TypeError');
    expect(processes.started).toHaveLength(1);
    expect(await pictures.certificate(page)).toBeInstanceOf(Uint8Array);
    expect(processes.ended).toEqual([]);
  });

  it('are made without the secrets of the environment', async () => {
    openWith(`
      process.on('message', ({ type }) => {
        if (type === 'end') process.exit(0);
        process.send({ bytes: Buffer.from(JSON.stringify(process.env)) });
      });
    `);
    vi.stubEnv('PLANCHET_PASSPHRASE', 'secret');
    try {
      const names = Object.keys(JSON.parse(Buffer.from((await pictures.thumbnail(picture)) ?? []).toString()));
      // Node itself adds the variables of the channel to the parent
      expect(names.filter((name) => !name.startsWith('NODE_CHANNEL'))).toEqual(
        Object.keys(pictureEnvironment(process.env)),
      );
      expect(names).toContain('PATH');
      expect(names).not.toContain('PLANCHET_PASSPHRASE');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('leave no process behind if their host was killed', async () => {
    const at = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
    const program = `
      import { subscribe } from 'node:diagnostics_channel';
      import { systemClock } from ${at('../clock.ts')};
      import { forkPictures } from ${at('./fork-pictures.ts')};
      import { createPictures } from ${at('./pictures.ts')};
      let pid;
      subscribe('child_process', ({ process: child }) => child.once('spawn', () => { pid = child.pid; }));
      await createPictures({ start: forkPictures(), clock: systemClock }).thumbnail(${JSON.stringify(picture)});
      console.log(pid);`;
    const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: host.stdout })) {
      const pid = Number(line);
      expect(process.kill(pid, 0)).toBe(true);
      host.kill('SIGKILL');
      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 30_000 });
    }
  });

  it('end their process at once, in the middle of a picture, if their host is gone', async () => {
    const { fork } = await import('node:child_process');
    const child = fork(fileURLToPath(new URL('../picture-process.ts', import.meta.url)), [], { execArgv: [] });
    await new Promise((resolve) => {
      child.once('message', resolve);
      child.send({ type: 'thumbnail', path: 'nothing' });
    });
    const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    child.disconnect();
    expect(await ended).toBe('SIGKILL');
  });
});
