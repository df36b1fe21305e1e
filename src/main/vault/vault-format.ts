import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { PlanchetError } from '../../contract/index.ts';
import { NONCE_BYTES } from './seal.ts';

export const VAULT_VERSION = 1;

const hexOf = (bytes: number): z.ZodString => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));
/** What a key source stores in the clear, to find its key again. */
export const keyRecordSchema = z.record(z.string(), z.union([z.string(), z.number()]));
export const sealedFields = {
  nonce: hexOf(NONCE_BYTES),
  // Searched for a wrong character: a pattern with groups is slow for a long secret, and fails beyond ten million digits.
  sealed: z.string().refine((text) => text.length >= 32 && text.length % 2 === 0 && !/[^0-9a-f]/.test(text)),
};

const bodySchema = z.strictObject({
  format: z.literal('planchet-vault'),
  version: z.literal(VAULT_VERSION),
  /** Each slot holds the same master key, sealed under the key of another source: any one of them opens the vault. */
  slots: z
    .array(
      z.strictObject({
        kind: z.enum(['passphrase', 'keychain', 'key-file']),
        record: keyRecordSchema,
        ...sealedFields,
      }),
    )
    .min(1)
    .max(3)
    // one slot of each kind is written; more would derive the passphrase again and again
    .refine((slots) => new Set(slots.map(({ kind }) => kind)).size === slots.length),
  entries: z.record(z.string().max(64), z.strictObject(sealedFields)),
});

const fileSchema = bodySchema.extend({
  /** HMAC-SHA256 under a key derived from the master key: shows that an entry was taken out, put back or swapped. */
  mac: hexOf(32),
  /** SHA-256 of everything before it: distinguishes a damaged file from a wrong passphrase without a key. */
  checksum: hexOf(32),
});

export type VaultBody = z.infer<typeof bodySchema>;
export type VaultSlot = VaultBody['slots'][number];

/** A file as read: its body, and the code that only the master key can check. */
export interface VaultFile {
  readonly body: VaultBody;
  readonly mac: string;
}

/** Serialises a vault. The text is canonical, so what was read and what was written can be compared byte by byte. */
export function encodeVault(body: VaultBody, masterKey: Uint8Array): Uint8Array {
  const mac = macOf(body, masterKey);
  const checksum = checksumOf(body, mac);
  return Buffer.from(`${JSON.stringify({ ...ordered(body), mac, checksum }, null, 2)}\n`, 'utf8');
}

/**
 * Reads a vault file strictly.
 * @throws PlanchetError `vault-damaged` for anything that {@link encodeVault} would not have written
 */
export function decodeVault(bytes: Uint8Array, path: string): VaultFile {
  const damaged = (cause?: unknown): PlanchetError => vaultDamaged(path, cause);
  let json: unknown;
  const text = Buffer.from(bytes).toString('utf8');
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw damaged(error);
  }
  const version = (json as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && Number.isInteger(version) && version > VAULT_VERSION)
    throw new PlanchetError('vault.newer', { path });
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) throw damaged(parsed.error);
  const { mac, checksum, ...body } = parsed.data;
  if (checksumOf(body, mac) !== checksum) throw damaged();
  // Only bytes we could have written ourselves are taken: white space or doubled keys would hide in a checksum over the content.
  if (`${JSON.stringify({ ...ordered(body), mac, checksum }, null, 2)}\n` !== text) throw damaged();
  return { body, mac };
}

/** @returns whether the file's content is the one the holder of the master key wrote. */
export function vaultIsAuthentic({ body, mac }: VaultFile, masterKey: Uint8Array): boolean {
  return timingSafeEqual(Buffer.from(mac, 'hex'), Buffer.from(macOf(body, masterKey), 'hex'));
}

export function vaultDamaged(path: string, cause?: unknown): PlanchetError {
  return new PlanchetError('vault.damaged', { path }, { cause });
}

function ordered(body: VaultBody): VaultBody {
  return {
    format: body.format,
    version: body.version,
    slots: body.slots.map(({ kind, record, nonce, sealed }) => ({ kind, record, nonce, sealed })),
    entries: Object.fromEntries(
      Object.keys(body.entries)
        .sort()
        .map((name) => [name, { nonce: body.entries[name]?.nonce ?? '', sealed: body.entries[name]?.sealed ?? '' }]),
    ),
  };
}

function macOf(body: VaultBody, masterKey: Uint8Array): string {
  const key = createHmac('sha256', masterKey).update('planchet vault mac').digest();
  const mac = createHmac('sha256', key)
    .update(JSON.stringify(ordered(body)))
    .digest('hex');
  key.fill(0);
  return mac;
}

function checksumOf(body: VaultBody, mac: string): string {
  return createHash('sha256')
    .update(JSON.stringify(ordered(body)))
    .update(mac)
    .digest('hex');
}
