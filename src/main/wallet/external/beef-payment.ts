import {
  type Beef,
  type Bump,
  bumpOfPath,
  ChainError,
  type MerklePath,
  parseBeef,
  pathInBump,
  type Tx,
} from '../../../chain/index.ts';
import { type Phrase, PlanchetError, phrase } from '../../../contract/index.ts';
import type { Answer, ChainData, Inclusion } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ProofVerifier } from '../../ports/headers.ts';
import {
  readable,
  type ScriptCheck,
  UnconfirmedChecks,
  type UnconfirmedSource,
} from '../chain/mempool/unconfirmed-checks.ts';
import type { CoinStore } from '../coins/storage/coin-store.ts';

/** A payment that was checked down to blocks of the verified headers. */
export interface BeefPayment {
  readonly txid: string;
  readonly raw: Uint8Array;
  readonly tx: Tx;
  /** Its ancestors that no block is shown to hold, parents first. */
  readonly unmined: readonly Uint8Array[];
}

export interface BeefCheckOptions {
  readonly chainData: ChainData;
  readonly proofs: ProofVerifier;
  readonly scripts: ScriptCheck;
  readonly clock: Pick<Clock, 'now'>;
  /** The coins of the wallet that is paid. */
  readonly coinStore: CoinStore;
}

type Raws = ReadonlyMap<string, Uint8Array>;

/** Bound of the transactions in a BEEF; a check looks at no more than 200 of them. */
const MOST_TRANSACTIONS = 2_000;

const unknown = { basis: 'unknown' } as const;

/**
 * Checks a payment that somebody hands over as BEEF: the id of its bytes, the scripts and amounts of all that it builds on, and the paths of what
 * that rests on to the verified headers. Nobody else is asked but about what the BEEF names without its bytes.
 * @param bytes BRC-62, BRC-95 or BRC-96. The one that it is about is the payment, else its last one
 * @throws PlanchetError `proof-invalid` where it cannot be read, cannot be mined, or is not traced to blocks; `upstream-*`
 */
export async function checkBeefPayment(
  bytes: Uint8Array,
  options: BeefCheckOptions,
  signal: AbortSignal,
): Promise<BeefPayment> {
  const beef = read(bytes);
  const raws = new Map(beef.transactions.flatMap(({ txid, raw }) => (raw === null ? [] : [[txid, raw] as const])));
  const txid = beef.subject ?? beef.transactions.at(-1)?.txid ?? '';
  const raw = raws.get(txid);
  const payment = raw && readable(txid, raw);
  if (payment === undefined) throw unreadable(phrase('reason.no-transaction'));
  const source = new BeefSource(beef, raws, options);
  const checks = new UnconfirmedChecks({ ...options, chainData: source });
  const some = new Map([[txid, payment]]);
  const verdict = (await checks.judge(some, some, new Set(), signal)).get(txid);
  if (verdict === 'invalid') throw new PlanchetError('wallet.app-invalid', { txid });
  if (verdict !== 'valid') {
    const reason = source.refusal ?? phrase('reason.ancestors-missing');
    throw unproven(txid, reason);
  }
  const unmined = beef.transactions.flatMap((one) =>
    one.raw === null || one.txid === txid || !source.lookedAt.has(one.txid) || source.mined.has(one.txid)
      ? []
      : [one.raw],
  );
  return { ...payment, unmined };
}

/** Answers from the BEEF, and from the chain for what the BEEF does not hold. */
class BeefSource implements UnconfirmedSource {
  /** Why a path in it was not believed. */
  refusal: string | Phrase | undefined;
  /** Ids of those whose path leads to a verified header. */
  readonly mined = new Set<string>();
  /** Ids of those that the payment builds on. */
  readonly lookedAt = new Set<string>();
  readonly #raws: Raws;
  readonly #options: BeefCheckOptions;
  readonly #bumps: ReadonlyMap<string, Bump>;

  constructor({ transactions }: Beef, raws: Raws, options: BeefCheckOptions) {
    this.#raws = raws;
    this.#options = options;
    this.#bumps = new Map(transactions.flatMap(({ txid, bump }) => (bump ? [[txid, bump] as const] : [])));
  }

  until(signal: AbortSignal): Pick<ChainData, 'transaction' | 'inclusion' | 'isInMempool'> {
    const chain = this.#options.chainData.until(signal);
    return {
      transaction: async (txid) => {
        const raw = this.#raws.get(txid);
        if (raw !== undefined) this.lookedAt.add(txid);
        return raw === undefined ? chain.transaction(txid) : { basis: 'proven', value: raw };
      },
      inclusion: (txid) => (this.#raws.has(txid) ? this.#inclusion(txid, chain) : chain.inclusion(txid)),
      // what is handed over is handed on with the payment
      isInMempool: async (txid) => (this.#raws.has(txid) ? { basis: 'proven', value: true } : chain.isInMempool(txid)),
    };
  }

  /** @throws PlanchetError `proof-invalid` for a path that contradicts itself or the chain: the whole of it is not taken then */
  async #inclusion(txid: string, chain: Pick<ChainData, 'inclusion'>): Promise<Answer<Inclusion>> {
    const bump = this.#bumps.get(txid);
    if (bump === undefined) return unknown;
    const path = pathInBump(bump, txid);
    if (path === undefined) throw unproven(txid, phrase('reason.path-of-other'));
    const verified = await this.#options.proofs.verify(txid, { kind: 'bump', bytes: bytesOf(txid, bump.height, path) });
    if ('refused' in verified) {
      // a block that is not known here may be one that left the chain, or a new one: the chain itself is asked then
      if (verified.refused !== 'header-unknown') throw unproven(txid, verified.reason);
      this.refusal ??= verified.reason;
      return chain.inclusion(txid);
    }
    this.mined.add(txid);
    const { blockHash: hash, height, header } = verified;
    return { basis: 'proven', value: { hash, height, header, path } };
  }
}

function bytesOf(txid: string, height: number, path: MerklePath): Uint8Array {
  try {
    return bumpOfPath(height, path);
  } catch (error) {
    if (error instanceof ChainError) throw unproven(txid, error.sentence);
    throw error;
  }
}

function unproven(txid: string, reason: string | Phrase): PlanchetError {
  return new PlanchetError('wallet.app-unproven', { txid, reason });
}

function read(bytes: Uint8Array): Beef {
  try {
    return parseBeef(bytes, { most: MOST_TRANSACTIONS });
  } catch (error) {
    if (error instanceof ChainError) throw unreadable(error.sentence, error);
    throw error;
  }
}

function unreadable(reason: string | Phrase, cause?: unknown): PlanchetError {
  return new PlanchetError('wallet.app-unreadable', { reason }, { cause });
}
