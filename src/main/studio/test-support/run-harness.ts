import { randomUUID } from 'node:crypto';
import { parseInscription, parseTx } from '../../../chain/index.ts';
import type { Run } from '../../../contract/index.ts';
import type { RunLimits } from '../runs/plan.ts';
import { OWN_ADDRESS, OWN_SCRIPT } from './file-wallet.ts';
import { type MintHarness, png } from './mint-harness.ts';
import { addItem, type TestStudio, type TestStudioOptions } from './test-studio.ts';
import { until } from './until.ts';

/** Transactions of two tokens, so that a few drafts make several. */
export const smallBatches: RunLimits = { minTokens: 2, maxTokens: 2, maxContentBytes: 10_000 };

export type CollectionStudio = TestStudio & { projectUid: string };

/** A studio with money and a collection of drafts: the collection token and so many items. */
export async function openCollection(
  harness: MintHarness,
  items: number,
  options: Partial<TestStudioOptions> = {},
  bytes = 300,
): Promise<CollectionStudio> {
  harness.service.quota.monthlyMintLimit = 10_000;
  const t = await harness.start({ runLimits: smallBatches, ...options });
  t.wallet.add(harness.service.chain.fund(OWN_SCRIPT, [400_000]));
  const { uid: projectUid } = await t.studio.projects.create({ name: 'Moons', type: 'collection' });
  for (let i = 0; i <= items; i++) await addItem(t, projectUid, png(`picture ${i}`.padEnd(bytes)), `Moon ${i}`);
  return { ...t, projectUid };
}

/** Plans a run of all drafts to the own wallet and approves it. @returns its id */
export async function startRun(t: CollectionStudio, options: { direct?: boolean } = {}): Promise<string> {
  const request = { projectUid: t.projectUid, destination: OWN_ADDRESS, idempotencyKey: randomUUID(), ...options };
  const { id, digest } = await t.studio.runs.create(request);
  await t.studio.runs.approve({ id, digest });
  return id;
}

/** Waits until a run is as it should be, while blocks are found. @param meanwhile called again and again, as to move a clock */
export async function reachRun(
  harness: MintHarness,
  t: TestStudio,
  id: string,
  done: (run: Run) => boolean,
  meanwhile: () => void = () => {},
): Promise<Run> {
  let run = (await t.studio.runs.get({ id })).run;
  const mined = setInterval(() => {
    meanwhile();
    if (harness.service.chain.mempool.size > 0) harness.service.chain.mine();
    t.tip.announce();
    void t.studio.runs.get({ id }).then((answer) => {
      run = answer.run;
    });
  }, 20);
  try {
    return await until(() => run, done);
  } finally {
    clearInterval(mined);
  }
}

/** Names of everything inscribed on the chain, sorted. */
export function inscribed(harness: MintHarness): string[] {
  const names = [...harness.service.chain.transactions.values()].flatMap((raw) =>
    parseTx(raw).outputs.flatMap(({ script }) => parseInscription(script)?.map.name ?? []),
  );
  return names.sort();
}

/** The names of a collection token and its items. */
export const moons = (count: number): string[] => Array.from({ length: count }, (_, i) => `Moon ${i}`).sort();
