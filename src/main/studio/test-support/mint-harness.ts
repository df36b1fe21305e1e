import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { parseInscription, parseTx, type Tx } from '../../../chain/index.ts';
import type { MintJob } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import { forkPictures } from '../../pictures/fork-pictures.ts';
import { createPictures } from '../../pictures/pictures.ts';
import type { Pictures } from '../../ports/pictures.ts';
import { pngOf as png } from '../../test-support/png.ts';
import { OWN_ADDRESS, OWN_SCRIPT } from './file-wallet.ts';
import { TestService } from './test-service.ts';
import { addItem, openStudio, type TestStudio, type TestStudioOptions } from './test-studio.ts';
import { until } from './until.ts';

export { png };

/** A token service and a studio over a temporary folder, created for every test of a file. */
export class MintHarness {
  service!: TestService;
  #dataDir = '';
  #open: TestStudio | undefined;
  /** Shared by the studios of a file: the start of the process takes longer than most tests. */
  readonly #pictures = createPictures({ start: forkPictures(), clock: systemClock });

  /** Sets the harness up before each test of the file, and removes it afterwards. */
  static forTests(): MintHarness {
    const harness = new MintHarness();
    beforeEach(async () => {
      harness.service = new TestService();
      await harness.service.start();
      harness.#dataDir = mkdtempSync(join(tmpdir(), 'planchet-mint-'));
    });
    afterEach(async () => {
      await harness.close();
      await harness.service.stop();
      rmSync(harness.#dataDir, { recursive: true, force: true });
    });
    afterAll(() => harness.#pictures.stop());
    return harness;
  }

  /** The folder with the stored contents. */
  get filesFolder(): string {
    return join(this.#dataDir, 'files');
  }

  /** The picture process goes on when a studio stops. */
  get #sharedPictures(): Pictures {
    const pictures = this.#pictures;
    return {
      thumbnail: (path) => pictures.thumbnail(path),
      resized: (content, side) => pictures.resized(content, side),
      certificate: (page) => pictures.certificate(page),
      stop: async () => {},
    };
  }

  /** Opens the studio; opened again, it goes on with what its folder holds. */
  async start(options: Partial<TestStudioOptions> = {}): Promise<TestStudio> {
    this.#open = await openStudio({
      dataDir: this.#dataDir,
      url: this.service.url,
      pictures: this.#sharedPictures,
      ...options,
    });
    return this.#open;
  }

  async close(): Promise<void> {
    await this.#open?.close();
    this.#open = undefined;
  }

  /** A studio with money, a single project and drafts in it. */
  async ready(count = 1, options: Partial<TestStudioOptions> = {}) {
    const t = await this.start(options);
    t.wallet.add(this.service.chain.fund(OWN_SCRIPT, [50_000, 60_000]));
    const project = await t.studio.projects.create({ name: 'Pictures', type: 'single' });
    const itemIds: string[] = [];
    for (let i = 0; i < count; i++) itemIds.push((await addItem(t, project.uid, png(`picture ${i}`), `Token ${i}`)).id);
    return { ...t, project, itemIds };
  }

  /** Signed transactions of ours on the chain. */
  minted(): Tx[] {
    return [...this.service.chain.transactions.values()]
      .map((raw) => parseTx(raw))
      .filter((tx) => tx.outputs.some((o) => parseInscription(o.script)));
  }
}

export const mint = (t: TestStudio, itemIds: string[], destination = OWN_ADDRESS) =>
  t.studio.mint.create({ itemIds, destination, idempotencyKey: randomUUID() });

/** Waits until a job is as it should be. */
export const reach = (t: TestStudio, id: string, done: (job: MintJob) => boolean) =>
  until(() => t.studio.jobs().find((job) => job.id === id) as MintJob, done);

/** Starts a mint and approves it. @returns the job's id */
export async function approved(t: TestStudio, itemIds: string[]): Promise<string> {
  const { id } = await mint(t, itemIds);
  const job = await reach(t, id, ({ awaitingApproval }) => awaitingApproval);
  await t.studio.mint.approve({ id, digest: job.review?.digest as string });
  return id;
}
