import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { approvalsContract } from './approvals.ts';
import { hashSchema, outpointSchema, satoshisSchema, serviceNameSchema } from './common.ts';
import { currencyContract } from './currency.ts';
import { explorerContract } from './explorer.ts';
import {
  gatewayKeySchema,
  newGatewayKeySchema,
  pairedOriginSchema,
  pairingDecisionSchema,
  pairingRequestSchema,
} from './gateway/access.ts';
import {
  callBodiesSchema,
  connectionTestInputSchema,
  connectionTestSchema,
  gatewayConnectionSchema,
  gatewayStatusSchema,
  methodHistorySchema,
  nodeCommandSchema,
  replaySchema,
  trafficSchema,
  zmqCountsSchema,
  zmqFeedSchema,
} from './gateway/gateway.ts';
import { appInfoSchema, liveEventSchema, noticeSchema, serviceStatusSchema, snapshotSchema } from './live.ts';
import { callbacksContract } from './miners/callbacks.ts';
import { doubleSpendsContract } from './miners/double-spends.ts';
import { headersContract } from './miners/headers.ts';
import { acceptMerchantKeySchema, merchantKeySchema } from './miners/keys.ts';
import { minersContract } from './miners/miners.ts';
import { submissionContract } from './miners/submission.ts';
import { trackedContract } from './miners/transactions.ts';
import { webhookContract } from './miners/webhook.ts';
import { networksContract } from './networks/networks.ts';
import { nodeContract } from './node.ts';
import { procedure } from './procedure.ts';
import {
  doubleSpendSchema,
  MAX_CHAIN_BLOCKS,
  relayResultSchema,
  relaySchema,
  sandboxChainSchema,
  sandboxClockSchema,
  sandboxFaultSchema,
  sandboxResetSchema,
  sandboxSnapshotSchema,
  sandboxStatusSchema,
  snapshotNameSchema,
} from './sandbox/sandbox.ts';
import { sandboxFaultAreas, sandboxFaultNames } from './sandbox/sandbox-faults.ts';
import { searchContract } from './search/search.ts';
import { sessionsContract } from './sessions.ts';
import { settingsContract } from './settings/setting-changes.ts';
import { itemsContract } from './studio/items.ts';
import { importContract, outputsContract, runsContract } from './studio/procedures.ts';
import { projectMovesContract } from './studio/project-moves.ts';
import { rehearsalsContract } from './studio/rehearsals.ts';
import {
  fileInfoSchema,
  MAX_JOBS_A_PAGE,
  mintEstimateSchema,
  mintJobSchema,
  mintJobSummarySchema,
  projectNameSchema,
  projectSchema,
  projectTypeSchema,
  quotaSchema,
} from './studio/studio.ts';
import {
  ancestorsSchema,
  MAX_LISTED_PARTS,
  outputSpendSchema,
  transactionFormsSchema,
  transactionViewSchema,
} from './studio/transaction-view.ts';
import { diagnosticsContract, doctorContract, logsContract } from './support.ts';
import {
  tokenHistorySchema,
  tokenJobSchema,
  tokenOverviewSchema,
  tokenRequestSchema,
} from './tokens/redeemable-tokens.ts';
import { tokensContract } from './tokens/tokens.ts';
import { walletContract } from './wallet/procedures.ts';
import { writerContract } from './writer.ts';

/** Size of a piece of an upload, in bytes. Larger files are sent in several pieces, so no side holds a complete file in memory. */
export const UPLOAD_PIECE_BYTES = 1_048_576;

const base = procedure;

const id = z.string().min(1).max(128);
const ids = z.array(id).min(1).max(500);
const blob = z.instanceof(Blob);

/**
 * The interface between the processes, over a MessagePort in the desktop window and over HTTP in a browser or the command line.
 * Input and output are validated on the host's side.
 */
export const contract = {
  app: {
    info: base.output(appInfoSchema),
    snapshot: base.output(snapshotSchema),
    /** A new one-time link to the console, for another browser. */
    createLink: base.output(z.object({ url: z.string() })),
    dismissNotice: base.input(z.object({ id })).output(z.void()),
    /** Past notices, newest first, at most 200: dismissed or replaced ones, and those from before the last start. */
    pastNotices: base.output(z.array(noticeSchema)),
    /** Ends the question of the first start. */
    welcomed: base.output(z.void()),
    setTheme: base.input(z.object({ theme: z.enum(['system', 'light', 'dark']) })).output(z.void()),
  },
  events: {
    /** First a `snapshot`, then changes. A client that reconnects gets a new snapshot. */
    subscribe: base.output(eventIterator(liveEventSchema)),
  },
  services: {
    list: base.output(z.array(serviceStatusSchema)),
    restart: base.input(z.object({ name: serviceNameSchema })).output(serviceStatusSchema),
  },
  settings: settingsContract,
  search: searchContract,
  networks: networksContract,
  currency: currencyContract,
  approvals: approvalsContract,
  sessions: sessionsContract,
  doctor: doctorContract,
  logs: logsContract,
  diagnostics: diagnosticsContract,
  wallet: walletContract,
  projects: {
    list: base.output(z.array(projectSchema)),
    /** At the token service; on this computer only if none is set, or with `local`. */
    create: base
      .input(z.object({ name: projectNameSchema, type: projectTypeSchema, local: z.boolean().default(false) }))
      .output(projectSchema),
    get: base.input(z.object({ uid: id })).output(projectSchema),
  },
  projectMoves: projectMovesContract,
  /** What the token service holds of a project. */
  outputs: outputsContract,
  files: {
    /** Starts an upload. Fails at once if `bytes` is over the limit, before anything is sent. */
    begin: base
      .input(
        z.object({
          name: z.string().min(1).max(255),
          bytes: z.number().int().min(0),
          contentType: z.string().max(255),
        }),
      )
      .output(z.object({ uploadId: id })),
    append: base
      .input(z.object({ uploadId: id, offset: z.number().int().min(0), piece: blob }))
      .output(z.object({ received: z.number().int() })),
    finish: base.input(z.object({ uploadId: id })).output(fileInfoSchema),
    abort: base.input(z.object({ uploadId: id })).output(z.void()),
    /** The stored bytes, for a preview. They must never be inserted into the page itself: see docs/security.md. */
    read: base.input(z.object({ sha256: hashSchema })).output(blob),
    /** A WebP picture of at most 320 pixels a side, made once; null if the file is not a pixel image or cannot be read. */
    thumbnail: base.input(z.object({ sha256: hashSchema })).output(blob.nullable()),
  },
  items: itemsContract,
  import: importContract,
  /** Mints a whole project under one approval, in as many transactions as it needs. */
  runs: runsContract,
  rehearsals: rehearsalsContract,
  mint: {
    estimate: base.input(z.object({ itemIds: ids, destination: z.string().max(128) })).output(mintEstimateSchema),
    /** Journals the job and starts it. It stops when the review waits for approval. */
    create: base
      .input(z.object({ itemIds: ids, destination: z.string().max(128), idempotencyKey: z.string().min(8).max(128) }))
      .output(mintJobSchema),
    /** Newest first. @param after id of the last job of the page before */
    list: base
      .input(
        z.object({
          limit: z.number().int().min(1).max(MAX_JOBS_A_PAGE).default(MAX_JOBS_A_PAGE),
          after: id.optional(),
        }),
      )
      .output(z.object({ jobs: z.array(mintJobSummarySchema), next: id.nullable() })),
    get: base.input(z.object({ id })).output(mintJobSchema),
    /** Signs and submits exactly the transaction whose review had this digest. */
    approve: base.input(z.object({ id, digest: z.string().regex(/^[0-9a-f]{64}$/) })).output(mintJobSchema),
    /** Possible until the transaction is signed. */
    cancel: base.input(z.object({ id })).output(mintJobSchema),
    /** Tries a failed step again. */
    retry: base.input(z.object({ id })).output(mintJobSchema),
  },
  tokens: tokensContract,
  redeemableTokens: {
    overview: base.output(tokenOverviewSchema),
    /** Builds the transaction and waits for approval; the same key gives the same job. */
    prepare: base
      .input(z.object({ request: tokenRequestSchema, idempotencyKey: z.string().min(8).max(128) }))
      .output(tokenJobSchema),
    get: base.input(z.object({ id })).output(tokenJobSchema),
    /** Signs and submits exactly the transaction whose review had this digest. */
    approve: base.input(z.object({ id, digest: hashSchema })).output(tokenJobSchema),
    /** Possible until the transaction is signed. */
    cancel: base.input(z.object({ id })).output(tokenJobSchema),
    /** Sends one that the miner refused again, exactly as it was signed. */
    retry: base.input(z.object({ id })).output(tokenJobSchema),
    /** Of a token or of a contract. */
    history: base.input(z.object({ outpoint: outpointSchema })).output(tokenHistorySchema),
  },
  /** Of the token service; null where none is set. */
  quota: { get: base.output(quotaSchema.nullable()) },
  transactions: {
    /** The first inputs and outputs. @param output index of one that is always listed */
    get: base
      .input(z.object({ txid: hashSchema, output: z.number().int().min(0).optional() }))
      .output(transactionViewSchema),
    spenders: base
      .input(z.object({ txid: hashSchema, outputs: z.array(z.number().int().min(0)).max(MAX_LISTED_PARTS + 1) }))
      .output(z.array(outputSpendSchema)),
    /** Its unconfirmed ancestors. @throws `not-found` */
    ancestors: base.input(z.object({ txid: hashSchema })).output(ancestorsSchema),
    /** In the formats of other tools, if the data they need is known. @throws `not-found` */
    forms: base.input(z.object({ txid: hashSchema })).output(transactionFormsSchema),
    /** The content inscribed in an output, for a preview. It must never be inserted into the page itself: see docs/security.md. */
    content: base.input(z.object({ txid: hashSchema, index: z.number().int().min(0) })).output(blob),
  },
  explorer: explorerContract,
  node: nodeContract,
  gateway: {
    status: base.output(gatewayStatusSchema),
    /** First the newest calls, then new ones, every quarter of a second. */
    traffic: base.output(eventIterator(trafficSchema)),
    params: base.input(z.object({ number: z.number().int() })).output(z.object({ params: z.string() })),
    /** Request and reply of a call in the traffic, if they are stored. */
    bodies: base.input(z.object({ number: z.number().int() })).output(callBodiesSchema),
    /** Sends a call of the traffic to the node endpoint again, with Planchet's own credential. */
    replay: base.input(z.object({ number: z.number().int() })).output(replaySchema),
    /** The last five minutes of the methods called most. */
    history: base.output(methodHistorySchema),
    /** The commands of the node with the names of their parameters. */
    commands: base.output(z.array(nodeCommandSchema)),
    keys: {
      list: base.output(z.array(gatewayKeySchema)),
      /** The secret is returned here and never again. The user name is the key's id. */
      create: base
        .input(newGatewayKeySchema)
        .output(z.object({ key: gatewayKeySchema, username: z.string(), password: z.string() })),
      revoke: base.input(z.object({ id })).output(gatewayKeySchema),
      /** Creates another secret for a key that is in use. The earlier one is refused at once. @throws `not-found` */
      rotate: base
        .input(z.object({ id }))
        .output(z.object({ key: gatewayKeySchema, username: z.string(), password: z.string() })),
      /** Restores a key that was revoked less than a minute ago. @throws `not-found` */
      restore: base.input(z.object({ id })).output(gatewayKeySchema),
    },
    /** Web pages with access, by their exact origin (`https://app.example`). They need a credential as well. */
    origins: {
      list: base.output(z.array(pairedOriginSchema)),
      pair: base.input(z.object({ origin: z.string().max(255) })).output(pairedOriginSchema),
      /** Ends at once, with the key the page was given. */
      unpair: base.input(z.object({ origin: z.string().max(255) })).output(z.void()),
      /** Pairs a page again that was unpaired less than a minute ago, with the key it had. @throws `not-found` */
      restore: base.input(z.object({ origin: z.string().max(255) })).output(pairedOriginSchema),
      /** Pages that asked for access (`POST /pair`) and wait for a decision; the event `pairing` announces changes. */
      requests: base.output(z.array(pairingRequestSchema)),
      decide: base.input(pairingDecisionSchema).output(z.void()),
    },
    /** Tests every upstream (or the given ones, without saving anything) and the gateway itself, step by step. */
    test: base.input(connectionTestInputSchema).output(z.array(connectionTestSchema)),
    connection: base.output(gatewayConnectionSchema),
    /** The password of the gateway, for a person who wants to see or copy it. */
    revealPassword: base.output(z.object({ password: z.string() })),
    /** A new random password; the gateway is restarted with it. */
    rotatePassword: base.output(z.object({ password: z.string() })),
  },
  zmq: {
    counts: base.output(zmqCountsSchema),
    /** Messages published from now on, every quarter of a second. */
    feed: base.output(eventIterator(zmqFeedSchema)),
  },
  writer: writerContract,
  merchant: {
    /** The known key of every merchant API that was used. */
    keys: base.output(z.array(merchantKeySchema)),
    /** Replaces the known key of an endpoint by another one, or by none. */
    acceptKey: base.input(acceptMerchantKeySchema).output(merchantKeySchema),
  },
  miners: minersContract,
  headers: headersContract,
  webhook: webhookContract,
  tx: { ...trackedContract, ...callbacksContract, ...doubleSpendsContract, ...submissionContract },
  sandbox: {
    mine: base
      .input(z.object({ blocks: z.number().int().min(1).max(1_000) }))
      .output(z.object({ hashes: z.array(hashSchema) })),
    fund: base
      .input(z.object({ address: z.string().max(128), satoshis: satoshisSchema.min(1) }))
      .output(z.object({ txid: hashSchema })),
    status: base.output(sandboxStatusSchema),
    /** The newest blocks and the mempool, as a picture. */
    chain: base.input(z.object({ limit: z.number().int().min(1).max(MAX_CHAIN_BLOCKS) })).output(sandboxChainSchema),
    /** Replaces the newest blocks by a longer branch. Their transactions return to the mempool. */
    reorg: base
      .input(z.object({ depth: z.number().int().min(1).max(1_000) }))
      .output(z.object({ hashes: z.array(hashSchema) })),
    /** Drops the branch of a reorganisation and everything mined on it, and restores the blocks that it replaced. */
    undoReorg: base.input(z.object({ hash: hashSchema })).output(z.void()),
    /** Double-spends the inputs of a transaction. */
    doubleSpend: base.input(doubleSpendSchema).output(z.object({ txid: hashSchema })),
    /** Relays a transaction to the sandbox's node as a peer would: one whose parents are missing waits for them. */
    relay: base.input(relaySchema).output(relayResultSchema),
    faults: {
      /** Faults end with the run of the sandbox. */
      set: base.input(sandboxFaultSchema).output(z.array(sandboxFaultSchema)),
      /** Without a name all of them. */
      clear: base
        .input(z.object({ name: z.enum(sandboxFaultNames).optional(), area: z.enum(sandboxFaultAreas).optional() }))
        .output(z.array(sandboxFaultSchema)),
    },
    clock: base.input(sandboxClockSchema).output(z.void()),
    /** A new API key of the default user, or of a new user. It is returned here and never again. */
    createKey: base.input(z.object({ newUser: z.boolean().default(false) })).output(z.object({ apiKey: z.string() })),
    snapshots: {
      take: base.input(z.object({ name: snapshotNameSchema })).output(sandboxSnapshotSchema),
      revert: base.input(z.object({ name: snapshotNameSchema })).output(z.void()),
      remove: base.input(z.object({ name: snapshotNameSchema })).output(z.void()),
    },
    /** Starts a new network. Snapshots are kept. */
    reset: base.input(sandboxResetSchema).output(z.void()),
    /** Writes the complete network to a new file on the machine Planchet runs on, given by its full path. */
    export: base.input(z.object({ file: z.string().min(1).max(4_096) })).output(z.object({ bytes: z.number().int() })),
    import: base.input(z.object({ file: z.string().min(1).max(4_096) })).output(z.void()),
  },
};

export type Contract = typeof contract;
