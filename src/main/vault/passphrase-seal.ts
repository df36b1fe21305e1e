import { z } from 'zod';
import { PlanchetError } from '../../contract/index.ts';
import { foreignBounds, parseForeign } from '../foreign-json.ts';
import { passphraseSource } from './key-sources.ts';
import { DEFAULT_SCRYPT, type ScryptCost } from './scrypt-cost.ts';
import { seal, unseal } from './seal.ts';
import { keyRecordSchema, sealedFields } from './vault-format.ts';

const sealedSchema = z.strictObject({ key: keyRecordSchema, ...sealedFields });

/** Seals bytes under a passphrase: scrypt, then AES-256-GCM. @param context see {@link seal} @returns JSON text */
export async function sealWithPassphrase(
  passphrase: string,
  plain: Uint8Array,
  context: string,
  cost: ScryptCost = DEFAULT_SCRYPT,
): Promise<string> {
  const { key, record } = await passphraseSource(async () => passphrase, cost).create();
  try {
    return JSON.stringify({ key: record, ...seal(key, plain, context) });
  } finally {
    key.fill(0);
  }
}

/**
 * Opens what {@link sealWithPassphrase} made.
 * @throws PlanchetError `vault-passphrase-wrong`, `invalid-input` where the text is something else
 */
export async function openWithPassphrase(passphrase: string, text: string, context: string): Promise<Uint8Array> {
  const parsed = sealedSchema.safeParse(parseForeign(text, foreignBounds.backupFile));
  if (!parsed.success) throw new PlanchetError('wallet.backup-damaged');
  const { key: record, ...sealed } = parsed.data;
  let key: Uint8Array | undefined;
  try {
    key = (await passphraseSource(async () => passphrase).recover(record))?.key;
  } catch (error) {
    throw new PlanchetError('wallet.backup-damaged', {}, { cause: error });
  }
  const plain = key && unseal(key, sealed, context);
  key?.fill(0);
  if (plain) return plain;
  throw new PlanchetError('wallet.backup-passphrase-wrong');
}

export const passphraseSeal = { seal: sealWithPassphrase, open: openWithPassphrase };
