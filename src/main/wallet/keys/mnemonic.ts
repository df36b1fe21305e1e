import { pbkdf2Sync, randomBytes } from 'node:crypto';
import Mnemonic from '@bsv/sdk/compat/Mnemonic';
import { type Phrase, PlanchetError, phrase } from '../../../contract/index.ts';

/** Lengths of a BIP39 sentence. */
export const mnemonicLengths = [12, 15, 18, 21, 24] as const;
export type MnemonicLength = (typeof mnemonicLengths)[number];

const ROUNDS = 2_048;
const SEED_BYTES = 64;

/** @returns fresh entropy for a sentence of that many words (16 to 32 bytes). */
export function newEntropy(words: MnemonicLength): Uint8Array {
  return randomBytes((words / 3) * 4);
}

/** Writes entropy as words of the English list (BIP39). */
export function mnemonicOf(entropy: Uint8Array): string {
  return Mnemonic.fromEntropy(Array.from(entropy)).toString();
}

/**
 * Reads a sentence; capitals and extra white space are forgiven.
 * @throws PlanchetError `invalid-input` naming what is wrong, never the words themselves
 */
export function entropyOf(sentence: string): Uint8Array {
  const words = sentence.normalize('NFKD').trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (!mnemonicLengths.some((length) => length === words.length)) {
    throw wrongSentence(phrase('reason.words-count', { count: words.length }));
  }
  const list = new Mnemonic().Wordlist.value;
  const bits = words.map((word, index) => {
    const at = list.indexOf(word);
    if (at < 0) throw wrongSentence(phrase('reason.word-unknown', { number: index + 1 }));
    return at.toString(2).padStart(11, '0');
  });
  const all = bits.join('');
  const entropy = Uint8Array.from({ length: (words.length / 3) * 4 }, (_, i) =>
    Number.parseInt(all.slice(i * 8, i * 8 + 8), 2),
  );
  // The last bits are a checksum; writing the entropy again makes the right ones.
  if (mnemonicOf(entropy) !== words.join(' ')) throw wrongSentence(phrase('reason.words-checksum'));
  return entropy;
}

/** @returns the 64-byte seed of BIP32; `passphrase` is the optional one of BIP39. */
export function seedOf(entropy: Uint8Array, passphrase = ''): Uint8Array {
  return seedOfSentence(mnemonicOf(entropy), passphrase);
}

/** The seed of a sentence in any language (PBKDF2 with HMAC-SHA512, 2,048 rounds). @returns 64 bytes */
export function seedOfSentence(sentence: string, passphrase: string): Uint8Array {
  const salt = `mnemonic${passphrase}`.normalize('NFKD');
  return pbkdf2Sync(sentence.normalize('NFKD'), salt, ROUNDS, SEED_BYTES, 'sha512');
}

function wrongSentence(reason: Phrase): PlanchetError {
  return new PlanchetError('wallet.words-invalid', { reason });
}
