import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  dataScript,
  encodeAddress,
  hash160,
  p2pkhScript,
  satoshis,
  serializeTx,
  toHex,
  txidOf,
} from '../../../../chain/index.ts';
import { scriptHashAddress } from '../../../node-format/views.ts';
import { HALF, longestShare } from '../../../test-support/longest-turn.ts';
import { openTestNode, type TestNode } from '../test-support/open-node.ts';
import { createNodeRpc, type NodeRpcDispatcher, RpcStream } from './dispatcher.ts';
import { textOf } from './streams.ts';

let opened: TestNode;
let rpc: NodeRpcDispatcher;
beforeAll(async () => {
  opened = await openTestNode();
  rpc = createNodeRpc(opened.node);
});
afterAll(() => opened.remove());

/** What a call answers, or the message it fails with, and the part of its work that held the event loop at once. */
async function called(method: string, ...params: unknown[]): Promise<{ text: string; held: number }> {
  let text = '';
  const held = await longestShare(async () => {
    text = '';
    try {
      const answer = await rpc.dispatch(method, params);
      const written = answer instanceof RpcStream ? answer : textOf(answer);
      if (typeof written === 'string') text = written;
      else for await (const piece of written.pieces()) text += piece;
    } catch (error) {
      text = (error as Error).message;
    }
  });
  return { text, held };
}

/** Not the assertion of the runner, which would print megabytes. */
function expectSame(text: string, whole: string): void {
  expect([text.length, text.slice(0, 300), text === whole]).toEqual([whole.length, whole.slice(0, 300), true]);
}

const input = { txid: 'ab'.repeat(32), vout: 1, script: Uint8Array.of(0x51), sequence: 7 };
const VIN = `[{"txid":"${input.txid}","vout":1,"scriptSig":{"asm":"1","hex":"51"},"sequence":7}]`;

/** The answer to `decoderawtransaction`. @param vout JSON of the outputs */
function decoded(raw: Uint8Array, vout: string): string {
  const txid = txidOf(raw);
  const head = `{"txid":"${txid}","hash":"${txid}","version":1,"size":${raw.length},"locktime":0,"vin":${VIN}`;
  return `${head},"vout":[${vout}],"hex":"${toHex(raw)}"}`;
}

describe('long values do not block the event loop, and are exact to the byte:', () => {
  it('a transaction of one long push', async () => {
    const script = dataScript([new Uint8Array(3_000_000).fill(7)]);
    const raw = serializeTx({ version: 1, inputs: [input], outputs: [{ satoshis: satoshis(0), script }], lockTime: 0 });
    const { text, held } = await called('decoderawtransaction', toHex(raw));
    const asm = `0 OP_RETURN ${'07'.repeat(3_000_000)}`;
    const view = `{"asm":"${asm}","hex":"${toHex(script)}","type":"nulldata"}`;
    expectSame(text, decoded(raw, `{"value":0.00,"n":0,"scriptPubKey":${view}}`));
    expect(held).toBeLessThan(HALF);
  });

  it('a transaction of many outputs', async () => {
    const hash = new Uint8Array(20).fill(3);
    const script = p2pkhScript(hash);
    const output = { satoshis: satoshis(100_000_000), script };
    const count = 12_000;
    const raw = serializeTx({ version: 1, inputs: [input], outputs: Array(count).fill(output), lockTime: 0 });
    const { text, held } = await called('decoderawtransaction', toHex(raw).toUpperCase());
    const view =
      `{"asm":"OP_DUP OP_HASH160 ${toHex(hash)} OP_EQUALVERIFY OP_CHECKSIG","hex":"${toHex(script)}",` +
      `"reqSigs":1,"type":"pubkeyhash","addresses":["${encodeAddress(hash, 'test')}"]}`;
    const vout = Array.from({ length: count }, (_, n) => `{"value":1.00,"n":${n},"scriptPubKey":${view}}`);
    expectSame(text, decoded(raw, vout.join()));
    expect(held).toBeLessThan(HALF);
  });

  it('a script of many operations, and a truncated one', async () => {
    const { text, held } = await called('decodescript', '76'.repeat(1_000_000));
    const p2sh = scriptHashAddress(hash160(new Uint8Array(1_000_000).fill(0x76)), 'test');
    const asm = 'OP_DUP '.repeat(1_000_000).trimEnd();
    expectSame(text, `{"asm":"${asm}","hex":"${'76'.repeat(1_000_000)}","type":"nonstandard","p2sh":"${p2sh}"}`);
    expect(held).toBeLessThan(HALF);
    const cut = JSON.parse((await called('decodescript', `${'0107'.repeat(300_000)}4d`)).text) as { asm: string };
    expectSame(cut.asm, `${'7 '.repeat(300_000)}[error]`);
  });

  it('hex that is invalid at the very end', async () => {
    const hex = `${'ab'.repeat(4_000_000)}ax`;
    const script = await called('decodescript', hex);
    expectSame(
      script.text,
      `argument must be hexadecimal string (not '${hex}') and length of it must be divisible by 2`,
    );
    for (const bad of [hex, hex.slice(0, -1), `${hex.slice(0, -1)}\u0131`]) {
      const tx = await called('decoderawtransaction', bad);
      expect(tx.text).toBe('TX decode failed');
      expect(Math.max(script.held, tx.held)).toBeLessThan(HALF);
    }
  });

  it('a submitted transaction with unknown inputs, and outputs that pay keys', async () => {
    const inputs = Array.from({ length: 50_000 }, (_, vout) => ({ ...input, vout }));
    // each key is hashed to see whether the refused transaction is standard
    const script = Uint8Array.of(33, 2, ...new Uint8Array(32), 0xac);
    const outputs = Array(60_000).fill({ satoshis: satoshis(1), script });
    const raw = serializeTx({ version: 1, inputs, outputs, lockTime: 0 });
    const { text, held } = await called('sendrawtransaction', toHex(raw));
    expect(text).toBe('Missing inputs');
    expect(held).toBeLessThan(HALF);
  });
});
