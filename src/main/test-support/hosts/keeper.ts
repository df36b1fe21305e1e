import { parseTx, subsidyAt, type Tx, txidOf } from '../../../chain/index.ts';
import type { Host } from '../../host/host.ts';
import { makeBlock, serializeNewBlock } from '../../sandbox/node/consensus/blocks.ts';
import type { Submission, SubmitResult } from '../../sandbox/node/node.ts';
import type { SandboxService } from '../../sandbox/sandbox.ts';

/** Pays to nobody. */
const NOBODY = Uint8Array.of(0x6a);
const REFUSAL = { ok: false, code: 66, reason: 'mempool min fee not met' } as const;

/** The sandbox's miner and token service as ones that keep what they refuse, and mine it later. */
export class Keeper {
  /** Whether what comes is refused. */
  refuses = false;
  /** How many it takes before it refuses. */
  lets = 0;
  readonly kept = new Map<string, Uint8Array>();
  readonly #came = new Map<string, Uint8Array>();
  readonly #sandbox: SandboxService;

  constructor({ context }: Host) {
    this.#sandbox = context.sandbox as unknown as SandboxService;
    const { node } = this.#sandbox;
    const submit = node.submitBatch.bind(node);
    node.submitBatch = async (submissions: readonly Submission[], options): Promise<SubmitResult[]> => {
      const raws = submissions.map((given) => (given instanceof Uint8Array ? given : given.raw));
      for (const raw of raws) this.#came.set(txidOf(raw), raw);
      if (!this.refuses || this.lets-- > 0) return submit(submissions, options);
      return raws.map((raw) => {
        this.kept.set(txidOf(raw), raw);
        return { ...REFUSAL, txid: txidOf(raw) };
      });
    };
  }

  /** Puts what another one kept beside what this one keeps. */
  keep(txid: string, raw: Uint8Array): void {
    this.kept.set(txid, raw);
    this.#came.set(txid, raw);
  }

  /** Mines a block of kept transactions, whatever waits in the mempool. @returns whether it is valid */
  async mine(raws: readonly Uint8Array[]): Promise<boolean> {
    const { node } = this.#sandbox;
    const { hash: previousHash, height, medianTime } = node.chainTip();
    const block = makeBlock({
      height: height + 1,
      previousHash,
      time: Math.max(Math.floor(node.clock.now() / 1_000), medianTime + 1),
      payTo: NOBODY,
      reward: subsidyAt(height + 1),
      transactions: raws.map((raw) => ({ txid: txidOf(raw), tx: parseTx(raw), raw })),
      extraNonce: Math.floor(medianTime % 1_000),
    });
    return (await node.submitBlock(serializeNewBlock(block).raw)).ok;
  }

  /** The transactions that came in and that the main chain holds now. */
  async mined(): Promise<Tx[]> {
    const found: Tx[] = [];
    for (const [txid, raw] of this.#came) {
      const known = await this.#sandbox.node.transaction(txid);
      if (known !== undefined && known.blockHash !== null) found.push(parseTx(raw));
    }
    return found;
  }

  /** Forgets what came in. */
  clear(): void {
    this.kept.clear();
    this.#came.clear();
  }
}
