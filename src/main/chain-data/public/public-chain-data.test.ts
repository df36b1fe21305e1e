import { Response } from 'undici';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkPath, displayToHash, type Outpoint, parseHeader, parseTx, toHex, txidOf } from '../../../chain/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { ChainHeader } from '../../ports/headers.ts';
import type { TestSandbox } from '../../sandbox/test-support/open-sandbox.ts';
import {
  away,
  nowhere,
  type SandboxHeaders,
  saying,
  spendOf,
  TwoOperators,
  unaware,
  WOC,
} from './test-support/two-operators.ts';

const operators = new TwoOperators();
const { asked, invalid, lies, only, send, sendAndMine } = operators;
let sandbox: TestSandbox;
let headers: SandboxHeaders;
let chain: ChainData;
beforeEach(() => {
  ({ sandbox, headers, chain } = operators.opened);
});

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

  it('fails with a reason while no header is read', async () => {
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
      if (path.endsWith('/spent')) operators.sources = [...operators.sources].reverse();
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
    for (const source of operators.sources) {
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
