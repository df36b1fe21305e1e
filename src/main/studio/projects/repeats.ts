import { MAX_REPEATS, mintStates, type Repeat } from '../../../contract/index.ts';
import type { StudioParts } from '../parts.ts';
import type { ProjectStore } from './projects.ts';

/** The drafts of a project that no mint holds, or those of some items. */
type Drafts = { readonly projectUid: string } | { readonly itemIds: readonly string[] };

interface RepeatsOptions extends Pick<StudioParts, 'network' | 'store'> {
  projects: Pick<ProjectStore, 'get'>;
}

export type FindRepeats = (drafts: Drafts) => Promise<Repeat[]>;

/** Returns a function that finds the projects that minted files of drafts on this network, with the number of these files, most first. */
export function repeatsFinder({ store, network, projects }: RepeatsOptions): FindRepeats {
  return async (drafts) => {
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
  };
}
