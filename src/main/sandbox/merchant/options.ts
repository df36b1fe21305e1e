import { namesPrivateHost } from './receivers.ts';
import { readEncryption } from './seal.ts';
import type { WatchRequest } from './watches.ts';

const MAX_URL_CHARS = 2_048;
const MAX_TOKEN_CHARS = 4_096;

/** Options of a submission with their names in lower case: callers write them in every casing (wire.md 3.4). */
export type Options = ReadonlyMap<string, unknown>;

/** The options of a JSON object or a query. */
export function optionsOf(value: unknown): Options {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return new Map(entries.map(([name, option]) => [name.toLowerCase(), option]));
}

/**
 * Query options of a batch: `defaultMerkleProof` and `merkleProof` mean the same.
 * @returns the options of one element, its own before the defaults
 */
export function withDefaults(own: Options, query: Options): Options {
  const merged = new Map<string, unknown>();
  for (const [name, value] of query) merged.set(name.replace(/^default/, ''), value);
  for (const [name, value] of own) if (value !== null && value !== undefined) merged.set(name, value);
  return merged;
}

const TEXT_OPTIONS: ReadonlyMap<string, string> = new Map(
  ['rawTx', 'callbackUrl', 'callbackToken', 'callbackEncryption', 'merkleFormat'].map((name) => [
    name.toLowerCase(),
    name,
  ]),
);
const FLAG_OPTIONS: ReadonlyMap<string, string> = new Map(
  ['merkleProof', 'dsCheck', 'includeMempool'].map((name) => [name.toLowerCase(), name]),
);

/**
 * Why an option cannot be read at all: a number where a text belongs, or anything but true and false for a flag. What a text says is
 * checked by {@link optionProblems}. Null and an empty text mean that the option is not given.
 */
export function optionTypeProblem(options: Options): string | undefined {
  for (const [name, value] of options) {
    if (value === undefined || value === null) continue;
    const plain = name.replace(/^default/, '');
    const text = TEXT_OPTIONS.get(plain);
    if (text !== undefined && typeof value !== 'string') return `${text} must be a text`;
    const flag = FLAG_OPTIONS.get(plain);
    if (flag !== undefined && value !== '' && !isTrue(value) && !isFalse(value)) return `${flag} must be true or false`;
  }
  return undefined;
}

function isFalse(value: unknown): boolean {
  return value === false || (typeof value === 'string' && value.toLowerCase() === 'false');
}

export function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}

/** What is wrong with the options of a submission, as sentences of the reference. */
export function optionProblems(options: Options, refusePrivate: boolean): string[] {
  const problems: string[] = [];
  const callbackUrl = options.get('callbackurl') ?? '';
  const wanted = isTrue(options.get('merkleproof')) || isTrue(options.get('dscheck'));
  if (wanted && callbackUrl === '') problems.push('CallbackUrl is required when MerkleProof or DsCheck is not false');
  if (callbackUrl !== '') {
    const url = typeof callbackUrl === 'string' ? readUrl(callbackUrl) : undefined;
    if (url === undefined) problems.push('CallbackUrl is not an http(s) URL');
    else if (refusePrivate && namesPrivateHost(url)) problems.push('CallbackUrl is a private address');
  }
  const token = options.get('callbacktoken') ?? '';
  // anything else cannot be the value of a header
  if (typeof token !== 'string' || token.length > MAX_TOKEN_CHARS || !/^[\x20-\x7e]*$/.test(token)) {
    problems.push('CallbackToken contains invalid characters');
  }
  const encryption = readEncryption(options.get('callbackencryption'));
  if ('problem' in encryption) problems.push(encryption.problem);
  const format = options.get('merkleformat') ?? '';
  if (format !== '' && format !== 'TSC') problems.push(formatProblem(format));
  return problems;
}

/** The sentence about a format of Merkle proofs there is none of. */
export function formatProblem(format: unknown): string {
  const named = typeof format === 'string' ? format.slice(0, 32) : 'of that kind';
  return `Invalid merkle format ${named}. Supported formats: TSC.`;
}

function readUrl(text: string): URL | undefined {
  if (text.length > MAX_URL_CHARS || !/^https?:\/\/[^/\s{}]+(?:[/?#]\S*)?$/i.test(text) || !URL.canParse(text)) {
    return undefined;
  }
  return new URL(text);
}

/** What the submitter wants to be told; undefined for nothing. The options must have no problems. */
export function watchOf(options: Options): WatchRequest | undefined {
  const merkleProof = isTrue(options.get('merkleproof'));
  const dsCheck = isTrue(options.get('dscheck'));
  if (!merkleProof && !dsCheck) return undefined;
  const encryption = readEncryption(options.get('callbackencryption'));
  return {
    url: String(options.get('callbackurl')),
    token: String(options.get('callbacktoken') ?? ''),
    sealKey: 'key' in encryption ? encryption.key : '',
    merkleProof,
    merkleFormat: String(options.get('merkleformat') ?? ''),
    dsCheck,
  };
}
