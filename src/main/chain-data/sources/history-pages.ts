import { z } from 'zod';
import { phrase } from '../../../contract/index.ts';
import { inParts, shaped } from './answers.ts';
import type { SourceAnswer, SourceClient } from './http/source-client.ts';
import type { HistoryRow } from './transaction-source.ts';

/** Rows of a page; an answer with as many may be cut. */
const PAGE_ROWS = 1_000;
/** Nobody's history is longer: a service that never ends is left. */
const MOST_PAGES = 1_000;
const PAGE = { kind: 'json', limitBytes: 1_000_000, deadlineMs: 30_000 } as const;
/** What waits comes in one answer. */
const WAITING = { ...PAGE, limitBytes: 16_000_000 } as const;
/** Addresses that one request may name, and what it may answer of them. */
const ADDRESSES = 20;
const BULK = { kind: 'json', limitBytes: 8_000_000, deadlineMs: 60_000 } as const;

/** Rows as WhatsOnChain and its mirrors write them: those that wait have no height. */
const historyRows = z.object({
  result: z
    .array(z.object({ tx_hash: z.string().regex(/^[0-9a-f]{64}$/), height: z.number().int().min(0).optional() }))
    .nullable(),
  nextPageToken: z.string().optional(),
  error: z.string().optional(),
});

type HistoryRows = z.infer<typeof historyRows>;

const histories = z.array(z.object({ address: z.string(), confirmed: historyRows, unconfirmed: historyRows }));

/** All rows of addresses, asked for in few requests. @param prefix of the paths */
export function readBulk(
  client: SourceClient,
  prefix: string,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<SourceAnswer<readonly HistoryRow[]>> {
  return inParts(addresses, ADDRESSES, (some) => readSome(client, prefix, some, signal));
}

async function readSome(
  client: SourceClient,
  prefix: string,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<SourceAnswer<HistoryRow[]>> {
  const request = { ...BULK, ...(signal && { signal }) };
  const answer = shaped(await client.post(`${prefix}/addresses/history/all`, { addresses }, request), histories);
  if (answer.state !== 'present') return answer;
  const rows: (readonly HistoryRow[])[] = [];
  for (const address of addresses) {
    const found = answer.value.find((one) => one.address === address);
    if (found === undefined || found.confirmed.error || found.unconfirmed.error)
      return { state: 'unavailable', reason: phrase('reason.history-missing') };
    for (const [told, readAll] of [
      [found.confirmed, readMinedPages],
      [found.unconfirmed, readWaiting],
    ] as const) {
      const whole = mayBeCut(told)
        ? await readAll(client, prefix, address, signal)
        : { ...answer, value: rowsOf(address, told) };
      if (whole.state !== 'present') return whole;
      rows.push(whole.value);
    }
  }
  return { ...answer, value: rows.flat() };
}

/** Says nothing of a next page where a service leaves that out: a full page is a cut one. */
function mayBeCut({ result, nextPageToken }: HistoryRows): boolean {
  return Boolean(nextPageToken) || (result ?? []).length >= PAGE_ROWS;
}

function rowsOf(address: string, { result }: HistoryRows): HistoryRow[] {
  return (result ?? []).map(({ tx_hash: txid, height = null }) => ({ address, txid, height }));
}

/**
 * All mined rows of an address, oldest first. Where a full page names no next one, the newest rows have to meet those that are known: otherwise rows
 * between them are missing.
 * @param prefix of the paths
 */
export async function readMinedPages(
  client: SourceClient,
  prefix: string,
  address: string,
  signal?: AbortSignal,
): Promise<SourceAnswer<HistoryRow[]>> {
  const path = `${prefix}/address/${address}/confirmed/history`;
  const request = { ...PAGE, ...(signal && { signal }) };
  const rows: HistoryRow[] = [];
  let token = '';
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = `order=asc&limit=${PAGE_ROWS}${token && `&token=${encodeURIComponent(token)}`}`;
    const answer = await readRows(client, `${path}?${query}`, request);
    if (answer.state !== 'present') return answer;
    rows.push(...rowsOf(address, answer.value));
    token = answer.value.nextPageToken ?? '';
    if (token !== '') continue;
    if (!mayBeCut(answer.value)) return { ...answer, value: rows };
    const newest = await readRows(client, `${path}?order=desc&limit=${PAGE_ROWS}`, request);
    if (newest.state !== 'present') return newest;
    const known = new Set(rows.map(({ txid }) => txid));
    const further = rowsOf(address, newest.value).filter(({ txid }) => !known.has(txid));
    if (further.length === (newest.value.result ?? []).length) break;
    return { ...newest, value: [...rows, ...further.reverse()] };
  }
  return { state: 'unavailable', reason: phrase('reason.history-endless') };
}

/** The rows of an address that no block holds. @param prefix of the paths */
export async function readWaiting(
  client: SourceClient,
  prefix: string,
  address: string,
  signal?: AbortSignal,
): Promise<SourceAnswer<HistoryRow[]>> {
  const path = `${prefix}/address/${address}/unconfirmed/history`;
  const answer = await readRows(client, path, { ...WAITING, ...(signal && { signal }) });
  // it has no further pages
  if (answer.state === 'present' && answer.value.nextPageToken)
    return { state: 'unavailable', reason: phrase('reason.history-endless') };
  return answer.state === 'present' ? { ...answer, value: rowsOf(address, answer.value) } : answer;
}

async function readRows(
  client: SourceClient,
  path: string,
  request: Parameters<SourceClient['get']>[1] & { kind: 'json' },
): Promise<SourceAnswer<HistoryRows>> {
  const answer = shaped(await client.get(path, request), historyRows);
  if (answer.state !== 'present' || !answer.value.error) return answer;
  return { state: 'unavailable', reason: answer.value.error.slice(0, 100) };
}
