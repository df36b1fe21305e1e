import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  chronicleRules,
  type ScriptRules,
  type ScriptVerdict,
  scriptLimits,
  serializeTx,
  type Tx,
  type UncheckedSignature,
  type Utxo,
} from '../../chain/index.ts';
import { PlanchetError } from '../../contract/index.ts';
import { chunks } from '../chunks.ts';
import { inTurns } from '../pause.ts';
import { type BatchItem, packBatch } from './script-batch.ts';
import type { BatchFailure, SignTask, VerifyInputsTask, VerifyOutcome, VerifyTask } from './script-worker.ts';
import { packSignatures } from './signature-batch.ts';
import { Threads, type Work } from './threads.ts';

/** Threads for work that would hold up the event loop. */
export interface WorkerPool {
  /**
   * Runs the scripts of a transaction's inputs against the outputs they spend.
   * @param spent in the order of the inputs
   * @param rules left out, those of the network today
   * @throws PlanchetError `invalid-input` when the bytes are not a transaction, `cancelled` when the pool is closed meanwhile
   */
  verify(tx: Tx | Uint8Array, spent: readonly Utxo[], rules?: ScriptRules): Promise<ScriptVerdict>;
  /**
   * The same for some of the inputs, under the rules of the network today.
   * @param tx the bytes of a transaction
   * @param spent in the order of the inputs; undefined for one that is not checked
   * @throws PlanchetError `invalid-input` when the bytes are not a transaction, `cancelled` when the pool is closed meanwhile
   */
  verifyInputs(tx: Uint8Array, spent: readonly (Utxo | undefined)[]): Promise<ScriptVerdict>;
  /**
   * The same for many transactions, shared out among the threads.
   * @param items each with the outputs it spends in the order of its inputs
   * @returns a verdict for each, in order
   * @throws PlanchetError `cancelled` when the pool is closed meanwhile
   */
  verifyBatch(items: readonly BatchItem[]): Promise<ScriptVerdict[]>;
  /**
   * Signs the SHA-256 of each message with its key, shared out among the threads.
   * @param jobs messages and private keys of 32 bytes
   * @returns signatures in DER with a low S, in order
   * @throws PlanchetError `cancelled` when the pool is closed meanwhile
   */
  signBatch(jobs: readonly SignTask[]): Promise<Uint8Array[]>;
  /**
   * Checks signatures, shared out among the threads.
   * @param signatures with compressed keys
   * @returns whether each is right, in order
   * @throws PlanchetError `cancelled` when the pool is closed meanwhile
   */
  verifySignatures(signatures: readonly UncheckedSignature[]): Promise<boolean[]>;
  /** Runs work of a pool whose threads these are. See {@link Threads.run}. */
  run(work: Work): Promise<unknown>;
  /** Ends all threads; what still runs fails with `cancelled`. */
  close(): Promise<void>;
}

/** One works while the other waits for the main thread. */
const MIN_DEFAULT_THREADS = 2;
/** Leaves processors to the window and the servers. */
const MAX_DEFAULT_THREADS = 4;

const GOOD: ScriptVerdict = { ok: true };
const TOO_LONG: ScriptVerdict = { ok: false, input: 0, reason: 'too-long-validation-time' };

/** Transactions that a thread gets at once: enough to outweigh the hand-over, few enough that several threads share a thousand. */
const BATCH_ITEMS = 250;

/** Inputs that a thread signs, or signatures that it checks, at once: the most, and the fewest that outweigh the hand-over to another thread. */
const MOST_AT_ONCE = 64;
const FEWEST_AT_ONCE = 16;

/**
 * Makes a pool. Threads start with the first work and stay for the next. They do not keep the process alive.
 * @param options.limitMs longest time for the scripts of one transaction
 * @param options.size threads at most; left out, one less than the machine's processors, two to four
 * @param options.threads left out, threads of its own
 */
export function createWorkerPool(
  options: { size?: number; limitMs?: number; threads?: Pick<Threads, 'run' | 'close'> } = {},
): WorkerPool {
  const limitMs = options.limitMs ?? scriptLimits.durationMs;
  const size = options.size ?? Math.min(MAX_DEFAULT_THREADS, Math.max(MIN_DEFAULT_THREADS, availableParallelism() - 1));
  const threads =
    options.threads ??
    new Threads({
      filename: fileURLToPath(workerUrl()),
      size,
      // most of what a thread allocates is short-lived: a small young generation keeps its memory small
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
  const verifyOne = async (tx: Uint8Array, spent: readonly Utxo[], rules: ScriptRules): Promise<VerifyOutcome> => {
    const task = { tx, spent: spent.map(plain), rules };
    const outcome = await threads.run({ name: 'verify', task: () => task, limitMs });
    return (outcome as VerifyOutcome | undefined) ?? TOO_LONG;
  };
  const verifyPart = async (items: readonly BatchItem[]): Promise<ScriptVerdict[]> => {
    const failures = (await threads.run({
      name: 'verifyBatch',
      task: () => inTurns(packBatch(items)),
      // the batch is moved, not copied
      moved: (batch) => [(batch as Uint8Array).buffer as ArrayBuffer],
      limitMs,
    })) as readonly BatchFailure[] | undefined;
    if (failures !== undefined) {
      const failed = new Map(failures);
      return items.map((_, index) => failed.get(index) ?? GOOD);
    }
    // one of them took too long: each is checked alone, so that only that one fails
    const alone: ScriptVerdict[] = [];
    for (const { tx, raw, spent, rules = chronicleRules } of items) {
      alone.push((await verifyOne(raw ?? serializeTx(tx), spent, rules)) as ScriptVerdict);
    }
    return alone;
  };
  /** Runs pieces of a list in threads; a short list is one piece. @throws PlanchetError `cancelled` */
  const inPieces = async <T>(list: readonly T[], pieceOf: (some: readonly T[]) => Work): Promise<unknown[]> => {
    const length = Math.min(MOST_AT_ONCE, Math.max(FEWEST_AT_ONCE, Math.ceil(list.length / size)));
    const pieces = [...chunks(list, length)].map((some) => threads.run({ ...pieceOf(some), limitMs }));
    const done = await Promise.all(pieces);
    if (done.includes(undefined)) throw new PlanchetError('host.stopping');
    return done;
  };
  return {
    async verify(tx, spent, rules = chronicleRules) {
      const outcome = await verifyOne(tx instanceof Uint8Array ? tx : serializeTx(tx), spent, rules);
      if ('malformed' in outcome) throw new PlanchetError('host.transaction-malformed', { reason: outcome.malformed });
      return outcome;
    },
    async verifyInputs(tx, spent) {
      const task: VerifyInputsTask = { tx, spent: spent.map((utxo) => utxo && plain(utxo)) };
      const done = await threads.run({ name: 'verifyInputs', task: () => task, limitMs });
      const outcome = (done as VerifyOutcome | undefined) ?? TOO_LONG;
      if ('malformed' in outcome) throw new PlanchetError('host.transaction-malformed', { reason: outcome.malformed });
      return outcome;
    },
    async verifyBatch(items) {
      const parts: Promise<ScriptVerdict[]>[] = [];
      for (const some of chunks(items, BATCH_ITEMS)) {
        const part = verifyPart(some);
        // it may fail before the last part is begun, and is told below
        part.catch(() => {});
        parts.push(part);
        // packing a large batch in one go would hold up the event loop
        await setImmediate();
      }
      return (await Promise.all(parts)).flat();
    },
    async signBatch(jobs) {
      const signed = await inPieces(jobs, (some) => ({ name: 'signBatch', task: () => some }));
      return (signed as Uint8Array[][]).flat();
    },
    async verifySignatures(signatures) {
      const verdicts = await inPieces(signatures, (some) => ({
        name: 'verifySignatures',
        task: () => packSignatures(some),
      }));
      return (verdicts as boolean[][]).flat();
    },
    run: (work) => threads.run(work),
    close: () => threads.close(),
  };
}

function plain({ txid, vout, satoshis, lockingScript }: Utxo): VerifyTask['spent'][number] {
  return { txid, vout, satoshis, lockingScript };
}

/** The worker beside this file: TypeScript when run from source, JavaScript when built. */
function workerUrl(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./script-worker.ts', import.meta.url)
    : new URL('./script-worker.js', import.meta.url);
}
