import { z } from 'zod';
import { hashSchema, networkSchema, satoshisSchema, serviceNameSchema, timestampSchema } from './common.ts';
import { failureSchema } from './errors/index.ts';
import { pairingRequestSchema } from './gateway/access.ts';
import { languages } from './languages/languages.ts';
import { reorganisationSchema } from './miners/reorganisations.ts';
import { trackedTransactionSchema } from './miners/transactions.ts';
import { sandboxFaultSchema } from './sandbox/sandbox.ts';
import { rehearsalSchema } from './studio/rehearsals.ts';
import { runSchema } from './studio/runs.ts';
import { itemSchema, mintJobSummarySchema, projectSchema, quotaSchema, tokenSchema } from './studio/studio.ts';
import { tokenJobSchema } from './tokens/redeemable-tokens.ts';
import { writerStatusSchema } from './writer.ts';

export const serviceStateSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('stopped') }),
  z.object({ state: z.literal('starting') }),
  z.object({
    state: z.literal('running'),
    /** Bound address as a client would use it, e.g. `http://127.0.0.1:8332`. */
    address: z.string().optional(),
    /** A permanent notice, e.g. that certificates are not checked. */
    warning: failureSchema.optional(),
    /** Why it cannot work at present, e.g. that no upstream answers; absent once that has passed. */
    degraded: failureSchema.optional(),
    /** True if it is degraded because of a fault that was turned on in the sandbox. */
    byFault: z.boolean().optional(),
  }),
  z.object({ state: z.literal('failed'), failure: failureSchema }),
]);
export type ServiceState = z.infer<typeof serviceStateSchema>;

export const serviceStatusSchema = z.object({
  name: serviceNameSchema,
  status: serviceStateSchema,
  /** When it entered this state. Becoming degraded and recovering are changes of the state. */
  since: timestampSchema,
});
export type ServiceStatus = z.infer<typeof serviceStatusSchema>;

export const tipSchema = z.object({ hash: hashSchema, height: z.number().int(), time: timestampSchema });
export type Tip = z.infer<typeof tipSchema>;

export const balanceSchema = z.object({
  /** Free coins of all addresses: never counts one-satoshi outputs. */
  spendable: satoshisSchema,
  confirmed: satoshisSchema,
  unconfirmed: satoshisSchema,
  reserved: satoshisSchema,
  tokens: z.number().int(),
});
export type Balance = z.infer<typeof balanceSchema>;

export const walletStatusSchema = z.object({
  state: z.enum(['missing', 'locked', 'ready']),
  network: networkSchema,
  address: z.string().nullable(),
  publicKey: z.string().nullable(),
  balance: balanceSchema,
  /** True on the sandbox only: its keys protect nothing, so they need no passphrase. */
  worthless: z.boolean(),
});
export type WalletStatus = z.infer<typeof walletStatusSchema>;

export const noticeSchema = z.object({
  id: z.string(),
  level: z.enum(['info', 'warning', 'error']),
  message: z.string(),
  hint: z.string().optional(),
  /** Its message, for translation. */
  failure: failureSchema.optional(),
  at: timestampSchema,
});
export type Notice = z.infer<typeof noticeSchema>;

export const appInfoSchema = z.object({
  version: z.string(),
  network: networkSchema,
  shell: z.enum(['desktop', 'terminal']),
  safeMode: z.boolean(),
  dataDir: z.string(),
  platform: z.string(),
  startedAt: timestampSchema,
  /** Nothing was created here yet and the question of the first start is open. */
  firstStart: z.boolean(),
  endpoints: z.object({
    console: z.string().nullable(),
    rpc: z.string().nullable(),
    zmq: z.string().nullable(),
    writer: z.string().nullable(),
    sandbox: z.string().nullable(),
    baseUrl: z.string().nullable(),
    mapi: z.string().nullable(),
  }),
});
export type AppInfo = z.infer<typeof appInfoSchema>;

/** The state at the start of a connection. The events after it keep it current. */
export const snapshotSchema = z.object({
  app: appInfoSchema,
  services: z.array(serviceStatusSchema),
  tip: tipSchema.nullable(),
  wallet: walletStatusSchema,
  quota: quotaSchema.nullable(),
  /** The newest, and older ones that are not finished; `mint.list` has all of them. */
  jobs: z.array(mintJobSummarySchema),
  tokens: z.array(tokenSchema),
  notices: z.array(noticeSchema),
  /** Active faults of the sandbox. */
  faults: z.array(sandboxFaultSchema),
  theme: z.enum(['system', 'light', 'dark']),
  language: z.enum(['system', ...languages]),
});
export type Snapshot = z.infer<typeof snapshotSchema>;

export const liveEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('snapshot'), snapshot: snapshotSchema }),
  z.object({ type: z.literal('service'), service: serviceStatusSchema }),
  z.object({ type: z.literal('endpoints'), endpoints: appInfoSchema.shape.endpoints }),
  z.object({ type: z.literal('tip'), tip: tipSchema.nullable() }),
  z.object({ type: z.literal('wallet'), wallet: walletStatusSchema }),
  z.object({ type: z.literal('quota'), quota: quotaSchema.nullable() }),
  z.object({ type: z.literal('project'), project: projectSchema }),
  z.object({ type: z.literal('item'), item: itemSchema }),
  z.object({ type: z.literal('item-removed'), id: z.string(), projectUid: z.string() }),
  z.object({ type: z.literal('job'), job: mintJobSummarySchema }),
  /** A mint run, at most four times a second. Its tokens have no events; `runs.items` lists them. */
  z.object({ type: z.literal('run'), run: runSchema }),
  /** A rehearsal, at most four times a second. */
  z.object({ type: z.literal('rehearsal'), rehearsal: rehearsalSchema }),
  z.object({ type: z.literal('token'), token: tokenSchema }),
  z.object({ type: z.literal('token-job'), job: tokenJobSchema }),
  /** Submitted transactions whose state changed, at most four times a second. `isComplete` is false if not all of them are listed. */
  z.object({
    type: z.literal('transaction'),
    transactions: z.array(trackedTransactionSchema),
    isComplete: z.boolean(),
  }),
  /** All active faults of the sandbox, after one was turned on or off or has ended. */
  z.object({ type: z.literal('faults'), faults: z.array(sandboxFaultSchema) }),
  /** Blocks of the main chain were replaced: once per reorganisation, when the new state of their transactions is known. */
  z.object({ type: z.literal('reorganisation'), reorganisation: reorganisationSchema }),
  z.object({ type: z.literal('notice'), notice: noticeSchema }),
  z.object({ type: z.literal('notice-dismissed'), id: z.string() }),
  /** At most twice a second. */
  z.object({ type: z.literal('writer'), writer: writerStatusSchema }),
  /** All web pages that wait for access to the gateway. */
  z.object({ type: z.literal('pairing'), requests: z.array(pairingRequestSchema) }),
  /** The number of pending requests of other programs changed. `approvals.list` has them. */
  z.object({ type: z.literal('approvals'), waiting: z.number().int() }),
  /** Keys of settings that changed, for whatever reason. `settings.list` has the values. */
  z.object({ type: z.literal('settings'), keys: z.array(z.string()) }),
  z.object({ type: z.literal('theme'), theme: z.enum(['system', 'light', 'dark']) }),
  z.object({ type: z.literal('language'), language: z.enum(['system', ...languages]) }),
]);
export type LiveEvent = z.infer<typeof liveEventSchema>;
