import { PlanchetError, UPLOAD_PIECE_BYTES } from '../../../../contract/index.ts';
import { os } from '../base.ts';

export const files = {
  begin: os.files.begin.handler(({ context, input }) => context.studio.beginUpload(input)),
  append: os.files.append.handler(({ context, input }) => {
    if (input.piece.size > UPLOAD_PIECE_BYTES) {
      throw new PlanchetError(
        'content.piece-too-large',
        { limit: UPLOAD_PIECE_BYTES },
        { detail: { bytes: input.piece.size, limit: UPLOAD_PIECE_BYTES } },
      );
    }
    return context.studio.appendUpload(input);
  }),
  finish: os.files.finish.handler(({ context, input }) => context.studio.finishUpload(input)),
  abort: os.files.abort.handler(({ context, input }) => context.studio.abortUpload(input)),
  thumbnail: os.files.thumbnail.handler(({ context, input }) => context.studio.thumbnail(input)),
  read: os.files.read.handler(({ context, input }) => context.studio.readFile(input)),
};
