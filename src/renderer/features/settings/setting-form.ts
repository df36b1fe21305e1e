import { z } from 'zod';
import {
  currencySettingsSchema,
  type SettingEntry,
  sandboxSettingsSchema,
  settingsSchema,
} from '../../../contract/index.ts';

export const settingGroups = [
  'network',
  'console',
  'node',
  'upstream',
  'services',
  'sandbox',
  'minting',
  'writer',
  'appearance',
  'other',
] as const;
export type SettingGroup = (typeof settingGroups)[number];

/** The heading of a key, as its schema names it; `other` for keys without one. */
export function groupOf(key: string): SettingGroup {
  const [head = ''] = key.split('.');
  const shape: Readonly<Record<string, z.ZodType>> = settingsSchema.shape;
  const group = shape[head]?.meta()?.group;
  return settingGroups.find((name) => name === group) ?? 'other';
}

const groupSchemas: ReadonlyMap<string, z.ZodObject> = new Map(
  Object.entries<z.ZodObject>({
    currency: currencySettingsSchema,
    sandbox: sandboxSettingsSchema,
  }),
);

function schemaOf(key: string): z.ZodType | undefined {
  const [head = '', inner] = key.split('.');
  const group = groupSchemas.get(head);
  const shape: Readonly<Record<string, z.ZodType>> = group?.shape ?? settingsSchema.shape;
  return shape[group === undefined ? key : (inner ?? '')];
}

/** What a key can be chosen from, where its values are a list. */
export function optionsOf(key: string): readonly string[] | undefined {
  const schema = schemaOf(key);
  const inner = schema instanceof z.ZodDefault ? schema.def.innerType : schema;
  return inner instanceof z.ZodEnum ? inner.options.map(String) : undefined;
}

export type Unit =
  | 'bytes'
  | 'satoshis'
  | 'duration'
  | 'bind'
  | 'zmq'
  | 'urls'
  | 'url'
  | 'tokens'
  | 'rate'
  | 'feeRate'
  | 'documents'
  | 'coins';

const units: readonly (readonly [RegExp, Unit])[] = [
  [/Bytes$|FreeDisk$/, 'bytes'],
  [/Satoshis$|DailySpend$/, 'satoshis'],
  [/Timeout$|writerWait|LockAfter$|ShareFor$|mineInterval$|mineOnArrival$/, 'duration'],
  [/[bB]ind$|consoleAddress$/, 'bind'],
  [/[zZ]mq(?:Address|Url)$/, 'zmq'],
  [/bitcoinRpcUrl$/, 'urls'],
  [/^(?:base|consoleBase|mapi|funding)Url$|^otlpEndpoint$/, 'url'],
  [/monthlyMintLimit$/, 'tokens'],
  [/maxRequestsPerSecond$/, 'rate'],
  [/maxFeeRate$/, 'feeRate'],
  [/DocumentsPerTransaction$|QueueLimit$/, 'documents'],
  [/PoolCoins$/, 'coins'],
];

/** In what a key is counted or written, where its name does not say it all. */
export function unitOf(key: string): Unit | undefined {
  return units.find(([pattern]) => pattern.test(key))?.[1];
}

export type Value = string | number | boolean;

/** Reads what was typed as the type the key has, and says what is allowed by the rules that the host applies too. */
export function readDraft(entry: SettingEntry, draft: Value): { value: Value } | { problem: string } {
  const isNumber = typeof entry.default === 'number' && /^\d+(?:\.\d+)?$/.test(String(draft).trim());
  const value = isNumber ? Number(draft) : draft;
  const result = schemaOf(entry.key)?.safeParse(value);
  if (result === undefined || result.success) return { value };
  return { problem: result.error.issues[0]?.message ?? '' };
}

/** Whether a draft differs from what holds now; for a secret every typed text does. */
export function isChanged(entry: SettingEntry, draft: Value | undefined): draft is Value {
  if (draft === undefined) return false;
  return entry.secret ? draft !== '' : String(draft) !== String(entry.value);
}

const LISTENS = /[bB]ind$|consoleAddress$|[zZ]mqAddress$/;

/** Whether a value is an address that a service listens at, so that its port can be tried before it is saved. */
export function listensAt(key: string, value: Value): boolean {
  return LISTENS.test(key) && /:[1-9]\d*$/.test(String(value));
}
