import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { readBulk, readMinedPages, readWaiting } from './history-pages.ts';
import { createSourceClient, type SourceClient } from './http/source-client.ts';

const ADDRESS = 'n2ZNV88uQbede7C5M5jzi6SyG4GLFmM6Fg';
const PAGE_ROWS = 1_000;

interface Row {
  readonly tx_hash: string;
  readonly height?: number;
}

/** Oldest first. */
const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({ tx_hash: n.toString(16).padStart(64, '0'), height: 100 + n }));

let server: Server;
let client: SourceClient;
let all: Row[];
let asked: string[];
/** What a bulk answer says beside its rows. */
let bulk: { confirmed?: object; unconfirmed?: object };

// a service that never names a next page
beforeEach(async () => {
  [all, asked, bulk] = [[], [], {}];
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url as string, 'http://service');
    asked.push(`${pathname.split('/').slice(-2).join('/')} ${searchParams.get('order') ?? ''}`.trim());
    const rows = searchParams.get('order') === 'desc' ? [...all].reverse() : all;
    // what waits comes in one answer
    const part = { result: pathname.includes('unconfirmed') ? rows : rows.slice(0, PAGE_ROWS) };
    const answer =
      request.method === 'POST'
        ? [
            {
              address: ADDRESS,
              confirmed: { ...part, ...bulk.confirmed },
              unconfirmed: { result: [], ...bulk.unconfirmed },
            },
          ]
        : part;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createSourceClient({ operator: 'cuts', baseUrl, clock: systemClock, minIntervalMs: 0 });
});
afterEach(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));

describe('a full page that names no next one', () => {
  it.each([1_000, 1_001, 1_999])('is completed by the newest rows where %i rows are all', async (count) => {
    all = rowsOf(count);
    const answer = await readMinedPages(client, '', ADDRESS);
    expect(answer).toMatchObject({ state: 'present' });
    const told = answer.state === 'present' ? answer.value.rows : [];
    expect(answer.state === 'present' && answer.value.cut).toBeUndefined();
    expect(told.map(({ txid }) => txid)).toEqual(all.map(({ tx_hash }) => tx_hash));
    expect(asked).toEqual(['confirmed/history asc', 'confirmed/history desc']);
  });

  it.each([2_000, 5_000])('is cut where rows between it and the newest may be missing, of %i', async (count) => {
    all = rowsOf(count);
    const answer = await readMinedPages(client, '', ADDRESS);
    expect(answer).toMatchObject({ state: 'present', value: { cut: { key: 'reason.history-endless' } } });
    expect(answer.state === 'present' && answer.value.rows.length).toBe(2_000);
  });

  it('is asked for again in an answer about many addresses', async () => {
    all = rowsOf(1_200);
    const answer = await readBulk(client, '', [ADDRESS]);
    expect(answer).toMatchObject({ state: 'present' });
    expect(answer.state === 'present' && answer.value[0]?.rows.length).toBe(1_200);
  });
});

describe('an answer about many addresses', () => {
  it('that names a next page is not taken for the whole, however few rows it has', async () => {
    all = rowsOf(7);
    bulk = { confirmed: { result: [], nextPageToken: 'next' } };
    const answer = await readBulk(client, '', [ADDRESS]);
    expect(answer.state === 'present' && answer.value[0]?.rows.length).toBe(7);
    expect(asked).toEqual(['history/all', 'confirmed/history asc']);
  });

  it('is taken as it is where it is not full', async () => {
    all = rowsOf(999);
    const answer = await readBulk(client, '', [ADDRESS]);
    expect(answer.state === 'present' && answer.value[0]?.rows.length).toBe(999);
    expect(asked).toEqual(['history/all']);
  });

  it('says of one without its rows which it is, and tells of the others', async () => {
    all = rowsOf(7);
    const [other, third] = ['mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8', 'mhouJzm1KhtKgKfZKwT4mFRQNeAY2pLLDV'];
    const answer = await readBulk(client, '', [other, ADDRESS, third]);
    expect(answer.state === 'present' && answer.value.map(({ rows, cut }) => [rows.length, cut !== undefined])).toEqual(
      [
        [0, true],
        [7, false],
        [0, true],
      ],
    );
    expect(await readBulk(client, '', [other, third])).toMatchObject({ state: 'unavailable' });
  });

  it.each([
    [999, undefined],
    [1_000, { key: 'reason.history-full' }],
    [1_001, undefined],
  ])('of %i that wait is whole unless these are exactly a page', async (count, cut) => {
    all = rowsOf(count).map(({ tx_hash }) => ({ tx_hash }));
    const answer = await readWaiting(client, '', ADDRESS);
    expect(answer.state === 'present' && answer.value.cut).toEqual(cut && expect.objectContaining(cut));
    expect(answer.state === 'present' && answer.value.rows.length).toBe(count);
  });
});
