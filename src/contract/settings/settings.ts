import { z } from 'zod';
import { networks } from '../common.ts';
import { languages } from '../languages.ts';

const DURATION_UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({
    ns: 1e-6,
    us: 1e-3,
    µs: 1e-3,
    ms: 1,
    s: 1_000,
    m: 60_000,
    h: 3_600_000,
  }),
);

/**
 * Reads a Go-style duration (`10s`, `1m30s`, `250ms`, `0`).
 * @returns milliseconds, or undefined where the text is not a duration.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, value, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(value) * (DURATION_UNITS.get(unit as string) as number);
  }
  return total;
}

/*
 * Each rule says in one sentence what is allowed. The settings view shows it; src/contract/phrases/sentences.de.json has it in German.
 */

const number = (value: number): string => value.toLocaleString('en');

function wholeNumber(least: number, most: number) {
  const allowed = `must be a whole number from ${number(least)} to ${number(most)}`;
  return z.number(allowed).int(allowed).min(least, allowed).max(most, allowed);
}

function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, `must be one of ${values.join(', ')}`);
}

const textUpTo = (most: number) => z.string().max(most, `must have at most ${number(most)} characters`);

/** Timers of the runtime count in 32 bits: a longer one would fire at once. */
const MAX_DURATION_MS = 2 ** 31 - 1;
const DURATION = 'a duration such as 10s or 1m30s';
const durationWithin = (least: number, allowed: string) =>
  z.string().refine((text) => {
    const ms = parseDuration(text);
    return ms !== undefined && ms >= least && ms <= MAX_DURATION_MS;
  }, allowed);
const duration = durationWithin(0, `must be ${DURATION}, at most 596h`);
/** A time limit: nothing can be done in none. */
const timeLimit = durationWithin(1, `must be ${DURATION}, from 1ms to 596h`);
const port = '(?:0|[1-9]\\d{0,4})';
const PORT = 'with a port up to 65535';
const portInRange = (text: string): boolean => Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535;
const address = (pattern: string, allowed: string) =>
  z.string().refine((text) => new RegExp(`^${pattern}:${port}$`).test(text) && portInRange(text), allowed);
const bind = address(
  '(?:[A-Za-z0-9.-]*|\\[[0-9a-fA-F:]+\\])',
  `must be host:port ${PORT}; an empty host means this machine alone`,
);
const zmqAddress = address('tcp://(?:[A-Za-z0-9.*-]*|\\[[0-9a-fA-F:]+\\])', `must be tcp://host:port ${PORT}`);
/** Whether a client can be made for an address: with a host, a port in range, and user and password that can be decoded. */
function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\/\S+$/.test(text)) return false;
  try {
    const { username, password } = new URL(text);
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}
const optionalUrl = z.string().refine((text) => text === '' || isHttpUrl(text), 'must be empty or an http(s) address');
const urlList = z
  .string()
  .refine(
    (text) => text === '' || text.split(',').every((part) => isHttpUrl(part.trim())),
    'must be empty or http(s) addresses separated by commas; special characters of a password are written as %XX',
  );

/** Settings of the embedded network, under the key `sandbox`. */
export const sandboxSettingsSchema = z.object({
  bind: bind.default('127.0.0.1:9600'),
  zmqAddress: zmqAddress.default('tcp://127.0.0.1:28339'),
  /** How often a block is mined while transactions wait; `0` turns the timer off. */
  mineInterval: duration.default('10s'),
  /** A block is mined this long after a transaction arrives; empty turns it off. */
  mineOnArrival: z.union([duration, z.literal('')], `must be empty or ${DURATION}, at most 596h`).default('1s'),
  /** Tokens a month each sandbox key may mint. */
  monthlyMintLimit: wholeNumber(0, 1_000_000_000).default(10_000),
  /** Whether the merchant API signs its envelopes; unsigned ones carry nulls. */
  signEnvelopes: z.boolean().default(true),
  /** Whose shapes the merchant API's payloads have. */
  mapiVersion: choice(['1.2.0', '1.5.0']).default('1.2.0'),
  /** Refuses callbacks to this machine and to local networks, as a public miner does. */
  refusePrivateCallbacks: z.boolean().default(false),
  /** Requests a second each API key may make; 0 sets no limit. */
  maxRequestsPerSecond: wholeNumber(0, 1_000_000).default(2_000),
  /** First block that follows the Chronicle rules; blocks before it follow those of Genesis. */
  chronicleHeight: wholeNumber(0, 2_147_483_646).default(0),
});

const MAX_RATE = 1_000_000_000_000;
const RATE = `must be a number from 0 to ${number(MAX_RATE)}`;

/** A currency to show costs in, under the key `currency`. The rate is what the person says it is; nobody is asked for it. */
export const currencySettingsSchema = z.object({
  /** ISO 4217, e.g. `EUR`; empty shows satoshis alone. */
  code: z
    .string()
    .regex(/^(?:[A-Z]{3})?$/, 'must be empty or three capital letters such as EUR')
    .default(''),
  /** Units of the currency for one bitcoin (100,000,000 satoshis); 0 shows satoshis alone. */
  rate: z.number(RATE).min(0, RATE).max(MAX_RATE, RATE).default(0),
});

/** Settings that stand under a key of their own. */
const settingGroups = { currency: currencySettingsSchema, sandbox: sandboxSettingsSchema } as const;

/** Every key of settings.json with its default. `group` is the heading it stands under in the settings view. Keys of the node gateway keep the names and defaults of spec section 4.5. */
export const settingsSchema = z.object({
  settingsVersion: z.number().int().default(1),
  network: choice(networks).default('sandbox').meta({ group: 'network' }),
  consoleAddress: bind.default('localhost:9400').meta({ group: 'console' }),
  debugServer: z.boolean().default(false).meta({ group: 'console' }),
  /** Where a Prometheus server reads figures, and nothing else is answered; empty listens nowhere. */
  metricsBind: z
    .union([bind, z.literal('')], `must be empty, or host:port ${PORT}`)
    .default('')
    .meta({ group: 'console' }),
  /** Bearer token that the figures need; without one only this machine may read them. */
  metricsKey: z
    .string()
    .regex(/^(?:[\w.~+/=-]{16,256})?$/, 'must be empty or 16 to 256 letters, digits and . _ ~ + / = -')
    .default('')
    .meta({ group: 'console' }),
  /** A page in a browser locks itself after so long without a key or a click; `0` never. */
  consoleLockAfter: duration.default('0').meta({ group: 'console' }),
  rpcBind: bind.default(':8332').meta({ group: 'node' }),
  rpcUsername: z
    .string()
    .regex(/^[^:]{1,128}$/, 'must have 1 to 128 characters and no colon')
    .default('planchet')
    .meta({ group: 'node' }),
  /** Empty until the first start, which writes a random one. */
  rpcPassword: textUpTo(256).default('').meta({ group: 'node' }),
  zmqAddress: zmqAddress.default('tcp://:28332').meta({ group: 'node' }),
  bitcoinRpcUrl: urlList.default('').meta({ group: 'upstream' }),
  bitcoinTimeout: timeLimit.default('10s').meta({ group: 'upstream' }),
  ignoreCertificate: z.boolean().default(false).meta({ group: 'upstream' }),
  bitcoinZmqUrl: z
    .string()
    .refine(
      (text) =>
        text === '' || (/^tcp:\/\/(?:[A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\]):\d{1,5}$/.test(text) && portInRange(text)),
      `must be empty, or tcp://host:port ${PORT}`,
    )
    .default('')
    .meta({ group: 'upstream' }),
  /** `vault` refers to the key stored in the vault, never the key itself; empty means none. */
  apiKey: textUpTo(512).default('').meta({ group: 'upstream' }),
  /** Header that carries the API key upstream; `Authorization` carries it as `Bearer`, any other header as it is. */
  apiKeyHeader: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header: at most 64 letters, digits and hyphens')
    .default('Authorization')
    .meta({ group: 'upstream' }),
  /** How long an answer that depends on the tip or the mempool may be shared between callers; `0` asks the upstream each time. */
  gatewayShareFor: duration.default('250ms').meta({ group: 'node' }),
  /** Size in bytes of the cache of answers that never change, in memory and on the disk. 0 turns it off. */
  gatewayCacheBytes: wholeNumber(0, 100_000_000_000).default(67_108_864).meta({ group: 'node' }),
  gatewayDiskCacheBytes: wholeNumber(0, 10_000_000_000_000).default(536_870_912).meta({ group: 'node' }),
  /** Answers commands that need no chain (decoding, checking proofs) here, without asking the upstream. */
  gatewayLocalCommands: z.boolean().default(true).meta({ group: 'node' }),
  /** Whether programs send transactions through the node endpoint, which go to the miners: never, each after an approval, or freely. */
  gatewayBroadcast: choice(['off', 'ask', 'on']).default('off').meta({ group: 'node' }),
  /** Lets programs of this machine read the REST paths without a credential, as a node does. */
  gatewayOpenRest: z.boolean().default(false).meta({ group: 'node' }),
  /** Passes on answers of an upstream that lacks blocks already announced, labelled with their age, instead of an error. */
  gatewayOldAnswers: z.boolean().default(false).meta({ group: 'node' }),
  /** Keeps the answers of the last calls in memory, so that the traffic view can show them. */
  gatewayKeepBodies: z.boolean().default(true).meta({ group: 'node' }),
  baseUrl: optionalUrl.default('').meta({ group: 'services' }),
  consoleBaseUrl: optionalUrl.default('').meta({ group: 'services' }),
  mapiUrl: optionalUrl.default('').meta({ group: 'services' }),
  /** The key that must sign every answer of the merchant API; empty remembers the key of the first answer of each address. */
  mapiPublicKey: z
    .string()
    .regex(/^(?:0[23][0-9a-fA-F]{64})?$/, 'must be empty or a compressed public key: 66 hex digits')
    .default('')
    .meta({ group: 'services' }),
  writerBind: bind.default(':9500').meta({ group: 'writer' }),
  /** Where callbacks of miners arrive: empty listens on the sandbox network alone, on a free port of this machine; `off` never listens. */
  callbackBind: z
    .union([bind, z.enum(['', 'off'])], `must be empty, off, or host:port ${PORT}`)
    .default('')
    .meta({ group: 'services' }),
  /**
   * Address under which miners reach `callbackBind`, for example that of a reverse proxy. A merchant API puts the reason of a message in
   * place of `{callbackReason}`.
   */
  callbackPublicUrl: optionalUrl.default('').meta({ group: 'services' }),
  /** Address of the person's own that is told of every state of a transaction; empty tells nobody. */
  stateWebhook: optionalUrl.default('').meta({ group: 'services' }),
  /** Lets `stateWebhook` name this machine or a local network. */
  stateWebhookPrivate: z.boolean().default(false).meta({ group: 'services' }),
  /** Where the writer's queue is stored: empty for the built-in database, or `postgres://…` for one that several machines share. */
  databaseUrl: textUpTo(1_024)
    .refine((text) => text === '' || /^postgres(?:ql)?:\/\/\S+$/.test(text), 'must be empty or postgres://…')
    .default('')
    .meta({ group: 'writer' }),
  /** Who pays for written documents: the wallet, the service at `fundingUrl`, or the sandbox's service. */
  writerFunding: choice(['wallet', 'service', 'sandbox']).default('wallet').meta({ group: 'writer' }),
  /** Address of the funding service with its version prefix, e.g. `https://host/api/v1`; empty means `mapiUrl`. */
  fundingUrl: optionalUrl.default('').meta({ group: 'writer' }),
  fundingTimeout: timeLimit.default('5s').meta({ group: 'writer' }),
  /** Largest document, in bytes. */
  writerMaxBytes: wholeNumber(1, 100_000_000).default(1_000_000).meta({ group: 'writer' }),
  /** Takes documents of any content type; otherwise JSON alone. */
  writerAnyContentType: z.boolean().default(false).meta({ group: 'writer' }),
  /** How many documents one transaction may write, one output each. */
  writerDocumentsPerTransaction: wholeNumber(1, 1_000).default(1).meta({ group: 'writer' }),
  /** Documents that may wait for their transaction before more are refused for a while. */
  writerQueueLimit: wholeNumber(1, 1_000_000_000).default(5_000_000).meta({ group: 'writer' }),
  /** Room on the disk below which no document is taken, in bytes. */
  writerMinFreeDisk: wholeNumber(0, 1_000_000_000_000).default(536_870_912).meta({ group: 'writer' }),
  /** Fees a day (UTC) may cost, in satoshis. */
  writerDailySpend: wholeNumber(0, 2_100_000_000_000_000).default(100_000_000).meta({ group: 'writer' }),
  /** Coins split off the wallet ahead of need, at most, and the value of each. */
  writerPoolCoins: wholeNumber(1, 2_000).default(500).meta({ group: 'writer' }),
  writerPoolCoinSatoshis: wholeNumber(200, 1_000_000_000).default(10_000).meta({ group: 'writer' }),
  /** How long an answer waits for the miner, and with `?wait=mined` for a block. */
  writerWait: duration.default('5s').meta({ group: 'writer' }),
  writerWaitMined: duration.default('60s').meta({ group: 'writer' }),
  /** Largest file a token may hold, in bytes. */
  maxTokenBytes: wholeNumber(1, 1_000_000_000).default(4_000_000).meta({ group: 'minting' }),
  /** Highest fee a single mint may pay, in satoshis. */
  maxFeeSatoshis: wholeNumber(1, 2_100_000_000_000_000).default(5_000_000).meta({ group: 'minting' }),
  /** Highest fee rate of any transaction the wallet pays for, in satoshis per 1,000 bytes, whatever a miner asks. */
  maxFeeRate: wholeNumber(1, 100_000_000).default(1_000).meta({ group: 'minting' }),
  /** Whether a token may hold the base64 text of its file where the token service inscribes that instead of the file. */
  base64Content: choice(['refuse', 'accept']).default('refuse').meta({ group: 'minting' }),
  /** The wallet locks itself when nobody used it for so long and no job needs it; `0` leaves it open. */
  walletLockAfter: duration.default('0').meta({ group: 'minting' }),
  /** Who has the keys of the main account: this program, or a BRC-100 wallet on this machine. Takes effect at the next start. */
  walletSigner: choice(['own', 'external']).default('own').meta({ group: 'minting' }),
  /** Where that wallet listens. */
  walletUrl: textUpTo(256)
    .regex(/^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?\/?$/, 'must be http://localhost:<port>')
    .default('http://localhost:3321')
    .meta({ group: 'minting' }),
  theme: choice(['system', 'light', 'dark']).default('system').meta({ group: 'appearance' }),
  /** Whether the question of the first start was answered or put off. */
  welcomed: z.boolean().default(false).meta({ group: 'appearance' }),
  /** Language of the page; `system` takes the first that the browser or the system prefers and there is. */
  language: choice(['system', ...languages])
    .default('system')
    .meta({ group: 'appearance' }),
  logLevel: choice(['trace', 'debug', 'info', 'warn', 'error']).default('info').meta({ group: 'console' }),
  /** Where OpenTelemetry traces go, as OTLP over HTTP (`/v1/traces` is added); empty traces nothing. */
  otlpEndpoint: optionalUrl.default('').meta({ group: 'console' }),
  /** Traces of a hundred that are sent. */
  otlpSamplePercent: wholeNumber(0, 100).default(100).meta({ group: 'console' }),
  currency: currencySettingsSchema.prefault({}).meta({ group: 'appearance' }),
  sandbox: sandboxSettingsSchema.prefault({}).meta({ group: 'sandbox' }),
});

export type Settings = z.infer<typeof settingsSchema>;

/** `network`, `sandbox.bind`, …: what `settings get|set` and `--set` take. */
export const settingKeys = [
  ...Object.keys(settingsSchema.shape).filter((key) => !Object.hasOwn(settingGroups, key) && key !== 'settingsVersion'),
  ...Object.entries(settingGroups).flatMap(([group, { shape }]) => Object.keys(shape).map((key) => `${group}.${key}`)),
] as readonly string[];

/** Keys that each network has values of its own for: its addresses and keys. */
export const networkSettingKeys = [
  'bitcoinRpcUrl',
  'bitcoinZmqUrl',
  'ignoreCertificate',
  'apiKey',
  'apiKeyHeader',
  'baseUrl',
  'consoleBaseUrl',
  'mapiUrl',
  'mapiPublicKey',
  'fundingUrl',
  'callbackPublicUrl',
] as const satisfies readonly (keyof Settings)[];

/**
 * The environment variable that sets a key for one run.
 * @example settingVariable('rpcBind') // 'PLANCHET_RPC_BIND'
 * @example settingVariable('sandbox.bind') // 'PLANCHET_SANDBOX_BIND'
 */
export function settingVariable(key: string): string {
  return `PLANCHET_${key.replaceAll('.', '_').replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
}

/** Keys whose values are secrets: they are never returned by `settings list`, logged, or shown. */
export const secretSettingKeys: readonly string[] = ['rpcPassword', 'apiKey', 'databaseUrl', 'metricsKey'];

export const settingEntrySchema = z.object({
  key: z.string(),
  /** `null` for a secret: only whether it is set is shown. */
  value: z.union([z.string(), z.number(), z.boolean()]).nullable(),
  default: z.union([z.string(), z.number(), z.boolean()]),
  isSet: z.boolean(),
  secret: z.boolean(),
  /** Where the value in force comes from; the earlier of these wins. */
  origin: choice(['command-line', 'environment', 'file', 'default']),
  /** Whether the command line or the environment holds it, so that a saved value is not in force. */
  overridden: z.boolean(),
  restarts: z.array(z.string()),
});
export type SettingEntry = z.infer<typeof settingEntrySchema>;
