import { concatBytes, equalBytes, plainBytes } from '../encoding/bytes.ts';
import { ChainError } from '../errors.ts';
import { leadingP2pkh, p2pkhScript } from '../keys/address.ts';
import { OP } from '../script/opcodes.ts';
import { pushData, pushPrefix, ScriptCursor } from '../script/script.ts';

/** A token's content and metadata, as stored in one output. */
export interface Inscription {
  readonly contentType: string;
  readonly content: Uint8Array;
  /** MAP metadata: `app`, `type`, `name` and any other key; all values are text. */
  readonly map: Readonly<Record<string, string>>;
  /** Key hash of the token's owner. */
  readonly pubKeyHash: Uint8Array;
}

/** Bitcom address that identifies MAP metadata. */
export const MAP_PREFIX = '1PuQa7K62MiKCtssSLKy1kh56WWU7MtUR5';

const encoder = new TextEncoder();
const ENVELOPE_HEAD = concatBytes(
  Uint8Array.of(OP.FALSE, OP.IF),
  pushData(encoder.encode('ord')),
  Uint8Array.of(OP.ONE),
);
const MAP_HEAD = concatBytes(
  Uint8Array.of(OP.ENDIF, OP.RETURN),
  pushData(encoder.encode(MAP_PREFIX)),
  pushData(encoder.encode('SET')),
);

/**
 * The locking script of a token: P2PKH, then the content envelope, then the metadata after OP_RETURN. Keys are sorted by UTF-8 length,
 * then by bytes, so that the same token always has the same script.
 * @throws ChainError `inscription-invalid` if text contains a lone surrogate (which has no UTF-8 form), `address-invalid` if the key
 *   hash is not 20 bytes long.
 * @example inscriptionScript({ pubKeyHash, contentType: 'image/png', content, map: { app: 'planchet', type: 'ord', name: 'Moon' } })
 */
export function inscriptionScript({ pubKeyHash, contentType, content, map }: Inscription): Uint8Array {
  const pairs = Object.entries(map).map(([key, value]) => ({ key: utf8(key), value: utf8(value) }));
  pairs.sort((a, b) => a.key.length - b.key.length || Buffer.compare(a.key, b.key));
  return concatBytes(
    p2pkhScript(pubKeyHash),
    ENVELOPE_HEAD,
    pushData(utf8(contentType)),
    Uint8Array.of(OP.FALSE),
    pushPrefix(content.length),
    content,
    MAP_HEAD,
    ...pairs.flatMap(({ key, value }) => [pushData(key), pushData(value)]),
  );
}

/**
 * Reads exactly what {@link inscriptionScript} writes, with the metadata keys in any order. Any other layout (non-minimal pushes, text
 * that is not UTF-8, duplicate keys, trailing bytes) is rejected; see `readInscription` for those.
 * @returns undefined for every other script. The content is a view of it.
 */
export function parseInscription(script: Uint8Array): Inscription | undefined {
  const pubKeyHash = leadingP2pkh(script);
  const bytes = plainBytes(script);
  if (pubKeyHash === undefined || !startsWith(bytes, 25, ENVELOPE_HEAD)) return undefined;
  const pushes = new PushReader(bytes, 25 + ENVELOPE_HEAD.length);
  const contentType = pushes.text();
  if (contentType === undefined || !pushes.skip(Uint8Array.of(OP.FALSE))) return undefined;
  const content = pushes.data();
  if (content === undefined || !pushes.skip(MAP_HEAD)) return undefined;
  const pairs = new Map<string, string>();
  while (!pushes.atEnd) {
    const key = pushes.text();
    const value = pushes.text();
    if (key === undefined || value === undefined || pairs.has(key)) return undefined;
    pairs.set(key, value);
  }
  return { contentType, content, map: Object.fromEntries(pairs), pubKeyHash };
}

/** Reads consecutive minimal pushes. Returns undefined at the first operation that is something else. */
class PushReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  skip(expected: Uint8Array): boolean {
    if (!startsWith(this.#bytes, this.#at, expected)) return false;
    this.#at += expected.length;
    return true;
  }

  data(): Uint8Array | undefined {
    const data = new ScriptCursor(this.#bytes.subarray(this.#at)).next()?.data;
    if (data === undefined || !this.skip(pushPrefix(data.length))) return undefined;
    this.#at += data.length;
    return data;
  }

  text(): string | undefined {
    const data = this.data();
    try {
      // A byte order mark is part of the text: removing it would change the inscription.
      return data && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
    } catch {
      return undefined;
    }
  }
}

function startsWith(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  return equalBytes(bytes.subarray(at, at + expected.length), expected);
}

function utf8(text: string): Uint8Array {
  if (!text.isWellFormed())
    throw new ChainError('inscription-invalid', 'Text holds half of a character pair and has no UTF-8 form.');
  return encoder.encode(text);
}

/**
 * The locking script of a data output: OP_FALSE OP_RETURN and the pushes.
 * @example dataScript([utf8('text/plain'), utf8('hello')])
 */
export function dataScript(pushes: readonly Uint8Array[]): Uint8Array {
  return concatBytes(Uint8Array.of(OP.FALSE, OP.RETURN), ...pushes.flatMap((push) => [pushPrefix(push.length), push]));
}
