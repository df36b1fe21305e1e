import {
  dataScript,
  fromHex,
  inscriptionScript,
  parseP2pkh,
  serializeTx,
  type Tx,
  toHex,
  txidOf,
} from '../../../../../chain/index.ts';
import type { SandboxNode } from '../../node.ts';
import { lockingScriptOf, otherKey, walletKey } from '../open-node.ts';
import { accepted, coinOf, outputCoin, spend } from '../spend.ts';

const COIN = 5_000_000_000;

/** The data that the rows of the conformance table use. */
export interface ConformanceChain {
  readonly height: number;
  /** The tip: its coinbase and {@link mined}. */
  readonly block: string;
  /** Its parent, which contains only a coinbase. */
  readonly lonely: string;
  /** Disconnected by a reorganisation. */
  readonly stale: string;
  /** An invalidated block. */
  readonly invalid: string;
  readonly first: string;
  readonly coinbase: string;
  /** Outputs: an inscription of one satoshi, P2PKH, data, P2PK, multisig, and a non-standard script. */
  readonly mined: string;
  readonly minedHex: string;
  /** Unconfirmed; spends the P2PKH output of {@link mined}. */
  readonly waiting: string;
  readonly waitingHex: string;
  /** Spends an output of {@link waiting}. */
  readonly child: string;
  readonly childHex: string;
  /** Waiting for its lock time. */
  readonly nonFinal: string;
  /** `gettxoutproof` of {@link mined}. */
  readonly proof: string;
}

/**
 * Prepares a node's chain and mempool for the table.
 * @param ask calls an RPC command of the node and returns its result
 */
export async function prepareChain(
  node: SandboxNode,
  ask: (method: string, params: readonly unknown[]) => Promise<unknown>,
): Promise<ConformanceChain> {
  const [stale = ''] = await node.mine(1);
  await node.reorg(1);
  const [invalid = ''] = await node.mine(1);
  await node.invalidateBlock(invalid);
  const [lonely = ''] = await node.mine(1);
  const other = lockingScriptOf(otherKey);
  const key = toHex(Uint8Array.from(otherKey.toPublicKey().toDER() as number[]));
  const token = inscriptionScript({
    pubKeyHash: parseP2pkh(other) as Uint8Array,
    contentType: 'text/plain',
    content: new TextEncoder().encode('hello'),
    map: { app: 'test', name: 'one', type: 'ord' },
  });
  const coin = await coinOf(node, walletKey);
  const mined = spend([coin], walletKey, [
    { satoshis: 1, script: token },
    { satoshis: COIN - 20_006, script: other },
    { satoshis: 0, script: dataScript([new TextEncoder().encode('data')]) },
    { satoshis: 1_000, script: fromHex(`21${key}ac`) },
    { satoshis: 2_000, script: fromHex(`5121${key}21${key}52ae`) },
    { satoshis: 7_005, script: fromHex('5193') },
  ]);
  await accepted(node, mined);
  const [block = ''] = await node.mine(1);
  const waiting = await waitingOn(node, mined, 1, COIN - 30_006);
  const child = await waitingOn(node, waiting, 0, COIN - 40_006);
  const next = await coinOf(node, walletKey);
  const locked = spend([next], walletKey, [{ satoshis: COIN - 10_000, script: other }], {
    lockTime: node.tip().height + 100,
    inputs: [{ txid: next.txid, vout: next.vout, script: new Uint8Array(), sequence: 0 }],
  });
  const minedId = txidOf(mined);
  return {
    height: node.tip().height,
    block,
    lonely,
    stale,
    invalid,
    first: (await ask('getblockhash', [0])) as string,
    coinbase: ((await ask('getblock', [block])) as { tx: string[] }).tx[0] ?? '',
    mined: minedId,
    minedHex: toHex(serializeTx(mined)),
    waiting: txidOf(waiting),
    waitingHex: toHex(serializeTx(waiting)),
    child: txidOf(child),
    childHex: toHex(serializeTx(child)),
    nonFinal: await accepted(node, locked),
    proof: (await ask('gettxoutproof', [[minedId]])) as string,
  };
}

async function waitingOn(node: SandboxNode, parent: Tx, vout: number, left: number): Promise<Tx> {
  const tx = spend([outputCoin(parent, txidOf(parent), vout)], otherKey, [
    { satoshis: left, script: lockingScriptOf(otherKey) },
  ]);
  await accepted(node, tx);
  return tx;
}
