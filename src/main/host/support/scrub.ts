import { homedir } from 'node:os';
import Mnemonic from '@bsv/sdk/compat/Mnemonic';
import { privateKeyForms, secretFieldNames } from '../../infrastructure/secret-forms.ts';

const MASK = '[redacted]';
/** A sentence of a wallet has at least so many words, all of one list. */
const SENTENCE_WORDS = 12;

const wordList: ReadonlySet<string> = new Set(new Mnemonic().Wordlist.value);

/** Fields that hold secrets, by name. What the settings say in place of a secret may stay. */
const SECRET_FIELD = `(?<![A-Za-z])((?:[A-Za-z]+[-_])*(?:${secretFieldNames}|bearer|session|token|words|wif)\\\\*"?\\s*[:=]\\s*)`;
/** Quoted, also inside a text of JSON: the value ends with as many backslashes before the quote as it began with, or with the line. */
const QUOTED_FIELD = new RegExp(`${SECRET_FIELD}(\\\\*)"(?!\\((?:not )?set\\))[^\\n]*?(?=(?<!\\\\)\\2"|$)`, 'gim');
const BARE_FIELD = new RegExp(`${SECRET_FIELD}(?:Bearer |Basic )?[^\\s,;{}[\\]"\\\\]+`, 'gi');

const patterns: readonly (readonly [RegExp, string])[] = [
  // user and password in an address
  [/([a-z][a-z0-9+.-]*:\/\/[^/?#\s:@"\\]*):[^/?#\s"\\]*@/gi, `$1:${MASK}@`],
  // values behind the path of an address: some services take their key there
  [/([a-z][a-z0-9+.-]*:\/\/[^\s"'?#\\]+)[?#][^\s"'\\]*/gi, `$1?${MASK}`],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9+/=._~-]{6,}/gi, `$1 ${MASK}`],
  [QUOTED_FIELD, `$1$2"${MASK}`],
  [BARE_FIELD, `$1${MASK}`],
  ...privateKeyForms.map((form) => [form, MASK] as const),
  // 32 random bytes in base64url: tokens of sessions and links
  [/(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g, MASK],
  // the node endpoint's cookie
  [/__cookie__:\S{16,}?(?=[\s"'\\]|$)/g, `__cookie__:${MASK}`],
  // names of users in paths
  [/([\\/](?:home|Users|Documents and Settings)[\\/]+)[^\\/\s"']+/gi, '$1<user>'],
];

/**
 * Masks what nobody else should read: secrets that have a form of their own, fields that usually hold one, and the user's name in paths.
 * @param dataDir shown as `<data folder>`
 */
export function scrub(text: string, dataDir: string): string {
  let clean = text;
  for (const [path, name] of [
    [dataDir, '<data folder>'],
    [homedir(), '~'],
  ] as const) {
    if (path.length > 1) clean = clean.replaceAll(path, name).replaceAll(JSON.stringify(path).slice(1, -1), name);
  }
  for (const [pattern, mask] of patterns) clean = clean.replace(pattern, mask);
  return maskSentences(clean);
}

/** Masks runs of twelve and more words of the list of BIP39, however they are separated. */
function maskSentences(text: string): string {
  return text.replace(/[A-Za-z]{3,8}(?:(?:\\[nrt]|[^A-Za-z0-9]){1,4}[A-Za-z]{3,8}){11,}/g, (run) => {
    const parts = run.split(/((?:\\[nrt]|[^A-Za-z])+)/);
    let start = 0;
    for (let at = 0; at <= parts.length + 1; at += 2) {
      const isWord = at < parts.length && wordList.has((parts[at] as string).toLowerCase());
      if (isWord) continue;
      if ((at - start) / 2 >= SENTENCE_WORDS) maskFrom(parts, start, at);
      start = at + 2;
    }
    return parts.join('');
  });
}

function maskFrom(parts: string[], start: number, end: number): void {
  parts[start] = MASK;
  for (let at = start + 1; at < end - 1; at++) parts[at] = '';
}
