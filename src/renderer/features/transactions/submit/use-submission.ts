import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { SUBMISSION_PART, type SubmittedTransaction } from '../../../../contract/index.ts';
import { api, type Client, client } from '../../../api/client.ts';

type Submission = Parameters<Client['tx']['submit']>[0];

/** One call of a longer work. */
interface Part {
  readonly size: number;
  readonly send: () => Promise<readonly SubmittedTransaction[]>;
}

interface Work {
  readonly total: number;
  readonly done: number;
  /** Of those done, what an earlier run did. */
  readonly before: number;
  readonly startedAt: number;
  /** Undefined while it runs. */
  readonly endedAt: number | undefined;
  /** What was not sent, because a person stopped it or a part failed. */
  readonly rest: readonly Part[];
}

function partsOf<T>(list: readonly T[], send: (some: T[]) => Part['send']): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < list.length; at += SUBMISSION_PART) {
    const some = list.slice(at, at + SUBMISSION_PART);
    parts.push({ size: some.length, send: send(some) });
  }
  return parts;
}

/** Sends transactions part after part, and keeps what became of each. It goes on while another view is open. */
export function useSubmission() {
  const queries = useQueryClient();
  const [results, setResults] = useState<ReadonlyMap<string, SubmittedTransaction>>(new Map());
  const [work, setWork] = useState<Work>();
  const stopped = useRef(false);
  const running = useMutation({
    mutationFn: async ({ parts, before = 0 }: { parts: readonly Part[]; before?: number }) => {
      stopped.current = false;
      const startedAt = Date.now();
      const total = parts.reduce((sum, { size }) => sum + size, before);
      let done = before;
      let left = parts;
      const show = (endedAt?: number): void => setWork({ total, done, before, startedAt, endedAt, rest: left });
      show();
      try {
        for (const { size, send } of parts) {
          if (stopped.current) break;
          const found = await send();
          setResults((before) => new Map([...before, ...found.map((result) => [result.txid, result] as const)]));
          done += size;
          left = left.slice(1);
          show();
        }
      } finally {
        show(Date.now());
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.tx.list.key() }),
  });
  return {
    results,
    work,
    running,
    /** @param total of the source */
    submit: (input: Submission, total: number): void => {
      const offsets = Array.from({ length: Math.ceil(total / SUBMISSION_PART) }, (_, index) => index * SUBMISSION_PART);
      running.mutate({
        parts: offsets.map((offset) => ({
          size: Math.min(SUBMISSION_PART, total - offset),
          send: () => client.tx.submit({ ...input, offset, limit: SUBMISSION_PART }),
        })),
      });
    },
    /** Some of the source once more. */
    submitSome: (input: Submission, txids: readonly string[]): void =>
      running.mutate({ parts: partsOf(txids, (some) => () => client.tx.submit({ ...input, txids: some })) }),
    retry: (txids: readonly string[]): void =>
      running.mutate({ parts: partsOf(txids, (some) => () => client.tx.retry({ txids: some })) }),
    stop: (): void => {
      stopped.current = true;
    },
    goOn: (): void => running.mutate({ parts: work?.rest ?? [], before: work?.done ?? 0 }),
    clear: (): void => {
      running.reset();
      setResults(new Map());
      setWork(undefined);
    },
  };
}

export type RunningSubmission = ReturnType<typeof useSubmission>;
