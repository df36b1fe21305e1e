import { dataScript, inscriptionScript, parseP2pkh, type Tx, txidOf } from '../../../../chain/index.ts';
import { NodeRpcError } from '../../../ports/node.ts';
import type { SandboxNode } from '../node.ts';
import type { RpcAnswer } from '../rpc/commands/command.ts';
import { createNodeRpc, type NodeRpcDispatcher, RpcStream, writeJson } from '../rpc/dispatcher.ts';
import { lockingScriptOf, openTestNode, otherKey, type TestNode, walletKey } from './open-node.ts';
import { accepted, coinOf, outputCoin, spend } from './spend.ts';

/** Satoshis of a coinbase. */
export const COIN = 5_000_000_000;
/** A recipient other than the wallet. */
export const other = lockingScriptOf(otherKey);
export const otherHash = parseP2pkh(other) as Uint8Array;
/** A hash that nothing has. */
export const ghost = 'ab'.repeat(32);
/** Keys of the node's HEADER object, in its order. */
export const HEADER =
  'hash confirmations size height version versionHex merkleroot num_tx time mediantime nonce bits difficulty chainwork previousblockhash';

/** A node with an inscription and data in its newest block and one waiting transaction, called through its RPC commands. */
export class RpcWorld {
  readonly opened: TestNode;
  readonly rpc: NodeRpcDispatcher;
  /** In block 121. */
  readonly mined: Tx;
  /** Its unconfirmed child. */
  readonly waiting: Tx;
  /** Of block 121. */
  readonly blockHash: string;

  static async open(): Promise<RpcWorld> {
    const opened = await openTestNode();
    const { node } = opened;
    const token = inscriptionScript({
      pubKeyHash: otherHash,
      contentType: 'text/plain',
      content: new TextEncoder().encode('hello'),
      map: { app: 'test', name: 'one', type: 'ord' },
    });
    const mined = spend([await coinOf(node, walletKey)], walletKey, [
      { satoshis: 1, script: token },
      { satoshis: COIN - 10_001, script: other },
      { satoshis: 0, script: dataScript([new TextEncoder().encode('data')]) },
    ]);
    await accepted(node, mined);
    const [blockHash = ''] = await node.mine(1);
    const waiting = spend([outputCoin(mined, txidOf(mined), 1)], otherKey, [
      { satoshis: COIN - 20_001, script: other },
    ]);
    await accepted(node, waiting);
    return new RpcWorld({ opened, mined, waiting, blockHash });
  }

  private constructor(made: { opened: TestNode; mined: Tx; waiting: Tx; blockHash: string }) {
    this.opened = made.opened;
    this.rpc = createNodeRpc(made.opened.node);
    this.mined = made.mined;
    this.waiting = made.waiting;
    this.blockHash = made.blockHash;
  }

  /** Calls a command and parses the serialised result. */
  async call<T = Record<string, unknown>>(method: string, ...params: unknown[]): Promise<T> {
    return JSON.parse(await textOf(await this.rpc.dispatch(method, params))) as T;
  }

  async keysOf(method: string, ...params: unknown[]): Promise<string> {
    return Object.keys(await this.call(method, ...params)).join(' ');
  }

  /** Code and message of the error of a call. */
  async failureOf(method: string, ...params: unknown[]): Promise<string> {
    try {
      await this.rpc.dispatch(method, params);
      return 'no failure';
    } catch (error) {
      const { code, message } = error as { code: number; message: string };
      return `${code} ${message}`;
    }
  }
}

/** The serialised JSON of a result. */
export async function textOf(answer: RpcAnswer): Promise<string> {
  if (!(answer instanceof RpcStream)) return writeJson(answer);
  let text = '';
  for await (const piece of answer.pieces()) text += piece;
  return text;
}

/** Calls a command of a node as a service does. @throws NodeRpcError where the node answers with an error */
export async function callNode<T>(node: SandboxNode, method: string, params: readonly unknown[]): Promise<T> {
  return createNodeRpc(node)
    .dispatch(method, params)
    .then(async (result) => JSON.parse(await textOf(result)) as T)
    .catch((error: { code: number; message: string }) => {
      throw new NodeRpcError(error.code, error.message);
    });
}
