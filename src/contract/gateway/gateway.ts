import { z } from 'zod';
import { timestampSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { phraseSchema } from '../phrases/phrase-schema.ts';

/**
 * Where the answer to a call came from; `refused` calls never reached a command. `proven`, `agreed` and `told` are the basis of answers that no node gave.
 */
export const answerSources = [
  'upstream',
  'shared',
  'cache',
  'local',
  'proven',
  'agreed',
  'told',
  'stale',
  'refused',
] as const;

export const upstreamHealthSchema = z.object({
  /** Scheme, host and port, without credentials. */
  origin: z.string(),
  /**
   * `new`: not used yet, since its chain is unknown. `open`: not used for now because it failed; one call at a time tries it again.
   * `barred`: not used, since it is on another chain.
   */
  circuit: z.enum(['new', 'closed', 'open', 'barred']),
  /** Blocks the best upstream is ahead of this one; null while unknown. */
  behind: z.number().int().nullable(),
  /** Of its best block, proven by its headers; null if they do not prove it. */
  height: z.number().int().nullable(),
  /** Milliseconds until the first byte of an answer: a moving average, and the 95th percentile; null without a figure. */
  latency: z.number().nullable(),
  p95: z.number().nullable(),
  calls: z.number().int(),
  failures: z.number().int(),
  /** Why it is barred or distrusted; else its last failure. */
  lastFailure: z.string().nullable(),
  /** The same as an entry of the error catalogue; null if it is in the node's words. */
  failure: failureSchema.nullable(),
});
export type UpstreamHealth = z.infer<typeof upstreamHealthSchema>;

export const methodFiguresSchema = z.object({
  /** A command of the node, or `REST`. */
  method: z.string(),
  calls: z.number().int(),
  errors: z.number().int(),
  cached: z.number().int(),
  /** Calls per second over the last minute. */
  rate: z.number(),
  /** Milliseconds. */
  p50: z.number(),
  p99: z.number(),
});

/** Who answers programs: a node, public services, or public services where the node cannot. */
export const gatewaySourceSchema = z.enum(['node', 'public', 'both']);
export type GatewaySource = z.infer<typeof gatewaySourceSchema>;

/** An unanswered call for which public services are asked within their rate limits. */
export const callUnderWaySchema = z.object({
  /** Rises by one per such call. */
  number: z.number().int(),
  at: timestampSchema,
  /** Milliseconds since then. */
  milliseconds: z.number(),
  /** As in the traffic. */
  caller: z.string(),
  method: z.string(),
  /** Parameters as JSON, cut at 500 characters. */
  params: z.string(),
  /** Requests sent for it. */
  sent: z.number().int(),
  /** How many queued requests are before its next one, and the estimated time; null while it waits for an answer. */
  waiting: z.object({ before: z.number().int(), milliseconds: z.number().int() }).nullable(),
  /** Progress of an answer in many parts: the transactions of a block, or the pages of their list. */
  parts: z.object({ what: z.enum(['transactions', 'pages']), read: z.number().int(), of: z.number().int() }).nullable(),
});
export type CallUnderWay = z.infer<typeof callUnderWaySchema>;

export const callsUnderWaySchema = z.object({
  /** The oldest first, at most fifty. */
  calls: z.array(callUnderWaySchema),
  total: z.number().int(),
});
export type CallsUnderWay = z.infer<typeof callsUnderWaySchema>;

export const gatewayStatusSchema = z.object({
  source: gatewaySourceSchema,
  upstreams: z.array(upstreamHealthSchema),
  /** True while upstream certificates are not checked. */
  certificatesIgnored: z.boolean(),
  /** The tip that the gateway answers with, and how long ago (milliseconds) an upstream confirmed it. */
  tip: z.object({ hash: z.string(), height: z.number().int(), age: z.number().int() }).nullable(),
  reorganisations: z.number().int(),
  cache: z.object({
    entries: z.number().int(),
    bytes: z.number().int(),
    limit: z.number().int(),
    diskEntries: z.number().int(),
    diskBytes: z.number().int(),
    diskLimit: z.number().int(),
    hits: z.number().int(),
    shared: z.number().int(),
    local: z.number().int(),
    misses: z.number().int(),
    dropped: z.number().int(),
  }),
  connections: z.number().int(),
  methods: z.array(methodFiguresSchema),
  underWay: callsUnderWaySchema,
});
export type GatewayStatus = z.infer<typeof gatewayStatusSchema>;

export const gatewayCallSchema = z.object({
  /** Rises by one per call. */
  number: z.number().int(),
  at: timestampSchema,
  /** User name, name of a key, `cookie`, `console`, or `nobody`. */
  caller: z.string(),
  method: z.string(),
  /** Parameters as JSON, cut at 500 characters; of REST the path. */
  params: z.string(),
  /** `gateway.params` returns all of them. */
  paramsCut: z.boolean(),
  source: z.enum(answerSources),
  milliseconds: z.number(),
  /** Bytes of the answer. */
  bytes: z.number().int(),
  /** HTTP status. */
  status: z.number().int(),
  /** Why a call was refused or failed, as the program was told. */
  reason: z.string().nullable(),
  /** The same as an entry of the error catalogue; null if it is in the words of another program or of the protocol. */
  failure: failureSchema.nullable(),
});
export type GatewayCall = z.infer<typeof gatewayCallSchema>;

/** The client of Planchet's own calls: those of its page. */
export const OWN_CALLER = 'console';

/** One message of the traffic stream, oldest call first: the last calls at first, then new ones, a few times a second. */
export const trafficSchema = z.object({
  calls: z.array(gatewayCallSchema),
  /** Calls that were dropped from memory before they could be sent; they are counted in `gateway.status`. */
  skipped: z.number().int(),
});

/** Request and reply of one call. Secrets are masked. */
export const callBodiesSchema = z.object({
  /** `off`: the setting `gatewayKeepBodies` is off. `not`: the reply was streamed or binary, or is no longer in memory. */
  kept: z.enum(['whole', 'off', 'not']),
  method: z.string(),
  /** False if the command may change something, so that sending it again needs a confirmation. */
  isRead: z.boolean(),
  /** All parameters as JSON, of REST the path; null if they are no longer in memory. */
  params: z.string().nullable(),
  /** The body of the answer, at most its first 65,536 characters. */
  answer: z.string().nullable(),
  answerCut: z.boolean(),
  /** Something was masked, so the call cannot be sent again as it was. */
  masked: z.boolean(),
});
export type CallBodies = z.infer<typeof callBodiesSchema>;

/** The reply to a call that was sent again. */
export const replaySchema = z.object({
  /** HTTP status. */
  status: z.number().int(),
  milliseconds: z.number(),
  answer: z.string(),
  answerCut: z.boolean(),
});
export type Replay = z.infer<typeof replaySchema>;

export type Traffic = z.infer<typeof trafficSchema>;

/** Figures of equal intervals over the last minutes, one list per figure and method, oldest first. */
export const methodHistorySchema = z.object({
  /** Start of the first interval. */
  from: timestampSchema,
  stepMs: z.number().int(),
  /** Of all calls but those of Planchet's own page. */
  total: z.object({
    calls: z.array(z.number().int()),
    /** Refused by the gateway itself, without a request. */
    refused: z.array(z.number().int()),
    /** Forwarded, and answered with an error. */
    failed: z.array(z.number().int()),
    /** Answered from the cache, since nobody replied. */
    stale: z.array(z.number().int()),
    /** Milliseconds, of calls that were not refused; null in an interval without one. */
    p50: z.array(z.number().nullable()),
    p95: z.array(z.number().nullable()),
  }),
  methods: z.array(
    z.object({
      method: z.string(),
      /** Calls a second. */
      rate: z.array(z.number()),
      /** Milliseconds; null in an interval without a call. */
      p50: z.array(z.number().nullable()),
      p99: z.array(z.number().nullable()),
    }),
  ),
});
export type MethodHistory = z.infer<typeof methodHistorySchema>;

/** The basis of an answer that no node gave: hashes and the verified headers, two operators, or one. */
export const answerBasisSchema = z.enum(['proven', 'agreed', 'told']);
export type AnswerBasis = z.infer<typeof answerBasisSchema>;

/** A command of the node, for a form. */
export const nodeCommandSchema = z.object({
  name: z.string(),
  summary: z.string(),
  /** The basis of its answers if no node replies; `none` if only a node can answer. */
  withoutNode: z.enum([...answerBasisSchema.options, 'none']),
  /** Members of an answer that only a node can provide. */
  leftOut: z.array(z.string()),
  parameters: z.array(z.object({ name: z.string(), names: z.array(z.string()) })),
});
export type NodeCommand = z.infer<typeof nodeCommandSchema>;

/** A message of the ZMQ feed as it was published. */
export const zmqMessageSchema = z.object({
  /** Rises by one per message shown or skipped. */
  number: z.number().int(),
  at: timestampSchema,
  topic: z.string(),
  /** The third frame. */
  sequence: z.number().int(),
  /** Bytes of the body. */
  bytes: z.number().int(),
  /** The beginning of the body in hex. */
  body: z.string(),
  /** Messages of the upstream before this one that were lost. */
  gap: z.number().int(),
});
export type ZmqMessage = z.infer<typeof zmqMessageSchema>;

/** One message of the feed: the newest messages first at first, then new ones, a few times a second. */
export const zmqFeedSchema = z.object({
  messages: z.array(zmqMessageSchema),
  /** Messages that arrived too fast to be shown; they are included in the counts. */
  skipped: z.number().int(),
});
export type ZmqFeed = z.infer<typeof zmqFeedSchema>;

export const gatewayConnectionSchema = z.object({
  /** Null while the service does not run. */
  rpc: z.string().nullable(),
  zmq: z.string().nullable(),
  username: z.string(),
  passwordSet: z.boolean(),
  /** True while the password is the generated one of this installation. */
  passwordGenerated: z.boolean(),
  cookieFile: z.string(),
});

export type GatewayConnection = z.infer<typeof gatewayConnectionSchema>;

export const testSteps = ['tcp', 'tls', 'credential', 'method', 'chain', 'serves'] as const;
export const testStepSchema = z.object({
  step: z.enum(testSteps),
  outcome: z.enum(['passed', 'failed', 'skipped']),
  /** What was found, as a sentence. */
  message: z.string(),
  milliseconds: z.number(),
  /** The message of a step that did not fail. */
  sentence: phraseSchema.nullable(),
  failure: failureSchema.nullable(),
});
export type TestStep = z.infer<typeof testStepSchema>;

/** Settings of the upstream as typed. The saved values are used for missing ones. */
export const connectionTestInputSchema = z.object({
  bitcoinRpcUrl: z.string().max(4_096).optional(),
  apiKey: z.string().max(512).optional(),
  apiKeyHeader: z.string().max(64).optional(),
  ignoreCertificate: z.boolean().optional(),
});
export type ConnectionTestInput = z.infer<typeof connectionTestInputSchema>;

/** One address tested: an upstream, or the gateway itself. */
export const connectionTestSchema = z.object({
  subject: z.enum(['upstream', 'gateway']),
  address: z.string(),
  passed: z.boolean(),
  steps: z.array(testStepSchema),
});
export type ConnectionTest = z.infer<typeof connectionTestSchema>;

export const zmqTopicCountsSchema = z.object({
  topic: z.string(),
  /** Messages published. */
  messages: z.number().int(),
  /** Messages a second over the last seconds. */
  rate: z.number(),
  /** Messages of the upstream that were lost. */
  missed: z.number().int(),
  /** Blocks among the lost ones that were fetched and published later. */
  repaired: z.number().int(),
  /** How often the upstream restarted its counter, as it does when it restarts. */
  restarts: z.number().int(),
  lastAt: timestampSchema.nullable(),
});
export type ZmqTopicCounts = z.infer<typeof zmqTopicCountsSchema>;

export const zmqCountsSchema = z.object({
  /**
   * `poller`: no ZMQ upstream is set, so blocks and transactions are looked for over RPC. `held`: nothing is relayed, since no upstream was
   * found to be on the network's chain.
   */
  source: z.enum(['upstream', 'held', 'poller', 'none']),
  /** Why nothing arrives from the ZMQ upstream, or why its messages are distrusted; null if there is no problem. */
  degraded: failureSchema.nullable(),
  topics: z.array(zmqTopicCountsSchema),
  /** Connected subscribers. */
  subscribers: z.number().int(),
  /** Bytes queued for slow subscribers. */
  waiting: z.number().int(),
  /** Messages dropped for subscribers that are too slow, counted for each of them. */
  dropped: z.number().int(),
});
export type ZmqCounts = z.infer<typeof zmqCountsSchema>;
