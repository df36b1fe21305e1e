import { createHash } from 'node:crypto';
import { z } from 'zod';
import { HEADER_BYTES, headerHash } from '../../../../chain/index.ts';
import { hashSchema, type Phrase, phrase } from '../../../../contract/index.ts';
import type { BlockPlace } from '../../../ports/chain-data.ts';
import type { HeaderOperator, HeaderRun } from '../../headers/public/header-operator.ts';
import { mapped, shaped, wholeHeaders } from '../answers.ts';
import type { SourceAnswer, SourceClient } from '../http/source-client.ts';
import { operatorOf } from '../operators.ts';

/** A file has 100,000 headers. */
const FILE = { kind: 'binary', limitBytes: 8_388_608, deadlineMs: 300_000 } as const;

const file = z.object({
  chain: z.string(),
  fileName: z.string().regex(/^\w+\.headers$/),
  firstHeight: z.number().int().min(0),
  count: z.number().int().min(1),
  lastHash: hashSchema,
  /** Base64 of the SHA-256. */
  fileHash: z.string(),
});
type ListedFile = z.infer<typeof file>;
const listing = z.object({ files: z.array(file).min(1) });

/** Files of headers with a listing of their hashes, as Babbage publishes them. @param listed name of the listing */
export function cdnHeaders(client: SourceClient, listed: string): HeaderOperator {
  async function files(signal: AbortSignal): Promise<SourceAnswer<readonly ListedFile[]>> {
    const request = { kind: 'json', limitBytes: 262_144, deadlineMs: 15_000, revalidate: true, signal } as const;
    return mapped(shaped(await client.get(`/${listed}`, request), listing), (told) => told.files);
  }

  async function headers(first: number, signal: AbortSignal): Promise<SourceAnswer<HeaderRun>> {
    const listedFiles = await files(signal);
    if (listedFiles.state !== 'present') return listedFiles;
    const found = listedFiles.value.find((one) => one.firstHeight <= first && first <= endOf(one).height);
    if (found === undefined) return { state: 'unknown', reason: phrase('reason.no-file-at', { height: first }) };
    const answer = wholeHeaders(await client.get(`/${found.fileName}`, { ...FILE, signal }));
    if (answer.state !== 'present') return answer;
    const reason = contradiction(answer.value, found);
    if (reason !== undefined) return { state: 'invalid', reason, status: answer.status };
    return mapped(answer, (bytes) => ({ first: found.firstHeight, bytes }));
  }

  return {
    name: 'cdn',
    operator: operatorOf('cdn', client),
    isArchive: true,
    chain: async (signal) => mapped(await files(signal), (all) => (all.at(-1) as ListedFile).chain),
    tip: async (signal) => mapped(await files(signal), (all) => endOf(all.at(-1) as ListedFile)),
    // who has read a file to its end fetches none for its last header
    hashAt: async (height, signal) => {
      const answer = await files(signal);
      if (answer.state !== 'present') return answer;
      const end = answer.value.map(endOf).find((one) => one.height === height);
      if (end === undefined) return { state: 'unknown', reason: phrase('reason.no-file-at', { height }) };
      return mapped(answer, () => end.hash);
    },
    headers: (first, _, signal) => headers(first, signal),
  };
}

function endOf({ firstHeight, count, lastHash }: ListedFile): BlockPlace {
  return { hash: lastHash, height: firstHeight + count - 1 };
}

/** Why a file contradicts its listing; undefined where it does not. */
function contradiction(bytes: Uint8Array, { count, fileHash, lastHash }: ListedFile): Phrase | undefined {
  if (createHash('sha256').update(bytes).digest('base64') !== fileHash) return phrase('reason.file-hash');
  if (bytes.length !== count * HEADER_BYTES) return phrase('reason.file-length');
  if (headerHash(bytes.subarray(-HEADER_BYTES)) !== lastHash) return phrase('reason.file-end');
  return undefined;
}
