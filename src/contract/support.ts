import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { serviceNameSchema, timestampSchema } from './common.ts';
import { failureSchema } from './errors/failure-schema.ts';
import { procedure } from './procedure.ts';

/** What a check says that found nothing wrong. Values that need no words (a path, a version) have no text. */
export const passedCheckTexts = [
  'disk',
  'folder',
  'node',
  'port',
  'quota',
  'running',
  'serves',
  'servesHelped',
  'settings',
  'tokenServiceNone',
  'wallet',
] as const;

export const doctorFindingSchema = z.object({
  /** What was checked: a part of the machine, a setting, or a service. */
  check: z.string(),
  ok: z.boolean(),
  message: z.string(),
  /** What to do about it; empty where nothing is wrong. */
  fix: z.string(),
  /** What is wrong, for a reader in another language than English. */
  failure: failureSchema.optional(),
  /** What `message` says, likewise, where nothing is wrong. */
  passed: z
    .object({
      text: z.enum(passedCheckTexts),
      values: z.record(z.string(), z.union([z.string(), z.number()])),
    })
    .optional(),
  setting: z.string().optional(),
  /** The service whose restart may mend it. */
  service: serviceNameSchema.optional(),
});
export type DoctorFinding = z.infer<typeof doctorFindingSchema>;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
/** A line of the log, as it is in the file: secrets are masked before it is written. */
export const logLineSchema = z.object({
  /** Counts up; a line read from a file of an earlier run has a negative one. */
  number: z.number().int(),
  at: timestampSchema,
  level: z.enum(logLevels),
  /** The part of the program that wrote it; empty where the line names none. */
  part: z.string(),
  message: z.string(),
  /** Its other fields as JSON, cut where they are long; empty where there are none. */
  detail: z.string(),
});
export type LogLine = z.infer<typeof logLineSchema>;

/** The newest lines first of all, then what is written, a few times a second. */
export const logStepSchema = z.object({ lines: z.array(logLineSchema), skipped: z.number().int() });
export type LogStep = z.infer<typeof logStepSchema>;

export const diagnosticsSchema = z.object({
  /** Names this preview: the zip that is made for it holds exactly its files. */
  id: z.string(),
  fileName: z.string(),
  files: z.array(z.object({ name: z.string(), text: z.string() })),
});
export type Diagnostics = z.infer<typeof diagnosticsSchema>;

const blob = z.instanceof(Blob);

export const doctorContract = { run: procedure.output(z.array(doctorFindingSchema)) };

export const logsContract = {
  follow: procedure.output(eventIterator(logStepSchema)),
  /** The log file of now, whole. */
  file: procedure.output(blob),
};

export const diagnosticsContract = {
  /** What a report of this program would hold, without secrets and without the name of the user in a path. */
  preview: procedure.output(diagnosticsSchema),
  /** The previewed files as a zip. */
  zip: procedure.input(z.object({ id: z.string().max(64) })).output(blob),
};
