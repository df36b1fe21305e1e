import { z } from 'zod';
import { allowed } from './phrases/allowed.ts';

export const networks = ['sandbox', 'private', 'test', 'main'] as const;
export const networkSchema = z.enum(networks);
export type Network = z.infer<typeof networkSchema>;

/** 64 lower-case hex digits in display order (reversed bytes), as nodes print transaction ids and block hashes. */
export const hashSchema = z.string().regex(/^[0-9a-f]{64}$/, allowed('rule.hash'));
/** Bytes as lower-case hex of any length. A regular expression for pairs would fail above ten million digits. */
export const hexSchema = z
  .string()
  .regex(/^[0-9a-f]*$/, allowed('rule.hex'))
  .refine((digits) => digits.length % 2 === 0, allowed('rule.hex'));
/** A public key in its compressed form, 66 lower-case hex digits. */
export const publicKeySchema = z.string().regex(/^0[23][0-9a-f]{64}$/, allowed('rule.compressed-key'));
/** Integer satoshis; 21,000,000 BSV fit a safe integer. */
export const satoshisSchema = z.number().int().min(0).max(2_100_000_000_000_000);
/** Milliseconds since 1970-01-01 UTC. */
export const timestampSchema = z.number().int();

/** `<txid>_<vout>`, the form in which collections refer to each other. */
export const outpointSchema = z.string().regex(/^[0-9a-f]{64}_\d+$/, allowed('rule.outpoint'));

export const serviceNames = [
  'console',
  'sandbox',
  'wallet',
  'studio',
  'gateway',
  'zmq',
  'writer',
  'callbacks',
  'metrics',
] as const;
export const serviceNameSchema = z.enum(serviceNames);
export type ServiceName = z.infer<typeof serviceNameSchema>;
