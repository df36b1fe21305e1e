import { Response } from 'undici';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeAddress, fromHex, hash160, toHex } from '../../../chain/index.ts';
import { reasonText } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { otherKey, publicKeyOf, type TestSandbox, walletKey } from '../../sandbox/test-support/open-sandbox.ts';
import { away, type Lie, nowhere, type SandboxHeaders, TwoOperators } from './test-support/two-operators.ts';

const operators = new TwoOperators();
const { asked, bodies, invalid, lies, only, send, sendAndMine } = operators;
let sandbox: TestSandbox;
let headers: SandboxHeaders;
let chain: ChainData;
beforeEach(() => {
  ({ sandbox, headers, chain } = operators.opened);
});

const addressOf = (hash: string) => encodeAddress(fromHex(hash), 'test');
const key = toHex(hash160(publicKeyOf(walletKey)));
const other = toHex(hash160(publicKeyOf(otherKey)));

describe('the history of keys', () => {
  const ids = (rows: readonly { txid: string }[] | undefined) => rows?.map(({ txid }) => txid);

  it('is that of two operators; what one hides, the other tells', async () => {
    const { txid, height } = await sendAndMine();
    const waiting = await send();
    lies.woc = async (path, honest) => {
      if (!path.endsWith('/history/all')) return honest;
      const [row] = (await honest.json()) as { confirmed: { result: { tx_hash: string }[] } }[];
      const kept = row?.confirmed.result.filter(({ tx_hash }) => tx_hash !== txid);
      // it says of the mined one that it waits
      const unconfirmed = { result: [{ tx_hash: txid }], error: '' };
      const body = [{ ...row, confirmed: { result: kept, error: '' }, unconfirmed }];
      return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
    };
    const { basis, value } = await chain.history([key]);
    expect(basis).toBe('agreed');
    expect(value?.mined).toContainEqual({ key, txid, height });
    expect(value?.waiting).toContain(waiting.txid);
    expect(value?.waiting).not.toContain(txid);
  });

  it('asks the first operator each time, the second for a new key and then for one after the other', async () => {
    const { length } = bodies;
    const times = () => [asked.woc.length, asked.banana.length];
    await chain.history([key]);
    expect(times()).toEqual([1, 1]);
    await chain.history([key]);
    expect(times()).toEqual([2, 1]);
    operators.now += 1;
    await chain.history([key, other]);
    expect(times()).toEqual([3, 2]);
    operators.now += 599_999;
    await chain.history([key, other]);
    expect(times()).toEqual([4, 2]);
    operators.now += 1;
    await chain.history([key, other]);
    expect(times()).toEqual([5, 3]);
    const banana = bodies.slice(length).filter(({ who }) => who === 'banana');
    // the one that it told of longest ago
    expect(banana.map(({ body }) => JSON.parse(body).addresses)).toEqual([
      [addressOf(key)],
      [addressOf(other)],
      [addressOf(key)],
    ]);
  });

  it('is read address by address from a second operator that takes no list of them', async () => {
    const { txid, height } = await sendAndMine();
    lies.banana = (path, honest) => (path.endsWith('/history/all') ? new Response('{}', { status: 404 }) : honest);
    only('bananablocks');
    const { value } = await chain.history([key, other]);
    expect(value?.mined).toContainEqual({ key, txid, height });
    expect(asked.banana).toHaveLength(5);
    await chain.history([key]);
    // it is not asked for a list again
    expect(asked.banana).toHaveLength(7);
  });

  it('forgets what a second operator called waiting long ago', async () => {
    await sendAndMine();
    const hidden = { tx_hash: nowhere };
    lies.banana = async (path, honest) => {
      if (!path.endsWith('/history/all')) return honest;
      const [row] = (await honest.json()) as object[];
      return new Response(JSON.stringify([{ ...row, unconfirmed: { result: [hidden], error: '' } }]), {
        headers: { 'content-type': 'application/json' },
      });
    };
    expect((await chain.history([key])).value?.waiting).toContain(nowhere);
    lies.banana = away;
    operators.now += 599_999;
    expect((await chain.history([key])).value?.waiting).toContain(nowhere);
    operators.now += 1;
    expect((await chain.history([key])).value?.waiting).not.toContain(nowhere);
  });

  it('is told by one while the other is away, and an error while both are', async () => {
    lies.woc = away;
    expect((await chain.history([key])).basis).toBe('told');
    lies.banana = away;
    operators.now += 600_000;
    await expect(chain.history([key])).rejects.toMatchObject({ id: 'chain.sources-unavailable' });
  });

  it('is read to its end where an answer is as long as a page, page by page', async () => {
    only('whatsonchain');
    const { txid } = await sendAndMine();
    const full = Array.from({ length: 1_000 }, () => ({ tx_hash: nowhere, height: 1 }));
    const json = (body: object) =>
      new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
    lies.woc = async (path, honest) => {
      if (path.endsWith('/history/all')) {
        const [row] = (await honest.json()) as object[];
        return json([{ ...row, confirmed: { result: full, error: '' } }]);
      }
      if (!path.includes('/confirmed/history?')) return honest;
      return path.includes('&token=second')
        ? json({ result: [{ tx_hash: txid, height: 5 }], error: '' })
        : json({ result: full, nextPageToken: 'second', error: '' });
    };
    const { value } = await chain.history([key]);
    expect(ids(value?.mined)).toEqual([nowhere, txid]);
  });
});

describe('an address whose history is cut', () => {
  const cutAddress = addressOf(other);

  /** Cuts what waits for one address in an answer about many, and in its own. */
  const cutting: Lie = async (path, honest) => {
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ tx_hash: n.toString(16).padStart(64, '0') }));
    const json = (body: object) =>
      new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
    if (path.includes('/unconfirmed/history')) return json({ result: rows, error: '' });
    if (!path.endsWith('/history/all')) return honest;
    const told = (await honest.json()) as { address: string }[];
    return json(
      told.map((one) => (one.address === cutAddress ? { ...one, unconfirmed: { result: rows, error: '' } } : one)),
    );
  };

  it('keeps no other from being told, and is named with who cut it', async () => {
    only('whatsonchain');
    lies.woc = cutting;
    const { txid, height } = await sendAndMine();
    const { basis, value } = await chain.history([key, other]);
    expect(basis).toBe('told');
    expect(value?.mined).toContainEqual({ key, txid, height });
    expect(value?.waiting.length).toBeGreaterThanOrEqual(1_000);
    expect(value?.cut?.map(({ address, reason }) => `${address} ${reasonText(reason)}`)).toEqual([
      `${cutAddress} whatsonchain: it lists exactly 1,000 that wait, so more may wait`,
    ]);
  });

  it('is asked of the second operator each time, whose whole history fills it in', async () => {
    lies.woc = cutting;
    const { basis, value } = await chain.history([key, other]);
    expect(basis).toBe('told');
    expect(value?.cut).toEqual([]);
    const before = asked.banana.length;
    await chain.history([key, other]);
    expect(asked.banana.length).toBe(before + 1);
    lies.banana = away;
    expect((await chain.history([key, other])).value?.cut).toHaveLength(1);
  });

  it('hides nothing: rows that are missing in it are no lie', async () => {
    only('whatsonchain');
    await chain.history([key]);
    const { txid, raw } = await sendAndMine();
    await chain.placed(txid, raw);
    lies.woc = async (path, honest) => {
      if (!path.endsWith('/history/all')) return honest;
      const [row] = (await honest.json()) as object[];
      const body = [{ ...row, confirmed: { result: null, error: 'too many rows' } }];
      return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
    };
    for (let blocks = 0; blocks < 10; blocks++) await sandbox.service.mine({ blocks: 1 });
    await headers.refresh();
    const waits = await send();
    expect((await chain.history([key])).value).toMatchObject({
      mined: [],
      waiting: expect.arrayContaining([waits.txid]),
      cut: [{ address: addressOf(key) }],
    });
    expect(invalid).toEqual([]);
  });

  it('is left out of what one address after the other is read, and two after each other are the service away', async () => {
    only('bananablocks');
    lies.banana = (path, honest) => {
      if (path.endsWith('/history/all')) return new Response('{}', { status: 404 });
      return path.includes(cutAddress) ? new Response('', { status: 500 }) : honest;
    };
    const { txid, height } = await sendAndMine();
    const { value } = await chain.history([other, key]);
    expect(value?.mined).toContainEqual({ key, txid, height });
    expect(value?.cut?.map(({ address }) => address)).toEqual([cutAddress]);
    lies.banana = away;
    await expect(chain.history([other, key])).rejects.toMatchObject({ id: 'chain.sources-unavailable' });
  });
});
