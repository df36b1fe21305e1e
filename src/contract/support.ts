import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { serviceNameSchema, timestampSchema } from './common.ts';
import { failureSchema } from './errors/failure-schema.ts';
import { procedure } from './procedure.ts';

/** The result of a passed check. Values that need no words (a path, a version) have no text. */
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
  /** The subject of the check: a part of the machine, a setting, or a service. */
  check: z.string(),
  ok: z.boolean(),
  message: z.string(),
  /** The fix; empty if nothing is wrong. */
  fix: z.string(),
  /** The problem, for translation. */
  failure: failureSchema.optional(),
  /** The message of a passed check, for translation. */
  passed: z
    .object({
      text: z.enum(passedCheckTexts),
      values: z.record(z.string(), z.union([z.string(), z.number()])),
    })
    .optional(),
  setting: z.string().optional(),
  /** The service whose restart may fix it. */
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
  /** The part of the program that wrote it; empty if the line names none. */
  part: z.string(),
  message: z.string(),
  /** Its other fields as JSON, truncated if they are long; empty if there are none. */
  detail: z.string(),
});
export type LogLine = z.infer<typeof logLineSchema>;

/** The newest lines first, then new ones as they are written, a few times a second. */
export const logStepSchema = z.object({ lines: z.array(logLineSchema), skipped: z.number().int() });
export type LogStep = z.infer<typeof logStepSchema>;

export const diagnosticsSchema = z.object({
  /** Id of this preview. The zip made for it contains exactly its files. */
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
  /** The contents of a report about this program, without secrets and without the name of the user in paths. */
  preview: procedure.output(diagnosticsSchema),
  /** The previewed files as a zip. */
  zip: procedure.input(z.object({ id: z.string().max(64) })).output(blob),
};
