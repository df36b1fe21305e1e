import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import {
  isPassing,
  isRehearsalOver,
  type LiveEvent,
  MAX_RUN_ITEMS_A_PAGE,
  PlanchetError,
  type Project,
  type Rehearsal,
  type Run,
  type RunItem,
  type RunPlan,
  toFailure,
} from '../../../contract/index.ts';
import type { ConsoleClient } from '../../console/http-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { DraftCopy } from '../../studio/projects/draft-copies.ts';
import { pageOf } from './rehearsal-results.ts';

/** Least time between two events about a rehearsal. */
const PUBLISH_MS = 250;

/** An embedded network with a host of its own: nothing in it knows the addresses, the wallet or the store of the active network. */
export interface RehearsalNetwork {
  readonly client: ConsoleClient;
  takeDrafts(
    copies: readonly DraftCopy[],
    project: Pick<Project, 'uid' | 'type'>,
    copying: { read: RehearsalOptions['read']; onCopied: (count: number) => void; signal: AbortSignal },
  ): Promise<void>;
  /** Its live events, until the signal ends them. */
  events(signal: AbortSignal): AsyncIterable<LiveEvent>;
  stop(): Promise<void>;
}

export interface RehearsalOptions {
  readonly id: string;
  readonly project: Project;
  readonly direct: boolean;
  readonly drafts: readonly DraftCopy[];
  /** The collection token of a project whose collection is minted: the items need one to refer to. */
  readonly collection: DraftCopy | undefined;
  readonly read: (sha256: string) => Promise<Uint8Array>;
  readonly open: () => Promise<RehearsalNetwork>;
  readonly remove: () => Promise<void>;
  /** Called with the result. */
  readonly ended: (view: Rehearsal, items: readonly RunItem[]) => void;
  readonly clock: Clock;
  readonly events: Events;
  readonly logger: Logger;
}

/** One rehearsal from the opening of its network to its removal. */
export class RunningRehearsal {
  readonly #options: RehearsalOptions;
  readonly #abort = new AbortController();
  #view: Rehearsal;
  #network: RehearsalNetwork | undefined;
  /** Set while the run exists on the rehearsal's network. */
  #runId: string | undefined;
  #items: RunItem[] = [];
  #ended: Promise<void> = Promise.resolve();
  #cancelPublish: (() => void) | undefined;

  constructor(options: RehearsalOptions) {
    this.#options = options;
    const { id, project, direct, drafts, clock } = options;
    this.#view = {
      id,
      projectUid: project.uid,
      projectName: project.name,
      direct,
      state: 'preparing',
      failure: null,
      items: drafts.length,
      copied: 0,
      plan: null,
      run: null,
      bytes: null,
      fee: null,
      milliseconds: null,
      startedAt: clock.now(),
      endedAt: null,
    };
  }

  view(): Rehearsal {
    return this.#view;
  }

  start(): void {
    this.#ended = this.#run();
    this.#publish();
  }

  /** Resolves once its network is gone. */
  async cancel(): Promise<void> {
    this.#abort.abort(new PlanchetError('rehearsal.stopped'));
    await this.#ended;
  }

  async items(offset: number, limit: number): Promise<{ items: RunItem[]; next: number | null }> {
    if (this.#network !== undefined && this.#runId !== undefined && !isRehearsalOver(this.#view))
      return this.#network.client.runs.items({ id: this.#runId, offset, limit });
    return pageOf(this.#items, offset, limit);
  }

  async #run(): Promise<void> {
    const { clock, logger, id } = this.#options;
    let result: Partial<Rehearsal>;
    try {
      result = await this.#mintAll();
    } catch (error) {
      const isCancelled = this.#abort.signal.aborted;
      if (!isCancelled) logger.warn({ err: error, rehearsal: id }, 'rehearsal failed');
      result = isCancelled ? { state: 'cancelled', failure: null } : { state: 'failed', failure: toFailure(error) };
    }
    await this.#close();
    this.#change({ ...result, endedAt: clock.now() });
    this.#options.ended(this.#view, this.#items);
  }

  /** The network is stopped and its folder removed, whatever happened. */
  async #close(): Promise<void> {
    const { logger, remove, id } = this.#options;
    const warn = (text: string) => (error: unknown) => logger.warn({ err: error, rehearsal: id }, text);
    await this.#network?.stop().catch(warn('the network of a rehearsal did not stop cleanly'));
    this.#network = undefined;
    await remove().catch(warn('the folder of a rehearsal could not be removed; the next start removes it'));
  }

  async #mintAll(): Promise<Partial<Rehearsal>> {
    const { project, drafts, collection, read } = this.#options;
    const { signal } = this.#abort;
    const network = await this.#options.open();
    this.#network = network;
    signal.throwIfAborted();
    const { uid } = await network.client.projects.create({ name: project.name, type: project.type });
    const target = { uid, type: project.type };
    if (collection !== undefined) {
      await network.takeDrafts([collection], target, { read, signal, onCopied: () => {} });
      const { id } = await this.#approvedRun(network, uid);
      requireDone(await this.#runEnd(network, id));
    }
    const onCopied = (copied: number): void => this.#change({ copied });
    await network.takeDrafts(drafts, target, { read, signal, onCopied });
    const { id, plan } = await this.#approvedRun(network, uid);
    this.#runId = id;
    this.#change({ state: 'minting', plan: { ...plan, projectUid: project.uid } });
    const run = await this.#runEnd(network, id, (now) => this.#change({ run: this.#named(now), failure: now.failure }));
    requireDone(run);
    this.#items = await allItems(network.client, id);
    const figures = await figuresOf(network.client, run, this.#items);
    return { state: 'done', failure: run.failure, run: this.#named(run), ...figures };
  }

  /** Plans all drafts, waits until the new wallet has found its play money, and approves without asking. */
  async #approvedRun(network: RehearsalNetwork, projectUid: string): Promise<{ id: string; plan: RunPlan }> {
    const { client } = network;
    const { direct } = this.#options;
    const plan = await this.#until(network, 'wallet', async () => {
      const { address: destination } = await client.wallet.status();
      if (destination === null) return undefined;
      const made = await client.runs.plan({ projectUid, destination, direct });
      const problem = made.problems.find((one) => !isPassing(one) && one.code !== 'funds-insufficient');
      if (problem !== undefined) throw new PlanchetError(problem);
      return made.problems.length === 0 ? made : undefined;
    });
    const { destination } = plan;
    const { id, digest } = await client.runs.create({ projectUid, destination, direct, idempotencyKey: randomUUID() });
    await client.runs.approve({ id, digest });
    return { id, plan };
  }

  #runEnd(network: RehearsalNetwork, id: string, onChange: (run: Run) => void = () => {}): Promise<Run> {
    return this.#until(network, 'run', async () => {
      const { run } = await network.client.runs.get({ id });
      onChange(run);
      return run.state === 'minting' || run.waits ? undefined : run;
    });
  }

  /**
   * Looks now and after each event of a type, until there is something.
   * @throws PlanchetError `cancelled` once the rehearsal is
   */
  async #until<T>(network: RehearsalNetwork, type: LiveEvent['type'], look: () => Promise<T | undefined>): Promise<T> {
    for await (const event of network.events(this.#abort.signal)) {
      if (event.type !== type && event.type !== 'snapshot') continue;
      const found = await look();
      if (found !== undefined) return found;
    }
    throw new PlanchetError('rehearsal.stopped');
  }

  /** A run as one of the project that is rehearsed. */
  #named(run: Run): Run {
    const { uid, name } = this.#options.project;
    return { ...run, projectUid: uid, projectName: name };
  }

  #change(change: Partial<Rehearsal>): void {
    const isNewState = change.state !== undefined && change.state !== this.#view.state;
    this.#view = { ...this.#view, ...change };
    const { clock } = this.#options;
    if (isNewState) this.#publish();
    else this.#cancelPublish ??= clock.after(PUBLISH_MS, () => this.#publish());
  }

  #publish(): void {
    this.#cancelPublish?.();
    this.#cancelPublish = undefined;
    this.#options.events.publish({ type: 'rehearsal', rehearsal: this.#view });
  }
}

/** A paused run waits for a person, and a rehearsal has none. */
function requireDone(run: Run): void {
  if (run.state === 'done') return;
  throw run.failure === null ? new PlanchetError('rehearsal.paused') : new PlanchetError(run.failure);
}

async function allItems(client: ConsoleClient, id: string): Promise<RunItem[]> {
  const items: RunItem[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page: Awaited<ReturnType<ConsoleClient['runs']['items']>> = await client.runs.items({
      id,
      offset,
      limit: MAX_RUN_ITEMS_A_PAGE,
    });
    items.push(...page.items);
    offset = page.next;
  }
  return items;
}

/** What the signed transactions weighed and cost, and how long it took until the network had the last of them. */
async function figuresOf(
  client: ConsoleClient,
  run: Run,
  items: readonly RunItem[],
): Promise<Pick<Rehearsal, 'bytes' | 'fee' | 'milliseconds'>> {
  let bytes = run.splitTxid === null ? 0 : (await client.transactions.get({ txid: run.splitTxid })).size;
  let last = run.approvedAt ?? 0;
  for (const id of new Set(items.map(({ jobId }) => jobId))) {
    const { review, history } = await client.mint.get({ id });
    bytes += review?.size ?? 0;
    last = Math.max(last, ...history.filter(({ state }) => state === 'submitted').map(({ at }) => at));
  }
  return { bytes, fee: run.fee, milliseconds: last - (run.approvedAt ?? last) };
}
