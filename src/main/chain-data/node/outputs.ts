import { z } from 'zod';
import { fromHex, type Outpoint, satoshis } from '../../../chain/index.ts';
import type { Answer, OutputState } from '../../ports/chain-data.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { type NodeCalls, told, unknown } from './node-calls.ts';

/** Outpoints that one call names. */
const OUTPOINTS_A_CALL = 500;
const SATOSHIS_A_COIN = 100_000_000;

const bytes = z.hex().refine(({ length }) => length % 2 === 0);
/** Values are in whole coins, with eight decimals. */
const held = z.object({ value: z.number().min(0), confirmations: z.number().int() });
const outputSchema = held.extend({ scriptPubKey: z.object({ hex: bytes }) }).nullable();
const outputsSchema = z.object({
  txouts: z.array(
    z.union([
      held.extend({ scriptPubKey: bytes }),
      z.object({ error: z.string(), collidedWith: z.object({ txid: z.string() }).optional() }),
    ]),
  ),
});

/** An output as the node has it: with its mempool and, where that has it not, without. */
export async function outputOf(node: NodeCalls, { txid, vout }: Outpoint): Promise<Answer<OutputState>> {
  const found = await node.ask(outputSchema, 'gettxout', [txid, vout, true]);
  if (found !== null) return unspent(found, found.scriptPubKey.hex);
  const mined = await node.ask(z.unknown(), 'gettxout', [txid, vout, false]);
  return mined === null ? unknown : told({ state: 'spent', by: null });
}

/** @returns undefined from older nodes and services in place of one, which do not have the command */
export async function outputsOf(
  node: NodeCalls,
  outpoints: readonly Outpoint[],
): Promise<Answer<OutputState>[] | undefined> {
  const states: Answer<OutputState>[] = [];
  for (let at = 0; at < outpoints.length; at += OUTPOINTS_A_CALL) {
    const wanted = outpoints.slice(at, at + OUTPOINTS_A_CALL).map(({ txid, vout }) => ({ txid, n: vout }));
    const fields = ['scriptPubKey', 'value', 'confirmations'];
    const answer = await node.ask(outputsSchema, 'gettxouts', [wanted, fields, true]).catch((error: unknown) => {
      if (error instanceof NodeRpcError) return undefined;
      throw error;
    });
    if (answer?.txouts.length !== wanted.length) return undefined;
    states.push(...answer.txouts.map((one) => ('error' in one ? gone(one) : unspent(one, one.scriptPubKey))));
  }
  return states;
}

function unspent({ value, confirmations }: z.infer<typeof held>, script: string): Answer<OutputState> {
  const output = { satoshis: satoshis(Math.round(value * SATOSHIS_A_COIN)), script: fromHex(script) };
  return told({ state: 'unspent', output, confirmations: Math.max(0, confirmations) });
}

function gone({ error, collidedWith }: { error: string; collidedWith?: { txid: string } | undefined }) {
  return error === 'spent' ? told<OutputState>({ state: 'spent', by: collidedWith?.txid ?? null }) : unknown;
}
