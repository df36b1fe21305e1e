import { randomUUID } from 'node:crypto';
import type { Insertable, Transaction } from 'kysely';
import {
  type FileInfo,
  type Item,
  type ItemMetadata,
  type Network,
  PlanchetError,
  type Project,
} from '../../../../contract/index.ts';
import { chunks } from '../../../chunks.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ItemRow, StudioTables } from '../../tables.ts';

export interface NewItem {
  projectUid: string;
  sha256: string;
  fileName: string;
  metadata: ItemMetadata;
  subType?: Item['subType'] | undefined;
  /** Becomes the item's id: the same key and content give the same item. */
  idempotencyKey?: string | undefined;
}

export interface NewDraft extends NewItem {
  readonly file: FileInfo;
  readonly id?: string | undefined;
}

/** Adds drafts behind those of their project. @throws PlanchetError `conflict` */
export async function insertDrafts(
  db: Transaction<StudioTables>,
  { network, clock }: { network: Network; clock: Clock },
  items: readonly NewDraft[],
  projectType: Project['type'],
): Promise<ItemRow[]> {
  const projectUid = items[0]?.projectUid ?? '';
  // Both queries use the index: a large import runs them hundreds of times.
  const present = db.selectFrom('studio_items').where('network', '=', network).where('project_uid', '=', projectUid);
  const before = await present.select('position').orderBy('position', 'desc').limit(1).executeTakeFirst();
  const isCollection = present.select('id').where('sub_type', '=', 'collection').orderBy('position').limit(1);
  let hasCollection = projectType === 'collection' && (await isCollection.executeTakeFirst()) !== undefined;
  const rows = items.map(({ id = randomUUID(), file, ...item }, index) => {
    const sub_type = chooseSubType(item.subType, projectType, hasCollection);
    hasCollection ||= sub_type === 'collection';
    return {
      id,
      network,
      project_uid: projectUid,
      position: (before?.position ?? -1) + 1 + index,
      sub_type,
      sha256: file.sha256,
      file_name: item.fileName,
      content_type: file.contentType,
      bytes: file.bytes,
      metadata: JSON.stringify(item.metadata),
      state: 'draft',
      job_id: null,
      output_uid: null,
      upload_intent: 0,
      txid: null,
      vout: null,
      failure: null,
      original: null,
      created_at: clock.now(),
    } satisfies Insertable<ItemRow>;
  });
  for (const some of chunks(rows, 500)) {
    await db.insertInto('studio_items').values(some).execute();
  }
  return rows as ItemRow[];
}

function chooseSubType(
  asked: Item['subType'] | undefined,
  projectType: Project['type'],
  hasCollection: boolean,
): Item['subType'] {
  const fitting = projectType === 'single' ? 'single' : hasCollection ? 'collectionItem' : 'collection';
  const chosen = asked ?? fitting;
  if (projectType === 'single' && chosen !== 'single') throw new PlanchetError('mint.single-project');
  if (projectType === 'collection' && chosen === 'single') throw new PlanchetError('mint.collection-project');
  if (chosen === 'collection' && hasCollection) throw new PlanchetError('mint.collection-token-exists');
  return chosen;
}
