import { os } from '../base.ts';

export const settings = {
  list: os.settings.list.handler(({ context }) => context.settings.entries()),
  set: os.settings.set.handler(({ context, input }) => context.settings.set(input.key, input.value)),
  reset: os.settings.reset.handler(({ context, input }) => context.settings.reset(input.keys)),
  undo: os.settings.undo.handler(({ context, input }) => context.settings.undo(input.undo)),
  export: os.settings.export.handler(({ context }) => context.settings.export()),
  previewImport: os.settings.previewImport.handler(({ context, input }) => context.settings.preview(input.text)),
  import: os.settings.import.handler(({ context, input }) => context.settings.import(input.text)),
  waiting: os.settings.waiting.handler(({ context }) => context.settings.waiting()),
  probePort: os.settings.probePort.handler(({ context, input }) => context.settings.probePort(input)),
};
