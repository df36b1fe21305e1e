/** The tone a view gives to a state: finished, waiting for a person, failed, in progress, or neutral. */
export type Tone = 'done' | 'wait' | 'fail' | 'info' | 'neutral';

/** One state. A flag that is not named is false. */
export interface StateRow<Name extends string = string, Label extends string = string> {
  readonly name: Name;
  readonly tone: Tone;
  /** Key of its name in the text catalogue. */
  readonly label: Label;
  /** A signed transaction exists and may have left this machine. */
  readonly signed?: true;
  /** Another party has accepted the transaction for delivery. */
  readonly submitted?: true;
  /** A node has the transaction, in its mempool or in a block. */
  readonly onNetwork?: true;
  /** A block of the main chain holds the transaction. */
  readonly mined?: true;
  /** The next step waits for the network, so each new block starts another check. */
  readonly followed?: true;
  /** The final state: it does not change on its own. */
  readonly final?: true;
}

export type StateFlag = 'signed' | 'submitted' | 'onNetwork' | 'mined' | 'followed' | 'final';

/** An ordered list of states. Code that lists or groups states uses this table instead of their names. */
export class StateTable<const Name extends string, const Label extends string> {
  /** All names, in the order of progress. */
  readonly names: readonly Name[];
  readonly #rows: ReadonlyMap<string, StateRow<Name, Label>>;

  constructor(rows: readonly StateRow<Name, Label>[]) {
    this.names = rows.map(({ name }) => name);
    this.#rows = new Map(rows.map((row) => [row.name, row]));
  }

  /** @throws TypeError for a name that is not in the table */
  row(name: Name): StateRow<Name, Label> {
    const row = this.#rows.get(name);
    if (row === undefined) throw new TypeError(`There is no state named ${name}.`);
    return row;
  }

  is(name: Name, flag: StateFlag): boolean {
    return this.row(name)[flag] === true;
  }

  /** Names of the states that have a flag, in order. */
  having(flag: StateFlag): Name[] {
    return this.names.filter((name) => this.is(name, flag));
  }

  /** Place in the order, from 0; for sorting and for comparing progress. */
  indexOf(name: Name): number {
    return this.names.indexOf(name);
  }
}

/** Flags of a transaction in progress, each including those of the earlier state. */
const signed = { signed: true } as const;
const submitted = { ...signed, submitted: true } as const;
const seen = { ...submitted, onNetwork: true } as const;
const mined = { ...seen, mined: true } as const;

/** States of a mint (docs/minting.md). A mint that fails keeps its state and carries the failure next to it. */
export const mintStates = new StateTable([
  { name: 'draft', tone: 'neutral', label: 'common.state.draft' },
  { name: 'uploaded', tone: 'info', label: 'common.state.uploaded' },
  { name: 'built', tone: 'info', label: 'common.state.built' },
  { name: 'reviewed', tone: 'wait', label: 'common.state.reviewed' },
  { name: 'signed', tone: 'info', label: 'common.state.signed', ...signed },
  { name: 'submitted', tone: 'info', label: 'common.state.submitted', ...submitted, followed: true },
  { name: 'seen', tone: 'info', label: 'common.state.seen', ...seen, followed: true },
  { name: 'mined', tone: 'done', label: 'common.state.mined', ...mined, followed: true },
  { name: 'proven', tone: 'done', label: 'common.state.proven', ...mined, final: true },
  { name: 'cancelled', tone: 'neutral', label: 'common.state.cancelled', final: true },
]);
export type MintState = (typeof mintStates.names)[number];

/** States of a transaction with redeemable tokens. A reorganisation takes `mined` back to `signed`. */
export const tokenJobStates = new StateTable([
  { name: 'draft', tone: 'neutral', label: 'common.state.draft' },
  { name: 'reviewed', tone: 'wait', label: 'common.state.reviewed' },
  { name: 'signed', tone: 'info', label: 'common.state.signed', ...signed, followed: true },
  { name: 'submitted', tone: 'info', label: 'common.state.submitted', ...submitted, followed: true },
  { name: 'mined', tone: 'done', label: 'common.state.mined', ...mined, final: true },
  { name: 'cancelled', tone: 'neutral', label: 'common.state.cancelled', final: true },
]);
export type TokenJobState = (typeof tokenJobStates.names)[number];

/**
 * States of a document of the data writer (docs/data-writer.md).
 *
 * `accepted`: the document is on disk. `funded`: the coins that pay for it are chosen and its transaction is built. `signed`: the
 * transaction is final, and is sent until the miner has accepted or refused it. `submitted`: the miner accepted it. `seen`: it waits in the
 * node's mempool. `mined`: a block holds it. `proven`: its Merkle proof was checked against that block's header and is stored. `dead`: the
 * document was given up for a reason, until somebody retries it; this can happen in any state before `mined`.
 */
export const writerStates = new StateTable([
  { name: 'accepted', tone: 'wait', label: 'writer.state.accepted' },
  { name: 'funded', tone: 'info', label: 'writer.state.funded' },
  { name: 'signed', tone: 'info', label: 'writer.state.signed', ...signed },
  { name: 'submitted', tone: 'info', label: 'writer.state.submitted', ...submitted, followed: true },
  { name: 'seen', tone: 'info', label: 'writer.state.seen', ...seen, followed: true },
  { name: 'mined', tone: 'done', label: 'writer.state.mined', ...mined, followed: true },
  { name: 'proven', tone: 'done', label: 'writer.state.proven', ...mined, final: true },
  { name: 'dead', tone: 'fail', label: 'writer.state.dead', final: true },
]);
export type WriterState = (typeof writerStates.names)[number];

/**
 * States of a submitted transaction, whichever service it belongs to (docs/transactions.md).
 *
 * `queued`: it is on disk and waits to be sent. `submitted`: a miner accepted it. `seen`: it waits in the mempool of a node. `mined`: a block
 * of the main chain holds it. `proven`: its Merkle proof was checked against the header of that block and is stored. `stale`: its block left
 * the main chain, and it waits for another. `evicted`: the miner dropped it for lack of room; it is sent again. `double-spent`: another
 * transaction with the same input was mined. `failed`: the miner refused it, for a reason that stands next to it. `kept-back`: the checks
 * before sending failed, so that no miner has it, until a person sends it. A reorganisation can take `mined`, `proven` and `double-spent` back.
 */
export const transactionStates = new StateTable([
  { name: 'queued', tone: 'wait', label: 'common.state.queued', ...signed },
  { name: 'evicted', tone: 'wait', label: 'common.state.evicted', ...signed },
  { name: 'submitted', tone: 'info', label: 'common.state.submitted', ...submitted, followed: true },
  { name: 'stale', tone: 'wait', label: 'common.state.stale', ...submitted, followed: true },
  { name: 'seen', tone: 'info', label: 'common.state.seen', ...seen, followed: true },
  { name: 'mined', tone: 'done', label: 'common.state.mined', ...mined, followed: true },
  { name: 'proven', tone: 'done', label: 'common.state.proven', ...mined, final: true },
  { name: 'double-spent', tone: 'fail', label: 'common.state.doubleSpent', ...signed, final: true },
  { name: 'failed', tone: 'fail', label: 'common.state.failed', ...signed, final: true },
  { name: 'kept-back', tone: 'wait', label: 'common.state.keptBack', ...signed, final: true },
]);
export type TransactionState = (typeof transactionStates.names)[number];
