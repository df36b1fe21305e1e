import { namesPrivateHost } from '../../http/public-hosts.ts';
import { readEncryption } from './callbacks/seal.ts';
import { merchantTexts } from './texts.ts';
import type { WatchRequest } from './watches.ts';

const MAX_URL_CHARS = 2_048;
const MAX_TOKEN_CHARS = 4_096;

/** Options of a submission with lower-case names, because clients use any casing (wire.md 3.4). */
export type Options = ReadonlyMap<string, unknown>;

/** Reads options from a JSON object or a query. */
export function optionsOf(value: unknown): Options {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return new Map(entries.map(([name, option]) => [name.toLowerCase(), option]));
}

/**
 * Applies the query options of a batch; `defaultMerkleProof` and `merkleProof` are synonyms.
 * @returns the options of one element, with its own taking precedence
 */
export function withDefaults(own: Options, query: Options): Options {
  const merged = new Map<string, unknown>();
  for (const [name, value] of query) merged.set(name.replace(/^default/, ''), value);
  for (const [name, value] of own) if (value !== null && value !== undefined) merged.set(name, value);
  return merged;
}

const byLowerCase = (...names: string[]): ReadonlyMap<string, string> =>
  new Map(names.map((name) => [name.toLowerCase(), name]));
const TEXT_OPTIONS = byLowerCase('rawTx', 'callbackUrl', 'callbackToken', 'callbackEncryption', 'merkleFormat');
const FLAG_OPTIONS = byLowerCase('merkleProof', 'dsCheck', 'includeMempool');

/**
 * Why an option has the wrong type: a number instead of text, or a flag other than true and false. {@link optionProblems} checks the text
 * itself. Null and empty text mean that the option is absent.
 */
export function optionTypeProblem(options: Options): string | undefined {
  for (const [name, value] of options) {
    if (value === undefined || value === null) continue;
    const plain = name.replace(/^default/, '');
    const text = TEXT_OPTIONS.get(plain);
    if (text !== undefined && typeof value !== 'string') return merchantTexts.notText(text);
    const flag = FLAG_OPTIONS.get(plain);
    if (flag !== undefined && value !== '' && !isTrue(value) && !isFalse(value)) return merchantTexts.notFlag(flag);
  }
  return undefined;
}

function isFalse(value: unknown): boolean {
  return value === false || (typeof value === 'string' && value.toLowerCase() === 'false');
}

export function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}

/** Problems with the options of a submission, in the wording of the reference. */
export function optionProblems(options: Options, refusePrivate: boolean): string[] {
  const problems: string[] = [];
  const callbackUrl = options.get('callbackurl') ?? '';
  const wanted = isTrue(options.get('merkleproof')) || isTrue(options.get('dscheck'));
  if (wanted && callbackUrl === '') problems.push(merchantTexts.callbackUrlMissing);
  if (callbackUrl !== '') {
    const url = typeof callbackUrl === 'string' ? readUrl(callbackUrl) : undefined;
    if (url === undefined) problems.push(merchantTexts.callbackUrlInvalid);
    else if (refusePrivate && namesPrivateHost(url)) problems.push(merchantTexts.callbackUrlPrivate);
  }
  const token = options.get('callbacktoken') ?? '';
  // any other character is not allowed in a header value
  if (typeof token !== 'string' || token.length > MAX_TOKEN_CHARS || !/^[\x20-\x7e]*$/.test(token)) {
    problems.push(merchantTexts.callbackTokenInvalid);
  }
  const encryption = readEncryption(options.get('callbackencryption'));
  if ('problem' in encryption) problems.push(encryption.problem);
  const format = options.get('merkleformat') ?? '';
  if (format !== '' && format !== 'TSC') problems.push(formatProblem(format));
  return problems;
}

/** The error for an unsupported Merkle proof format. */
export function formatProblem(format: unknown): string {
  const named = typeof format === 'string' ? format.slice(0, 32) : 'of that kind';
  return merchantTexts.merkleFormat(named);
}

function readUrl(text: string): URL | undefined {
  if (text.length > MAX_URL_CHARS || !/^https?:\/\/[^/\s{}]+(?:[/?#]\S*)?$/i.test(text) || !URL.canParse(text)) {
    return undefined;
  }
  return new URL(text);
}

/** The requested callbacks; undefined for none. The options must have no problems. */
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
