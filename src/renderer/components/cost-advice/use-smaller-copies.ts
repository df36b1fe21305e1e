import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Item } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { uploadFile } from '../../api/upload/upload.ts';
import { copyName } from './advice.ts';
import { type Kept, smallerCopy } from './smaller-copy.ts';

/** Files that cannot be made smaller, for as long as the page is open. */
const keptFiles = new Map<string, Kept>();

/** Makes smaller copies of the files of drafts in the page and assigns them to the drafts in one change. The originals are kept. */
export function useSmallerCopies(onDone: (changed: readonly Item[]) => void) {
  const queries = useQueryClient();
  const [done, setDone] = useState(0);
  const stop = useRef<AbortController>(undefined);
  const refresh = () =>
    Promise.all(
      [api.items.key(), api.runs.plan.key(), api.mint.estimate.key()].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    );
  const make = useMutation({
    mutationFn: async (items: readonly Item[]) => {
      const controller = new AbortController();
      const { signal } = controller;
      stop.current = controller;
      const changes: { id: string; sha256: string; fileName: string }[] = [];
      setDone(0);
      try {
        for (const { id, file } of items) {
          const blob = await client.files.read({ sha256: file.sha256 }, { signal });
          const copy = await smallerCopy(new Blob([blob], { type: file.contentType }));
          signal.throwIfAborted();
          if (copy instanceof Blob) {
            const fileName = copyName(file.name, copy.type);
            const named = new File([copy], fileName, { type: copy.type });
            const { sha256 } = await uploadFile(client.files, named, { signal, onProgress: () => {} });
            changes.push({ id, sha256, fileName });
          } else keptFiles.set(file.sha256, copy);
          setDone((count) => count + 1);
        }
      } catch (error) {
        // Copies made so far are not used.
        if (signal.aborted) return [];
        throw error;
      }
      return changes.length === 0 ? [] : client.items.replaceFiles({ changes, keepsOriginal: true });
    },
    onSuccess: async (changed) => {
      await refresh();
      onDone(changed);
    },
  });
  const putBack = useMutation({
    mutationFn: (items: readonly Item[]) => client.items.putOriginals({ ids: items.map(({ id }) => id) }),
    onSuccess: refresh,
  });
  return { make, putBack, done, cancel: () => stop.current?.abort(), kept: keptFiles };
}
