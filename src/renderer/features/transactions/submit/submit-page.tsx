import { Button, Stack } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DecodedPage, SubmittedTransaction, TransactionSource } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { icon } from '../../../components/icon.ts';
import { Callout, FailureNote, Page } from '../../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../../components/query-view.tsx';
import { formatBytes, formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { DecodedDetail } from './decoded-detail.tsx';
import { DecodedList } from './decoded-list.tsx';
import { type Choices, Options } from './options.tsx';
import { Results } from './results.tsx';
import { SourceFields } from './source-fields.tsx';
import classes from './submit.module.css';
import { useSource } from './use-source.ts';

const PAGE = 100;

function useDecoded(source: TransactionSource | undefined) {
  return useInfiniteQuery(
    api.tx.decode.infiniteOptions({
      input: (offset: number) => ({ source: source ?? { text: '' }, offset, limit: PAGE }),
      initialPageParam: 0,
      getNextPageParam: ({ total }, pages) => {
        const loaded = pages.reduce((sum, { transactions }) => sum + transactions.length, 0);
        return loaded < total ? loaded : undefined;
      },
      enabled: source !== undefined,
      retry: false,
    }),
  );
}

function Unreadable({ page }: { page: DecodedPage }) {
  const { t, i18n } = useTranslation();
  const { unreadable } = page;
  if (unreadable.length === 0) return null;
  const words = { count: unreadable.length, n: formatInteger(unreadable.length, i18n.language) };
  return (
    <Callout tone="fail" role="alert" title={t('submitted.submit.unreadable', words)}>
      {t('submitted.submit.unreadableText')}
      <ul className={classes.list}>
        {unreadable.slice(0, 10).map(({ place, failure }) => (
          <li key={place}>
            {t('submitted.submit.place', { n: formatInteger(place, i18n.language) })}: {failure.message}
          </li>
        ))}
      </ul>
    </Callout>
  );
}

function Decoded({ query, source }: { query: ReturnType<typeof useDecoded>; source: TransactionSource }) {
  const { t, i18n } = useTranslation();
  const [opened, setOpened] = useState<string>();
  return (
    <QueryView query={query} skeleton={<SkeletonRows rows={4} />}>
      {({ pages }) => {
        const [first] = pages as [DecodedPage, ...DecodedPage[]];
        const transactions = pages.flatMap((page) => page.transactions);
        const shown =
          transactions.find(({ txid }) => txid === opened) ?? (first.total === 1 ? transactions[0] : undefined);
        const words = {
          count: first.total,
          n: formatInteger(first.total, i18n.language),
          size: formatBytes(first.bytes, i18n.language),
        };
        return (
          <Stack gap="md">
            <b role="status">{t(first.total === 0 ? 'submitted.submit.nothing' : 'submitted.submit.found', words)}</b>
            <Unreadable page={first} />
            {first.total > 1 && (
              <DecodedList
                transactions={transactions}
                open={setOpened}
                more={query.hasNextPage && !query.isFetching ? () => void query.fetchNextPage() : undefined}
              />
            )}
            {shown !== undefined && <DecodedDetail tx={shown} source={source} />}
          </Stack>
        );
      }}
    </QueryView>
  );
}

/** Signed transactions from elsewhere: decoded at once, sent only on a press, each followed from then on. */
export function SubmitPage() {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const fields = useSource();
  const { source, isCurrent } = fields;
  const query = useDecoded(source);
  const [choices, setChoices] = useState<Choices>({});
  const [results, setResults] = useState<readonly SubmittedTransaction[]>();
  const submit = useMutation(
    api.tx.submit.mutationOptions({
      onSuccess: (submitted) => {
        setResults(submitted);
        return queries.invalidateQueries({ queryKey: api.tx.list.key() });
      },
    }),
  );
  const first = source === undefined ? undefined : query.data?.pages[0];
  const total = first?.total ?? 0;
  const isReady = isCurrent && total > 0 && first?.unreadable.length === 0;
  const send = (more: Choices = {}): void => {
    if (source !== undefined) submit.mutate({ ...choices, ...more, source });
  };
  return (
    <Page
      title={t('submitted.submit.title')}
      purpose={t('submitted.submit.purpose')}
      crumbs={[{ label: t('submitted.title'), to: routes.submitted }]}
    >
      {results === undefined ? (
        <div className={classes.columns}>
          <Stack gap="md">
            <SourceFields fields={fields} />
            {source !== undefined && <Decoded query={query} source={source} />}
          </Stack>
          <Stack gap="md">
            <Options choices={choices} onChange={setChoices} />
            {submit.isError && <FailureNote failure={failureOf(submit.error)} />}
            <Button
              leftSection={<IconSend {...icon} />}
              disabled={!isReady}
              loading={submit.isPending}
              onClick={() => send()}
            >
              {t('submitted.submit.send', { count: total, n: formatInteger(total, i18n.language) })}
            </Button>
          </Stack>
        </div>
      ) : (
        <Stack gap="md">
          {submit.isError && <FailureNote failure={failureOf(submit.error)} />}
          <Results results={results} onForce={() => send({ force: true })} forcing={submit.isPending} />
          <div>
            <Button
              variant="default"
              onClick={() => {
                fields.clear();
                submit.reset();
                setResults(undefined);
              }}
            >
              {t('submitted.submit.again')}
            </Button>
          </div>
        </Stack>
      )}
    </Page>
  );
}
