import { z } from 'zod';
import { fromHex, type Outpoint, satoshis, type TxOutput } from '../../../chain/index.ts';
import { chunks } from '../../chunks.ts';
import type { Answer, OutputState } from '../../ports/chain-data.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { told, unknown } from '../answers.ts';
import type { NodeCalls } from './node-calls.ts';

const OUTPOINTS_A_CALL = 500;
export const SATOSHIS_A_COIN = 100_000_000;

export const hexBytes = z.hex().refine(({ length }) => length % 2 === 0);
/** Values are in whole coins, with eight decimals. */
const value = z.number().min(0);
const confirmations = z.number().int();
const outputSchema = z.object({ value, confirmations, scriptPubKey: z.object({ hex: hexBytes }) }).nullable();
const wholeSchema = z.object({ value, scriptPubKey: hexBytes });
const outputsSchema = z.object({
  txouts: z.array(
    z.union([
      z.object({ confirmations, value: value.optional(), scriptPubKey: hexBytes.optional() }),
      z.object({ error: z.string(), collidedWith: z.object({ txid: z.string() }).optional() }),
    ]),
  ),
});

/** An output as the node has it: with its mempool and, where that has it not, without. */
export async function outputOf(node: NodeCalls, { txid, vout }: Outpoint): Promise<Answer<OutputState>> {
  const found = await node.ask(outputSchema, 'gettxout', [txid, vout, true]);
  if (found !== null) return unspent(found.confirmations, txOutput(found.value, found.scriptPubKey.hex));
  const mined = await node.ask(z.unknown(), 'gettxout', [txid, vout, false]);
  return mined === null ? unknown : told({ state: 'spent', by: null });
}

/** @returns undefined from older nodes and services in place of one, which do not have the command */
export async function outputsOf(
  node: NodeCalls,
  outpoints: readonly Outpoint[],
  what: 'states' | 'outputs',
): Promise<Answer<OutputState>[] | undefined> {
  const states: Answer<OutputState>[] = [];
  for (const some of chunks(outpoints, OUTPOINTS_A_CALL)) {
    const wanted = some.map(({ txid, vout }) => ({ txid, n: vout }));
    const fields = what === 'states' ? ['confirmations'] : ['scriptPubKey', 'value', 'confirmations'];
    const answer = await node.ask(outputsSchema, 'gettxouts', [wanted, fields, true]).catch((error: unknown) => {
      if (error instanceof NodeRpcError) return undefined;
      throw error;
    });
    if (answer?.txouts.length !== wanted.length) return undefined;
    states.push(
      ...answer.txouts.map((one): Answer<OutputState> => {
        if (!('error' in one)) {
          const whole = wholeSchema.safeParse(one);
          return unspent(one.confirmations, whole.data && txOutput(whole.data.value, whole.data.scriptPubKey));
        }
        return one.error === 'spent' ? told({ state: 'spent', by: one.collidedWith?.txid ?? null }) : unknown;
      }),
    );
  }
  return states;
}

function unspent(confirmations: number, output: TxOutput | undefined): Answer<OutputState> {
  return told({ state: 'unspent', output, confirmations: Math.max(0, confirmations) });
}

function txOutput(coins: number, script: string): TxOutput {
  return { satoshis: satoshis(Math.round(coins * SATOSHIS_A_COIN)), script: fromHex(script) };
}
