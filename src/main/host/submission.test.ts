import { beforeEach, describe, expect, it } from 'vitest';
import { concatBytes, inscriptionScript, satoshis } from '../../chain/index.ts';
import type { Failure } from '../../contract/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { type TestClient, until } from '../test-support/hosts/open-host.ts';
import { OwnCoins } from '../test-support/hosts/own-coins.ts';

const hosts = oneHost();
const own = new OwnCoins();
/** What the miner has: the node's list of what waits may show it already. */
const taken = expect.stringMatching(/^(submitted|seen)$/);
let client: TestClient;
beforeEach(async () => {
  ({ client } = await hosts.open({ scope: 'core', overrides: { 'sandbox.mineOnArrival': '' } }));
});

const failed = (call: Promise<unknown>): Promise<Failure | undefined> =>
  call.then(
    () => undefined,
    (error: unknown) => failureOf(error),
  );

describe('transactions that a person hands over', () => {
  it('are decoded with values, fee, inscription and warnings before anything is sent', async () => {
    const coin = await own.funded(client, 20_000);
    const content = new TextEncoder().encode('hello');
    const script = inscriptionScript({
      pubKeyHash: own.script.slice(3, 23),
      contentType: 'text/plain',
      content,
      map: { app: 'test', type: 'ord', name: 'a' },
    });
    const mint = own.spend([coin], [{ satoshis: satoshis(1), script }, 19_900]);
    const change = { txid: mint.txid, vout: 1, satoshis: satoshis(19_900), lockingScript: own.script };
    const token = { ...mint.coin, lockingScript: script };
    const burn = own.spend([change, token], [19_800]);
    const source = { text: `${mint.hex}\n${burn.hex}` };

    const page = await client.tx.decode({ source });
    expect(page).toMatchObject({ total: 2, bytes: mint.raw.length + burn.raw.length, unreadable: [] });
    const [decoded, burning] = page.transactions;
    expect(decoded).toMatchObject({
      txid: mint.txid,
      format: 'raw',
      fee: 99,
      rawTx: mint.hex,
      inputs: [{ txid: coin.txid, satoshis: 20_000, address: own.address, source: 'node' }],
      outputs: [
        { satoshis: 1, address: own.address, inscription: { contentType: 'text/plain', bytes: 5 } },
        { satoshis: 19_900, inscription: null },
      ],
      warnings: [],
      state: null,
    });
    expect(burning).toMatchObject({
      fee: 101,
      inputs: [{ source: 'source' }, { source: 'source', inscription: { contentType: 'text/plain' } }],
      warnings: [{ code: 'token-spent', text: expect.stringContaining('Input 1 spends a token') }],
    });
    const blob = await client.tx.inscribed({ source, txid: mint.txid, output: 0 });
    expect([blob.type, await blob.text()]).toEqual(['text/plain', 'hello']);
    expect((await client.tx.list({})).transactions).toEqual([]);
    expect((await client.tx.decode({ source, offset: 1, limit: 1 })).transactions).toMatchObject([{ txid: burn.txid }]);
  });

  it('say which others of the same source spend their coin, whatever part is shown', async () => {
    const [both, alone] = [await own.funded(client, 10_000), await own.funded(client, 20_000)];
    const first = own.spend([both], [9_900]);
    const second = own.spend([alone, both], [29_700]);
    const third = own.spend([second.coin], [29_500]);
    const text = [first, second, third, first].map(({ hex }) => hex).join('\n');
    const told = async (offset: number) => {
      const { transactions } = await client.tx.decode({ source: { text }, offset, limit: 1 });
      return transactions[0]?.warnings
        .filter(({ code }) => code === 'input-twice')
        .map(({ sentence }) => sentence.values);
    };
    expect(await told(0)).toEqual([{ txid: second.txid, inputs: '0' }]);
    expect(await told(1)).toEqual([{ txid: first.txid, inputs: '1' }]);
    expect(await told(2)).toEqual([]);
  });

  it('are submitted, parents first, and the answer of each miner is returned', async () => {
    const first = own.spend([await own.funded(client, 10_000)], [9_000]);
    const second = own.spend([first.coin], [8_000]);
    const results = await client.tx.submit({ source: { text: `${second.hex},${first.hex}` }, label: 'by hand' });
    expect(results).toMatchObject(
      [first, second].map(({ txid }) => ({
        txid,
        state: taken,
        sent: true,
        reason: null,
        endpoints: [{ minerId: 'default', status: 'success', accepted: true }],
      })),
    );
    expect(await client.tx.get({ txid: second.txid })).toMatchObject({
      origin: 'manual',
      label: 'by hand',
      fee: 1_000,
    });
    expect((await client.tx.decode({ source: { text: first.hex } })).transactions[0]?.state).toEqual(taken);
    const { ef } = await client.transactions.forms({ txid: second.txid });
    expect((await client.tx.decode({ source: { text: ef as string } })).transactions).toMatchObject([
      { txid: second.txid, format: 'ef', fee: 1_000 },
    ]);
    const [again] = await client.tx.retry({ txids: [second.txid] });
    expect(again).toMatchObject({ txid: second.txid, reason: null });
  });

  it('come as a file in pieces, and thousands at once', async () => {
    const coin = await own.funded(client, 1_000_000);
    const chain = [own.spend([coin], [990_000])];
    for (let n = 0; n < 20; n++) {
      const last = chain.at(-1) as (typeof chain)[number];
      chain.push(own.spend([last.coin], [last.coin.satoshis - 1_000]));
    }
    const file = concatBytes(...chain.map(({ raw }) => raw));
    const half = Math.floor(file.length / 2);
    const { uploadId } = await client.tx.upload({ piece: new Blob([file.slice(0, half)]) });
    expect(await client.tx.upload({ uploadId, piece: new Blob([file.slice(half)]) })).toEqual({
      uploadId,
      bytes: file.length,
    });
    expect(await client.tx.decode({ source: { uploadId }, limit: 1 })).toMatchObject({ total: 21, unreadable: [] });
    const results = await client.tx.submit({ source: { uploadId } });
    expect(results.map(({ txid, state }) => [txid, state])).toEqual(chain.map(({ txid }) => [txid, taken]));
    expect(await failed(client.tx.decode({ source: { uploadId: 'gone' } }))).toMatchObject({ code: 'not-found' });
  });

  it('go in parts, parents before children, and what spends one that was kept back is kept back as well', async () => {
    const good = own.spend([await own.funded(client, 10_000)], [9_000]);
    const free = own.spend([await own.funded(client, 10_000)], [10_000]);
    const [child, orphan] = [own.spend([good.coin], [8_000]), own.spend([free.coin], [9_000])];
    const piece = new Blob([JSON.stringify([child, orphan, free, good].map(({ hex }) => ({ rawTx: hex })))]);
    const { uploadId } = await client.tx.upload({ piece });
    const parts: [string, boolean][][] = [];
    for (let offset = 0; offset < 5; offset += 2) {
      const part = await client.tx.submit({ source: { uploadId }, offset, limit: 2 });
      parts.push(part.map(({ txid, sent }) => [txid, sent]));
    }
    expect(parts).toEqual([
      [
        [good.txid, true],
        [child.txid, true],
      ],
      [
        [free.txid, false],
        [orphan.txid, false],
      ],
      [],
    ]);
    const later = own.spend([child.coin], [7_000]);
    const text = [good, child, free, orphan, later].map(({ hex }) => hex).join('\n');
    const [last] = await client.tx.submit({ source: { text }, offset: 4 });
    expect(last).toMatchObject({ txid: later.txid, sent: true, state: taken });
    const chosen = await client.tx.submit({ source: { text }, txids: [later.txid] });
    expect(chosen.map(({ txid }) => txid)).toEqual([later.txid]);
    const { transactions } = await client.tx.list({ txids: [good.txid, free.txid] });
    expect(transactions.map(({ txid, state }) => [txid, state])).toEqual([
      [free.txid, 'kept-back'],
      [good.txid, taken],
    ]);
  });

  it('are not sent where a part of the source is unreadable', async () => {
    const { hex } = own.spend([await own.funded(client, 10_000)], [9_000]);
    const text = `${hex}\nno hex\n${hex.slice(0, -2)}`;
    const { total, unreadable } = await client.tx.decode({ source: { text } });
    expect(total).toBe(1);
    expect(unreadable).toMatchObject([
      { place: 2, failure: { id: 'merchant.transaction-not-hex' } },
      { place: 3, failure: { id: 'merchant.transaction-cut-off' } },
    ]);
    expect(await failed(client.tx.submit({ source: { text } }))).toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('Part 2'),
    });
    expect(await failed(client.tx.submit({ source: { text: ' \n' } }))).toMatchObject({ code: 'invalid-input' });
    expect((await client.tx.list({})).transactions).toEqual([]);
  });

  it('have coins that could not be checked while the node does not answer, and are not said to be unknown to it', async () => {
    const { hex } = own.spend([await own.funded(client, 10_000)], [9_900]);
    await client.sandbox.faults.set({ name: 'http-error', value: 503, area: 'rpc' });
    const { transactions } = await client.tx.decode({ source: { text: hex } });
    await client.sandbox.faults.clear({});
    expect(transactions).toMatchObject([{ warnings: [{ code: 'input-unchecked' }], checks: [] }]);
  });

  it('are kept back where no miner would take them, with number and limit, unless they are forced', async () => {
    const coin = await own.funded(client, 10_000);
    const free = own.spend([coin], [10_000]);
    const child = own.spend([free.coin], [9_000]);
    const source = { text: `${free.hex}\n${child.hex}` };
    const asked = { code: 'fee', value: 0, limit: expect.any(Number), skippable: true };
    expect((await client.tx.decode({ source })).transactions).toMatchObject([{ checks: [asked] }, { checks: [] }]);
    expect(await client.tx.submit({ source })).toMatchObject([
      { txid: free.txid, state: 'kept-back', sent: false, reason: { code: 'fee' }, checks: [asked], endpoints: [] },
      { txid: child.txid, state: 'kept-back', sent: false, reason: { code: 'parent-kept-back' }, endpoints: [] },
    ]);
    expect((await client.tx.list({})).transactions).toMatchObject([
      { txid: child.txid, state: 'kept-back' },
      { txid: free.txid, state: 'kept-back' },
    ]);
    const [forced] = await client.tx.submit({ source: { text: free.hex }, force: true });
    expect(forced).toMatchObject({ sent: true, state: 'failed', reason: { code: 'fee-too-low' }, checks: [asked] });

    const paid = own.spend([coin], [9_900]);
    await client.tx.submit({ source: { text: paid.hex } });
    const rival = own.spend([coin], [9_800]);
    const orphan = own.spend([{ ...coin, txid: 'ab'.repeat(32) }], [9_000]);
    const negative = own.spend([paid.coin], [10_500]);
    expect(
      await client.tx.submit({ source: { text: [rival, orphan, negative].map(({ hex }) => hex).join('\n') } }),
    ).toMatchObject([
      { sent: false, reason: { code: 'input-spent', text: expect.stringContaining(paid.txid) } },
      { sent: false, reason: { code: 'input-missing' } },
      { sent: false, checks: [{ code: 'outputs-exceed-inputs', value: 600, skippable: false }] },
    ]);
    // What is there already may be sent again.
    expect(await client.tx.submit({ source: { text: paid.hex } })).toMatchObject([{ sent: true, checks: [] }]);
    await client.sandbox.mine({ blocks: 1 });
    expect(await client.tx.submit({ source: { text: paid.hex } })).toMatchObject([{ sent: true, checks: [] }]);
  });

  it('stay in the history where they were kept back, with the reason, and are sent from there later', async () => {
    const parent = own.spend([await own.funded(client, 10_000)], [9_900]);
    const early = own.spend([parent.coin], [9_800]);
    const source = { text: early.hex };
    await client.tx.submit({ source, label: 'too early' });
    const told = { code: 'input-missing', text: expect.stringContaining('input 0'), retriedByItself: false };
    const kept = { txid: early.txid, state: 'kept-back', label: 'too early', reason: told, answers: [] };
    expect((await client.tx.list({ states: ['kept-back'] })).transactions).toMatchObject([kept]);
    expect(await client.tx.counts()).toEqual({ 'kept-back': 1 });
    // A program that tries again is told the same, and the history does not grow with each try.
    await client.tx.submit({ source });
    const { events, rawTx } = await client.tx.get({ txid: early.txid });
    expect(rawTx).toBe(early.hex);
    expect(events).toMatchObject([{ kind: 'state', state: 'kept-back', text: expect.stringContaining('input 0') }]);

    await client.tx.submit({ source: { text: parent.hex } });
    expect(await client.tx.retry({ txids: [early.txid] })).toMatchObject([{ sent: true, state: taken, reason: null }]);
    const states = (await client.tx.get({ txid: early.txid })).events.map(({ state }) => state);
    expect(states.slice(0, 3)).toEqual(['kept-back', 'queued', 'submitted']);
    // What is on its way stays so, whatever a later check finds.
    expect((await client.tx.list({ states: ['kept-back'] })).transactions).toEqual([]);
  });

  it('are told who spent their coin where a block holds that transaction already', async () => {
    const coin = await own.funded(client, 10_000);
    const paid = own.spend([coin], [9_900]);
    await client.tx.submit({ source: { text: paid.hex } });
    await client.sandbox.mine({ blocks: 1 });
    const source = { text: own.spend([coin], [9_800]).hex };
    const spender = { text: expect.stringContaining(paid.txid) };
    expect((await client.tx.decode({ source })).transactions).toMatchObject([{ checks: [spender] }]);
    await until(async () => (await client.tx.list({ txids: [paid.txid] })).transactions[0]?.block != null);
    const told = { code: 'input-mined', text: expect.stringContaining(paid.txid) };
    const { transactions } = await client.tx.decode({ source });
    expect(transactions[0]?.checks).toMatchObject([told]);
    expect(transactions[0]?.warnings).toContainEqual(expect.objectContaining(told));
    expect(transactions[0]?.inputs).toMatchObject([{ satoshis: 10_000 }]);
    expect(await client.tx.submit({ source })).toMatchObject([{ sent: false, reason: told, checks: [told] }]);
  });
});
