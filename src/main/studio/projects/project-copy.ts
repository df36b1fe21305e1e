import type { Insertable } from 'kysely';
import { type Network, PlanchetError, type Project } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { ContentStore } from '../content/content-store.ts';
import type { ProjectRow, StudioTables } from '../tables.ts';
import { createItems } from './changes/create-items.ts';
import { type DraftCopy, newDrafts, storeFiles } from './draft-copies.ts';
import { checkRoyalties } from './metadata.ts';
import { TOKEN_PROTOCOL, thisComputer } from './project-keeper.ts';

/** A project with everything that does not depend on its network. */
export interface ProjectCopy {
  readonly name: string;
  readonly type: Project['type'];
  /** All items in their order. */
  readonly items: readonly DraftCopy[];
  /** JSON of what the columns of its imports became, if anything was imported. */
  readonly mapping: string | undefined;
}

/** Receivers of royalties that have no address on a network, each once. */
export function foreignReceivers(copy: ProjectCopy, network: Network): string[] {
  const receivers = new Set(
    copy.items.flatMap(({ metadata }) => metadata.royalties ?? []).map((one) => one.destination),
  );
  return [...receivers].filter((destination) => {
    try {
      checkRoyalties([{ destination, percentage: '0' }], network);
      return false;
    } catch {
      return true;
    }
  });
}

/**
 * @param replaced receivers by those that they are replaced with; empty text leaves one out
 * @throws PlanchetError `invalid-input` where a receiver without an address on that network is not among them
 */
export function withReceivers(
  copy: ProjectCopy,
  network: Network,
  replaced: Readonly<Record<string, string>>,
): ProjectCopy {
  const foreign = foreignReceivers(copy, network);
  const open = foreign.filter((destination) => !Object.hasOwn(replaced, destination));
  if (open.length > 0) throw new PlanchetError('project-move.royalties-open', { receivers: open.join(', '), network });
  if (foreign.length === 0) return copy;
  const known = new Set(foreign);
  const items = copy.items.map((item) => {
    const { royalties, ...metadata } = item.metadata;
    if (royalties === undefined) return item;
    const kept = royalties.flatMap((one) => {
      const destination = known.has(one.destination) ? replaced[one.destination] : one.destination;
      return destination ? [{ ...one, destination }] : [];
    });
    return { ...item, metadata: kept.length === 0 ? metadata : { ...metadata, royalties: kept } };
  });
  return { ...copy, items };
}

export interface TakingProject {
  /** A network that is not in use: nothing else has its store open. */
  readonly network: Network;
  readonly store: Store<StudioTables>;
  /** Of the contents of that network. */
  readonly folder: string;
  readonly clock: Clock;
  readonly read: (sha256: string) => Promise<Uint8Array>;
}

/**
 * Stores a copy as a project of this computer. Its files are stored first; project, items and mapping are written together or not at all.
 * @returns its id
 * @throws PlanchetError `disk-full` | `metadata-invalid` | `address-invalid`
 */
export async function takeProject(copy: ProjectCopy, taking: TakingProject): Promise<string> {
  const { network, store, folder, clock, read } = taking;
  const { name, type } = copy;
  const files = new ContentStore({ folder, store, clock, maxBytes: () => Number.POSITIVE_INFINITY });
  await files.start();
  try {
    await storeFiles(copy.items, { files, read });
  } finally {
    await files.stop();
  }
  const uid = await thisComputer.createProject({ name, type });
  const row: Insertable<ProjectRow> = {
    ...{ uid, network, name, type, service: thisComputer.name, created_at: clock.now() },
    ...{ token_protocol: TOKEN_PROTOCOL, remote_network: network },
  };
  const { items } = createItems({ network, store, events: { publish: () => {} }, clock });
  await items.createMany(newDrafts(copy.items, uid), type, async (db) => {
    await db.insertInto('studio_projects').values(row).execute();
    if (copy.mapping === undefined) return;
    const mapping = { network, project_uid: uid, fields: copy.mapping };
    await db.insertInto('studio_import_mappings').values(mapping).execute();
  });
  return uid;
}
