import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import {
  type Contract,
  isRehearsalOver,
  PlanchetError,
  type Rehearsal,
  type Run,
  type RunItem,
  type Serves,
} from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { RunLimits } from '../../studio/runs/plan.ts';
import type { Studio } from '../../studio/studio.ts';
import type { EndedRehearsal, RehearsalResults } from './rehearsal-results.ts';
import { type RehearsalNetwork, RunningRehearsal } from './running-rehearsal.ts';

/** Rehearsals that are remembered with their items. */
const REMEMBERED = 5;

export interface RehearsalsOptions {
  /** Each rehearsal has a folder in here, which is removed with it. */
  readonly folder: string;
  readonly results: RehearsalResults;
  readonly clock: Clock;
  readonly events: Events;
  readonly logger: Logger;
  /** Of the active network. */
  readonly studio: Pick<Studio, 'projects' | 'draftCopies' | 'files' | 'runs'>;
  /** Starts an embedded network with a host of its own in a folder. */
  readonly open: (folder: string, limits: RunLimits) => Promise<RehearsalNetwork>;
}

/** Dress rehearsals: projects minted on embedded networks of their own. One runs at a time. */
export class Rehearsals implements Serves<Contract['rehearsals']> {
  readonly #options: RehearsalsOptions;
  readonly #all = new Map<string, RunningRehearsal | EndedRehearsal>();
  readonly #starting = new Sequencer();
  #isStopped = false;

  constructor(options: RehearsalsOptions) {
    this.#options = options;
  }

  /** Removes what a crash left behind, and reads the results of earlier rehearsals. The data folder has to be locked. */
  async open(): Promise<void> {
    const { folder, results } = this.#options;
    await rm(folder, { recursive: true, force: true });
    for (const ended of await results.load()) this.#all.set(ended.view().id, ended);
  }

  /** Cancels what runs and removes its network. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#starting.idle();
    await Promise.all([...this.#all.values()].map((rehearsal) => rehearsal.cancel()));
    await this.#options.results.settled();
  }

  /** @throws PlanchetError `not-found` | `invalid-input` without drafts | `conflict` while another project is rehearsed */
  start(input: { projectUid: string; direct: boolean }): Promise<Rehearsal> {
    return this.#starting.run(() => this.#start(input));
  }

  async #start({ projectUid, ...asked }: { projectUid: string; direct: boolean }): Promise<Rehearsal> {
    const { studio, clock, events, logger, open, folder, results } = this.#options;
    if (this.#isStopped) throw new PlanchetError('mint.not-running');
    const project = await studio.projects.get({ uid: projectUid });
    const direct = asked.direct || project.direct;
    const running = this.list().find((rehearsal) => !isRehearsalOver(rehearsal));
    if (running !== undefined) {
      if (running.projectUid === projectUid && running.direct === direct) return running;
      throw new PlanchetError('rehearsal.another-runs', { name: running.projectName });
    }
    const { drafts, collection } = await studio.draftCopies(projectUid);
    if (drafts.length === 0) throw new PlanchetError('run.nothing-to-mint');
    const limits = await studio.runs.limits();
    const id = randomUUID();
    const own = join(folder, id);
    const rehearsal = new RunningRehearsal({
      id,
      project,
      direct,
      drafts,
      collection,
      read: async (sha256) => new Uint8Array(await (await studio.files.read({ sha256 })).arrayBuffer()),
      open: () => open(own, limits),
      remove: () => rm(own, { recursive: true, force: true }),
      ended: (view, items) => results.keep(view, items),
      clock,
      events,
      logger,
    });
    this.#all.set(id, rehearsal);
    for (const [oldest] of [...this.#all].slice(0, -REMEMBERED)) {
      this.#all.delete(oldest);
      results.forget(oldest);
    }
    rehearsal.start();
    return rehearsal.view();
  }

  /** Newest first. */
  list(): Rehearsal[] {
    return [...this.#all.values()].map((rehearsal) => rehearsal.view()).reverse();
  }

  /** @throws PlanchetError `not-found` */
  get({ id }: { id: string }): Rehearsal {
    return this.#find(id).view();
  }

  /** A page of its tokens. @throws PlanchetError `not-found` */
  items(input: { id: string; offset: number; limit: number }): Promise<{ items: RunItem[]; next: number | null }> {
    return this.#find(input.id).items(input.offset, input.limit);
  }

  /** Resolves once its network is gone. @throws PlanchetError `not-found` | `conflict` if it has ended */
  async cancel({ id }: { id: string }): Promise<Rehearsal> {
    const rehearsal = this.#find(id);
    if (isRehearsalOver(rehearsal.view())) throw new PlanchetError('rehearsal.over');
    await rehearsal.cancel();
    return rehearsal.view();
  }

  /**
   * Journals a run of exactly what was rehearsed on the active network. It waits for an approval of its own.
   * @throws PlanchetError `not-found` | `conflict` where not everything was minted, or the project has changed | the plan's first problem
   */
  async mint(input: { id: string; destination: string; idempotencyKey: string }): Promise<Run> {
    const { state, run, plan, projectUid, direct } = this.get(input);
    if (state !== 'done' || plan === null || run === null || run.minted < run.items)
      throw new PlanchetError('rehearsal.not-complete');
    const { destination, idempotencyKey } = input;
    const { contentDigest } = plan;
    const { runs } = this.#options.studio;
    return runs.create({ projectUid, destination, direct, idempotencyKey, contentDigest });
  }

  #find(id: string): RunningRehearsal | EndedRehearsal {
    const rehearsal = this.#all.get(id);
    if (rehearsal === undefined) throw new PlanchetError('rehearsal.missing');
    return rehearsal;
  }
}
