import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { satoshis, serializeTx, toHex } from '../../../chain/index.ts';
import { lockingScriptOf, otherKey, walletKey } from '../../sandbox/node/test-support/open-node.ts';
import { accepted, coinOf, spend } from '../../sandbox/node/test-support/spend.ts';
import { turnsOf } from '../../test-support/turns.ts';
import { basic, type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { type SandboxUpstream, startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { LocalCommands } from './local-commands.ts';
import type { LocalAnswer } from './local-handlers.ts';

let upstream: SandboxUpstream;
let local: RunningGateway;
let relaying: RunningGateway;
let raw: string;
let txid: string;

beforeAll(async () => {
  upstream = await startSandboxUpstream();
  await upstream.node.mine(3);
  const coin = await coinOf(upstream.node, walletKey);
  const tx = spend([coin], walletKey, [{ satoshis: coin.satoshis - 500, script: lockingScriptOf(otherKey) }]);
  raw = toHex(serializeTx(tx));
  txid = await accepted(upstream.node, tx);
  await upstream.node.mine(2);
  local = await startGateway(upstream.url, { settings: { gatewayShareFor: '1h' } });
  relaying = await startGateway(upstream.url, { settings: { gatewayLocalCommands: false } });
});

afterAll(async () => {
  await relaying.stop();
  await local.stop();
  await upstream.stop();
});

async function directly<T>(method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ method, params });
  const { text } = await send(upstream.port, { body, headers: { authorization: basic('me:up') } });
  return (JSON.parse(text) as { result: T }).result;
}

/** Hex of a transaction with many outputs to keys. */
function manyOutputs(count: number): string {
  const input = { txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(), sequence: 0 };
  const output = { satoshis: satoshis(546), script: lockingScriptOf(otherKey) };
  return toHex(serializeTx({ version: 1, inputs: [input], outputs: Array(count).fill(output), lockTime: 0 }));
}

/** The answers of the node and of the gateway with and without local commands, and whether the gateway asked the node. */
async function answers(method: string, params: unknown[]) {
  const body = JSON.stringify({ method, params, id: 'x' });
  const shown = async (port: number, credential: string) => {
    const { status, headers, text } = await send(port, { body, headers: { authorization: basic(credential) } });
    return { status, type: headers['content-type'], text };
  };
  const node = await shown(upstream.port, 'me:up');
  // the health monitor asks for the chain meanwhile
  const calls = (): number => upstream.methods.filter((asked) => asked === method).length;
  const before = calls();
  const here = await shown(local.port, 'planchet:secret');
  const asked = calls() > before;
  const relayed = await shown(relaying.port, 'planchet:secret');
  return { node, here, relayed, asked, relayedAsked: calls() > before + (asked ? 1 : 0) };
}

describe('commands that need no chain', () => {
  it('are answered byte for byte like a node does, and by the node if the setting is off', async () => {
    const proof = await directly<string>('gettxoutproof', [txid]);
    const merkle = await directly<Record<string, unknown>>('getmerkleproof', txid);
    const { port } = local;
    // the block of the proof is known to be on the chain after a call about it
    await send(port, { body: JSON.stringify({ method: 'getrawtransaction', params: [txid, true] }) });
    await send(port, { body: JSON.stringify({ method: 'getrawtransaction', params: [txid, true] }) });
    const overview = await directly<string>('help');
    const commands = overview.split('\n').flatMap((line) => /^[a-z0-9]+/.exec(line)?.[0] ?? []);
    expect(commands.length).toBeGreaterThan(32);
    const calls: [string, unknown[]][] = [
      ['help', []],
      ['help', ['']],
      ['help', ['nonsense']],
      ...commands.map((command): [string, unknown[]] => ['help', [command]]),
      ['decoderawtransaction', [raw]],
      ['decoderawtransaction', [raw.toUpperCase()]],
      ['decoderawtransaction', [raw.slice(2)]],
      ['decoderawtransaction', ['zz']],
      ['decodescript', ['']],
      ['decodescript', [`76a914${'00'.repeat(20)}88ac`]],
      ['decodescript', [`a914${'11'.repeat(20)}87`]],
      ['decodescript', [`5121${'02'.repeat(33)}51ae`]],
      ['decodescript', ['006a0568656c6c6f']],
      ['decodescript', ['4c']],
      ['decodescript', ['76'.repeat(9_000)]],
      ['decodescript', [`006a4d204e${'AB'.repeat(20_000)}`]],
      ['decoderawtransaction', [manyOutputs(400)]],
      ['decoderawtransaction', [manyOutputs(400).slice(2)]],
      ['verifymerkleproof', [merkle]],
      ['verifymerkleproof', [{ ...merkle, index: 7 }]],
      ['verifytxoutproof', [proof]],
      ['verifytxoutproof', [`${proof.slice(0, 72)}${'00'.repeat(32)}${proof.slice(136)}`]],
    ];
    for (const [method, params] of calls) {
      const { node, here, relayed, asked, relayedAsked } = await answers(method, params);
      const what = `${method} ${JSON.stringify(params).slice(0, 200)}`;
      expect(here, what).toEqual(node);
      expect(relayed, what).toEqual(node);
      expect(asked, what).toBe(false);
      expect(relayedAsked, what).toBe(true);
    }
  });

  it.each<[string, unknown[]]>([
    ['help', [5]],
    ['help', ['getblock', 'getblock']],
    ['decoderawtransaction', []],
    ['decoderawtransaction', [5]],
    ['decodescript', ['abc']],
    ['decodescript', ['zz']],
    ['decodescript', [`${'ab'.repeat(9_000)}x`]],
    ['decodescript', [true]],
    ['verifymerkleproof', []],
    ['verifymerkleproof', [{ flags: 1 }]],
    ['verifymerkleproof', ['00']],
    ['verifytxoutproof', ['zz']],
    ['verifytxoutproof', ['00']],
    ['verifytxoutproof', [`${'00'.repeat(80)}0100000000`]],
  ])('are passed to the node if it has an error message of its own: %s %j', async (method, params) => {
    const { node, here, relayed } = await answers(method, params);
    expect(here).toEqual(node);
    expect(relayed).toEqual(node);
  });
});

it('a local command decodes long input in slices, so that other work can run', async () => {
  const commands = new LocalCommands({ network: 'main', enabled: () => true, isOnChain: () => false });
  const params = JSON.stringify([manyOutputs(7_000)]);
  expect(commands.answer('decoderawtransaction', params)).toBeUndefined();
  expect(commands.takesTurns('decoderawtransaction', params)).toBe(true);
  let answer: LocalAnswer | undefined;
  const turns = await turnsOf(async () => {
    answer = await commands.decodeInTurns('decoderawtransaction', params);
  });
  expect(JSON.parse((answer as { result: string }).result).vout).toHaveLength(7_000);
  // in one go it takes one
  expect(turns).toBeGreaterThan(10);
});
