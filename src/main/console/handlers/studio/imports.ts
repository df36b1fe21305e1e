import { PlanchetError } from '../../../../contract/index.ts';
import { os } from '../base.ts';

export const imports = {
  upload: {
    begin: os.import.upload.begin.handler(({ context }) => context.studio.imports.uploads.begin()),
    append: os.import.upload.append.handler(async ({ context, input: { piece, ...input } }) =>
      context.studio.imports.uploads.append({ ...input, piece: new Uint8Array(await piece.arrayBuffer()) }),
    ),
    abort: os.import.upload.abort.handler(({ context, input }) =>
      context.studio.imports.uploads.remove(input.uploadId),
    ),
  },
  open: os.import.open.handler(({ context, input }) => {
    if (context.isPage && input.paths !== undefined) throw new PlanchetError('import.path-from-page');
    return context.studio.imports.open(input);
  }),
  list: os.import.list.handler(({ context }) => context.studio.imports.list()),
  status: os.import.status.handler(({ context, input }) => context.studio.imports.status(input.id)),
  mapping: {
    get: os.import.mapping.get.handler(({ context, input }) => context.studio.imports.mapping(input.id)),
    set: os.import.mapping.set.handler(({ context, input }) => context.studio.imports.setMapping(input)),
  },
  rows: os.import.rows.handler(({ context, input }) => context.studio.imports.rows(input)),
  files: os.import.files.handler(({ context, input }) => context.studio.imports.files(input)),
  traits: os.import.traits.handler(({ context, input }) => context.studio.imports.traits(input.id)),
  edit: os.import.edit.handler(({ context, input }) => context.studio.imports.edit(input)),
  commit: os.import.commit.handler(({ context, input }) => context.studio.imports.commit(input.id)),
  discard: os.import.discard.handler(({ context, input }) => context.studio.imports.discard(input.id)),
};
