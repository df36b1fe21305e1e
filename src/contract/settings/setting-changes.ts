import { z } from 'zod';
import { serviceNames } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { procedure } from '../procedure.ts';
import { settingEntrySchema } from './settings.ts';

const keySchema = z.string().max(64);
const valueSchema = z.union([z.string().max(4_096), z.number(), z.boolean()]);

/** Largest settings file that is read, in characters. */
export const MAX_SETTINGS_FILE = 262_144;
const fileSchema = z.object({ text: z.string().max(MAX_SETTINGS_FILE) });

/** The effect of one key of a settings file. Values are masked if they are secret. */
export const importedSettingSchema = z.object({
  key: z.string(),
  from: valueSchema.nullable(),
  to: valueSchema.nullable(),
  /** `refused` keys are left out, for the reason in `reason`. */
  effect: z.enum(['change', 'same', 'refused']),
  reason: z.string(),
  /** The same reason as a failure, which the page translates. Null unless the key is refused. */
  failure: failureSchema.nullable(),
});
export type ImportedSetting = z.infer<typeof importedSettingSchema>;

const changedSchema = z.object({
  entries: z.array(settingEntrySchema),
  /** Undoes all of it while Planchet is running; null if nothing was changed. */
  undo: z.string().nullable(),
});

/** A key whose service still uses an older value. */
export const waitingSettingSchema = z.object({
  key: z.string(),
  /** The value that the service uses; null for a secret. */
  was: valueSchema.nullable(),
  service: z.enum([...serviceNames, 'application']),
});
export type WaitingSetting = z.infer<typeof waitingSettingSchema>;

export const portProbeSchema = z.object({
  port: z.number().int(),
  isFree: z.boolean(),
  /** The program that listens there, if the system reports it; a service of Planchet by its name. */
  usedBy: z.string().nullable(),
  /** The value with the next free port, if this one is in use. */
  proposal: z.string().nullable(),
});
export type PortProbe = z.infer<typeof portProbeSchema>;

export const settingsContract = {
  list: procedure.output(z.array(settingEntrySchema)),
  /** Text is parsed as the key's type, so the command line and a form can send what was typed. */
  set: procedure
    .input(z.object({ key: keySchema, value: valueSchema }))
    .output(z.object({ entry: settingEntrySchema, restarts: z.array(z.string()), undo: z.string().nullable() })),
  /** Resets keys to their defaults; without keys all of them, except secrets and the network. */
  reset: procedure.input(z.object({ keys: z.array(keySchema).max(500).optional() })).output(changedSchema),
  /** Undoes the changes with the id `undo`. */
  undo: procedure.input(z.object({ undo: z.string().max(64) })).output(changedSchema),
  /** Saved settings as a file, without secrets. */
  export: procedure.output(z.object({ fileName: z.string(), text: z.string() })),
  /** What an exported file would change. Nothing is saved. */
  previewImport: procedure.input(fileSchema).output(z.array(importedSettingSchema)),
  /** Saves the changes that `previewImport` lists. */
  import: procedure.input(fileSchema).output(changedSchema),
  /** Keys that were changed, and whose service has not been restarted since. */
  waiting: procedure.output(z.array(waitingSettingSchema)),
  /** Whether an address is free to listen on. */
  probePort: procedure.input(z.object({ key: keySchema, value: z.string().max(256) })).output(portProbeSchema),
};
