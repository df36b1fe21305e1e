import type { Updateable } from 'kysely';
import { type ReadInscription, readInscription } from '../../../../../chain/index.ts';
import { decodedBase64 } from '../../../content/base64.ts';
import { sha256Of } from '../../../content/content-disk.ts';
import { mintedMetadata } from '../../../projects/minted-metadata.ts';
import type { ItemRow } from '../../../tables.ts';
import type { StepContext } from '../step-context.ts';

/**
 * What a draft must say to be the token that was minted of it: its file or its texts may have been changed since.
 * @param script the output that holds the token
 * @returns nothing for a draft that is still the same
 */
export async function mintedColumns(
  { files }: Pick<StepContext, 'files'>,
  item: ItemRow,
  script: Uint8Array | undefined,
): Promise<Updateable<ItemRow>> {
  const token = script && readInscription(script);
  if (token === undefined) return {};
  const metadata = mintedMetadata(item, token.map);
  return { ...(await fileColumns(files, item, token)), ...(metadata && { metadata: JSON.stringify(metadata) }) };
}

async function fileColumns(
  files: StepContext['files'],
  item: ItemRow,
  { content, contentType }: ReadInscription,
): Promise<Updateable<ItemRow>> {
  const decoded = decodedBase64(content);
  const held = await Promise.all([content, ...(decoded === undefined ? [] : [decoded])].map(sha256Of));
  if (contentType === item.content_type && held.includes(item.sha256)) return {};
  const bytes = contentType.startsWith('text/') ? content : (decoded ?? content);
  const known = await files.info(await sha256Of(bytes)).catch(() => undefined);
  const name = known?.name ?? item.file_name;
  const [sha256 = ''] = await files.addAll([{ name, bytes, contentType }]);
  return { sha256, file_name: name, content_type: contentType, bytes: bytes.length, original: null };
}
