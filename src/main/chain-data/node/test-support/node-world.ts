import { satoshis, serializeTx, type Tx, type Utxo } from '../../../../chain/index.ts';
import type { ChainHeader } from '../../../ports/headers.ts';
import { type NodeRpc, NodeRpcError } from '../../../ports/node.ts';
import {
  lockingScriptOf,
  openTestNode,
  type TestNode,
  walletKey,
} from '../../../sandbox/node/test-support/open-node.ts';
import { callNode } from '../../../sandbox/node/test-support/rpc-world.ts';
import { outputCoin, spend } from '../../../sandbox/node/test-support/spend.ts';
import { createNodeChainData, type VerifiedHeaders } from '../node-chain-data.ts';

export const script = lockingScriptOf(walletKey);
/** A hash that nothing has. */
export const nowhere = 'ab'.repeat(32);
export const noCommand = new NodeRpcError(-32_601, 'Method not found');

/** A transaction of two outputs, with its block. */
interface Mined {
  readonly txid: string;
  readonly hash: string;
  readonly height: number;
  readonly coins: readonly Utxo[];
  readonly raw: Uint8Array;
}

const unchanged = (_: string, answer: unknown): unknown => answer;

/** A node with a mined transaction, and chain data of it whose answers a test can change on their way. */
export class NodeWorld {
  /** An error in place of an answer is thrown. */
  change: (method: string, answer: unknown, params: readonly unknown[]) => unknown = unchanged;
  /** The commands that were called. */
  asked: string[] = [];
  readonly rpc: NodeRpc = {
    call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
      this.asked.push(method);
      const answer = await callNode(this.opened.node, method, params).catch((error: NodeRpcError) => error);
      const changed = this.change(method, answer, params);
      if (changed instanceof Error) throw changed;
      return changed as T;
    },
  };
  readonly chainData = createNodeChainData(this.rpc);
  readonly opened: TestNode;
  readonly mined: Mined;

  private constructor(opened: TestNode, mined: Mined) {
    this.opened = opened;
    this.mined = mined;
  }

  static async open(): Promise<NodeWorld> {
    const opened = await openTestNode();
    const coin = (await opened.node.spendable(script)).find(({ satoshis: worth }) => worth > 1_000_000) as Utxo;
    const values = [100_000, coin.satoshis - 200_000];
    const tx = spend(
      [coin],
      walletKey,
      values.map((value) => ({ satoshis: satoshis(value), script })),
    );
    const txid = await submit(opened, tx);
    await opened.node.mine(1);
    const { hash, height } = opened.node.tip();
    const coins = values.map((_, vout) => outputCoin(tx, txid, vout));
    await opened.node.mine(2);
    return new NodeWorld(opened, { txid, hash, height, coins, raw: serializeTx(tx) });
  }

  /** Forgets what a test changed. */
  restore(): void {
    this.change = unchanged;
    this.asked = [];
  }

  send(tx: Tx): Promise<string> {
    return submit(this.opened, tx);
  }

  /** Verified headers with one block at each height from that of `mined` on. */
  headersWith(hash: string): VerifiedHeaders {
    const at = (height: number): ChainHeader | undefined =>
      height >= this.mined.height ? { hash, height, header: new Uint8Array(80) } : undefined;
    return { at, tip: at(this.mined.height) ?? null, refresh: async () => undefined };
  }
}

async function submit({ node }: TestNode, tx: Tx): Promise<string> {
  const result = await node.submit(serializeTx(tx));
  if (!result.ok) throw new Error(result.reason);
  return result.txid;
}
