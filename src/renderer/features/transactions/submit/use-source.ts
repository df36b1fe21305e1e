import { useDebouncedValue } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type TransactionSource, UPLOAD_PIECE_BYTES } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';

/** A longer text is uploaded as a file. */
const MAX_TEXT = 1_000_000;

interface SourceFile {
  readonly uploadId: string;
  readonly name: string;
  readonly bytes: number;
}

async function upload(file: File): Promise<SourceFile> {
  let uploadId: string | undefined;
  for (let at = 0; at < file.size || uploadId === undefined; at += UPLOAD_PIECE_BYTES) {
    const piece = file.slice(at, at + UPLOAD_PIECE_BYTES);
    ({ uploadId } = await client.tx.upload({ piece, ...(uploadId !== undefined && { uploadId }) }));
  }
  return { uploadId, name: file.name, bytes: file.size };
}

/** What was typed, pasted or dropped. A file takes the place of the text. */
export function useSource() {
  const [text, setText] = useState('');
  const [file, setFile] = useState<SourceFile>();
  const [typed] = useDebouncedValue(text.trim(), 250);
  const sending = useMutation({ mutationFn: upload });
  // A callback of the call is not run once another call began, or after a reset.
  const send = (next: File): void => sending.mutate(next, { onSuccess: setFile });
  const write = (next: string): void => {
    if (next.length <= MAX_TEXT) setText(next);
    else send(new File([next], 'text'));
  };
  const clear = (): void => {
    setText('');
    setFile(undefined);
    sending.reset();
  };
  const source: TransactionSource | undefined =
    file !== undefined ? { uploadId: file.uploadId } : typed === '' ? undefined : { text: typed };
  /** Whether the decoded source is the current content of the field. */
  const isCurrent = file !== undefined || typed === text.trim();
  return { text, write, file, send, sending, clear, source, isCurrent };
}

export type SourceFields = ReturnType<typeof useSource>;
