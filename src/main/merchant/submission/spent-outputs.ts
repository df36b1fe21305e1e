import { z } from 'zod';
import { fromHex, isCoinbase, parseTx, satoshis, type TxOutput, txidOf } from '../../../chain/index.ts';
import { hexSchema } from '../../../contract/index.ts';
import type { NodeRpc } from '../../ports/node.ts';
import type { SourceTransaction } from './read-source.ts';

/** Outpoints that one call to the node names. */
const OUTPOINTS_A_CALL = 500;
/** Parents whose outputs are read one by one, because the coin is spent already; the others stay unknown. */
const MAX_PARENTS = 200;

const SATOSHIS_PER_COIN = 100_000_000;

/** What an input spends, as far as anything here knows. */
export interface SpentOutput {
  readonly output: TxOutput | undefined;
  readonly source: 'given' | 'source' | 'own' | 'node' | null;
  /** By the word of the node: `missing` is a coin that it does not know, or that a block spends; `unchecked` where it was not asked. */
  readonly state: 'unspent' | 'spent' | 'missing' | 'unchecked';
  /** The transaction of the mempool that spends it. */
  readonly spentBy: string | undefined;
  /** Blocks from its own to the tip, both counted; 0 while it is not mined, or where nobody tells. */
  readonly confirmations: number;
}

const txOutsSchema = z.object({
  txouts: z.array(
    z.union([
      z.object({ scriptPubKey: hexSchema, value: z.number().min(0), confirmations: z.number().int() }),
      z.object({ error: z.string(), collidedWith: z.object({ txid: z.string() }).optional() }),
    ]),
  ),
});
type NodeAnswer = z.infer<typeof txOutsSchema>['txouts'][number];

/** The transactions that were submitted from here. */
export interface OwnTransactions {
  /** The raw form; undefined for one that was not. */
  rawOf(txids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
}

/** Finds what transactions spend: what came with them, in the same source, at the node, among own ones. */
export class SpentOutputs {
  readonly #node: NodeRpc;
  readonly #own: OwnTransactions;

  constructor(node: NodeRpc, own: OwnTransactions) {
    this.#node = node;
    this.#own = own;
  }

  /**
   * @param among all transactions of the source, which may spend each other
   * @returns for each transaction what its inputs spend. A node that cannot be reached leaves them unchecked.
   */
  async of(
    transactions: readonly SourceTransaction[],
    among: readonly SourceTransaction[],
  ): Promise<ReadonlyMap<string, readonly SpentOutput[]>> {
    const inSource = new Map(among.map((transaction) => [transaction.txid, transaction.tx]));
    const asked = transactions
      .filter(({ tx }) => !isCoinbase(tx))
      .flatMap(({ tx }) => tx.inputs.filter(({ txid }) => !inSource.has(txid)));
    const atNode = await this.#askNode(asked);
    const unknown = new Set(asked.filter((input) => !isFound(atNode.get(keyOf(input)))).map(({ txid }) => txid));
    const parents = await this.#parents([...unknown]);
    return new Map(
      transactions.map(({ txid, tx, spent }) => [
        txid,
        tx.inputs.map((input, i): SpentOutput => {
          const parent = inSource.get(input.txid);
          if (parent !== undefined) {
            const output = parent.outputs[input.vout];
            return {
              output,
              source: output ? 'source' : null,
              state: output ? 'unspent' : 'missing',
              spentBy: undefined,
              confirmations: 0,
            };
          }
          const answer = atNode.get(keyOf(input));
          const given = spent[i];
          const found = isFound(answer) ? outputOf(answer) : parents.get(input.txid)?.outputs[input.vout];
          // What the node says outranks what came along: an extended transaction can claim any value.
          const output = found ?? given;
          const source = isFound(answer) ? 'node' : found ? 'own' : given ? 'given' : null;
          return { output, source, ...standOf(answer) };
        }),
      ]),
    );
  }

  async #askNode(inputs: readonly { txid: string; vout: number }[]): Promise<ReadonlyMap<string, NodeAnswer>> {
    const answers = new Map<string, NodeAnswer>();
    const fields = ['scriptPubKey', 'value', 'confirmations'];
    for (let at = 0; at < inputs.length; at += OUTPOINTS_A_CALL) {
      const asked = inputs.slice(at, at + OUTPOINTS_A_CALL);
      const outpoints = asked.map(({ txid, vout }) => ({ txid, n: vout }));
      const answer = await this.#call(txOutsSchema, 'gettxouts', [outpoints, fields, true]);
      if (answer === undefined) return answers;
      for (const [i, input] of asked.entries()) {
        const txout = answer.txouts[i];
        if (txout !== undefined) answers.set(keyOf(input), txout);
      }
    }
    return answers;
  }

  /** Parents whose outputs the node no longer lists, for the values alone: from here, else from the node. */
  async #parents(txids: readonly string[]): Promise<ReadonlyMap<string, ReturnType<typeof parseTx>>> {
    const own = await this.#own.rawOf(txids);
    const parents = new Map([...own].map(([txid, raw]) => [txid, parseTx(raw)]));
    for (const txid of txids.filter((id) => !parents.has(id)).slice(0, MAX_PARENTS)) {
      const hex = await this.#call(hexSchema, 'getrawtransaction', [txid, false]);
      const raw = hex === undefined ? undefined : fromHex(hex);
      if (raw !== undefined && txidOf(raw) === txid) parents.set(txid, parseTx(raw));
    }
    return parents;
  }

  /** Whatever fails here leaves an input unchecked, which a view says; it must not keep a person from sending. */
  async #call<T extends z.ZodType>(
    schema: T,
    method: string,
    params: readonly unknown[],
  ): Promise<z.infer<T> | undefined> {
    try {
      return schema.safeParse(await this.#node.call<unknown>(method, params)).data;
    } catch {
      return undefined;
    }
  }
}

function keyOf({ txid, vout }: { txid: string; vout: number }): string {
  return `${txid}_${vout}`;
}

function isFound(answer: NodeAnswer | undefined): answer is Extract<NodeAnswer, { value: number }> {
  return answer !== undefined && 'value' in answer;
}

function outputOf({ scriptPubKey, value }: Extract<NodeAnswer, { value: number }>): TxOutput {
  return { satoshis: satoshis(Math.round(value * SATOSHIS_PER_COIN)), script: fromHex(scriptPubKey) };
}

function standOf(answer: NodeAnswer | undefined): Pick<SpentOutput, 'state' | 'spentBy' | 'confirmations'> {
  if (isFound(answer))
    return { state: 'unspent', spentBy: undefined, confirmations: Math.max(0, answer.confirmations) };
  if (answer === undefined) return { state: 'unchecked', spentBy: undefined, confirmations: 0 };
  const spentBy = answer.collidedWith?.txid;
  if (answer.error === 'spent') return { state: 'spent', spentBy, confirmations: 0 };
  return { state: 'missing', spentBy: undefined, confirmations: 0 };
}
