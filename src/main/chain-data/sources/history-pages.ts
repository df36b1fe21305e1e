import { z } from 'zod';
import { shaped } from './answers.ts';
import type { SourceAnswer, SourceClient } from './http/source-client.ts';
import type { HistoryRow } from './transaction-source.ts';

/** Rows of a page; an answer with as many may be cut. */
export const PAGE_ROWS = 1_000;
/** Nobody's history is longer: a service that never ends is left. */
const MOST_PAGES = 1_000;
const PAGE = { kind: 'json', limitBytes: 1_000_000, deadlineMs: 30_000 } as const;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
export const minedRows = z.array(z.object({ tx_hash: hash, height: z.number().int().min(0) })).nullable();
export const waitingRows = z.array(z.object({ tx_hash: hash })).nullable();
const minedPage = z.object({ result: minedRows, nextPageToken: z.string().optional(), error: z.string().optional() });
const waitingPage = z.object({ result: waitingRows, error: z.string().optional() });

export function minedOf(rows: z.infer<typeof minedRows>): HistoryRow[] {
  return (rows ?? []).map(({ tx_hash: txid, height }) => ({ txid, height }));
}

export function waitingOf(rows: z.infer<typeof waitingRows>): HistoryRow[] {
  return (rows ?? []).map(({ tx_hash: txid }) => ({ txid, height: null }));
}

/** All mined rows of an address, oldest first. @param base of the paths of the address */
export async function readMinedPages(
  client: SourceClient,
  base: string,
  signal?: AbortSignal,
): Promise<SourceAnswer<HistoryRow[]>> {
  const rows: HistoryRow[] = [];
  let token: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = `order=asc&limit=${PAGE_ROWS}${token === undefined ? '' : `&token=${encodeURIComponent(token)}`}`;
    const request = { ...PAGE, ...(signal && { signal }) };
    const answer = shaped(await client.get(`${base}/confirmed/history?${query}`, request), minedPage);
    if (answer.state !== 'present') return answer;
    if (answer.value.error) return { state: 'unavailable', reason: answer.value.error.slice(0, 100) };
    rows.push(...minedOf(answer.value.result));
    token = answer.value.nextPageToken;
    if (token === undefined || token === '') return { ...answer, value: rows };
  }
  return { state: 'unavailable', reason: 'a history without an end' };
}

/** The rows of an address that no block holds. */
export async function readWaiting(
  client: SourceClient,
  base: string,
  signal?: AbortSignal,
): Promise<SourceAnswer<HistoryRow[]>> {
  const request = { ...PAGE, limitBytes: 16_000_000, ...(signal && { signal }) };
  const answer = shaped(await client.get(`${base}/unconfirmed/history`, request), waitingPage);
  if (answer.state !== 'present') return answer;
  if (answer.value.error) return { state: 'unavailable', reason: answer.value.error.slice(0, 100) };
  return { ...answer, value: waitingOf(answer.value.result) };
}
