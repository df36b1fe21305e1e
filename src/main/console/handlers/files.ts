import { contract, PlanchetError, UPLOAD_PIECE_BYTES } from '../../../contract/index.ts';
import { handlersOf } from '../handlers-of.ts';
import { os } from './base.ts';

export const files = {
  ...handlersOf(contract.files, os.files, (context) => context.files),
  append: os.files.append.handler(({ context, input }) => {
    if (input.piece.size > UPLOAD_PIECE_BYTES) {
      throw new PlanchetError(
        'content.piece-too-large',
        { limit: UPLOAD_PIECE_BYTES },
        { detail: { bytes: input.piece.size, limit: UPLOAD_PIECE_BYTES } },
      );
    }
    return context.files.append(input);
  }),
};
