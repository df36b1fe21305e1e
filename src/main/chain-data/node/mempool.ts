import { z } from 'zod';
import { isHashHex } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { Answer, WaitingTransaction } from '../../ports/chain-data.ts';
import { isNotKnown, NodeRpcError } from '../../ports/node.ts';
import { idsSchema, told, unknown } from '../answers.ts';
import type { NodeCalls } from './node-calls.ts';
import { SATOSHIS_A_COIN } from './outputs.ts';

const infoSchema = z.object({ size: z.number().int() });
const detailsSchema = z.record(
  z.string().refine(isHashHex),
  z.object({ size: z.number().int().positive(), fee: z.number().min(0), time: z.number().int() }),
);
const entriesSchema = z.record(z.string(), z.object({ depends: z.array(z.string()) }));

/** Asked with a number, a larger mempool is not even sent. */
export async function listMempool(node: NodeCalls, most?: number): Promise<Answer<readonly string[]>> {
  if (most !== undefined && (await node.ask(infoSchema, 'getmempoolinfo')).size > most) return unknown;
  try {
    return told(await node.ask(idsSchema, 'getrawmempool'));
  } catch (error) {
    if (error instanceof PlanchetError && error.id === 'upstream.answer-too-large') return unknown;
    throw error;
  }
}

/** Not asked of a mempool with more than `most`: the answer has a few hundred bytes for each. */
export async function describeMempool(node: NodeCalls, most: number): Promise<Answer<readonly WaitingTransaction[]>> {
  if ((await node.ask(infoSchema, 'getmempoolinfo')).size > most) return unknown;
  const { data } = detailsSchema.safeParse(await node.ask(z.unknown(), 'getrawmempool', [true]));
  if (data === undefined) return unknown;
  return told(
    Object.entries(data).map(([txid, { size, fee, time }]) => ({
      txid,
      size,
      fee: Math.round(fee * SATOSHIS_A_COIN),
      time,
    })),
  );
}

/** `told` where the node answers yes or no; unknown from a node without the command. */
export async function isInMempool(node: NodeCalls, txid: string): Promise<Answer<boolean>> {
  try {
    await node.ask(z.unknown(), 'getmempoolentry', [txid]);
    return told(true);
  } catch (error) {
    if (!(error instanceof NodeRpcError)) throw error;
    return isNotKnown(error) ? told(false) : unknown;
  }
}

export async function unminedAncestors(node: NodeCalls, txid: string): Promise<Answer<number>> {
  const entries = await node.ask(z.union([idsSchema, entriesSchema]), 'getmempoolancestors', [txid, true]);
  if (Array.isArray(entries)) return told(entries.length);
  return told(longestChain(new Map(Object.entries(entries).map(([id, { depends }]) => [id, depends]))));
}

/** @param parents of each transaction; those that are no key themselves are mined */
function longestChain(parents: ReadonlyMap<string, readonly string[]>): number {
  const children = new Map<string, string[]>();
  const missing = new Map<string, number>();
  for (const [txid, all] of parents) {
    const open = all.filter((parent) => parents.has(parent));
    missing.set(txid, open.length);
    for (const parent of open) children.set(parent, [...(children.get(parent) ?? []), txid]);
  }
  // one generation after the other: the longest chain has as many as there are
  let generation = [...parents.keys()].filter((txid) => missing.get(txid) === 0);
  let length = 0;
  for (; generation.length > 0; length++) {
    const next: string[] = [];
    for (const child of generation.flatMap((txid) => children.get(txid) ?? [])) {
      const left = (missing.get(child) ?? 0) - 1;
      missing.set(child, left);
      if (left === 0) next.push(child);
    }
    generation = next;
  }
  return length;
}
