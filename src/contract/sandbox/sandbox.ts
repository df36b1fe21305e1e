import { z } from 'zod';
import { hashSchema, satoshisSchema } from '../common.ts';
import { allowed } from '../phrases/allowed.ts';
import { sandboxFaultAreas, sandboxFaultNames, sandboxFaultTraits } from './sandbox-faults.ts';

/** A deliberate fault of the sandbox. */
export const sandboxFaultSchema = z
  .object({
    name: z.enum(sandboxFaultNames),
    /** Milliseconds of `latency`, the status of `http-error`, and so on; 0 where none is given. */
    value: z.number().int().min(0).max(600_000).default(0),
    /** Remaining number of times it happens; null until it is turned off. */
    times: z.number().int().min(1).max(1_000_000).nullable().default(null),
    /** Which requests it affects: those to the token project and quota APIs, to the merchant API, to ARC or to the node. */
    area: z.enum(sandboxFaultAreas).default('all'),
  })
  .superRefine(({ name, value }, { addIssue }) => {
    const { min: least, max: most } = sandboxFaultTraits(name).value ?? {};
    if (value === 0 || least === undefined || most === undefined || (value >= least && value <= most)) return;
    addIssue({ code: 'custom', path: ['value'], message: allowed('rule.whole-number', { least, most }) });
  });
export type SandboxFault = z.infer<typeof sandboxFaultSchema>;

/** Names of snapshots become file names. */
export const snapshotNameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, allowed('rule.snapshot-name'));

export const sandboxSnapshotSchema = z.object({
  name: z.string(),
  /** Milliseconds since 1970-01-01 UTC. */
  takenAt: z.number(),
  bytes: z.number().int(),
  /** The newest block in it; null in snapshots of earlier versions. */
  tip: z.object({ hash: hashSchema, height: z.number().int() }).nullable(),
});
export type SandboxSnapshot = z.infer<typeof sandboxSnapshotSchema>;

/** Blocks that one view of the chain holds at most. */
export const MAX_CHAIN_BLOCKS = 1_000;
/** Number of transactions listed for a block and for the mempool. */
export const MAX_NAMED_TRANSACTIONS = 100;

export const sandboxBlockSchema = z.object({
  hash: hashSchema,
  height: z.number().int(),
  /** Of its header, in milliseconds since 1970-01-01 UTC. */
  time: z.number(),
  bytes: z.number().int(),
  /** Without the coinbase. */
  transactions: z.number().int(),
  /** The first of them, in their order. */
  txids: z.array(hashSchema).max(MAX_NAMED_TRANSACTIONS),
});
export type SandboxBlock = z.infer<typeof sandboxBlockSchema>;

/** The newest blocks and the mempool at one moment. */
export const sandboxChainSchema = z.object({
  /** Oldest first. */
  blocks: z.array(sandboxBlockSchema),
  mempool: z.object({
    /** All of them. */
    count: z.number().int(),
    bytes: z.number().int(),
    /** The newest ones, newest first. */
    transactions: z
      .array(z.object({ txid: hashSchema, bytes: z.number().int(), fee: satoshisSchema, at: z.number() }))
      .max(MAX_NAMED_TRANSACTIONS),
  }),
});
export type SandboxChain = z.infer<typeof sandboxChainSchema>;

export const sandboxStatusSchema = z.object({
  tip: z.object({ hash: hashSchema, height: z.number().int(), time: z.number() }),
  /** Median of the times of the last eleven blocks, in milliseconds: the next block has to be later. */
  medianTime: z.number(),
  mempool: z.object({ transactions: z.number().int(), bytes: z.number().int() }),
  /** The sandbox's time, in milliseconds since 1970-01-01 UTC. */
  clock: z.object({ now: z.number(), frozen: z.boolean() }),
  /** Seed of the network; null if it is random. */
  seed: z.string().nullable(),
  faults: z.array(sandboxFaultSchema),
  callbacks: z.object({ waiting: z.number().int(), givenUp: z.number().int() }),
  snapshots: z.array(sandboxSnapshotSchema),
});
export type SandboxStatus = z.infer<typeof sandboxStatusSchema>;

/** The sandbox's clock: it runs on from `at`, or is frozen there. Without `at` it is the machine's clock. */
export const sandboxClockSchema = z.object({
  /** Milliseconds since 1970-01-01 UTC; null for the machine's time. */
  at: z.number().int().min(0).max(4_294_967_295_000).nullable(),
  frozen: z.boolean().default(false),
});
export type SandboxClockSetting = z.infer<typeof sandboxClockSchema>;

export const sandboxResetSchema = z.object({
  /** The same seed gives the same keys and first blocks; without it they are random. */
  seed: z.string().min(1).max(128).optional(),
});

/** A transaction as a peer of the sandbox's node would send it. */
export const relaySchema = z.object({
  rawTx: z
    .string()
    .min(2)
    .max(20_000_000)
    .regex(/^[0-9a-fA-F]+$/, allowed('rule.whole-bytes'))
    .refine(({ length }) => length % 2 === 0, allowed('rule.whole-bytes')),
});

export const relayResultSchema = z.object({
  /** Null for bytes that are no transaction. */
  txid: hashSchema.nullable(),
  /** `orphan`: refused, and stored for a while in case its parents arrive. */
  outcome: z.enum(['accepted', 'orphan', 'refused']),
  /** Why it was refused, in the node's words. */
  reason: z.string().nullable(),
});
export type RelayResult = z.infer<typeof relayResultSchema>;

export const freezeSchema = z.object({
  txid: hashSchema,
  vout: z.number().int().min(0),
  /** `policy` for the decision of one miner, `consensus` for all; null makes it spendable again. */
  list: z.enum(['policy', 'consensus']).nullable(),
});

export const doubleSpendSchema = z.object({
  txid: hashSchema,
  /** True mines the other transaction, so that this one is lost; false only submits it to the node. */
  mined: z.boolean().default(true),
});
