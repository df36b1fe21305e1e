import { z } from 'zod';
import { timestampSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { phraseSchema } from '../phrases/phrase-schema.ts';

/**
 * Where the answer to a call came from; `refused` never reached a command. `proven`, `agreed` and `told` came from no node: that is what they rest on.
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
   * `new`: not asked yet, since its chain is not known. `open`: not asked for now because it failed; one call at a time tries it again.
   * `barred`: not asked, since it is on another chain.
   */
  circuit: z.enum(['new', 'closed', 'open', 'barred']),
  /** Blocks the best upstream is ahead of this one; null while unknown. */
  behind: z.number().int().nullable(),
  /** Of its best block, shown by its headers; null where they do not show it. */
  height: z.number().int().nullable(),
  /** Milliseconds until the first byte of an answer: a moving average, and what 95 of 100 answers stay under; null without a figure. */
  latency: z.number().nullable(),
  p95: z.number().nullable(),
  calls: z.number().int(),
  failures: z.number().int(),
  /** Why it is barred, or its claims are doubted; else how it failed last. */
  lastFailure: z.string().nullable(),
  /** The same as an entry of the error catalogue; null where it is in the node's words. */
  failure: failureSchema.nullable(),
});
export type UpstreamHealth = z.infer<typeof upstreamHealthSchema>;

export const methodFiguresSchema = z.object({
  /** A command of the node, or `REST`. */
  method: z.string(),
  calls: z.number().int(),
  errors: z.number().int(),
  cached: z.number().int(),
  /** Calls a second over the last minute. */
  rate: z.number(),
  /** Milliseconds. */
  p50: z.number(),
  p99: z.number(),
});

/** Who answers programs: a node alone, public services alone, or these where the node cannot. */
export const gatewaySourceSchema = z.enum(['node', 'public', 'both']);
export type GatewaySource = z.infer<typeof gatewaySourceSchema>;

/** A call that is not answered yet, for which public services are asked at the pace that they allow. */
export const callUnderWaySchema = z.object({
  /** Rises by one per such call. */
  number: z.number().int(),
  at: timestampSchema,
  /** Since then. */
  milliseconds: z.number(),
  /** As in the traffic. */
  caller: z.string(),
  method: z.string(),
  /** Parameters as JSON, cut at 500 characters. */
  params: z.string(),
  /** Requests that were sent for it. */
  sent: z.number().int(),
  /** How many requests of anybody go before its next one, and when its turn is likely; null while it waits for an answer. */
  waiting: z.object({ before: z.number().int(), milliseconds: z.number().int() }).nullable(),
  /** How much is read of what comes in many parts: the transactions of a block, or the pages of their list. */
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
  /** The tip the gateway answers from, and how long ago (milliseconds) an upstream confirmed it. */
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
  /** Why a call was refused or failed, as its program was told. */
  reason: z.string().nullable(),
  /** The same as an entry of the error catalogue; null where it is in another program's words, or those of the protocol. */
  failure: failureSchema.nullable(),
});
export type GatewayCall = z.infer<typeof gatewayCallSchema>;

/** The client of Planchet's own calls: those of its page. */
export const OWN_CALLER = 'console';

/** One step of the traffic stream, oldest first: the last calls at the beginning, then those since, a few times a second. */
export const trafficSchema = z.object({
  calls: z.array(gatewayCallSchema),
  /** Calls that left the memory before they could be sent; they are in the figures of `gateway.status`. */
  skipped: z.number().int(),
});

/** What one call sent and was answered. Secrets are masked. */
export const callBodiesSchema = z.object({
  /** `off`: the setting `gatewayKeepBodies` is off. `not`: the answer was streamed or binary, or has left the memory. */
  kept: z.enum(['whole', 'off', 'not']),
  method: z.string(),
  /** False if the command may change something, so that sending it again needs a question first. */
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

/** The answer to a call that was sent again. */
export const replaySchema = z.object({
  /** HTTP status. */
  status: z.number().int(),
  milliseconds: z.number(),
  answer: z.string(),
  answerCut: z.boolean(),
});
export type Replay = z.infer<typeof replaySchema>;

export type Traffic = z.infer<typeof trafficSchema>;

/** Figures of equal steps over the last minutes, one list a figure and method, the oldest first. */
export const methodHistorySchema = z.object({
  /** When the first step began. */
  from: timestampSchema,
  stepMs: z.number().int(),
  /** Of all calls but those of Planchet's own page. */
  total: z.object({
    calls: z.array(z.number().int()),
    /** Refused by the gateway itself: nobody was asked. */
    refused: z.array(z.number().int()),
    /** Of those that were asked: answered with an error. */
    failed: z.array(z.number().int()),
    /** Answered with what was known before, as nobody answered. */
    stale: z.array(z.number().int()),
    /** Milliseconds, of calls that were not refused; null in a step without one. */
    p50: z.array(z.number().nullable()),
    p95: z.array(z.number().nullable()),
  }),
  methods: z.array(
    z.object({
      method: z.string(),
      /** Calls a second. */
      rate: z.array(z.number()),
      /** Milliseconds; null in a step without a call. */
      p50: z.array(z.number().nullable()),
      p99: z.array(z.number().nullable()),
    }),
  ),
});
export type MethodHistory = z.infer<typeof methodHistorySchema>;

/** What an answer rests on that no node gave: hashes and the verified headers, two operators, or one. */
export const answerBasisSchema = z.enum(['proven', 'agreed', 'told']);
export type AnswerBasis = z.infer<typeof answerBasisSchema>;

/** A command of the node as a form can ask for it. */
export const nodeCommandSchema = z.object({
  name: z.string(),
  summary: z.string(),
  /** What its answers rest on where no node answers; `none` where only a node can. */
  withoutNode: z.enum([...answerBasisSchema.options, 'none']),
  /** Members of an answer that only a node can tell. */
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
  /** Messages of the upstream that should have come right before it and did not. */
  gap: z.number().int(),
});
export type ZmqMessage = z.infer<typeof zmqMessageSchema>;

/** One step of the feed: the newest messages first at the beginning, then those since, a few times a second. */
export const zmqFeedSchema = z.object({
  messages: z.array(zmqMessageSchema),
  /** Messages that came too fast to be shown one by one; they are in the counts. */
  skipped: z.number().int(),
});
export type ZmqFeed = z.infer<typeof zmqFeedSchema>;

export const gatewayConnectionSchema = z.object({
  /** Null while the service does not run. */
  rpc: z.string().nullable(),
  zmq: z.string().nullable(),
  username: z.string(),
  passwordSet: z.boolean(),
  /** True while the password is the one this installation was made with. */
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

/** Settings of the upstream as they are typed; what is left out is taken as it is saved. */
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
  /** Messages of the upstream that never came. */
  missed: z.number().int(),
  /** Blocks among the missed that were fetched and published after all. */
  repaired: z.number().int(),
  /** Times the upstream started its count again, as it does when it restarts. */
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
  /** Why nothing comes from the ZMQ upstream, or why what comes is doubted; null while all is well. */
  degraded: failureSchema.nullable(),
  topics: z.array(zmqTopicCountsSchema),
  /** Programs that listen. */
  subscribers: z.number().int(),
  /** Bytes that wait for those that do not keep up. */
  waiting: z.number().int(),
  /** Messages left out for those that lag too far behind, counted for each of them. */
  dropped: z.number().int(),
});
export type ZmqCounts = z.infer<typeof zmqCountsSchema>;
