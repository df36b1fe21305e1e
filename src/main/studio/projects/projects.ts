import {
  type Art,
  type Contract,
  MAX_PROJECT_ART,
  type MintState,
  mintStates,
  PlanchetError,
  type Project,
  type Serves,
} from '../../../contract/index.ts';
import type { StudioParts } from '../parts.ts';
import type { ProjectRow } from '../tables.ts';
import type { RemoteProject } from './api-replies.ts';
import { artOf, COLLECTION } from './item-rows.ts';
import { type ProjectKeeper, TOKEN_PROTOCOL, thisComputer } from './project-keeper.ts';

export interface ProjectStoreOptions extends StudioParts {
  /** The token service, if its address is set. */
  service: ProjectKeeper;
}

/**
 * Projects of the token service and of this computer. Those of the service have a copy here, with what it does not report (creation time,
 * items of this studio).
 */
export class ProjectStore implements Serves<Contract['projects']> {
  readonly #options: ProjectStoreOptions;

  constructor(options: ProjectStoreOptions) {
    this.#options = options;
  }

  /** Who has a project that is made now. @param local made on this computer alone, also where a token service is set */
  keeper(local = false): ProjectKeeper {
    const { service } = this.#options;
    return local || service.name === null ? thisComputer : service;
  }

  /**
   * Newest first: all projects of the API key, and those that the token service in use does not have. If it cannot be reached, the stored
   * copies of its projects.
   */
  async list(): Promise<Project[]> {
    return this.#shown(await this.#listed());
  }

  /** The same, but only with all of the token service in use. @throws PlanchetError what kept it from listing them */
  async listAll(): Promise<Project[]> {
    return this.#shown(await this.#store(this.keeper()));
  }

  /** @param listed what the keeper lists; undefined where it could not be reached */
  async #shown(listed: ReadonlySet<string> | undefined): Promise<Project[]> {
    const rows = await this.#rows();
    return this.#views(listed === undefined ? rows : rows.filter((row) => !this.#isServed(row) || listed.has(row.uid)));
  }

  /** Ids that the keeper lists, whose names and types are stored then; undefined where it cannot be reached. */
  async #listed(): Promise<Set<string> | undefined> {
    try {
      return await this.#store(this.keeper());
    } catch (error) {
      const rows = await this.#rows();
      const isAway = error instanceof PlanchetError && error.code.startsWith('upstream-') && rows.length > 0;
      // A missing API key must not hide the projects that need none.
      if (!isAway && rows.every((row) => this.#isServed(row))) throw error;
      return isAway ? undefined : new Set();
    }
  }

  /** Stores the projects of a keeper. @returns their ids */
  async #store(keeper: ProjectKeeper): Promise<Set<string>> {
    const known = new Map((await this.#rows()).map((row) => [row.uid, row]));
    const remotes = await keeper.listProjects();
    for (const remote of remotes) {
      const row = known.get(remote.uid);
      // The list lacks the type. It never changes, so it is fetched once.
      if (row === undefined) await this.#save(await keeper.getProject(remote.uid), keeper, null);
      else if (row.name !== remote.name || row.service !== keeper.name)
        await this.#save({ ...remote, type: row.type as Project['type'] }, keeper, row.created_at);
    }
    return new Set(remotes.map(({ uid }) => uid));
  }

  async create({ local, ...input }: { name: string; type: Project['type']; local?: boolean }): Promise<Project> {
    const keeper = this.keeper(local);
    const uid = await keeper.createProject(input);
    const detail = { uid, ...input, network: this.#options.network, tokenProtocol: TOKEN_PROTOCOL };
    await this.#save(detail, keeper, this.#options.clock.now());
    return this.publish(uid);
  }

  /** Whether a project can only be minted directly: the token service in use, if there is one, does not have it. @throws PlanchetError `not-found` */
  async isDirect(uid: string): Promise<boolean> {
    return !this.#isServed((await this.#row(uid)) ?? (await this.get({ uid })));
  }

  #isServed({ service }: Pick<ProjectRow, 'service'>): boolean {
    const { name } = this.#options.service;
    // Rows of earlier versions have an empty service.
    return name !== null && (service === name || service === '');
  }

  /** @throws PlanchetError `not-found` */
  async get({ uid }: { uid: string }): Promise<Project> {
    const row = await this.#row(uid);
    if (row === undefined) {
      try {
        const keeper = this.keeper();
        await this.#save(await keeper.getProject(uid), keeper, null);
      } catch (error) {
        if (error instanceof PlanchetError && error.code === 'rejected') throw unknownProject();
        throw error;
      }
    }
    return this.#view(uid);
  }

  /** Publishes the present state of a project. */
  async publish(uid: string): Promise<Project> {
    const project = await this.#view(uid);
    this.#options.events.publish({ type: 'project', project });
    return project;
  }

  async #view(uid: string): Promise<Project> {
    const row = await this.#row(uid);
    if (row === undefined) throw unknownProject();
    const [project] = await this.#views([row]);
    return project as Project;
  }

  async #views(rows: ProjectRow[]): Promise<Project[]> {
    const [one, ...others] = rows;
    let items = this.#options.store.db
      .selectFrom('studio_items')
      .select(({ fn }) => ['project_uid', 'state', fn.countAll().as('count')])
      .where('network', '=', this.#options.network);
    if (one !== undefined && others.length === 0) items = items.where('project_uid', '=', one.uid);
    const counts = await items.groupBy(['project_uid', 'state']).execute();
    const art = await Promise.all(rows.map((row) => this.#art(row)));
    return rows.map((row, index) => {
      const own = counts.filter(({ project_uid }) => project_uid === row.uid);
      const sum = (states: typeof own) => states.reduce((total, { count }) => total + Number(count), 0);
      return {
        uid: row.uid,
        service: row.service,
        direct: !this.#isServed(row),
        name: row.name,
        type: row.type as Project['type'],
        network: row.remote_network,
        tokenProtocol: row.token_protocol,
        createdAt: row.created_at === null ? null : Number(row.created_at),
        itemCount: sum(own),
        mintedCount: sum(own.filter(({ state }) => mintStates.is(state as MintState, 'onNetwork'))),
        art: art[index] ?? [],
      };
    });
  }

  /** The token of its collection, then its first items. */
  async #art({ uid, type }: ProjectRow): Promise<Art[]> {
    const items = this.#options.store.db
      .selectFrom('studio_items')
      .selectAll()
      .where('network', '=', this.#options.network)
      .where('project_uid', '=', uid);
    const cover = type === 'collection' ? await items.where('sub_type', '=', COLLECTION).limit(1).execute() : [];
    const first = await items.orderBy('position').limit(MAX_PROJECT_ART).execute();
    const others = first.filter(({ id }) => id !== cover[0]?.id);
    return [...cover, ...others].slice(0, MAX_PROJECT_ART).map(artOf);
  }

  #rows(): Promise<ProjectRow[]> {
    return this.#options.store.db
      .selectFrom('studio_projects')
      .selectAll()
      .where('network', '=', this.#options.network)
      .orderBy('created_at', 'desc')
      .orderBy('name')
      .orderBy('uid')
      .execute();
  }

  #row(uid: string): Promise<ProjectRow | undefined> {
    return this.#options.store.db
      .selectFrom('studio_projects')
      .selectAll()
      .where('network', '=', this.#options.network)
      .where('uid', '=', uid)
      .executeTakeFirst();
  }

  async #save(project: RemoteProject, { name: service }: ProjectKeeper, created_at: number | null): Promise<void> {
    const { uid, name, type, tokenProtocol: token_protocol, network: remote_network } = project;
    const row = { uid, name, type, token_protocol, remote_network, service, created_at };
    await this.#options.store.db
      .insertInto('studio_projects')
      .values({ ...row, network: this.#options.network })
      .onConflict((conflict) =>
        conflict
          .columns(['network', 'uid'])
          .doUpdateSet({ name, type, service, ...(created_at === null ? {} : { created_at }) }),
      )
      .execute();
  }
}

function unknownProject(): PlanchetError {
  return new PlanchetError('mint.project-missing');
}
