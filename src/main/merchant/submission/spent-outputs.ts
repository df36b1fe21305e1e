import { equalBytes, isCoinbase, parseTx, type Tx, type TxOutput } from '../../../chain/index.ts';
import type { Answer, ChainData, OutputState } from '../../ports/chain-data.ts';
import type { SourceTransaction } from './read-source.ts';

/** Parents whose outputs are read one by one, because the coin is spent already; the others stay unknown. */
const MAX_PARENTS = 200;
/** Transactions whose spenders are looked for among own ones, which reads many of them. */
const MAX_SEARCHED = 20;

/** What an input spends, as far as anything here knows. */
export interface SpentOutput {
  /** Undefined also where those that tell of it do not agree, and its transaction, which would prove one of them, is not to be had. */
  readonly output: TxOutput | undefined;
  /** Satoshis of the output by the word of each that tells of it, where they do not agree on its value or its script. */
  readonly disputed?: readonly number[];
  readonly source: 'given' | 'source' | 'own' | 'node' | null;
  /** By the word of the node: `missing` is a coin that it does not list, and that nothing from here spends; `unchecked` where it was not asked. */
  readonly state: 'unspent' | 'spent' | 'missing' | 'unchecked';
  /** The transaction that spends it: one of the mempool by the word of the node, else one that was submitted from here. */
  readonly spentBy: string | undefined;
  /** Height of the block that holds `spentBy`, as far as it is known. */
  readonly spentAt: number | undefined;
  /** Blocks from its own to the tip, both counted; 0 while it is not mined, or where nobody tells. */
  readonly confirmations: number;
}

/** The transactions that were submitted from here. */
export interface OwnTransactions {
  /** The raw form; undefined for one that was not. */
  rawOf(txids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Those that a miner took and that spend outputs of a transaction. */
  spendersOf(txid: string, reached: 'submitted'): Promise<readonly Spender[]>;
}

interface Spender {
  readonly txid: string;
  readonly rawTx: Uint8Array;
  /** Of its block; null while no block holds it. */
  readonly height: number | null;
}

/** Finds what transactions spend: what came with them, in the same source, at the node, among own ones. */
export class SpentOutputs {
  readonly #chainData: ChainData;
  readonly #own: OwnTransactions;

  constructor(chainData: ChainData, own: OwnTransactions) {
    this.#chainData = chainData;
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
    const wanted = transactions
      .filter(({ tx }) => !isCoinbase(tx))
      .flatMap(({ format, tx, spent }) => tx.inputs.map((input, i) => ({ input, format, given: spent[i] })))
      .filter(({ input }) => !inSource.has(input.txid));
    const asked = wanted.map(({ input }) => input);
    const atNode = await this.#askNode(asked);
    const unproven = wanted.filter(({ input, format, given }) => {
      const told = outputOf(atNode.get(keyOf(input)));
      return told === undefined || (format !== 'beef' && given !== undefined && !isSame(told, given));
    });
    const parents = await this.#parents([...new Set(unproven.map(({ input }) => input.txid))]);
    const missing = asked.filter((input) => standOf(atNode.get(keyOf(input))).state === 'missing');
    const spenders = await this.#spenders(missing);
    return new Map(
      transactions.map(({ txid, format, tx, spent }) => [
        txid,
        tx.inputs.map((input, i): SpentOutput => {
          const given = spent[i];
          const parent = inSource.get(input.txid);
          if (parent !== undefined) {
            const output = parent.outputs[input.vout];
            return {
              ...agreed([given], { output }),
              source: output ? 'source' : null,
              state: output ? 'unspent' : 'missing',
              spentBy: undefined,
              spentAt: undefined,
              confirmations: 0,
            };
          }
          const answer = atNode.get(keyOf(input));
          const told = outputOf(answer);
          const read = parents.get(input.txid);
          // An extended transaction and a node can claim any value. The parent itself proves it by its id; a BEEF has it.
          const proof = read ? { output: read.outputs[input.vout] } : format === 'beef' && given && { output: given };
          const said = agreed([given, told], proof || undefined);
          const from = read ? 'own' : told ? 'node' : 'given';
          const source = said.output === undefined ? null : from;
          const stand = standOf(answer);
          const rival = stand.state === 'missing' && spenders.get(keyOf(input))?.find((one) => one.txid !== txid);
          if (!rival) return { ...said, source, ...stand };
          const spentAt = rival.height ?? undefined;
          return { ...said, source, ...stand, state: 'spent', spentBy: rival.txid, spentAt };
        }),
      ]),
    );
  }

  /** Whatever fails leaves the inputs unchecked, which a view says; it must not keep a person from sending. */
  async #askNode(inputs: readonly { txid: string; vout: number }[]): Promise<ReadonlyMap<string, Answer<OutputState>>> {
    const states = await this.#chainData.outputs(inputs, 'outputs').catch(() => undefined);
    return new Map(states?.map((state, i) => [keyOf(inputs[i] as (typeof inputs)[0]), state]));
  }

  /** Parents that tell what their outputs are, since the node does not list them or is contradicted: from here, else from the node. */
  async #parents(txids: readonly string[]): Promise<ReadonlyMap<string, Tx>> {
    const own = await this.#own.rawOf(txids);
    const parents = new Map([...own].map(([txid, raw]) => [txid, parseTx(raw)]));
    for (const txid of txids.filter((id) => !parents.has(id)).slice(0, MAX_PARENTS)) {
      const found = await this.#chainData.transaction(txid).catch(() => undefined);
      if (found?.value !== undefined) parents.set(txid, parseTx(found.value));
    }
    return parents;
  }

  /** By outpoint: the own transactions that spend a coin. The node does not list coins that a block spends, nor who spent them. */
  async #spenders(coins: readonly { txid: string; vout: number }[]): Promise<ReadonlyMap<string, readonly Spender[]>> {
    const found = new Map<string, Spender[]>();
    const wanted = new Set(coins.map(keyOf));
    for (const txid of [...new Set(coins.map((coin) => coin.txid))].slice(0, MAX_SEARCHED)) {
      for (const spender of await this.#own.spendersOf(txid, 'submitted')) {
        for (const input of parseTx(spender.rawTx).inputs) {
          const key = keyOf(input);
          if (input.txid === txid && wanted.has(key)) found.set(key, [...(found.get(key) ?? []), spender]);
        }
      }
    }
    return found;
  }
}

/** @param claims what others say of an output @param proof the output by its transaction, where that was read */
function agreed(
  claims: readonly (TxOutput | undefined)[],
  proof?: { readonly output: TxOutput | undefined },
): Pick<SpentOutput, 'output' | 'disputed'> {
  const told = [...claims, proof?.output].filter((output) => output !== undefined);
  const [first] = told;
  const isAgreed = first === undefined || told.every((output) => isSame(output, first));
  const output = proof ? proof.output : isAgreed ? first : undefined;
  return { output, ...(isAgreed ? {} : { disputed: told.map((one) => one.satoshis) }) };
}

function isSame(a: TxOutput, b: TxOutput): boolean {
  return a.satoshis === b.satoshis && equalBytes(a.script, b.script);
}

function keyOf({ txid, vout }: { txid: string; vout: number }): string {
  return `${txid}_${vout}`;
}

/** The output itself, where it is unspent. */
function outputOf(answer: Answer<OutputState> | undefined): TxOutput | undefined {
  return answer?.value?.state === 'unspent' ? answer.value.output : undefined;
}

function standOf(
  answer: Answer<OutputState> | undefined,
): Pick<SpentOutput, 'state' | 'spentBy' | 'spentAt' | 'confirmations'> {
  const nothing = { spentBy: undefined, spentAt: undefined, confirmations: 0 };
  if (answer === undefined) return { ...nothing, state: 'unchecked' };
  const { value } = answer;
  if (value === undefined) return { ...nothing, state: 'missing' };
  if (value.state === 'unspent') return { ...nothing, state: 'unspent', confirmations: value.confirmations };
  return { ...nothing, state: 'spent', spentBy: value.by ?? undefined };
}
