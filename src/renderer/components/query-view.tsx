import { Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from './callouts/failure-note.tsx';

/** Placeholder rows while a list loads. */
export function SkeletonRows({ rows = 5, height = 44 }: { rows?: number; height?: number }) {
  const { t } = useTranslation();
  return (
    <Stack gap={8} role="status" aria-label={t('common.loading')}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are equal and never move.
        <Skeleton key={index} height={height} radius="md" />
      ))}
    </Stack>
  );
}

interface QueryViewProps<T> {
  /** A query, or several combined. */
  query: {
    data: T | undefined;
    error: Error | null;
    isFetching: boolean;
    isFetchedAfterMount?: boolean;
    refetch(): unknown;
  };
  skeleton?: ReactNode;
  /** Shown instead of empty content. */
  empty?: ReactNode;
  isEmpty?: (data: T) => boolean;
  children: (data: T) => ReactNode;
}

/** The four states of a list or a page: loading with a placeholder, an error with a retry, empty with a first step, or the content. */
export function QueryView<T>({ query, skeleton = <SkeletonRows />, empty, isEmpty, children }: QueryViewProps<T>) {
  const isNothing = query.data !== undefined && empty !== undefined && isEmpty?.(query.data) === true;
  // What was empty at an earlier visit may not be any more.
  const isOld = isNothing && query.isFetching && query.isFetchedAfterMount === false;
  if (query.data !== undefined && !isOld) return <>{isNothing ? empty : children(query.data)}</>;
  if (query.error === null) return <>{skeleton}</>;
  return <ErrorNote error={query.error} retrying={query.isFetching} onRetry={() => void query.refetch()} />;
}
