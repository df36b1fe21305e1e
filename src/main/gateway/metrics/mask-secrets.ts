import { privateKeyForms, secretFieldNames } from '../../infrastructure/secret-forms.ts';

/** Stands in place of a secret. */
export const MASK = '[hidden]';

/** Commands of a node's wallet whose parameters hold a passphrase or a private key. The gateway refuses them, but they may still be sent to it. */
const secretCommands: ReadonlySet<string> = new Set([
  'authenticate',
  'encryptwallet',
  'importmulti',
  'importprivkey',
  'sethdseed',
  'signmessagewithprivkey',
  'signrawtransaction',
  'signrawtransactionwithkey',
  'walletpassphrase',
  'walletpassphrasechange',
]);

/** Each start of a match is bounded in length, so that a long text takes no more than linear time. */
const patterns: readonly (readonly [RegExp, string])[] = [
  ...privateKeyForms.map((form) => [form, MASK] as const),
  // user and password in an address
  [/((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^/?#\s:@"\\]{0,256}):[^/?#\s"\\]{0,256}@/gi, `$1:${MASK}@`],
  // fields named after a secret
  [
    new RegExp(`("(?:[a-z]{1,20}[-_]){0,4}(?:${secretFieldNames})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*(?:"|$)`, 'gi'),
    `$1"${MASK}"`,
  ],
  // the same in the query of a path
  [/([?&](?:token|api[-_]?key|password|secret|key)=)[^&\s"]*/gi, `$1${MASK}`],
];

/**
 * Masks what nobody needs to see of a call: private keys, passwords, and all parameters of commands that take a secret.
 * @param method the command that `text` belongs to; empty if it is unknown
 * @param part `answer` masks secrets by their form alone
 */
export function maskSecrets(method: string, text: string, part: 'params' | 'answer'): string {
  if (part === 'params' && text !== '' && secretCommands.has(method.toLowerCase())) return `["${MASK}"]`;
  let masked = text;
  for (const [pattern, mask] of patterns) masked = masked.replace(pattern, mask);
  return masked;
}
