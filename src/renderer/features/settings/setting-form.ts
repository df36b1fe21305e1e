import { z } from 'zod';
import { type Phrase, ruleOf, type SettingEntry, settingRows } from '../../../contract/index.ts';

/** The values of a key, if it has a fixed list. */
export function optionsOf(key: string): readonly string[] | undefined {
  const schema = settingRows.get(key)?.schema;
  const inner = schema instanceof z.ZodDefault ? schema.def.innerType : schema;
  return inner instanceof z.ZodEnum ? inner.options.map(String) : undefined;
}

export type Value = string | number | boolean;

/** Parses a typed text as the type of the key and validates it by the same rules as the host. */
export function readDraft(entry: SettingEntry, draft: Value): { value: Value } | { problem: Phrase | undefined } {
  const isNumber = typeof entry.default === 'number' && /^\d+(?:\.\d+)?$/.test(String(draft).trim());
  const value = isNumber ? Number(draft) : draft;
  const result = settingRows.get(entry.key)?.schema.safeParse(value);
  if (result === undefined || result.success) return { value };
  return { problem: ruleOf(result.error.issues[0]?.message ?? '') };
}

/** Whether a draft differs from the current value. For a secret every typed text does. */
export function isChanged(entry: SettingEntry, draft: Value | undefined): draft is Value {
  if (draft === undefined) return false;
  return entry.secret ? draft !== '' : String(draft) !== String(entry.value);
}

/** Whether a value is the listening address of a service, so that its port can be checked before it is saved. */
export function listensAt(key: string, value: Value): boolean {
  return settingRows.get(key)?.listens !== undefined && /:[1-9]\d*$/.test(String(value));
}
