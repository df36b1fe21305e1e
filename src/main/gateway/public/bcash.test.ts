import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serializeTx, toHex } from '../../../chain/index.ts';
import type { FollowedChain } from '../../chain-data/create-chain-data.ts';
import { rawBlock } from '../../sandbox/node/storage/block-bytes.ts';
import { blockAtHeight } from '../../sandbox/node/storage/chain-store.ts';
import { lockingScriptOf, walletKey } from '../../sandbox/node/test-support/open-node.ts';
import { accepted, coinOf, outputCoin, spend } from '../../sandbox/node/test-support/spend.ts';
import { addressOf, TestSandbox } from '../../sandbox/test-support/open-sandbox.ts';
import { publicSourcesAt } from '../../test-support/public-sources-at.ts';
import { followedChain, publicAnswers } from '../test-support/followed-chain.ts';
import { type RunningGateway, send, startGateway } from '../test-support/gateway.ts';

/** A folder in which the npm package bcash 1.1.1 is installed. */
const folder = process.env.PLANCHET_BCASH;

describe.runIf(Boolean(folder))('a full node of bcash 1.1.1, named by PLANCHET_BCASH', () => {
  let sandbox: TestSandbox;
  let dataDir: string;
  let followed: FollowedChain;
  let gateway: RunningGateway;
  let bcash: ChildProcess;

  beforeAll(async () => {
    bcash = fork(fileURLToPath(new URL('../test-support/bcash-node.ts', import.meta.url)), [folder as string], {
      env: { ...process.env, NODE_BACKEND: 'js' },
    });
    const ended = once(bcash, 'exit').then(() => Promise.reject(new Error('bcash ended')));
    await Promise.race([once(bcash, 'message'), ended]);
    ended.catch(() => {});
    sandbox = await TestSandbox.open();
    const { service } = sandbox;
    await service.fund({ address: addressOf(walletKey), satoshis: 5_000_000_000 });
    await service.mine({ blocks: 1 });
    dataDir = mkdtempSync(join(tmpdir(), 'planchet-bcash-'));
    const text = publicSourcesAt(sandbox.root, ['whatsonchain', 'bananablocks', 'arcade']);
    followed = followedChain({ dataDir, publicSources: () => text });
    followed.headers.start();
    gateway = await startGateway('', { options: { withoutNode: publicAnswers(followed) } });
  });
  afterAll(async () => {
    bcash?.disconnect();
    await gateway?.stop();
    await followed?.headers.close();
    await sandbox?.remove();
    if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true });
  });

  async function tell(message: object): Promise<Answer> {
    bcash.send(message);
    return (await once(bcash, 'message'))[0] as Answer;
  }

  async function ask(method: string, params: readonly unknown[]): Promise<Answer> {
    const { text } = await send(gateway.port, { body: JSON.stringify({ method, params, id: 1 }) });
    return JSON.parse(text) as Answer;
  }

  it('takes the chain, and the endpoint without a node answers as it does', async () => {
    const { node } = sandbox.service;
    const script = lockingScriptOf(walletKey);
    const coin = await coinOf(node, walletKey);
    const tx = spend([coin], walletKey, [{ satoshis: coin.satoshis - 1_000, script }]);
    const txid = await accepted(node, tx);
    await sandbox.service.mine({ blocks: 3 });
    await followed.headers.refresh();
    const { height } = node.tip();
    const hashAt = async (at: number): Promise<string> => ((await blockAtHeight(node.db, at)) as { hash: string }).hash;
    for (let at = 1; at <= height; at++) {
      const block = toHex((await rawBlock(node.db, await hashAt(at))) as Uint8Array);
      expect(await tell({ block }), `block ${at}`).toEqual({ result: true, error: null });
    }
    const from = outputCoin(tx, txid, 0);
    const waiting = spend([from], walletKey, [{ satoshis: from.satoshis - 1_000, script }]);
    const waitingId = await accepted(node, waiting);
    const hex = toHex(serializeTx(waiting));
    expect(await tell({ method: 'sendrawtransaction', params: [hex] })).toMatchObject({ result: waitingId });
    const child = spend([outputCoin(waiting, waitingId, 0)], walletKey, [{ satoshis: from.satoshis - 3_000, script }]);
    const childId = await accepted(node, child);
    await tell({ method: 'sendrawtransaction', params: [toHex(serializeTx(child))] });
    const hash = await hashAt(height - 2);
    const proof = (await ask('gettxoutproof', [[txid], hash])).result;
    const calls: readonly (readonly [string, readonly unknown[]])[] = [
      ...['getblockcount', 'getbestblockhash', 'getdifficulty', 'getblockchaininfo', 'getchaintips', 'getinfo'].map(
        (method) => [method, []] as const,
      ),
      ['getblockhash', [height]],
      ['getblockhash', [height + 1]],
      ['getblockheader', [hash, true]],
      ['getblockheader', [hash, false]],
      ['getblockheader', ['ab'.repeat(32)]],
      ['getblock', [hash, false]],
      ['getblock', [hash, true]],
      ['getblockbyheight', [height, true]],
      ['getrawtransaction', [txid]],
      ['getrawtransaction', [txid, true]],
      ['getrawtransaction', [waitingId, true]],
      ['getrawtransaction', ['ab'.repeat(32)]],
      // with the mempool, it still shows what the mempool spends
      ['gettxout', [txid, 0, false]],
      ['gettxout', [childId, 0]],
      ['gettxout', [txid, 5]],
      ['gettxoutproof', [[txid]]],
      ['gettxoutproof', [[txid], hash]],
      ['verifytxoutproof', [proof]],
      ['decoderawtransaction', [hex]],
      ['decodescript', [toHex(script)]],
      ['getmempoolentry', [childId]],
      ['getmempoolancestors', [childId]],
      ['getmempooldescendants', [waitingId]],
      ['getrawmempool', []],
      ['getmempoolinfo', []],
    ];
    const different: string[] = [];
    let compared = 0;
    for (const [method, params] of calls) {
      const [theirs, ours] = [await tell({ method, params }), await ask(method, params)];
      // its numbers of errors are its own
      const both = [theirs, ours].map(({ result, error }) => (error === null ? result : 'refused'));
      compared += compare(both[0], both[1], (path, ...values) =>
        different.push(`${method} ${JSON.stringify(params).slice(0, 80)} ${path}: ${JSON.stringify(values)}`),
      );
    }
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(120);
  });
});

interface Answer {
  readonly result: unknown;
  readonly error: { readonly code?: number; readonly message: string } | null;
}

/**
 * What a node of Bitcoin Cash writes in another form, or of itself: addresses, the hash type in the text of a signature, when it saw something, its
 * version, its limits and its memory. It also takes transactions of the mempool in another order.
 */
const ITS_OWN: ReadonlySet<string> = new Set(
  'addresses asm p2sh time blocktime version protocolversion testnet relayfee maxmempool mempoolminfee usage bytes softforks chain verificationprogress modifiedfee'.split(
    ' ',
  ),
);

/** Holds what both have against each other. @returns how many values that was */
function compare(
  theirs: unknown,
  ours: unknown,
  differs: (path: string, ...values: unknown[]) => void,
  path = '',
): number {
  if (typeof theirs === 'object' && theirs !== null && typeof ours === 'object' && ours !== null) {
    if (Array.isArray(theirs) && theirs.length !== (ours as unknown[]).length) differs(path, theirs, ours);
    const [here, there] = [ours as Record<string, unknown>, theirs as Record<string, unknown>];
    let count = 0;
    // what it writes as null, a node leaves out
    for (const [name, value] of Object.entries(there))
      if (!ITS_OWN.has(name) && Object.hasOwn(here, name) && value !== null)
        count += compare(value, here[name], differs, `${path}.${name}`);
    return count;
  }
  const isSame = plain(theirs) === plain(ours);
  if (!isSame) differs(path, theirs, ours);
  return 1;
}

/** Fractions to twelve digits, the target of a block as hex, names of scripts in small letters. */
function plain(value: unknown): unknown {
  if (typeof value === 'string')
    return value === 'PUBKEYHASH' ? 'pubkeyhash' : value.replace(/^207fffff$/, '545259519');
  if (value === 0x207fffff) return '545259519';
  return typeof value === 'number' ? Number(value.toPrecision(12)) : value;
}
