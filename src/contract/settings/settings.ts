import { z } from 'zod';
import { networks, type ServiceName } from '../common.ts';
import { currencySources } from '../currency.ts';
import { languages } from '../languages/languages.ts';
import { allowed } from '../phrases/allowed.ts';
import { moneyUnits } from './money-units.ts';
import { publicSourceNames, readPublicSources } from './public-sources.ts';
import {
  bind,
  choice,
  duration,
  matching,
  optionalUrl,
  portInRange,
  proxyUrl,
  textUpTo,
  timeLimit,
  urlList,
  wholeNumber,
  zmqAddress,
} from './setting-rules.ts';

/** The headings of the settings view, in order. */
export const settingGroups = [
  'appearance',
  'minting',
  'network',
  'services',
  'sandbox',
  'writer',
  'node',
  'upstream',
  'console',
] as const;
export type SettingGroup = (typeof settingGroups)[number];

/** Properties of a setting other than its rule. */
export interface SettingTraits {
  readonly group: SettingGroup;
  /** Its unit or format, if its name does not say it. */
  readonly unit?:
    | 'bytes'
    | 'satoshis'
    | 'duration'
    | 'bind'
    | 'zmq'
    | 'urls'
    | 'url'
    | 'tokens'
    | 'rate'
    | 'feeRate'
    | 'documents'
    | 'coins';
  /** Its value is never returned by `settings list`, logged, or shown. */
  readonly secret?: true;
  /** Each network has a value of its own. */
  readonly perNetwork?: true;
  readonly listens?: ServiceName;
  /** The services that use a changed value only after a restart; undefined if it takes effect at once. */
  readonly restarts?: ServiceName | 'application';
}

const unitOfRule = new Map<z.ZodType, SettingTraits['unit']>([
  [bind, 'bind'],
  [zmqAddress, 'zmq'],
  [duration, 'duration'],
  [timeLimit, 'duration'],
  [optionalUrl, 'url'],
  [urlList, 'urls'],
]);
const traits = new Map<z.ZodType, SettingTraits>();

/** A row: its group, its rule, its default, and its other properties. Its texts are in `settings.keys` of the page. */
function setting<Rule extends z.ZodType>(
  group: SettingGroup,
  rule: Rule,
  value: z.input<Rule>,
  others: Omit<SettingTraits, 'group'> = {},
): z.ZodDefault<Rule> {
  const schema = z._default(rule, value as never);
  const unit = unitOfRule.get(rule);
  traits.set(schema, { group, ...(unit !== undefined && { unit }), ...others });
  return schema;
}

/** Settings of the embedded network, under the key `sandbox`. */
const sandboxSettingsSchema = z.object({
  bind: setting('sandbox', bind, '127.0.0.1:9600', { listens: 'sandbox', restarts: 'application' }),
  zmqAddress: setting('sandbox', zmqAddress, 'tcp://127.0.0.1:28339', { listens: 'sandbox', restarts: 'application' }),
  /** How often a block is mined while transactions wait; `0` turns the timer off. */
  mineInterval: setting('sandbox', duration, '10s'),
  /** A block is mined this long after a transaction arrives; empty turns it off. */
  mineOnArrival: setting('sandbox', z.union([duration, z.literal('')], allowed('rule.duration-or-empty')), '1s', {
    unit: 'duration',
  }),
  /** Tokens that each sandbox key can mint per month. */
  monthlyMintLimit: setting('sandbox', wholeNumber(0, 1_000_000_000), 10_000, { unit: 'tokens' }),
  /** Whether the merchant API signs its envelopes; unsigned ones contain nulls. */
  signEnvelopes: setting('sandbox', z.boolean(), true),
  /** The service whose payload formats the merchant API uses. */
  mapiVersion: setting('sandbox', choice(['1.2.0', '1.5.0']), '1.2.0'),
  /** Refuses callbacks to this machine and to local networks, as a public miner does. */
  refusePrivateCallbacks: setting('sandbox', z.boolean(), false),
  /** Requests per second for each API key; 0 sets no limit. */
  maxRequestsPerSecond: setting('sandbox', wholeNumber(0, 1_000_000), 2_000, { unit: 'rate' }),
  /** First block that follows the Chronicle rules; blocks before it follow those of Genesis. */
  chronicleHeight: setting('sandbox', wholeNumber(0, 2_147_483_646), 0, { restarts: 'application' }),
});

const MAX_RATE = 1_000_000_000_000;
const RATE = allowed('rule.number', { least: 0, most: MAX_RATE });

/** How amounts are shown, under the key `currency`. */
const currencySettingsSchema = z.object({
  /** The unit of every amount on the page; a currency needs a rate. Reviews also show satoshis. */
  unit: setting('appearance', choice(moneyUnits), 'satoshi'),
  /** `own`: the rate typed by the person, without any request. `whatsonchain`: the rate of that service, in US dollars. */
  source: setting('appearance', choice(currencySources), 'own'),
  /** ISO 4217, e.g. `EUR`; empty offers none. */
  code: setting('appearance', matching(/^(?:[A-Z]{3})?$/, allowed('rule.currency')), ''),
  /** Units of the currency for one bitcoin (100,000,000 satoshis); 0 offers no currency. */
  rate: setting('appearance', z.number(RATE).min(0, RATE).max(MAX_RATE, RATE), 0),
});

/** Every key of settings.json with its default. Keys of the node gateway keep the names and defaults of spec section 4.5. */
export const settingsSchema = z.object({
  settingsVersion: z.number().int().default(1),
  network: setting('network', choice(networks), 'sandbox', { restarts: 'application' }),
  consoleAddress: setting('console', bind, 'localhost:9400', { listens: 'console', restarts: 'application' }),
  debugServer: setting('console', z.boolean(), false),
  /** Address at which a Prometheus server reads metrics, and nothing else is served; empty turns it off. */
  metricsBind: setting('console', z.union([bind, z.literal('')], allowed('rule.bind-or-empty')), '', {
    unit: 'bind',
    listens: 'metrics',
    restarts: 'application',
  }),
  /** Bearer token required for the metrics; without one only this machine can read them. */
  metricsKey: setting('console', matching(/^(?:[\w.~+/=-]{16,256})?$/, allowed('rule.token')), '', { secret: true }),
  /** A page in a browser locks itself after this time without a key or a click; `0` never. */
  consoleLockAfter: setting('console', duration, '0'),
  rpcBind: setting('node', bind, ':8332', { listens: 'gateway', restarts: 'gateway' }),
  rpcUsername: setting('node', matching(/^[^:]{1,128}$/, allowed('rule.user-name')), 'planchet', {
    restarts: 'gateway',
  }),
  /** Empty until the first start, which writes a random one. */
  rpcPassword: setting('node', textUpTo(256), '', { secret: true, restarts: 'gateway' }),
  zmqAddress: setting('node', zmqAddress, 'tcp://:28332', { listens: 'zmq', restarts: 'zmq' }),
  /** Addresses whose transactions the topics `hashtx` and `rawtx` publish if there is no node, separated by commas. */
  zmqAddresses: setting(
    'node',
    matching(/^(?:\s*[1-9A-HJ-NP-Za-km-z]{25,40}\s*(?:,|$)){0,100}$/, allowed('rule.addresses')),
    '',
    { perNetwork: true },
  ),
  bitcoinRpcUrl: setting('upstream', urlList, '', { perNetwork: true }),
  bitcoinTimeout: setting('upstream', timeLimit, '10s'),
  ignoreCertificate: setting('upstream', z.boolean(), false, { perNetwork: true }),
  bitcoinZmqUrl: setting(
    'upstream',
    z
      .string()
      .refine(
        (text) =>
          text === '' || (/^tcp:\/\/(?:[A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\]):\d{1,5}$/.test(text) && portInRange(text)),
        allowed('rule.zmq-or-empty'),
      ),
    '',
    { unit: 'zmq', perNetwork: true, restarts: 'zmq' },
  ),
  /** `vault` refers to the key stored in the vault, never the key itself; empty means none. */
  apiKey: setting('upstream', textUpTo(512), '', { secret: true, perNetwork: true }),
  /** Header with the API key for the upstream; `Authorization` sends it as `Bearer`, any other header as it is. */
  apiKeyHeader: setting('upstream', matching(/^[A-Za-z0-9-]{1,64}$/, allowed('rule.header-name')), 'Authorization', {
    perNetwork: true,
  }),
  /** How long an answer that depends on the tip or the mempool may be cached for all clients; `0` asks the upstream each time. */
  gatewayShareFor: setting('node', duration, '250ms'),
  /** Size in bytes of the cache of answers that never change, in memory and on the disk. 0 turns it off. */
  gatewayCacheBytes: setting('node', wholeNumber(0, 100_000_000_000), 67_108_864, {
    unit: 'bytes',
    restarts: 'gateway',
  }),
  gatewayDiskCacheBytes: setting('node', wholeNumber(0, 10_000_000_000_000), 536_870_912, {
    unit: 'bytes',
    restarts: 'gateway',
  }),
  /** Answers commands that need no chain (decoding, checking proofs) here, without asking the upstream. */
  gatewayLocalCommands: setting('node', z.boolean(), true),
  /**
   * Whether programs send transactions through the node endpoint, which submits them to the miners: never, each after an approval, or freely; `auto` freely
   * if no node serves them.
   */
  gatewayBroadcast: setting('node', choice(['auto', 'off', 'ask', 'on']), 'auto'),
  /** Who answers programs: a node, public services verified against the headers, or these where the node cannot; `auto` follows `chainData`. */
  gatewaySource: setting('node', choice(['auto', 'node', 'public', 'both']), 'auto', { perNetwork: true }),
  /** Largest number of transactions of a block of which all bytes are read from public services, twenty per request. */
  gatewayBlockTransactions: setting('node', wholeNumber(0, 200_000), 10_000),
  /** Lets programs of this machine read the REST paths without a credential, as a node does. */
  gatewayOpenRest: setting('node', z.boolean(), false),
  /** Passes on answers of an upstream that lacks announced blocks, labelled with their age, instead of an error. */
  gatewayOldAnswers: setting('node', z.boolean(), false),
  /** Keeps the answers of the last calls in memory, so that the traffic view can show them. */
  gatewayKeepBodies: setting('node', z.boolean(), true),
  baseUrl: setting('services', optionalUrl, '', { perNetwork: true }),
  consoleBaseUrl: setting('services', optionalUrl, '', { perNetwork: true }),
  mapiUrl: setting('services', optionalUrl, '', { perNetwork: true }),
  /** The key that must sign every answer of the merchant API; empty pins the key of the first answer of each address. */
  mapiPublicKey: setting('services', matching(/^(?:0[23][0-9a-fA-F]{64})?$/, allowed('rule.public-key')), '', {
    perNetwork: true,
  }),
  writerBind: setting('writer', bind, ':9500', { listens: 'writer', restarts: 'writer' }),
  /** Where callbacks of miners arrive: empty listens on the sandbox network only, on a free port of this machine; `off` never listens. */
  callbackBind: setting('services', z.union([bind, z.enum(['', 'off'])], allowed('rule.bind-or-off')), '', {
    unit: 'bind',
    listens: 'callbacks',
    restarts: 'callbacks',
  }),
  /**
   * Public address of `callbackBind` for miners, for example that of a reverse proxy. A merchant API inserts the reason of a message
   * for `{callbackReason}`.
   */
  callbackPublicUrl: setting('services', optionalUrl, '', { perNetwork: true }),
  /** The person's own address that receives every state of a transaction; empty turns it off. */
  stateWebhook: setting('services', optionalUrl, ''),
  /** Allows `stateWebhook` to be on this machine or a local network. */
  stateWebhookPrivate: setting('services', z.boolean(), false),
  /** Where the writer's queue is stored: empty for the built-in database, or `postgres://…` for one that several machines share. */
  databaseUrl: setting(
    'writer',
    textUpTo(1_024).refine((text) => text === '' || /^postgres(?:ql)?:\/\/\S+$/.test(text), allowed('rule.database')),
    '',
    { secret: true, restarts: 'writer' },
  ),
  /** Who pays for written documents: the wallet, the service at `fundingUrl`, or the sandbox's service. */
  writerFunding: setting('writer', choice(['wallet', 'service', 'sandbox']), 'wallet'),
  /** Address of the funding service with its version prefix, e.g. `https://host/api/v1`; empty means `mapiUrl`. */
  fundingUrl: setting('writer', optionalUrl, '', { perNetwork: true }),
  fundingTimeout: setting('writer', timeLimit, '5s'),
  writerMaxBytes: setting('writer', wholeNumber(1, 100_000_000), 1_000_000, {
    unit: 'bytes',
    restarts: 'writer',
  }),
  /** Accepts documents of any content type; otherwise JSON only. */
  writerAnyContentType: setting('writer', z.boolean(), false),
  /** How many documents one transaction may write, one output each. */
  writerDocumentsPerTransaction: setting('writer', wholeNumber(1, 1_000), 1, { unit: 'documents' }),
  /** Documents that may wait for their transaction before new ones are refused. */
  writerQueueLimit: setting('writer', wholeNumber(1, 1_000_000_000), 5_000_000, { unit: 'documents' }),
  /** Free disk space below which no document is accepted, in bytes. */
  writerMinFreeDisk: setting('writer', wholeNumber(0, 1_000_000_000_000), 536_870_912, { unit: 'bytes' }),
  /** Daily limit of fees (UTC), in satoshis. */
  writerDailySpend: setting('writer', wholeNumber(0, 2_100_000_000_000_000), 100_000_000, { unit: 'satoshis' }),
  /** Largest number of coins that are split off the wallet in advance, and the value of each. */
  writerPoolCoins: setting('writer', wholeNumber(1, 2_000), 500, { unit: 'coins' }),
  writerPoolCoinSatoshis: setting('writer', wholeNumber(200, 1_000_000_000), 10_000, { unit: 'satoshis' }),
  /** How long a reply waits for the miner, and with `?wait=mined` for a block. */
  writerWait: setting('writer', duration, '5s'),
  writerWaitMined: setting('writer', duration, '60s'),
  /** Largest file a token may hold, in bytes. */
  maxTokenBytes: setting('minting', wholeNumber(1, 1_000_000_000), 4_000_000, { unit: 'bytes' }),
  /** Highest fee a single mint may pay, in satoshis. */
  maxFeeSatoshis: setting('minting', wholeNumber(1, 2_100_000_000_000_000), 5_000_000, { unit: 'satoshis' }),
  /** Highest fee rate of any transaction the wallet pays for, in satoshis per 1,000 bytes, whatever a miner asks. */
  maxFeeRate: setting('minting', wholeNumber(1, 100_000_000), 1_000, { unit: 'feeRate' }),
  /** Whether a token may hold the base64 text of its file if the token service inscribes that instead of the file. */
  base64Content: setting('minting', choice(['refuse', 'accept']), 'refuse'),
  /** The wallet locks itself after this time without use if no job needs it; `0` never locks it. */
  walletLockAfter: setting('minting', duration, '0'),
  /** Who has the keys of the main account: this program, or a BRC-100 wallet on this machine. Takes effect at the next start. */
  walletSigner: setting('minting', choice(['own', 'external']), 'own', { restarts: 'application' }),
  walletUrl: setting(
    'minting',
    textUpTo(256).regex(/^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?\/?$/, allowed('rule.own-wallet')),
    'http://localhost:3321',
    { restarts: 'application' },
  ),
  theme: setting('appearance', choice(['system', 'light', 'dark']), 'system'),
  /** Language of the page; `system` uses the first preferred language of the browser or the system that is available. */
  language: setting('appearance', choice(['system', ...languages]), 'system'),
  logLevel: setting('console', choice(['trace', 'debug', 'info', 'warn', 'error']), 'info'),
  /** Address for OpenTelemetry traces, as OTLP over HTTP (`/v1/traces` is added); empty turns them off. */
  otlpEndpoint: setting('console', optionalUrl, '', { restarts: 'application' }),
  /** Percentage of traces that are sent. */
  otlpSamplePercent: setting('console', wholeNumber(0, 100), 100, { restarts: 'application' }),
  /**
   * The source of chain data: a node, public services, none that is trusted, or public services for what a node cannot answer, for example a
   * pruned one. `auto` uses a node, or public services if none is set.
   */
  chainData: setting('upstream', choice(['auto', 'node', 'both', 'public']), 'auto', { perNetwork: true }),
  /** The public services, see {@link readPublicSources}; empty asks all that have a preset. */
  publicSources: setting(
    'upstream',
    z
      .string()
      .refine(
        (text) => readPublicSources(text) !== undefined,
        allowed('rule.public-sources', { names: publicSourceNames.join(', ') }),
      ),
    '',
    { perNetwork: true },
  ),
  /** Address of another Planchet's sandbox, which the network `private` uses instead of public services and miners. */
  joinUrl: setting('upstream', optionalUrl, '', { perNetwork: true }),
  /** The proxy for requests to public services and miners, such as that of Tor; empty for none. */
  outboundProxy: setting('upstream', proxyUrl, ''),
  currency: currencySettingsSchema.prefault({}),
  /** Whether the question of the first start was answered or postponed. */
  welcomed: setting('appearance', z.boolean(), false),
  sandbox: sandboxSettingsSchema.prefault({}),
});

export type Settings = z.infer<typeof settingsSchema>;

/** One setting: the `key` for `settings get|set` and `--set`, its rule, and its other properties. */
export interface SettingRow extends SettingTraits {
  /** `network`, `sandbox.bind`, … */
  readonly key: string;
  readonly schema: z.ZodType;
}

function rowsOf(shape: z.ZodRawShape, prefix = ''): SettingRow[] {
  return Object.entries(shape as Record<string, z.ZodType>).flatMap(([name, schema]) => {
    const known = traits.get(schema);
    if (known !== undefined) return [{ ...known, key: `${prefix}${name}`, schema }];
    const inner = schema instanceof z.ZodPrefault ? schema.def.innerType : undefined;
    return inner instanceof z.ZodObject ? rowsOf(inner.shape, `${name}.`) : [];
  });
}

export const settingRows: ReadonlyMap<string, SettingRow> = new Map(
  rowsOf(settingsSchema.shape).map((row) => [row.key, row]),
);

/**
 * The environment variable that sets a key for one run.
 * @example settingVariable('rpcBind') // 'PLANCHET_RPC_BIND'
 * @example settingVariable('sandbox.bind') // 'PLANCHET_SANDBOX_BIND'
 */
export function settingVariable(key: string): string {
  return `PLANCHET_${key.replaceAll('.', '_').replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
}

export const settingEntrySchema = z.object({
  key: z.string(),
  /** `null` for a secret: only whether it is set is shown. */
  value: z.union([z.string(), z.number(), z.boolean()]).nullable(),
  default: z.union([z.string(), z.number(), z.boolean()]),
  isSet: z.boolean(),
  secret: z.boolean(),
  /** Source of the current value; the earlier of these wins. */
  origin: choice(['command-line', 'environment', 'file', 'default']),
  /** Whether the command line or the environment sets it, so that a saved value has no effect. */
  overridden: z.boolean(),
  restarts: z.array(z.string()),
});
export type SettingEntry = z.infer<typeof settingEntrySchema>;
