import { os } from '../base.ts';

export const doctor = {
  run: os.doctor.run.handler(({ context }) => context.support.doctor()),
};

export const logs = {
  follow: os.logs.follow.handler(({ context, signal }) => context.support.followLog(signal)),
  file: os.logs.file.handler(async ({ context }) => new Blob([await context.support.logFile()])),
};

export const diagnostics = {
  preview: os.diagnostics.preview.handler(({ context }) => context.support.previewDiagnostics()),
  zip: os.diagnostics.zip.handler(({ context, input }) => new Blob([context.support.zipDiagnostics(input.id)])),
};
