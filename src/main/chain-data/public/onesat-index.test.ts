import { type RequestInit, Response, fetch as undiciFetch } from 'undici';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  concatBytes,
  encodeAddress,
  fromHex,
  hash160,
  p2pkhScript,
  satoshis,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { systemClock } from '../../clock.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { coinOf, payment } from '../../sandbox/test-support/merchant.ts';
import { otherKey, publicKeyOf, type TestSandbox, walletKey } from '../../sandbox/test-support/open-sandbox.ts';
import { createSourceClient } from '../sources/http/source-client.ts';
import { oneSatOutputs } from '../sources/onesat/owned-outputs.ts';
import type { HistorySource } from '../sources/transaction-source.ts';
import { nowhere, type SandboxHeaders, TwoOperators } from './test-support/two-operators.ts';

const operators = new TwoOperators();
const { only, sendAndMine } = operators;
let sandbox: TestSandbox;
let headers: SandboxHeaders;
let chain: ChainData;
beforeEach(() => {
  ({ sandbox, headers, chain } = operators.opened);
});

const addressOf = (hash: string) => encodeAddress(fromHex(hash), 'test');
const key = toHex(hash160(publicKeyOf(walletKey)));
const other = toHex(hash160(publicKeyOf(otherKey)));

describe('the 1Sat index', () => {
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
    operators.finders = [finder];
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
    operators.finders = [];
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

  it('is read to the end of a long stream', async () => {
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
