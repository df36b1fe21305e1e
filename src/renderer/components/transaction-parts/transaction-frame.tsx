import { Stack } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { Page } from '../page.tsx';
import { QueryView } from '../query-view.tsx';
import { TransactionSkeleton, TxidLine } from './parts.tsx';

type Query<T> = ComponentProps<typeof QueryView<T>>['query'];

/** A page about one transaction: its whole id under the heading, and what is known of it once that is here. */
export function TransactionFrame<T>({
  txid,
  query,
  children,
  ...head
}: Omit<ComponentProps<typeof Page>, 'children'> & {
  txid: string;
  query: Query<T>;
  children: (found: T) => ReactNode;
}) {
  return (
    <Page {...head}>
      <TxidLine txid={txid} />
      <QueryView query={query} skeleton={<TransactionSkeleton />}>
        {(found) => <Stack gap="md">{children(found)}</Stack>}
      </QueryView>
    </Page>
  );
}
