import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Contract, MintJob, MintJobSummary, Project, Serves, Token } from '../../contract/index.ts';
import type { ChainData, TipSource } from '../ports/chain-data.ts';
import type { Merchant } from '../ports/merchant/merchant.ts';
import type { TransactionTracker } from '../ports/merchant/transactions.ts';
import type { Pictures } from '../ports/pictures.ts';
import type { SecretStore } from '../ports/secrets.ts';
import type { Service } from '../ports/service.ts';
import type { Endpoints, SettingsView } from '../ports/settings.ts';
import type { MintWallet, TokenWallet } from '../ports/wallet.ts';
import { ContentStore } from './content/content-store.ts';
import { createFiles } from './content/files.ts';
import { createThumbnails, type Thumbnails } from './content/thumbnails.ts';
import { createImporter, type Importer } from './import/importer.ts';
import { Estimator } from './minting/estimate.ts';
import { Journal } from './minting/journal.ts';
import { MintPipeline } from './minting/mint.ts';
import type { StudioParts } from './parts.ts';
import { createItems } from './projects/changes/create-items.ts';
import { type DraftCopy, type DraftCopying, draftCopyOf, takeDrafts } from './projects/draft-copies.ts';
import type { ItemStore } from './projects/items.ts';
import { Outputs } from './projects/outputs.ts';
import type { ProjectCopy } from './projects/project-copy.ts';
import { ProjectItems } from './projects/project-items.ts';
import { ProjectStore } from './projects/projects.ts';
import { repeatsFinder } from './projects/repeats.ts';
import { TokenApi } from './projects/token-api.ts';
import { inscribedContent, viewTransaction } from './review/transactions.ts';
import { createRuns } from './runs/create-runs.ts';
import type { RunLimits } from './runs/plan.ts';
import type { MintRuns } from './runs/runs.ts';
import type { ItemRow } from './tables.ts';
import type { ChainHeaders } from './tokens/proof/bundler.ts';
import { createTokens, type Tokens } from './tokens/tokens.ts';

export interface StudioOptions extends StudioParts {
  /** Files are kept in `<dataDir>/files`. */
  dataDir: string;
  settings: SettingsView;
  endpoints: Endpoints;
  secrets: SecretStore;
  wallet: MintWallet;
  /** The accounts, whose tokens are listed. */
  tokensOf: Pick<TokenWallet, 'nonFundingOutputs'>;
  chainData: ChainData;
  merchant: Merchant;
  tracker: TransactionTracker;
  tip: TipSource;
  headers: ChainHeaders;
  pictures: Pictures;
  /** For the jitter of waits; no jitter where left out. */
  random?: () => number;
  logger: Logger;
  /** Bounds of the transactions of mint runs, if not the usual ones. */
  runLimits?: RunLimits;
  /** Most memory for the rows of imports, if not the usual amount. */
  importHeapMb?: number;
  /** Called at every point named in `crashPoints`, so a test can end the process there. */
  crashPoint?: (where: string) => void;
}

/** Shortest time between two updates of a project's counts and the quota during a run. */
const TELL_RUN_MS = 500;

/**
 * The minting studio: projects, files, items and the journalled steps from a file to a proven token. Errors that a person may see are
 * `PlanchetError`; methods that need the token service throw `api-key-missing`, `unauthorized` or `upstream-*` where it cannot be used.
 */
export class Studio implements Service {
  readonly name = 'studio';
  readonly #options: StudioOptions;
  readonly #api: TokenApi;
  readonly #contents: ContentStore;
  readonly #thumbnails: Thumbnails;
  readonly #items: ItemStore;
  readonly #journal: Journal;
  /** Of this computer and of the token service, if one is set; while that cannot be reached, its projects as last seen. */
  readonly projects: ProjectStore;
  readonly files: ReturnType<typeof createFiles>;
  readonly items: ProjectItems;
  /** What the token service holds of the projects. */
  readonly outputs: Outputs;
  readonly mint: MintPipeline;
  /** Whole projects minted under one approval. */
  readonly runs: MintRuns;
  /** The tokens of all projects, and those that the wallet received. */
  readonly tokens: Tokens;
  /** Imports of folders, archives and tables. */
  readonly imports: Importer;

  readonly quota = {
    /** Fetches the quota and publishes it; null where no token service is set. */
    get: async () => {
      const quota = await this.projects.keeper().quota();
      this.#options.events.publish({ type: 'quota', quota });
      return quota;
    },
  } satisfies Serves<Contract['quota']>;

  readonly transactions = {
    /** @throws PlanchetError `not-found` | `upstream-*` */
    get: ({ txid, output }) => viewTransaction(this.#options.chainData, txid, this.#options.network, output),
    /** @throws PlanchetError `not-found` where the node does not know the transaction, or nothing is inscribed in this output */
    content: ({ txid, index }) => inscribedContent(this.#options.chainData, txid, index),
  } satisfies Partial<Serves<Contract['transactions']>>;

  constructor(options: StudioOptions) {
    const { network, dataDir, store, events, clock, settings, pictures } = options;
    this.#options = options;
    const maxBytes = () => settings.current().maxTokenBytes;
    this.#api = new TokenApi({ network, endpoints: options.endpoints, secrets: options.secrets, clock });
    this.#contents = new ContentStore({ folder: join(dataDir, 'files'), store, clock, maxBytes });
    this.#thumbnails = createThumbnails({ folder: join(dataDir, 'thumbnails'), files: this.#contents, pictures });
    const { isUnreadable } = this.#thumbnails;
    const created = createItems({ network, store, events, clock });
    this.#items = created.items;
    this.projects = new ProjectStore({ network, store, events, clock, service: this.#api });
    const { projects } = this;
    this.outputs = new Outputs({ api: this.#api, items: this.#items, files: this.#contents, projects });
    this.files = createFiles(this.#contents, this.#thumbnails);
    const files = this.#contents;
    this.items = new ProjectItems({ ...created, store, projects, files, events });
    this.imports = createImporter({ ...options, ...created, projects, files, isUnreadable, maxBytes });
    const { wallet, tokensOf } = options;
    this.tokens = createTokens({
      ...options,
      wallet: { status: () => wallet.status(), nonFundingOutputs: () => tokensOf.nonFundingOutputs() },
      project: (uid) => this.projects.get({ uid }),
    });
    this.#journal = new Journal({ network, store, events, clock, items: this.#items });
    const repeats = repeatsFinder({ network, store, projects });
    const estimator = new Estimator({ ...options, projects, items: this.#items, repeats });
    this.mint = new MintPipeline({
      ...options,
      api: this.#api,
      files,
      isUnreadable,
      items: this.#items,
      journal: this.#journal,
      estimator,
      isDirect: (uid) => projects.isDirect(uid),
      mayStep: (job) => this.runs.mayStep(job),
      onState: (job) => this.#tellOthers(job),
    });
    this.runs = createRuns({
      ...options,
      items: this.#items,
      journal: this.#journal,
      estimator,
      pipeline: this.mint,
      projects,
      repeats,
    });
  }

  /** Projects with progress in a run that is not published yet. */
  readonly #news = new Map<string, { isSubmitted: boolean; cancel: () => void }>();

  /** Resumes every unfinished job. */
  async start(): Promise<{ address?: string }> {
    this.#api.open();
    await this.#contents.start();
    await this.#thumbnails.start();
    await this.#journal.load();
    await this.mint.start();
    await this.runs.start();
    await this.imports.start();
    return {};
  }

  /** Waits for the running steps, at most 4 s; what they did is journalled. */
  async stop(): Promise<void> {
    // None of them may wait for a picture, which takes up to half a minute.
    const pictures = this.#options.pictures.stop();
    const ended: PromiseSettledResult<unknown>[] = await Promise.allSettled([
      this.imports.stop(),
      this.runs.stop(),
      this.mint.stop(),
      pictures,
    ]);
    for (const { cancel } of this.#news.values()) cancel();
    this.#news.clear();
    const others = [() => this.#thumbnails.stop(), () => this.#contents.stop(), () => this.#api.close()];
    for (const stop of others) ended.push(...(await Promise.allSettled([stop()])));
    const errors = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    if (errors.length > 0) throw new AggregateError(errors, 'the studio could not be stopped as a whole');
  }

  /** Drafts of a project for another studio, in the order of its plan, and its collection token if that is minted already. */
  async draftCopies(projectUid: string): Promise<{ drafts: DraftCopy[]; collection: DraftCopy | undefined }> {
    const drafts = (await this.runs.drafts(projectUid)).map(draftCopyOf);
    const all = await this.itemRows(projectUid);
    const collection = all.find(({ sub_type, state }) => sub_type === 'collection' && state !== 'draft');
    return { drafts, collection: collection && draftCopyOf(collection) };
  }

  /** All items of a project in their order, minted or not. */
  itemRows(projectUid: string): Promise<ItemRow[]> {
    return this.#items.rowsOf(projectUid);
  }

  /** A whole project for another network. @throws PlanchetError `not-found` */
  async copyOf(projectUid: string): Promise<ProjectCopy> {
    const { name, type } = await this.projects.get({ uid: projectUid });
    const items = (await this.itemRows(projectUid)).map(draftCopyOf);
    const { network, store } = this.#options;
    const mapping = await store.db
      .selectFrom('studio_import_mappings')
      .select('fields')
      .where('network', '=', network)
      .where('project_uid', '=', projectUid)
      .executeTakeFirst();
    return { name, type, items, mapping: mapping?.fields };
  }

  /** Makes drafts of those of another studio. @throws PlanchetError `disk-full` | `metadata-invalid` | `conflict` */
  async takeDrafts(
    copies: readonly DraftCopy[],
    project: Pick<Project, 'uid' | 'type'>,
    copying: Pick<DraftCopying, 'read' | 'onCopied' | 'signal'>,
  ): Promise<void> {
    await takeDrafts(copies, { ...copying, project, items: this.#items, files: this.#contents });
    await this.projects.publish(project.uid);
  }

  /** Newest first. */
  jobs(): MintJob[] {
    return this.#journal.jobs();
  }

  /** Unfinished jobs and the newest others, newest first: a bounded number. */
  recentJobs(): MintJobSummary[] {
    return this.#journal.recent();
  }

  /** Names of the tokens that transactions minted, by txid. */
  namesOf(txids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#items.namesOf(txids);
  }

  /** Tokens that were handed to the network, newest first. */
  newestTokens(limit: number): Promise<Token[]> {
    return this.#items.tokens(limit);
  }

  /** Publishes a project's counts after a job's new state, and the quota after a submission. The jobs of a run share one update. */
  #tellOthers(job: MintJob): void {
    const news = this.#news.get(job.projectUid);
    const isSubmitted = job.state === 'submitted';
    if (news !== undefined) {
      news.isSubmitted ||= isSubmitted;
      return;
    }
    if (this.#journal.runOf(job.id) === undefined) {
      this.#tell(job.projectUid, isSubmitted);
      return;
    }
    const told = { isSubmitted, cancel: () => {} };
    this.#news.set(job.projectUid, told);
    told.cancel = this.#options.clock.after(TELL_RUN_MS, () => {
      this.#news.delete(job.projectUid);
      this.#tell(job.projectUid, told.isSubmitted);
    });
  }

  #tell(projectUid: string, isSubmitted: boolean): void {
    const told = [
      this.projects.publish(projectUid).then(() => {}),
      ...(isSubmitted ? [this.quota.get().then(() => {})] : []),
    ];
    void Promise.allSettled(told).then((results) => {
      for (const result of results) {
        if (result.status === 'rejected') this.#options.logger.debug({ err: result.reason }, 'a view was not told');
      }
    });
  }
}
