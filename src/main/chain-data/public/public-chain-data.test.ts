import { type RequestInit, Response, fetch as undiciFetch } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  checkPath,
  concatBytes,
  displayToHash,
  encodeAddress,
  fromHex,
  hash160,
  type Outpoint,
  p2pkhScript,
  parseHeader,
  parseTx,
  satoshis,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { reasonText } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { ChainHeader, HeaderChain } from '../../ports/headers.ts';
import { blockAtHeight } from '../../sandbox/node/storage/chain-store.ts';
import { coinOf, payment, spend } from '../../sandbox/test-support/merchant.ts';
import { otherKey, publicKeyOf, TestSandbox, walletKey } from '../../sandbox/test-support/open-sandbox.ts';
import { bananaBlocksTransactions } from '../sources/bananablocks/transactions.ts';
import { createSourceClient, type SourceClient } from '../sources/http/source-client.ts';
import { oneSatOutputs } from '../sources/onesat/owned-outputs.ts';
import type { HistorySource, TransactionSource } from '../sources/transaction-source.ts';
import { whatsOnChainTransactions } from '../sources/whatsonchain/transactions.ts';
import { createPublicChainData } from './public-chain-data.ts';

const WOC = '/woc/v1/bsv/test';
const BANANA = '/bananablocks/api/v1';
const nowhere = 'ab'.repeat(32);

/** The sandbox's chain as verified headers. */
class SandboxHeaders implements HeaderChain {
  #headers: ChainHeader[] = [];
  isAgreed = true;

  get tip(): ChainHeader | null {
    return this.#headers.at(-1) ?? null;
  }

  at(height: number): ChainHeader | undefined {
    return this.#headers[height];
  }

  header(hash: string): ChainHeader | undefined {
    return this.#headers.find((one) => one.hash === hash);
  }

  isActive(hash: string): boolean {
    return this.header(hash) !== undefined;
  }

  onChange(): () => void {
    return () => undefined;
  }

  async refresh(): Promise<void> {
    const { node } = sandbox.service;
    const headers: ChainHeader[] = [];
    for (let height = 0; height <= node.tip().height; height++) {
      const row = await blockAtHeight(node.db, height);
      if (row !== undefined) headers.push({ hash: row.hash, height, header: row.header });
    }
    this.#headers = headers;
  }
}

type Lie = (path: string, honest: Response) => Promise<Response> | Response;

let sandbox: TestSandbox;
let headers: SandboxHeaders;
let chain: ChainData;
let sources: TransactionSource[];
let finders: readonly HistorySource[];
let invalid: string[];
/** Milliseconds since 1970. */
let now: number;
/** Paths that were asked for, by operator. */
let asked: { woc: string[]; banana: string[] };
/** What was sent to operators. */
const bodies: { who: 'woc' | 'banana'; body: string }[] = [];
/** What each operator makes of its honest answers. */
const lies: { woc: Lie | undefined; banana: Lie | undefined } = { woc: undefined, banana: undefined };

beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());

beforeEach(async () => {
  headers = new SandboxHeaders();
  await headers.refresh();
  const client = (operator: string, base: string, who: 'woc' | 'banana'): SourceClient =>
    createSourceClient({
      operator,
      baseUrl: sandbox.root + base,
      clock: systemClock,
      minIntervalMs: 0,
      fetch: (async (url: string, options: RequestInit) => {
        if (typeof options.body === 'string') bodies.push({ who, body: options.body });
        asked[who].push(url.slice((sandbox.root + base).length));
        const honest = await undiciFetch(url, options);
        return (await lies[who]?.(url.slice((sandbox.root + base).length), honest)) ?? honest;
      }) as typeof undiciFetch,
    });
  sources = [
    whatsOnChainTransactions(client('TAAL', WOC, 'woc')),
    bananaBlocksTransactions(client('GorillaPool', BANANA, 'banana')),
  ];
  finders = [];
  invalid = [];
  now = 1_790_000_000_000;
  asked = { woc: [], banana: [] };
  chain = createPublicChainData({
    headers,
    sources: () => sources,
    finders: () => finders,
    clock: { now: () => now },
    network: 'sandbox',
    onInvalid: ({ name }, reason) => void invalid.push(`${name}: ${reasonText(reason)}`),
  });
});
afterEach(() => {
  lies.woc = undefined;
  lies.banana = undefined;
});

const addressOf = (hash: string) => encodeAddress(fromHex(hash), 'test');
const only = (name: string): void => {
  sources = sources.filter((source) => source.name === name);
};
const away: Lie = () => new Response('busy', { status: 503 });
const unaware: Lie = () => new Response('Not Found', { status: 404 });
const saying =
  (part: string, body: string | Uint8Array, type = 'application/json', status = 200): Lie =>
  (path, honest) =>
    path.includes(part) ? new Response(body, { status, headers: { 'content-type': type } }) : honest;

async function send(): Promise<{ txid: string; raw: Uint8Array }> {
  const raw = spend(await sandbox.coin());
  await sandbox.service.node.submit(raw);
  return { txid: txidOf(raw), raw };
}

async function sendAndMine(): Promise<{ txid: string; raw: Uint8Array; height: number }> {
  const sent = await send();
  await sandbox.service.mine({ blocks: 1 });
  await headers.refresh();
  return { ...sent, height: sandbox.service.node.tip().height };
}

function spendOf({ txid, raw }: { txid: string; raw: Uint8Array }): Uint8Array {
  return spend({ txid, vout: 0, satoshis: Number(parseTx(raw).outputs[0]?.satoshis) });
}

describe('the chain without a node', () => {
  it('has its tip and its blocks from the verified headers', async () => {
    const tip = headers.tip as ChainHeader;
    expect(await chain.tip()).toEqual({ basis: 'agreed', value: { hash: tip.hash, height: tip.height } });
    headers.isAgreed = false;
    expect((await chain.tip()).basis).toBe('told');
    expect(await chain.hashAt(tip.height)).toEqual({ basis: 'proven', value: tip.hash });
    const { merkleRoot, previousHash, time } = parseHeader(tip.header);
    expect(await chain.headerAt(tip.height)).toMatchObject({ value: { merkleRoot, previousHash, time } });
    expect(await chain.header(nowhere)).toMatchObject({ basis: 'unknown' });
    expect(await chain.headerAt(tip.height + 1)).toMatchObject({ basis: 'unknown' });
  });

  it('says so while no header is read', async () => {
    headers.refresh = async () => undefined;
    const empty = Object.assign(headers, { at: () => undefined });
    Object.defineProperty(empty, 'tip', { value: null });
    await expect(chain.tip()).rejects.toMatchObject({ id: 'chain.no-headers' });
  });
});

describe.each(['whatsonchain', 'bananablocks'])('a transaction by %s alone', (name) => {
  beforeEach(() => only(name));

  it('is proven by its hash, and its block by a path to a header', async () => {
    const { txid, raw, height } = await sendAndMine();
    const { basis, value } = await chain.transaction(txid);
    expect([basis, value && toHex(value)]).toEqual(['proven', toHex(raw)]);
    const { value: found } = await chain.inclusion(txid);
    expect(found).toMatchObject({ height, hash: headers.at(height)?.hash });
    expect(found && checkPath(found.path).root).toBe(parseHeader(headers.at(height)?.header as Uint8Array).merkleRoot);
    expect(await chain.placeOf(txid)).toMatchObject({ basis: 'proven', value: { height } });
    expect(await chain.inclusion(txid, nowhere)).toMatchObject({ basis: 'unknown' });
  });

  it('is in no block by its word, while it waits', async () => {
    const { txid } = await send();
    expect(await chain.placeOf(txid)).toEqual({ basis: 'told', value: null });
    expect(await chain.isInMempool(txid)).toEqual({ basis: 'told', value: true });
    expect(await chain.transaction(nowhere)).toMatchObject({ basis: 'unknown' });
    expect(await chain.placeOf(nowhere)).toMatchObject({ basis: 'unknown' });
    expect((await chain.isInMempool(nowhere)).value).toBe(false);
  });

  it('has unspent outputs by its word; a spender shows that one is spent', async () => {
    const sent = await sendAndMine();
    const outpoint = { txid: sent.txid, vout: 0 };
    const { satoshis, script } = parseTx(sent.raw).outputs[0] as { satoshis: number; script: Uint8Array };
    expect(await chain.output(outpoint)).toEqual({
      basis: 'told',
      value: { state: 'unspent', output: { satoshis, script: expect.anything() }, confirmations: 1 },
    });
    expect(toHex(script)).toBe(
      toHex(((await chain.output(outpoint)).value as { output: { script: Uint8Array } }).output.script),
    );
    const next = spendOf(sent);
    await sandbox.service.node.submit(next);
    expect(await chain.output(outpoint)).toEqual({ basis: 'told', value: { state: 'spent', by: txidOf(next) } });
    await sandbox.service.mine({ blocks: 1 });
    await headers.refresh();
    expect(await chain.output(outpoint)).toMatchObject({ basis: 'unknown' });
    expect(await chain.output({ txid: sent.txid, vout: 99 })).toMatchObject({ basis: 'unknown' });
    expect(await chain.output({ txid: nowhere, vout: 0 })).toMatchObject({ basis: 'unknown' });
  });
});

describe('two operators', () => {
  it('agree that an output is unspent; one alone tells it', async () => {
    const { txid } = await sendAndMine();
    expect((await chain.output({ txid, vout: 0 })).basis).toBe('agreed');
    lies.banana = saying('/txo/', '{"error":"rate limit exceeded"}', 'application/json', 429);
    expect((await chain.output({ txid, vout: 0 })).basis).toBe('told');
  });

  it('are asked one after the other: who is away, or does not know, is no evidence', async () => {
    const { txid, height } = await sendAndMine();
    for (const lie of [away, unaware]) {
      lies.woc = lie;
      expect((await chain.transaction(txid)).basis).toBe('proven');
      expect(await chain.placeOf(txid)).toMatchObject({ value: { height } });
    }
    expect(invalid).toEqual([]);
  });

  it('are both away: that is an error with both names, never an absence', async () => {
    const { txid } = await sendAndMine();
    lies.woc = away;
    lies.banana = saying('', '<html>login</html>', 'text/html');
    const questions = [() => chain.transaction(txid), () => chain.placeOf(txid), () => chain.output({ txid, vout: 0 })];
    for (const question of questions)
      await expect(question()).rejects.toMatchObject({
        id: 'chain.sources-unavailable',
        message: expect.stringMatching(/whatsonchain: .*bananablocks: /),
      });
  });
});

describe('a service that lies', () => {
  it('with other bytes is named, and the other one is believed by its hash', async () => {
    const { txid, raw } = await sendAndMine();
    const other = await send();
    lies.woc = saying('/bin', other.raw, 'application/octet-stream');
    const { value } = await chain.transaction(txid);
    expect(value && toHex(value)).toBe(toHex(raw));
    expect(invalid).toEqual([`whatsonchain: other bytes than those of transaction ${txid}`]);
  });

  it('with the proof of another transaction, a shorter path or another root shows no block', async () => {
    const first = await sendAndMine();
    const second = await send();
    const third = await send();
    await sandbox.service.mine({ blocks: 1 });
    await headers.refresh();
    only('whatsonchain');
    const bumpOf = async (txid: string) => (await sandbox.send('GET', `${WOC}/tx/${txid}/proof/bump`)).body as string;
    lies.woc = saying('/proof/bump', await bumpOf(first.txid), 'text/plain');
    expect(await chain.placeOf(second.txid).catch((error: { id: string }) => error.id)).toBe(
      'chain.sources-unavailable',
    );
    expect(invalid).toEqual(['whatsonchain: The proof is about another transaction.']);
    // the txid is right, the block is not
    const [proof] = (await sandbox.send('GET', `${WOC}/tx/${second.txid}/proof/tsc`)).body;
    const lying = async (change: object) => {
      lies.woc = (path, honest) => {
        if (path.endsWith('/proof/bump')) return new Response('Not Found', { status: 404 });
        if (!path.endsWith('/proof/tsc')) return honest;
        return new Response(JSON.stringify([{ ...proof, ...change }]), {
          headers: { 'content-type': 'application/json' },
        });
      };
      return chain.placeOf(second.txid).then(
        ({ value }) => value,
        ({ id }: { id: string }) => id,
      );
    };
    expect(await lying({})).toMatchObject({ height: first.height + 1 });
    expect(await lying({ target: headers.at(first.height)?.hash })).toBe('chain.sources-unavailable');
    expect(await lying({ nodes: proof.nodes.slice(1) })).toBe('chain.sources-unavailable');
    expect(await lying({ index: proof.index + 1 })).toBe('chain.sources-unavailable');
    expect(await lying({ target: nowhere })).toBe('chain.sources-unavailable');
    expect(third.txid).not.toBe(second.txid);
  });

  it('that calls a spent output unspent loses against the bytes of what spends it', async () => {
    const sent = await sendAndMine();
    const next = spendOf(sent);
    await sandbox.service.node.submit(next);
    lies.woc = saying('/spent', 'Not Found', 'text/plain', 404);
    const outpoint = { txid: sent.txid, vout: 0 };
    expect(await chain.output(outpoint)).toEqual({ basis: 'told', value: { state: 'spent', by: txidOf(next) } });
  });

  it('that denies a spend in a block is named, whoever is to be asked first by then', async () => {
    const sent = await sendAndMine();
    await sandbox.service.node.submit(spendOf(sent));
    await sandbox.service.mine({ blocks: 1 });
    await headers.refresh();
    lies.banana = saying('/txo/', '{"spent":false}');
    lies.woc = (path, honest) => {
      if (path.endsWith('/spent')) sources = [...sources].reverse();
      return honest;
    };
    expect(await chain.output({ txid: sent.txid, vout: 0 })).toEqual({ basis: 'unknown' });
    expect(invalid).toEqual([expect.stringMatching(/^bananablocks: .* is mined and spends that output$/)]);
  });

  it('that names a spender which spends something else, or which nobody has, makes no coin spent and none unspent', async () => {
    const { txid } = await sendAndMine();
    const other = await send();
    lies.banana = saying('/txo/', JSON.stringify({ spent: true, spentTxid: other.txid }));
    expect(await chain.output({ txid, vout: 0 })).toMatchObject({ basis: 'unknown' });
    expect(invalid).toEqual([`bananablocks: ${other.txid} does not spend that output`]);
    lies.banana = saying('/txo/', JSON.stringify({ spent: true, spentTxid: nowhere }));
    expect(await chain.output({ txid, vout: 0 })).toMatchObject({ basis: 'unknown' });
  });

  it('that invents an output changes nothing: no bytes have it', async () => {
    lies.woc = saying('/spent', 'Not Found', 'text/plain', 404);
    lies.banana = saying('/txo/', '{"spent":false}');
    expect(await chain.output({ txid: nowhere, vout: 0 })).toMatchObject({ basis: 'unknown' });
  });
});

describe('the history of keys', () => {
  const key = toHex(hash160(publicKeyOf(walletKey)));
  const other = toHex(hash160(publicKeyOf(otherKey)));
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
    now += 1;
    await chain.history([key, other]);
    expect(times()).toEqual([3, 2]);
    now += 599_999;
    await chain.history([key, other]);
    expect(times()).toEqual([4, 2]);
    now += 1;
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
    now += 599_999;
    expect((await chain.history([key])).value?.waiting).toContain(nowhere);
    now += 1;
    expect((await chain.history([key])).value?.waiting).not.toContain(nowhere);
  });

  it('is told by one while the other is away, and an error while both are', async () => {
    lies.woc = away;
    expect((await chain.history([key])).basis).toBe('told');
    lies.banana = away;
    now += 600_000;
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
  const key = toHex(hash160(publicKeyOf(walletKey)));
  const other = toHex(hash160(publicKeyOf(otherKey)));
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

describe('the 1Sat index', () => {
  const key = toHex(hash160(publicKeyOf(walletKey)));
  const other = toHex(hash160(publicKeyOf(otherKey)));
  let finder: HistorySource;
  let answer: Response | undefined;
  let paths: string[];
  beforeEach(() => {
    answer = undefined;
    paths = [];
    const fetch = (async (url: string, options: RequestInit) => {
      paths.push(url.slice(sandbox.root.length));
      const honest = await undiciFetch(url, options);
      return answer ?? honest;
    }) as typeof undiciFetch;
    const baseUrl = `${sandbox.root}/1sat`;
    finder = oneSatOutputs(
      createSourceClient({ operator: 'onesat', baseUrl, clock: systemClock, minIntervalMs: 0, fetch }),
    );
    finders = [finder];
  });

  /** An inscription for the wallet's key: its script is none of an address. @returns the id of its transaction */
  async function inscribe(): Promise<{ txid: string; height: number }> {
    const lock = p2pkhScript(fromHex(key));
    const script = concatBytes(fromHex('0063036f7264510a746578742f706c61696e000568656c6c6f68'), lock);
    const raw = payment([await sandbox.coin()], [{ satoshis: satoshis(1), script }]);
    await sandbox.service.node.submit(raw);
    await sandbox.service.mine({ blocks: 1 });
    await headers.refresh();
    return { txid: txidOf(raw), height: sandbox.service.node.tip().height };
  }

  it('finds inscriptions and what spends them, which no history of an address has', async () => {
    const { txid, height } = await inscribe();
    const { value } = await chain.history([key]);
    expect(value?.mined).toContainEqual({ key, txid, height });
    finders = [];
    const { value: plain } = await chain.history([key]);
    expect(plain?.mined.some((row) => row.txid === txid && row.height !== height)).toBe(false);
    const sent = await sendAndMine();
    const gone = payment([coinOf(sent.raw)], [{ satoshis: satoshis(500), script: p2pkhScript(fromHex(other)) }]);
    await sandbox.service.node.submit(gone);
    await sandbox.service.mine({ blocks: 1 });
    const rows = await finder.history([addressOf(key)]);
    expect(rows.state === 'present' && rows.value[0]?.rows.map((row) => row.txid)).toContain(txidOf(gone));
  });

  it('is asked for ten owners at a time, once, and counts for no opinion', async () => {
    only('whatsonchain');
    expect((await chain.history([key, other])).basis).toBe('told');
    expect(paths).toHaveLength(1);
    expect(paths[0]).toMatch(/owner=\w+&owner=\w+&from=0$/);
    await chain.history([key, other]);
    expect(paths).toHaveLength(1);
    expect((await finder.history(Array.from({ length: 21 }, () => addressOf(key)))).state).toBe('present');
    expect(paths).toHaveLength(4);
  });

  it.each([
    ['that breaks off', 'data: {"outpoint":"OUT.0","score":5}\n\n'],
    ['of another shape', 'data: {"outpoint":"OUT.0","score":"5"}\n\nevent: done\ndata: {}\n\n'],
    ['that is no JSON', 'data: {"outpoint"\n\nevent: done\ndata: {}\n\n'],
    ['with an error', 'event: error\ndata: lost\n\nevent: done\ndata: {}\n\n'],
  ])('says nothing by a stream %s', async (_, stream) => {
    answer = new Response(stream.replace('OUT', nowhere), { headers: { 'content-type': 'text/event-stream' } });
    expect((await finder.history([addressOf(key)])).state).toBe('unavailable');
  });

  it('tells of as much as it may', async () => {
    const rows = Array.from({ length: 15_000 }, (_, n) => ({ outpoint: `${String(n).padStart(64, '0')}.0`, score: 5 }));
    const stream = rows.map((row) => `data: ${JSON.stringify(row)}\n\n`).join('');
    answer = new Response(`${stream}event: done\ndata: {}\n\n`);
    const keys = Array.from({ length: 10 }, (_, n) => String(n).padStart(40, '0'));
    expect((await chain.history(keys)).value?.mined).toHaveLength(keys.length * rows.length);
  });

  it('adds what it invents to what is looked up, and nothing else', async () => {
    answer = new Response(`data: {"outpoint":"${nowhere}.0","score":5000000000}\n\nevent: done\ndata: {}\n\n`);
    const { basis, value } = await chain.history([key]);
    expect(basis).toBe('agreed');
    expect(value?.mined).toContainEqual({ key, txid: nowhere, height: 5 });
    expect(await chain.placed(nowhere)).toMatchObject({ basis: 'unknown' });
  });
});

describe('what spends an output', () => {
  it('is asked of many at once, and shown by its bytes', async () => {
    const [sent, kept] = [await sendAndMine(), await sendAndMine()];
    const next = spendOf(sent);
    await sandbox.service.node.submit(next);
    const outpoints = [sent, kept].map(({ txid }) => ({ txid, vout: 0 }));
    expect(await chain.claimedSpent(outpoints)).toEqual([outpoints[0]]);
    expect(asked.woc).toEqual(['/utxos/spent']);
    expect(await chain.spends(outpoints[0] as Outpoint)).toMatchObject({
      spender: { txid: txidOf(next) },
      claimedBy: [],
    });
    expect(await chain.spends(outpoints[1] as Outpoint)).toEqual({
      spender: undefined,
      claimedBy: [],
      deniedBy: ['whatsonchain', 'bananablocks'],
      silent: [],
    });
  });

  it('is claimed by the name of who says so where nobody has it', async () => {
    const { txid } = await sendAndMine();
    lies.banana = saying('/txo/', `{"spent":true,"spentTxid":"${nowhere}"}`);
    const outpoint = { txid, vout: 0 };
    expect(await chain.spends(outpoint)).toEqual({
      spender: undefined,
      claimedBy: ['bananablocks'],
      deniedBy: ['whatsonchain'],
      silent: [],
    });
    lies.woc = away;
    expect(await chain.spends(outpoint)).toEqual({
      spender: undefined,
      claimedBy: ['bananablocks'],
      deniedBy: [],
      silent: ['whatsonchain'],
    });
    // nor does it keep the others from being asked
    lies.banana = (path, honest) =>
      path.startsWith('/txo/')
        ? saying('/txo/', `{"spent":true,"spentTxid":"${nowhere}"}`)(path, honest)
        : away(path, honest);
    expect(await chain.spends(outpoint)).toMatchObject({ claimedBy: ['bananablocks'] });
  });

  it('is nothing, and a lie with a name, where its bytes spend something else', async () => {
    const [sent, unrelated] = [await sendAndMine(), await sendAndMine()];
    lies.woc = saying('/spent', `{"txid":"${unrelated.txid}","vin":0,"status":"confirmed"}`);
    expect(await chain.spends({ txid: sent.txid, vout: 0 })).toMatchObject({ spender: undefined, claimedBy: [] });
    expect(invalid).toEqual([expect.stringMatching(/^whatsonchain: .* does not spend that output$/)]);
  });
});

describe('many transactions', () => {
  it('come in one request from an operator that takes a list, each held against its id', async () => {
    const [one, two] = [await sendAndMine(), await sendAndMine()];
    const found = await chain.transactions([one.txid, nowhere, two.txid]);
    expect([...found.keys()].sort()).toEqual([one.txid, two.txid].sort());
    expect(asked.woc.filter((path) => path === '/txs/hex')).toHaveLength(1);
    expect(asked.woc.filter((path) => path.endsWith('/bin'))).toEqual([`/tx/${nowhere}/bin`]);
    lies.woc = async (path, honest) => {
      if (path !== '/txs/hex') return honest;
      const rows = (await honest.json()) as { txid: string; hex: string }[];
      return new Response(JSON.stringify(rows.map((row) => ({ ...row, hex: rows[0]?.hex }))), {
        headers: { 'content-type': 'application/json' },
      });
    };
    const again = await chain.transactions([one.txid, two.txid]);
    expect(txidOf(again.get(two.txid) as Uint8Array)).toBe(two.txid);
    expect(invalid.length).toBe(1);
  });
});

describe('what an operator says of an output', () => {
  it('is spent, unspent, or nothing', async () => {
    const { txid } = await sendAndMine();
    for (const source of sources) {
      expect((await source.spender({ txid, vout: 0 })).state).toBe('absent');
      expect((await source.spender({ txid: nowhere, vout: 0 })).state).toBe('unknown');
    }
  });
});

it('chain data of public services asks no proof of a transaction that could be a node of a tree', async () => {
  const raw = new Uint8Array(64).fill(7);
  const txid = txidOf(raw);
  lies.woc = (path, honest) => (path.endsWith('/bin') ? new Response(raw) : honest);
  expect(await chain.inclusion(txid)).toMatchObject({ basis: 'unknown' });
  expect(asked.woc.filter((path) => path.includes('/proof'))).toEqual([]);
});

it('chain data of public services shows the first transaction of a block by its path, whoever names it', async () => {
  const { txid } = await sendAndMine();
  const { hash, header } = headers.tip as ChainHeader;
  const { basis, value } = await chain.coinbase(hash);
  const siblings = value?.nodes.map(displayToHash) ?? [];
  const path = { txid: txidOf(value?.raw as Uint8Array), index: 0, siblings };
  expect([basis, checkPath(path).root]).toEqual(['proven', parseHeader(header).merkleRoot]);
  lies.woc = saying('/block/hash', JSON.stringify({ tx: [txid] }));
  expect(await chain.coinbase(hash)).toMatchObject({ basis: 'unknown' });
});
