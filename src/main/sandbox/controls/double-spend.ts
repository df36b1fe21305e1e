import { isCoinbase, parseTx, satoshis, serializeTx, subsidyAt, type Tx, txidOf } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { makeBlock, serializeNewBlock } from '../node/consensus/blocks.ts';
import type { SandboxNode, VerifyBatch, VerifyScripts } from '../node/node.ts';
import type { NetworkState } from '../state.ts';

/**
 * Double-spends created here reuse the signatures of the transaction they conflict with, since the sandbox has no keys of other parties.
 * The node accepts them anyway, also when it verifies the chain again.
 */
export class ForgedTransactions {
  readonly #state: NetworkState;
  readonly #txids: Set<string>;

  constructor(state: NetworkState) {
    this.#state = state;
    this.#txids = new Set(JSON.parse(state.get('forged') ?? '[]') as string[]);
  }

  async add(txid: string): Promise<void> {
    this.#txids.add(txid);
    await this.#state.set('forged', JSON.stringify([...this.#txids]));
  }

  /** Wraps a script check so that forged transactions pass. */
  around(verify: VerifyScripts): VerifyScripts {
    return async (tx, spent, rules) => (this.#txids.has(txidOf(tx)) ? { ok: true } : verify(tx, spent, rules));
  }

  /** Wraps a batched script check so that forged transactions pass. */
  aroundBatch(verify: VerifyBatch): VerifyBatch {
    return async (jobs) => {
      if (!jobs.some(({ txid }) => this.#txids.has(txid))) return verify(jobs);
      const honest = await verify(jobs.filter(({ txid }) => !this.#txids.has(txid)));
      let next = 0;
      return jobs.map(({ txid }) =>
        this.#txids.has(txid) ? { ok: true } : (honest[next++] as (typeof honest)[number]),
      );
    };
  }
}

/**
 * Creates a second transaction that spends the same outputs.
 * @param options.mined true mines the second transaction, replacing the first wherever it is; false only submits it to the node, which
 *   refuses it
 * @returns txid of the second transaction
 * @throws PlanchetError `not-found` if the node does not have the transaction, `conflict` if it cannot be replaced
 */
export async function doubleSpend(
  node: SandboxNode,
  forged: ForgedTransactions,
  payee: Uint8Array,
  { txid, mined }: { readonly txid: string; readonly mined: boolean },
): Promise<string> {
  const found = await node.transaction(txid);
  if (found === undefined) throw new PlanchetError('sandbox.transaction-missing');
  const victim = parseTx(found.raw);
  if (isCoinbase(victim)) throw new PlanchetError('sandbox.coinbase');
  const rival = competing(victim, payee);
  const raw = serializeTx(rival);
  const rivalId = txidOf(raw);
  await forged.add(rivalId);
  if (!mined) {
    // as if another node had relayed it
    await node.submit(raw, { source: 'p2p' });
    return rivalId;
  }
  const depth = found.blockHash === null ? 0 : found.confirmations;
  const needed = await parentsAbove(node, victim, node.tip().height - depth);
  if (depth > 0) await node.reorg(depth, { transactions: [...needed, raw] });
  else await mineOnTop(node, payee, [...needed, raw]);
  return rivalId;
}

function competing(victim: Tx, payee: Uint8Array): Tx {
  const total = victim.outputs.reduce((sum, output) => sum + output.satoshis, 0);
  return {
    version: victim.version,
    inputs: victim.inputs,
    // at least one satoshi, so that the output can be spent
    outputs: [{ satoshis: satoshis(Math.max(1, total)), script: payee }],
    lockTime: 0,
  };
}

/** Ancestors that are not mined up to this height, parents first. */
async function parentsAbove(node: SandboxNode, tx: Tx, height: number): Promise<Uint8Array[]> {
  const ordered: Uint8Array[] = [];
  const seen = new Set<string>();
  const visit = async (child: Tx): Promise<void> => {
    for (const { txid } of child.inputs) {
      if (seen.has(txid)) continue;
      seen.add(txid);
      const parent = await node.transaction(txid);
      if (parent === undefined || (parent.blockHeight !== null && parent.blockHeight <= height)) continue;
      const parsed = parseTx(parent.raw);
      await visit(parsed);
      if (!isCoinbase(parsed)) ordered.push(parent.raw);
    }
  };
  await visit(tx);
  return ordered;
}

async function mineOnTop(node: SandboxNode, payTo: Uint8Array, raws: readonly Uint8Array[]): Promise<void> {
  const { hash: previousHash, height, medianTime } = node.chainTip();
  const block = makeBlock({
    height: height + 1,
    previousHash,
    time: Math.max(Math.floor(node.clock.now() / 1000), medianTime + 1),
    payTo,
    reward: subsidyAt(height + 1),
    transactions: raws.map((raw) => ({ txid: txidOf(raw), tx: parseTx(raw), raw })),
  });
  const result = await node.submitBlock(serializeNewBlock(block).raw);
  if (result.ok) return;
  throw new PlanchetError('sandbox.double-spend-failed', { reason: result.reason });
}
