import { z } from 'zod';
import { hashSchema, phrase } from '../../../contract/index.ts';
import { inParts, shaped } from './answers.ts';
import type { SourceAnswer, SourceClient } from './http/source-client.ts';
import type { AddressHistory, HistoryRow } from './transaction-source.ts';

/** Rows of a page; an answer with as many may be cut. */
const PAGE_ROWS = 1_000;
/** No history is longer: a service whose pages never end is given up. */
const MOST_PAGES = 1_000;
const PAGE = { kind: 'json', limitBytes: 1_000_000, deadlineMs: 30_000 } as const;
/** Unconfirmed rows come in one answer. */
const WAITING = { ...PAGE, limitBytes: 16_000_000 } as const;
/** Addresses that one request may name, and what it may answer of them. */
const ADDRESSES = 20;
const BULK = { kind: 'json', limitBytes: 8_000_000, deadlineMs: 60_000 } as const;

/** Rows as WhatsOnChain and its mirrors write them: those that wait have no height. */
const historyRows = z.object({
  result: z.array(z.object({ tx_hash: hashSchema, height: z.number().int().min(0).optional() })).nullable(),
  nextPageToken: z.string().optional(),
  error: z.string().optional(),
});

type HistoryRows = z.infer<typeof historyRows>;
type Present<T> = Extract<SourceAnswer<T>, { state: 'present' }>;
/** Rows of an address, those in blocks or those that wait. */
type Part = Omit<AddressHistory, 'address'>;

const histories = z.array(z.object({ address: z.string(), confirmed: historyRows, unconfirmed: historyRows }));

/** All rows of addresses, asked for in few requests. @param prefix of the paths */
export function readBulk(
  client: SourceClient,
  prefix: string,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<SourceAnswer<readonly AddressHistory[]>> {
  return inParts(addresses, ADDRESSES, (some) => readSome(client, prefix, some, signal));
}

async function readSome(
  client: SourceClient,
  prefix: string,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<SourceAnswer<readonly AddressHistory[]>> {
  const request = { ...BULK, signal };
  const answer = shaped(await client.post(`${prefix}/addresses/history/all`, { addresses }, request), histories);
  if (answer.state !== 'present') return answer;
  const read: AddressHistory[] = [];
  for (const address of addresses) {
    const told = answer.value.find((one) => one.address === address);
    const missing = phrase('reason.history-missing');
    const parts: Part[] = told === undefined ? [{ rows: [], cut: missing }] : [];
    for (const [rows, readAll] of [
      [told?.confirmed, readMinedPages],
      [told?.unconfirmed, readWaiting],
    ] as const) {
      if (rows === undefined) continue;
      if (rows.error) parts.push({ rows: rowsOf(address, rows), cut: missing });
      else if (mayBeCut(rows)) parts.push(partOf(await readAll(client, prefix, address, signal), address, rows));
      else parts.push({ rows: rowsOf(address, rows) });
    }
    read.push(joined(address, parts));
  }
  return toldOf(answer, read);
}

/**
 * The same of a service that takes no list of addresses. One that it does not answer about is left out; two after each other are the service's
 * own trouble.
 * @param prefix of the paths
 */
export async function readEach(
  client: SourceClient,
  prefix: string,
  addresses: readonly string[],
  signal?: AbortSignal,
): Promise<SourceAnswer<readonly AddressHistory[]>> {
  const read: AddressHistory[] = [];
  let answered: Present<Part> | undefined;
  let isRefused = false;
  for (const address of addresses) {
    let answer = await readMinedPages(client, prefix, address, signal);
    const parts = [partOf(answer, address)];
    if (answer.state === 'present') {
      answer = await readWaiting(client, prefix, address, signal);
      parts.push(partOf(answer, address));
    }
    if (answer.state === 'present') answered = answer;
    else if (isRefused || addresses.length === 1) return answer;
    isRefused = answer.state !== 'present';
    read.push(joined(address, parts));
  }
  return answered === undefined ? { state: 'unknown', reason: phrase('reason.nothing-asked') } : toldOf(answered, read);
}

/** The rows of an address from one list. @param told the rows that an earlier answer had, for where this one failed */
function partOf(answer: SourceAnswer<Part>, address: string, told: HistoryRows = { result: null }): Part {
  return answer.state === 'present' ? answer.value : { rows: rowsOf(address, told), cut: answer.reason };
}

function joined(address: string, parts: readonly Part[]): AddressHistory {
  const cut = parts.find((part) => part.cut !== undefined)?.cut;
  return { address, rows: parts.flatMap(({ rows }) => rows), ...(cut !== undefined && { cut }) };
}

/** An answer that tells nothing of any address counts as none. */
function toldOf(answer: Present<unknown>, read: readonly AddressHistory[]): SourceAnswer<readonly AddressHistory[]> {
  const [first] = read;
  if (first?.cut !== undefined && read.every(({ rows, cut }) => cut !== undefined && rows.length === 0))
    return { state: 'unavailable', reason: first.cut };
  return { ...answer, value: read };
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
 * between them are missing, and those that were read are not all.
 * @param prefix of the paths
 */
export async function readMinedPages(
  client: SourceClient,
  prefix: string,
  address: string,
  signal?: AbortSignal,
): Promise<SourceAnswer<Part>> {
  const path = `${prefix}/address/${address}/confirmed/history`;
  const request = { ...PAGE, signal };
  const rows: HistoryRow[] = [];
  const endless = phrase('reason.history-endless');
  let token = '';
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = `order=asc&limit=${PAGE_ROWS}${token && `&token=${encodeURIComponent(token)}`}`;
    const answer = await readRows(client, `${path}?${query}`, request);
    if (answer.state !== 'present') return answer;
    rows.push(...rowsOf(address, answer.value));
    token = answer.value.nextPageToken ?? '';
    if (token !== '') continue;
    if (!mayBeCut(answer.value)) return { ...answer, value: { rows } };
    const newest = await readRows(client, `${path}?order=desc&limit=${PAGE_ROWS}`, request);
    if (newest.state !== 'present') return newest;
    const known = new Set(rows.map(({ txid }) => txid));
    const further = rowsOf(address, newest.value).filter(({ txid }) => !known.has(txid));
    const isCut = further.length === (newest.value.result ?? []).length;
    return { ...newest, value: { rows: [...rows, ...further.reverse()], ...(isCut && { cut: endless }) } };
  }
  return { state: 'unavailable', reason: endless };
}

/** The rows of an address that no block holds, in one answer; exactly a page may be cut. @param prefix of the paths */
export async function readWaiting(
  client: SourceClient,
  prefix: string,
  address: string,
  signal?: AbortSignal,
): Promise<SourceAnswer<Part>> {
  const path = `${prefix}/address/${address}/unconfirmed/history`;
  const answer = await readRows(client, path, { ...WAITING, signal });
  if (answer.state !== 'present') return answer;
  const rows = rowsOf(address, answer.value);
  // it has no further pages; more rows than a page has show that the answer is not cut into such
  const isCut = Boolean(answer.value.nextPageToken) || rows.length === PAGE_ROWS;
  return { ...answer, value: { rows, ...(isCut && { cut: phrase('reason.history-full', { count: rows.length }) }) } };
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
