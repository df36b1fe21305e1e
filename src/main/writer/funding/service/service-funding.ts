import type { Logger } from 'pino';
import {
  addSatoshis,
  ChainError,
  equalBytes,
  FINAL_SEQUENCE,
  fromHex,
  P2PKH_INPUT_BYTES,
  parseTx,
  type Satoshis,
  satoshis,
  serializeTx,
  type Tx,
  toHex,
  txidOf,
  type Utxo,
  varintSize,
} from '../../../../chain/index.ts';
import { type ErrorCode, type Phrase, PlanchetError, phrase, toFailure } from '../../../../contract/index.ts';
import type { BatchMerchant } from '../../../ports/merchant/merchant.ts';
import type { SettingsView } from '../../../ports/settings.ts';
import { minerTerms } from '../../../transaction-jobs/miner-limits.ts';
import { overPolicy } from '../../acceptance/policy.ts';
import type { KeyRing, Signable } from '../../keys/key-ring.ts';
import { isAnyLeft } from '../../queue/due-work.ts';
import type { WriteQueue } from '../../queue/queue.ts';
import { isSignedFormOf, type SigningKey, unsignedTx } from '../../sending/data-transaction.ts';
import { scriptOf } from '../../sending/document-groups.ts';
import { holdAgainstStatus, type SendOutcome } from '../../sending/miner-outcome.ts';
import { newTransaction } from '../../sending/new-transaction.ts';
import { journalReplacement } from '../../sending/replacement.ts';
import type { DocumentRow, TransactionRow } from '../../storage/document.ts';
import { writeCodes } from '../../write-errors.ts';
import { backOff, capReached, type Funding, type FundingRound, type Replacement, refuseOverCaps } from '../funding.ts';
import { signFunded } from './funded-signer.ts';
import type { FundingService, Templates } from './funding-client.ts';

const ASKED_AT_ONCE = 8;
/** Another machine that can sign takes a document within a claim, also one that a killed machine had claimed. */
const LEFT_TO_OTHERS_CLAIMS = 1.5;
/** Failures that time does not mend: the document is given up with them. */
const HOPELESS: ReadonlySet<ErrorCode> = new Set(['review-failed', 'unauthorized', 'rejected', 'file-too-large']);

export interface ServiceFundingOptions {
  source: 'service' | 'sandbox';
  queue: WriteQueue;
  keys: KeyRing;
  service: FundingService;
  merchant: BatchMerchant;
  settings: SettingsView;
  logger: Logger;
}

/**
 * The service pays: it sends a transaction of its own with a coin for our key, and the beginning of ours that spends it. Both are
 * checked before anything is signed.
 */
export class ServiceFunding implements Funding {
  readonly source: 'service' | 'sandbox';
  readonly #options: ServiceFundingOptions;

  constructor(options: ServiceFundingOptions) {
    this.#options = options;
    this.source = options.source;
  }

  async payable(): Promise<readonly string[]> {
    return (await this.#options.keys.signable()).keyIds;
  }

  async advance(): Promise<FundingRound> {
    const { queue, keys, settings } = this.#options;
    const signable = await keys.signable();
    const cap = settings.current().writerDailySpend;
    if ((await queue.spentToday()) >= cap) return { touched: [], more: false, degraded: capReached(cap) };
    const rows = await queue.claimAccepted(ASKED_AT_ONCE, signable.keyIds);
    const failures = await Promise.all(rows.map((row) => this.#fund(row))).catch((error: unknown) => {
      // Where work on claimed rows breaks off, they are not kept from the next round.
      queue.abandoned.add(rows);
      throw error;
    });
    const signed = await signFunded(this.#options);
    const touched = [...rows.map(({ id }) => id), ...signed.touched];
    // One document of many may have a reason of its own; where none came on, the service is what is wrong.
    const degraded = failures.every((failure) => failure !== undefined) ? failures[0] : undefined;
    const more = signed.more || rows.length === ASKED_AT_ONCE;
    const blocked = more ? undefined : await this.#blocked(signable);
    return { touched, more, ...(degraded && { degraded }), ...(blocked && { blocked }) };
  }

  /** Documents this machine cannot sign for are left to others, as long as those take them. */
  async #blocked({ keyIds, problem }: Signable): Promise<PlanchetError | undefined> {
    const { queue } = this.#options;
    const patience = queue.dialect === 'postgres' && problem === undefined ? LEFT_TO_OTHERS_CLAIMS * queue.claimMs : 0;
    if (!(await isAnyLeft(queue, keyIds, patience))) return undefined;
    if (problem !== undefined) return problem;
    return new PlanchetError('writer.signing-key-elsewhere');
  }

  async send(rows: readonly TransactionRow[]): Promise<SendOutcome[]> {
    return Promise.all(rows.map((row) => this.#sendOne(row)));
  }

  async taken(): Promise<void> {}

  async refused(): Promise<void> {}

  /** The service pays a second time; what it paid first is spent together with that. */
  async replace({ old, documents, coins }: Replacement): Promise<boolean> {
    const { queue, service, keys, settings } = this.#options;
    const { apiKey, key } = keys.signer(old.key_id ?? '');
    const [document] = documents;
    const [data] = parseTx(old.raw_tx).outputs;
    if (document === undefined || data === undefined) throw new Error(`transaction ${old.id} writes nothing`);
    await this.#requireTaken(data.script);
    const bytes = outputBytes(data.script) + coins.length * P2PKH_INPUT_BYTES;
    const templates = await service.templates(apiKey, bytes, document.fees_required === 1);
    const { tx, coin } = checkTemplates(templates, key, data.script, settings.current().maxFeeSatoshis);
    const spent = [coin, ...coins];
    const unsigned = unsignedTx(spent, tx.outputs);
    const signed = serializeTx(key.sign(unsigned, spent));
    if (!isSignedFormOf(signed, serializeTx(unsigned))) throw new PlanchetError('writer.other-transaction-signed');
    const fee = addSatoshis(...spent.map((one) => one.satoshis));
    const row = newTransaction(queue, {
      kind: 'documents',
      source: this.source,
      key_id: document.key_id,
      state: 'signed',
      raw_tx: signed,
      fee_tx: fromHex(templates.feeTransaction.toLowerCase()),
      fee,
      documents: 1,
    });
    return queue.db.transaction().execute(async (db) => {
      refuseOverCaps(fee, settings.current(), await queue.spentToday(db));
      const { writerDailySpend } = settings.current();
      return journalReplacement(queue, db, old, { row, documents, firstVout: 0 }, writerDailySpend);
    });
  }

  /** The limits of miners may have changed since the document was accepted. @throws PlanchetError `file-too-large` */
  async #requireTaken(script: Uint8Array): Promise<void> {
    const excess = overPolicy(await minerTerms(this.#options.merchant), [script]);
    if (excess !== undefined) throw excess;
  }

  async #sendOne(row: TransactionRow): Promise<SendOutcome> {
    const { service, keys, merchant } = this.#options;
    try {
      const { apiKey } = keys.signer(row.key_id ?? '');
      await service.submit(apiKey, {
        feeTransaction: toHex(row.fee_tx ?? new Uint8Array()),
        dataTransaction: toHex(row.raw_tx),
      });
      return { kind: 'taken' };
    } catch (error) {
      if (!(error instanceof PlanchetError)) throw error;
      // It may have taken them and answered with an error all the same.
      const outcome = await holdAgainstStatus(merchant, row.txid, error);
      return outcome.kind === 'refused' && error.code !== 'rejected' ? { kind: 'later', error } : outcome;
    }
  }

  /** @returns why the document waits; what it died of is journalled alone */
  async #fund(row: DocumentRow): Promise<PlanchetError | undefined> {
    const { queue, service, keys, settings, logger } = this.#options;
    try {
      const { apiKey, key } = keys.signer(row.key_id);
      const body = (await queue.bodies(queue.db, [row.id])).get(row.id);
      if (body === undefined) throw new Error(`document ${row.id} has no body`);
      const script = scriptOf(row, body);
      await this.#requireTaken(script);
      const templates = await service.templates(apiKey, outputBytes(script), row.fees_required === 1);
      const { tx, coin } = checkTemplates(templates, key, script, settings.current().maxFeeSatoshis);
      await this.#journalFunded(row, tx, coin.satoshis, fromHex(templates.feeTransaction.toLowerCase()));
      return undefined;
    } catch (error) {
      const failure = toFailure(error);
      if (HOPELESS.has(failure.code)) {
        logger.warn({ document: row.id, code: failure.code }, 'a document cannot be paid for');
        const code = failure.code === 'file-too-large' ? writeCodes.body : writeCodes.funding;
        await queue.documentDied(queue.db, row, failure, code);
        return undefined;
      }
      await queue.documentPostponed(row, failure, backOff(row.attempts, failure.code));
      return error instanceof PlanchetError ? error : new PlanchetError(failure);
    }
  }

  async #journalFunded(row: DocumentRow, tx: Tx, fee: Satoshis, feeTx: Uint8Array): Promise<void> {
    const { queue } = this.#options;
    await queue.db.transaction().execute(async (db) => {
      // Whoever lost the claim has lost the document: its transaction must not come to be.
      const { numUpdatedRows } = await db
        .updateTable('writer_documents')
        .set({ claim: null })
        .where('id', '=', row.id)
        .where('state', '=', 'accepted')
        .where('claim', '=', row.claim)
        .executeTakeFirst();
      if (Number(numUpdatedRows) !== 1) return;
      const settings = this.#options.settings.current();
      refuseOverCaps(fee, settings, await queue.spentToday(db));
      const transaction = newTransaction(queue, {
        kind: 'documents',
        source: this.source,
        key_id: row.key_id,
        state: 'funded',
        raw_tx: serializeTx(tx),
        fee_tx: feeTx,
        fee,
        documents: 1,
      });
      const added = { row: transaction, documents: [row], firstVout: 0 };
      await queue.insertTransactions(db, [added], settings.writerDailySpend);
    });
  }
}

/**
 * Holds the service's templates against what they may be, and adds our output. Nothing in them is believed: the coin must be output 0
 * of the fee transaction, pay our key alone and not more than the cap (all of it becomes the fee), and our transaction may hold nothing
 * but that one unsigned input.
 * @returns our transaction, still unsigned, and the coin it spends, all of which is its fee
 * @throws PlanchetError `review-failed` naming what differs
 */
function checkTemplates(
  templates: Templates,
  key: Pick<SigningKey, 'lockingScript'>,
  script: Uint8Array,
  feeCap: number,
): { tx: Tx; coin: Utxo } {
  const refuse = (reason: Phrase): PlanchetError => new PlanchetError('writer.templates-wrong', { reason });
  const read = (unreadable: 'reason.fee-unreadable' | 'reason.data-unreadable', hex: string) => {
    try {
      const bytes = fromHex(hex.toLowerCase());
      return { tx: parseTx(bytes), txid: txidOf(bytes) };
    } catch (error) {
      if (error instanceof ChainError) throw refuse(phrase(unreadable));
      throw error;
    }
  };
  const fee = read('reason.fee-unreadable', templates.feeTransaction);
  const data = read('reason.data-unreadable', templates.dataTransaction).tx;
  const [input, ...more] = data.inputs;
  if (input === undefined || more.length > 0) throw refuse(phrase('reason.data-inputs', { count: data.inputs.length }));
  if (input.txid !== fee.txid || input.vout !== 0) throw refuse(phrase('reason.data-input'));
  if (input.script.length > 0) throw refuse(phrase('reason.data-signed'));
  if (input.sequence !== FINAL_SEQUENCE || data.lockTime !== 0 || data.version < 1 || data.version > 2)
    throw refuse(phrase('reason.data-not-final'));
  if (data.outputs.length > 0) throw refuse(phrase('reason.data-output'));
  const coin = fee.tx.outputs[0];
  if (coin === undefined || !equalBytes(coin.script, key.lockingScript)) throw refuse(phrase('reason.fee-output'));
  if (fee.tx.inputs.length === 0 || fee.tx.inputs.some((one) => one.script.length === 0))
    throw refuse(phrase('reason.fee-not-signed'));
  if (coin.satoshis > feeCap) throw refuse(phrase('reason.fee-over-cap', { fee: coin.satoshis, limit: feeCap }));
  return {
    tx: { ...data, outputs: [{ satoshis: satoshis(0), script }] },
    coin: { txid: fee.txid, vout: 0, satoshis: coin.satoshis, lockingScript: coin.script },
  };
}

/** Size of the data output as it is serialised. */
function outputBytes(script: Uint8Array): number {
  return 8 + varintSize(script.length) + script.length;
}
