import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Failure } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';

export interface Action<T> {
  busy: boolean;
  failure: Failure | undefined;
  result: T | undefined;
  run: (work: () => Promise<T>) => Promise<void>;
}

/** One control of the sandbox: whether it is running, its result and its failure. The state of the network is read again afterwards. */
export function useAction<T>(): Action<T> {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [result, setResult] = useState<T>();
  const run = useCallback(
    async (work: () => Promise<T>): Promise<void> => {
      setBusy(true);
      setFailure(undefined);
      setResult(undefined);
      try {
        setResult(await work());
      } catch (error) {
        setFailure(failureOf(error));
      }
      setBusy(false);
      await Promise.all([
        queries.invalidateQueries({ queryKey: api.sandbox.status.key() }),
        queries.invalidateQueries({ queryKey: api.sandbox.chain.key() }),
      ]);
    },
    [queries],
  );
  return { busy, failure, result, run };
}
