import {
  formatOutpoint,
  isDataOutput,
  isPushOnly,
  mempoolFlags,
  parseTx,
  requiredFee,
  runSteps,
  spentOutputFlags,
  type Tx,
  type TxInput,
} from '../../../chain/index.ts';
import { pause } from '../../pause.ts';
import { policy } from '../node/consensus/consensus.ts';
import type { SubmitResult, VerifyScripts } from '../node/node.ts';
import type { SandboxParts } from '../parts.ts';
import { unminedAncestors } from './ancestors.ts';
import type { HandedIn } from './forms.ts';
import type { ArcOptions } from './options.ts';
import { ArcProblem, type Cause, causeOf } from './problems.ts';
import type { ArcStatus } from './statuses.ts';
import type { ArcChange, ArcTransactions } from './transactions.ts';
import type { ArcWatches } from './watches.ts';

/** The smallest transaction that ARC takes. */
const MIN_TX_BYTES = 61;
/** The node's reason for an input that spends a frozen output. */
const FROZEN = 'bad-txns-inputs-frozen';
const rates = { standard: policy.miningFee, data: policy.miningFee };

export interface ArcSubmitterOptions extends Pick<SandboxParts, 'node' | 'submit'> {
  readonly transactions: ArcTransactions;
  readonly watches: ArcWatches;
  readonly verify: VerifyScripts;
}

/** Result of one submitted transaction: its txid if it is watched from now on, or why it was refused. */
export type Outcome = { readonly txid: string } | ArcProblem;

type Answer = ArcChange & { readonly status: ArcStatus };
type Outcomes = Map<string, Answer | ArcProblem>;
type Batch = ReadonlyMap<string, HandedIn>;

/** Submits transactions to the node and translates its results to statuses and errors of ARC. */
export class ArcSubmitter {
  readonly #options: ArcSubmitterOptions;

  constructor(options: ArcSubmitterOptions) {
    this.#options = options;
  }

  /**
   * Submits transactions; they may depend on each other in any order.
   * @returns an outcome for each, in order
   */
  async submit(handedIn: readonly HandedIn[], options: ArcOptions): Promise<Outcome[]> {
    const outcomes: Outcomes = new Map();
    const batch = await this.#withAncestors(handedIn, outcomes);
    const sent: HandedIn[] = [];
    for (const one of batch.values()) {
      await pause();
      const problem = await this.#problemOf(one, batch, options);
      if (problem === undefined) sent.push(one);
      else outcomes.set(one.txid, problem);
    }
    const { transactions, watches } = this.#options;
    const txids = sent.map(({ txid }) => txid);
    const removeWatches = options.callback && (await watches.add(txids, options.callback));
    const fresh = transactions.expect(txids);
    try {
      // ARC relays a transaction that was sent with its spent outputs, even if the network does not know them yet
      for (const source of ['rpc', 'p2p'] as const) {
        const some = sent.filter(({ spent }) => (spent === undefined) === (source === 'rpc'));
        for (const [txid, answer] of await this.#handIn(some, source, options)) outcomes.set(txid, answer);
      }
    } finally {
      transactions.forget(fresh.filter((txid) => !isAnswer(outcomes.get(txid))));
      await removeWatches?.(txids.filter((txid) => !isAnswer(outcomes.get(txid))));
    }
    await transactions.record(new Map([...outcomes].flatMap(([txid, one]) => (isAnswer(one) ? [[txid, one]] : []))));
    return handedIn.map(({ txid }) => {
      const outcome = outcomes.get(txid);
      return outcome instanceof ArcProblem ? outcome : { txid };
    });
  }

  /** @param outcomes for problems with ancestors */
  async #withAncestors(handedIn: readonly HandedIn[], outcomes: Outcomes): Promise<Batch> {
    const batch = new Map<string, HandedIn>();
    for (const one of handedIn) {
      try {
        const ancestors = one.beef ? await unminedAncestors(this.#options.node, one.txid, one.beef) : [];
        for (const each of [...ancestors, one]) batch.set(each.txid, each);
      } catch (error) {
        if (!(error instanceof ArcProblem)) throw error;
        outcomes.set(one.txid, error);
      }
    }
    return batch;
  }

  async #handIn(sent: readonly HandedIn[], source: 'rpc' | 'p2p', options: ArcOptions): Promise<Outcomes> {
    const { skip, cumulativeFee } = options;
    const answers: Outcomes = new Map();
    if (sent.length === 0) return answers;
    // if only the fee of a whole group was checked, the node still requires its relay fee of each transaction
    const minimumRate = skip.fee || cumulativeFee ? policy.relayFee : policy.miningFee;
    const results = await this.#options.submit(sent, { source, minimumRate });
    for (const [index, one] of sent.entries()) {
      await pause();
      const result = results[index] as SubmitResult;
      answers.set(one.txid, result.ok ? await this.#taken(result) : await this.#refused(one, result, skip));
    }
    return answers;
  }

  async #taken({ txid, known, nonFinal }: SubmitResult & { ok: true }): Promise<Answer> {
    if (nonFinal === true || this.#options.node.nonFinal.has(txid)) return { status: 'ACCEPTED_BY_NETWORK' };
    const found = known === true ? await this.#options.node.transaction(txid) : undefined;
    if (found === undefined || found.blockHash === null || found.blockHeight === null)
      return { status: 'SEEN_ON_NETWORK' };
    const { blockHash, blockHeight } = found;
    return { status: 'MINED', blockHash, blockHeight };
  }

  async #refused(
    one: HandedIn,
    { reason, conflictedWith }: SubmitResult & { ok: false },
    skip: ArcOptions['skip'],
  ): Promise<Answer | ArcProblem> {
    const { txid } = one;
    if (reason === 'txn-mempool-conflict') {
      const competing = (conflictedWith ?? []).map((rival) => rival.txid);
      return { status: 'DOUBLE_SPEND_ATTEMPTED', extraInfo: reason, competing };
    }
    if (reason === 'missing-inputs') return this.#missing(one, skip);
    if (reason === 'mempool full') return { status: 'REJECTED', extraInfo: 'evicted: mempool full' };
    const { status, skippedBy } = reason === FROZEN ? this.#frozenCause(one) : causeOf(reason);
    // if the client skips this validation, the failure comes from the network, as a status
    return skip[skippedBy] ? { status: 'REJECTED', extraInfo: reason } : new ArcProblem(status, reason, txid);
  }

  /** The error for a frozen input. The list of all miners takes precedence over that of one. */
  #frozenCause({ tx }: HandedIn): Cause {
    const { frozen } = this.#options.node;
    const isConsensus = tx.inputs.some((input) => frozen.listOf(formatOutpoint(input)) === 'consensus');
    return { status: isConsensus ? 472 : 471, skippedBy: 'tx' };
  }

  /** Distinguishes unknown parents, outputs that never existed, and outputs that are spent in a block. */
  async #missing(one: HandedIn, skip: ArcOptions['skip']): Promise<Answer | ArcProblem> {
    const { node } = this.#options;
    const { txid, tx, spent } = one;
    for (const { txid: parentId, vout } of tx.inputs) {
      const parent = await node.transaction(parentId);
      if (parent === undefined) {
        if (spent === undefined) return new ArcProblem(460, `parent transaction ${parentId} not found`, txid);
        return (
          (await this.#problemOfSpent(one, skip)) ?? { status: 'SEEN_IN_ORPHAN_MEMPOOL', extraInfo: 'missing-inputs' }
        );
      }
      if (vout >= parseTx(parent.raw).outputs.length) {
        return new ArcProblem(462, `transaction ${parentId} has no output ${vout}`, txid);
      }
    }
    return new ArcProblem(466, 'an input was spent by a mined transaction', txid);
  }

  /** Checks a transaction against the spent outputs that came with it. */
  async #problemOfSpent({ txid, tx, spent = [] }: HandedIn, skip: ArcOptions['skip']): Promise<ArcProblem | undefined> {
    const total = (amounts: readonly { satoshis: number }[]): number =>
      amounts.reduce((sum, one) => sum + one.satoshis, 0);
    const fee = total(spent) - total(tx.outputs);
    const required = requiredFee(tx, rates);
    if (!skip.fee && fee < required)
      return new ArcProblem(465, `fee is ${fee}, at least ${required} is required`, txid);
    if (skip.script) return undefined;
    const { node, verify } = this.#options;
    const utxos = spent.map(({ satoshis, script }, index) => {
      const { txid: parent, vout } = tx.inputs[index] as TxInput;
      return { txid: parent, vout, satoshis, lockingScript: script };
    });
    const flags = mempoolFlags(node.isChronicle) | spentOutputFlags(node.isChronicle);
    const verdict = await verify(tx, utxos, { flags });
    return verdict.ok ? undefined : new ArcProblem(461, verdict.reason, txid);
  }

  /** Checks that ARC makes before it sends a transaction to the network. */
  async #problemOf(one: HandedIn, batch: Batch, options: ArcOptions): Promise<ArcProblem | undefined> {
    const { skip, cumulativeFee } = options;
    const { txid, tx, raw } = one;
    const problem = (status: ArcProblem['status'], why: string): ArcProblem => new ArcProblem(status, why, txid);
    if (!skip.tx) {
      if (raw.length < MIN_TX_BYTES) return problem(463, `size must be at least ${MIN_TX_BYTES} bytes`);
      if (tx.version < 2 && tx.inputs.some(({ script }) => !runSteps(isPushOnly(script)))) {
        return problem(463, 'an unlocking script is not push only');
      }
      const paidData = tx.outputs.findIndex(({ satoshis, script }) => satoshis > 0 && isDataOutput(script));
      if (paidData >= 0) return problem(464, `output ${paidData} is a data output with a value`);
    }
    if (!cumulativeFee || skip.fee) return undefined;
    const paid = await this.#cumulativeFee(tx, batch);
    if (paid === undefined || paid.fee >= paid.required) return undefined;
    return problem(473, `fee is ${paid.fee} for it and its ancestors, at least ${paid.required} is required`);
  }

  /** Fee of a transaction with its unmined ancestors, and the fee required for them; undefined if an input is unknown. */
  async #cumulativeFee(tx: Tx, batch: Batch): Promise<{ fee: number; required: number } | undefined> {
    const { node } = this.#options;
    let fee = 0;
    let required = 0;
    const seen = new Set<string>();
    const open = [tx];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      await pause();
      required += requiredFee(next, rates);
      fee -= next.outputs.reduce((sum, { satoshis }) => sum + satoshis, 0);
      for (const input of next.inputs) {
        const parent = batch.get(input.txid)?.tx ?? node.mempool.get(input.txid)?.tx;
        const satoshis = parent?.outputs[input.vout]?.satoshis ?? (await node.utxo(input, false))?.satoshis;
        if (satoshis === undefined) return undefined;
        fee += satoshis;
        if (parent === undefined || seen.has(input.txid)) continue;
        seen.add(input.txid);
        open.push(parent);
      }
    }
    return { fee, required };
  }
}

function isAnswer(outcome: Answer | ArcProblem | undefined): outcome is Answer {
  return outcome !== undefined && !(outcome instanceof ArcProblem);
}
