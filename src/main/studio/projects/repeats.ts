import { MAX_REPEATS, mintStates, type Network, type Repeat } from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import type { StudioTables } from '../tables.ts';
import type { ProjectStore } from './projects.ts';

/** The drafts of a project that no mint holds, or those of some items. */
export type Drafts = { readonly projectUid: string } | { readonly itemIds: readonly string[] };

export interface RepeatsOptions {
  store: Store<StudioTables>;
  network: Network;
  projects: Pick<ProjectStore, 'get'>;
}

/** Finds out which files of drafts are tokens already. */
export class Repeats {
  readonly #options: RepeatsOptions;

  constructor(options: RepeatsOptions) {
    this.#options = options;
  }

  /** Projects that minted files of these drafts on this network, with the number of these files, most first. */
  async of(drafts: Drafts): Promise<Repeat[]> {
    const { store, network, projects } = this.#options;
    const rows = await store.db
      .selectFrom('studio_items as draft')
      .innerJoin('studio_items as minted', 'minted.sha256', 'draft.sha256')
      .select((select) => ['minted.project_uid', select.fn.count('draft.sha256').distinct().as('files')])
      .where('draft.network', '=', network)
      .where((where) =>
        'itemIds' in drafts
          ? where('draft.id', 'in', [...drafts.itemIds])
          : where('draft.project_uid', '=', drafts.projectUid),
      )
      .where('draft.state', '=', 'draft')
      .where('draft.job_id', 'is', null)
      .where('minted.network', '=', network)
      .where('minted.state', 'in', mintStates.having('submitted'))
      .groupBy('minted.project_uid')
      .orderBy('files', 'desc')
      .limit(MAX_REPEATS)
      .execute();
    return Promise.all(
      rows.map(async ({ project_uid: projectUid, files }) => {
        const projectName = await projects.get({ uid: projectUid }).then(
          ({ name }) => name,
          () => projectUid,
        );
        return { projectUid, projectName, files: Number(files) };
      }),
    );
  }
}
