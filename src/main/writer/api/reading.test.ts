import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { fromHex, headerHash, parseHeader, type TscProof, verifyTscProof } from '../../../chain/index.ts';
import { TestHarness } from '../test-support/harness.ts';
import {
  PATIENCE_MS,
  type Reply,
  scriptOf,
  type WriterClient,
  WriterProcesses,
  written,
} from '../test-support/writer-client.ts';
import type { DocumentView } from '../views/listing.ts';

const both: [string, boolean][] = [
  ['on', true],
  ['off', false],
];
/** One of them on PostgreSQL, since the database is the same behind both. */
const ways = inject('postgres') === undefined ? both : both.slice(0, 1);
describe.each(ways)('with the fast accept switched %s', (_, fastAccept) => {
  let writers: WriterProcesses;
  beforeEach(async () => {
    writers = await WriterProcesses.open({ fastAccept });
  });
  afterEach(() => writers.close());

  function idOf(reply: Reply): string {
    return String(reply.headers.location).split('/').pop() as string;
  }

  describe('GET /api/v1/writes', () => {
    async function list(
      client: WriterClient,
      query: string,
    ): Promise<{ documents: DocumentView[]; next: string | null }> {
      const reply = await client.send('GET', `/api/v1/writes?${query}`);
      expect(reply.status).toBe(200);
      return reply.json as unknown as { documents: DocumentView[]; next: string | null };
    }

    async function every(client: WriterClient, query: string): Promise<string[]> {
      const ids: string[] = [];
      let cursor = '';
      for (;;) {
        const page = await list(client, `${query}${cursor}`);
        ids.push(...page.documents.map(({ id }) => id));
        if (page.next === null) return ids;
        cursor = `&cursor=${page.next}`;
      }
    }

    it('gives documents by tag, state and time, a page at a time, each once', async () => {
      const harness = new TestHarness(1_000_000);
      const client = await writers.start(harness);
      const ids: string[] = [];
      for (let n = 0; n < 9; n++) {
        ids.push(
          idOf(
            await client.write(`${n}`, { 'x-tag': n % 3 === 0 ? 'orders' : Buffer.from('Käufe').toString('latin1') }),
          ),
        );
      }
      for (const id of ids) await client.untilState(id, 'seen');
      harness.holdQuotes();
      const waiting = idOf(await client.send('POST', '/api/v1/write?wait=accepted', '"last"'));
      const all = [...ids, waiting];
      expect(await every(client, 'limit=4')).toEqual([...all].reverse());
      expect(await every(client, 'limit=4&order=asc')).toEqual(all);
      expect(await every(client, 'limit=2&order=asc&tag=orders')).toEqual([ids[0], ids[3], ids[6]]);
      expect(await every(client, `limit=2&tag=${encodeURIComponent('Käufe')}&state=seen`)).toHaveLength(6);
      expect(await every(client, 'state=accepted')).toEqual([waiting]);
      expect(await every(client, 'state=proven')).toEqual([]);
      expect(await every(client, 'tag=order')).toEqual([]);
      const { documents } = await list(client, 'order=asc&limit=6');
      const since = documents[5]?.createdAt ?? '';
      expect(await every(client, `order=asc&since=${encodeURIComponent(since)}`)).toEqual(all.slice(5));
      expect(await every(client, `order=asc&limit=3&since=${Date.parse(since)}`)).toEqual(all.slice(5));
      expect(await every(client, `order=asc&since=${since.slice(0, -1)}`)).toEqual(all.slice(5));
      const elsewhere = new Date(Date.parse(since) + 7_200_000).toISOString().replace('Z', '+02:00');
      expect(await every(client, `order=asc&since=${encodeURIComponent(elsewhere)}`)).toEqual(all.slice(5));
      expect(await every(client, `since=${since.slice(0, 10)}`)).toHaveLength(all.length);
      expect(documents[0]).toMatchObject({ id: ids[0], tag: 'orders', state: 'seen', bytes: 1, reason: null });
    });

    it('shows a key its own documents alone', async () => {
      const harness = new TestHarness(1_000_000);
      const client = await writers.start(harness);
      const id = idOf(await client.write('1'));
      const { txid } = await client.untilState(id, 'seen');
      writers.secrets.set('apiKey:sandbox', Buffer.from('another'));
      const other = { authorization: 'Bearer another' };
      expect((await client.send('GET', '/api/v1/writes', '', other)).json.documents).toEqual([]);
      expect((await client.send('GET', `/api/v1/writes/${id}`, '', other)).status).toBe(404);
      expect((await client.send('GET', `/api/v1/writes/${txid}`, '', other)).status).toBe(404);
      expect((await client.send('GET', '/api/v1/usage', '', other)).json.usage).toEqual([]);
    });

    it.each([
      'limit=0',
      'limit=1001',
      'limit=x',
      'state=lost',
      'order=up',
      'cursor=1',
      'since=yesterday',
      'page=2',
      'tag=a&tag=b',
      'tag=',
      'since=-1',
      'since=1e3',
      'since=Nov%2022%202026',
    ])('refuses %s', async (query) => {
      const client = await writers.start(new TestHarness(100_000));
      expect((await client.send('GET', `/api/v1/writes?${query}`)).json).toMatchObject({ status: 400, code: 26 });
    });
  });

  describe('GET /api/v1/usage', () => {
    it('counts documents and bytes by hour and tag, and a repeated document once', async () => {
      const client = await writers.start(new TestHarness(1_000_000));
      for (const body of ['"a"', '"bb"'])
        await client.write(body, { 'x-tag': 'orders', 'idempotency-key': body.replaceAll('"', '') });
      await client.write('"a"', { 'x-tag': 'orders', 'idempotency-key': 'a' });
      await client.write('1');
      // A quote, a backslash, a tab, a letter in UTF-8, and a byte that is none.
      const odd = Buffer.from('225c09c3bcff', 'hex');
      await client.write('12', { 'x-tag': odd.toString('latin1') });
      const usage = (await client.send('GET', '/api/v1/usage')).json.usage as {
        tag: string | null;
        hour: string;
        documents: number;
        bytes: number;
      }[];
      const sum = (tag: string | null) => {
        const rows = usage.filter((row) => row.tag === tag);
        return [
          rows.reduce((all, { documents }) => all + documents, 0),
          rows.reduce((all, { bytes }) => all + bytes, 0),
        ];
      };
      expect(sum('orders')).toEqual([2, 7]);
      expect(sum(null)).toEqual([1, 1]);
      expect(sum(odd.toString('utf8'))).toEqual([1, 2]);
      for (const { hour } of usage) expect(Date.parse(hour) % 3_600_000).toBe(0);
    });
  });

  describe('?wait=', () => {
    it('mined may wait longer than a silent connection is left open', { tags: 'long' }, async () => {
      // The clock of these tests goes twenty times as fast as the connection's: the wait takes three seconds of its time.
      const options = { silenceMs: 2_000 };
      const client = await writers.start(new TestHarness(10_000_000), {
        settings: { writerWaitMined: '60s' },
        options,
      });
      expect((await client.send('POST', '/api/v1/write?wait=mined', '1')).status).toBe(202);
    });

    it('mined waits for the block, and no longer than the setting says', async () => {
      const harness = new TestHarness(1_000_000);
      const client = await writers.start(harness, { settings: { writerWaitMined: '2s' } });
      const headers = { 'idempotency-key': 'one' };
      expect((await client.write('1', headers)).status).toBe(201);
      const early = await client.send('POST', '/api/v1/write?wait=mined', '1', headers);
      expect(early.json).toMatchObject({
        status: 202,
        id: idOf(early),
        state: expect.stringMatching(/submitted|seen/),
      });
      expect(early.json.txid).toMatch(/^[0-9a-f]{64}$/);
      client.set({ writerWaitMined: '10m' });
      const waiting = client.send('POST', '/api/v1/write?wait=mined', '2');
      await expect.poll(() => written(harness), { timeout: PATIENCE_MS }).toContainEqual(scriptOf('2'));
      const hash = harness.mine();
      const reply = await waiting;
      expect(reply.json).toMatchObject({
        status: 201,
        vout: 0,
        blockHash: hash,
        blockHeight: harness.blocks.length - 1,
      });
    });

    it('accepted answers when the document is on the disk', async () => {
      const harness = new TestHarness(1_000_000);
      const client = await writers.start(harness);
      harness.holdQuotes();
      const reply = await client.send('POST', '/api/v1/write?wait=accepted', '1');
      expect(reply.json).toEqual({ status: 202, id: idOf(reply), state: 'accepted' });
      expect((await client.send('POST', '/api/v1/write?wait=forever', '1')).json).toMatchObject({
        status: 400,
        code: 26,
      });
      await client.service.stop();
      const again = await writers.start(harness);
      expect((await again.send('GET', `/api/v1/writes/${idOf(reply)}`)).json).toMatchObject({ state: 'accepted' });
    });
  });

  describe('a proof', () => {
    const holds = (proof: TscProof, harness: TestHarness): boolean => {
      const header = parseHeader(fromHex(proof.target));
      return verifyTscProof(proof, header.merkleRoot) && harness.blocks.some(({ hash }) => hash === headerHash(header));
    };

    it('belongs to the block in the chain; where the chain changes, it goes and another comes', async () => {
      const harness = new TestHarness(1_000_000);
      const client = await writers.start(harness);
      for (const body of ['1', '2', '3']) await client.write(body);
      const reply = await client.write('"kept"');
      const id = idOf(reply);
      harness.mine();
      const first = await client.untilState(id, 'proven');
      expect(holds(first.proof as TscProof, harness)).toBe(true);
      expect((first.timeline as { state: string }[]).map(({ state }) => state)).toEqual([
        'accepted',
        'funded',
        'signed',
        'submitted',
        'seen',
        'mined',
        'proven',
      ]);
      harness.undo(1);
      const back = await client.untilState(id, 'submitted', 'seen');
      expect(back).toMatchObject({ proof: null, blockHash: null, txid: first.txid });
      await client.untilState(id, 'seen');
      harness.mine();
      harness.mine();
      const second = await client.untilState(id, 'proven');
      expect(second.blockHash).not.toBe(first.blockHash);
      expect(second.txid).toBe(first.txid);
      expect(holds(second.proof as TscProof, harness)).toBe(true);
      expect(holds(first.proof as TscProof, harness)).toBe(false);
    });
  });
});
