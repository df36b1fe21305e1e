import { z } from 'zod';
import { failureSchema } from '../../contract/index.ts';

/** What the host's process needs to build its host. It all comes from the shell, which is trusted; keys are not among it. */
const startSchema = z.object({
  dataDir: z.string(),
  version: z.string(),
  overrides: z.record(z.string(), z.string()),
  safeMode: z.boolean(),
  rendererDir: z.string(),
  /** Whether the keychain protects nothing; null where there is no keychain. */
  weakKeychain: z.boolean().nullable(),
  /** The host before this one ended by itself: the wallet starts locked. */
  afterCrash: z.boolean(),
});
export type HostStart = z.infer<typeof startSchema>;

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const payload = z.union([z.string(), bytes, z.instanceof(ArrayBuffer)]);

/** What the keychain opened, as the vault takes it. */
export const openedTextSchema = z.object({ text: z.string(), resealed: bytes.optional() });

/** Messages of the shell to the host's process. */
export const toHostSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('create'), options: startSchema }),
  z.object({ type: z.literal('start') }),
  /** With one port: calls of a page arrive there, past the shell. */
  z.object({ type: z.literal('page'), id: z.number().int() }),
  z.object({ type: z.literal('page-gone'), id: z.number().int() }),
  /** A message of the shell's own client. */
  z.object({ type: z.literal('call'), data: payload }),
  z.object({ type: z.literal('keychain'), id: z.number().int(), value: z.unknown(), failed: z.boolean() }),
  /** A picture process that the host had started answered. */
  z.object({ type: z.literal('picture'), id: z.number().int(), message: z.unknown() }),
  z.object({ type: z.literal('pictures-ended'), id: z.number().int(), reason: z.string() }),
  z.object({ type: z.literal('log'), level: z.string(), text: z.string(), fields: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal('sleep') }),
  z.object({ type: z.literal('stop') }),
]);
export type ToHost = z.infer<typeof toHostSchema>;

/** Messages of the host's process to the shell. */
export const fromHostSchema = z.discriminatedUnion('type', [
  /** Its module is loaded and listens. */
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('created') }),
  z.object({ type: z.literal('started') }),
  z.object({ type: z.literal('failed'), failure: failureSchema }),
  z.object({ type: z.literal('call'), data: payload }),
  z.object({
    type: z.literal('keychain'),
    id: z.number().int(),
    call: z.enum(['available', 'encrypt', 'decrypt', 'allowsPassphrase']),
    value: z.union([z.string(), bytes]).optional(),
  }),
  /** Only the shell can start a process of Electron. */
  z.object({ type: z.literal('start-pictures'), id: z.number().int() }),
  z.object({ type: z.literal('ask-pictures'), id: z.number().int(), request: z.unknown() }),
  z.object({ type: z.literal('kill-pictures'), id: z.number().int() }),
  z.object({ type: z.literal('restart') }),
  z.object({ type: z.literal('stopped') }),
]);
export type FromHost = z.infer<typeof fromHostSchema>;
export type KeychainCall = Extract<FromHost, { type: 'keychain' }>;
