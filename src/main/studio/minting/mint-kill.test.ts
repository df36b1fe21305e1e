import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseInscription, parseTx } from '../../../chain/index.ts';
import { OWN_SCRIPT } from '../test-support/file-wallet.ts';
import { TestService } from '../test-support/test-service.ts';
import { addItem, openStudio } from '../test-support/test-studio.ts';
import { until } from '../test-support/until.ts';
import { type CrashPoint, crashPoints } from './steps/step-context.ts';

const CHILD = join(import.meta.dirname, '..', 'test-support', 'kill-child.ts');
/** The points where another party knows more than the journal; the long run takes all of them. */
const delicate: readonly CrashPoint[] = ['sign-done', 'submit-sent'];
const points = process.env.PLANCHET_LONG ? crashPoints : delicate;

let service: TestService;
let dataDir: string;

beforeEach(async () => {
  service = new TestService();
  await service.start();
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-kill-'));
});

afterEach(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** @returns the signal that ended the child */
function runChild(point: CrashPoint, passes: number): Promise<string | null> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CHILD, dataDir, service.url, point, String(passes)]);
    const miner = setInterval(() => service.chain.mempool.size > 0 && service.chain.mine(), 50);
    child.on('exit', (_, signal) => {
      clearInterval(miner);
      resolve(signal);
    });
  });
}

describe('a mint whose process is killed', () => {
  it.each(points)('at %s ends as one transaction with each token once', async (point) => {
    const before = await openStudio({ dataDir, url: service.url });
    before.wallet.add(service.chain.fund(OWN_SCRIPT, [50_000, 60_000]));
    const project = await before.studio.projects.create({ name: 'Pictures', type: 'single' });
    await addItem(before, project.uid, Buffer.from('one'), 'One', 'one.txt');
    await addItem(before, project.uid, Buffer.from('two'), 'Two', 'two.txt');
    await before.close();

    expect(await runChild(point, point === 'upload-sent' ? 1 : 0)).toBe('SIGKILL');

    const after = await openStudio({ dataDir, url: service.url });
    const { studio } = after;
    try {
      const job = await until(
        () => studio.jobs()[0],
        (one) => one?.awaitingApproval === true || ['seen', 'mined', 'proven'].includes(one?.state ?? ''),
      );
      expect(studio.jobs()).toHaveLength(1);
      if (job?.awaitingApproval) await studio.mint.approve({ id: job.id, digest: job.review?.digest as string });
      await until(
        () => studio.jobs()[0]?.state ?? '',
        (state) => ['seen', 'mined', 'proven'].includes(state),
      );
      service.chain.mine();
      after.tip.announce();
      const proven = await until(
        () => studio.jobs()[0],
        (one) => one?.state === 'proven',
      );

      const tokens = [...service.chain.transactions.values()].flatMap((raw) =>
        parseTx(raw).outputs.flatMap(({ script }) => parseInscription(script)?.map.name ?? []),
      );
      expect(tokens.sort()).toEqual(['One', 'Two']);
      expect(service.chain.doubleSpends).toEqual([]);
      expect([...service.transactions.values()].filter(({ txId }) => txId !== null)).toHaveLength(1);
      expect(after.wallet.reservations()).toEqual([]);
      const items = await studio.items.list({ projectUid: project.uid });
      expect(items.map(({ outpoint }) => outpoint)).toEqual([`${proven?.txid}_0`, `${proven?.txid}_1`]);
    } finally {
      await after.close();
    }
  });
});
