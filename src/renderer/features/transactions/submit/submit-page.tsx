import { Button, Group, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type DecodedPage, SUBMISSION_PART, type TransactionSource } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { icon } from '../../../components/icon.ts';
import { Page } from '../../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../../components/query-view.tsx';
import { Badge } from '../../../components/values/values.tsx';
import { inPageLanguage } from '../../../i18n/errors.ts';
import { formatBytes, formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { DecodedDetail } from './decoded-detail.tsx';
import { DecodedList } from './decoded-list.tsx';
import { type Choices, Options } from './options.tsx';
import { Results } from './results.tsx';
import { SourceFields } from './source-fields.tsx';
import { SubmissionProgress } from './submission-progress.tsx';
import classes from './submit.module.css';
import { useCurrentResults } from './use-current-results.ts';
import { useSource } from './use-source.ts';
import { useSubmission } from './use-submission.ts';

const PAGE = 100;
/** As many are decoded by themselves, page after page; the rest when a person gets there. */
const AHEAD = 5_000;

function useDecoded(source: TransactionSource | undefined) {
  const query = useInfiniteQuery(
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
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const isAhead = (data?.pages.length ?? 0) * PAGE < AHEAD;
  useEffect(() => {
    if (source !== undefined && hasNextPage && isAhead && !isFetching && !isError) void fetchNextPage();
  }, [source, hasNextPage, isAhead, isFetching, isError, fetchNextPage]);
  return query;
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
          <li key={place}>{inPageLanguage(failure).message}</li>
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
        const kept = transactions.filter(({ checks }) => checks.length > 0).length;
        const words = {
          count: first.total,
          n: formatInteger(first.total, i18n.language),
          size: formatBytes(first.bytes, i18n.language),
        };
        return (
          <Stack gap="md">
            <Group gap="sm">
              <b role="status">{t(first.total === 0 ? 'submitted.submit.nothing' : 'submitted.submit.found', words)}</b>
              {transactions.length < first.total && (
                <Text c="dimmed" size="sm">
                  {t('submitted.submit.decodedSoFar', { n: formatInteger(transactions.length, i18n.language) })}
                </Text>
              )}
              {kept > 0 && (
                <Badge tone="fail">
                  {t('submitted.submit.wouldKeep', { count: kept, n: formatInteger(kept, i18n.language) })}
                </Badge>
              )}
            </Group>
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
  const fields = useSource();
  const { source, isCurrent } = fields;
  const submission = useSubmission();
  const { work, running } = submission;
  const results = useCurrentResults(submission.results);
  // A submission that fits into one part is awaited in the form; a longer one has its own view.
  const isForm = results.length === 0 && (work === undefined || work.total <= SUBMISSION_PART || running.isError);
  const query = useDecoded(isForm ? source : undefined);
  const [choices, setChoices] = useState<Choices>({});
  const first = source === undefined ? undefined : query.data?.pages[0];
  const total = first?.total ?? 0;
  const kept =
    choices.force === true
      ? 0
      : (query.data?.pages ?? []).flatMap((page) => page.transactions).filter(({ checks }) => checks.length > 0).length;
  const isReady = isCurrent && total > 0 && first?.unreadable.length === 0;
  return (
    <Page
      title={t('submitted.submit.title')}
      purpose={t('submitted.submit.purpose')}
      crumbs={[{ label: t('submitted.title'), to: routes.submitted }]}
    >
      {isForm ? (
        <div className={classes.columns}>
          <Stack gap="md">
            <SourceFields fields={fields} />
            {source !== undefined && <Decoded query={query} source={source} />}
          </Stack>
          <Stack gap="md">
            <Options choices={choices} onChange={setChoices} />
            <SubmissionProgress submission={submission} />
            <Button
              leftSection={<IconSend {...icon} />}
              disabled={!isReady}
              loading={running.isPending}
              onClick={() => source !== undefined && submission.submit({ ...choices, source }, total)}
            >
              {kept === 0
                ? t('submitted.submit.send', { count: total, n: formatInteger(total, i18n.language) })
                : kept === total
                  ? t('submitted.submit.sendNone')
                  : t('submitted.submit.sendSome', {
                      n: formatInteger(total - kept, i18n.language),
                      total: formatInteger(total, i18n.language),
                    })}
            </Button>
          </Stack>
        </div>
      ) : (
        <Stack gap="md">
          <SubmissionProgress submission={submission} />
          {results.length > 0 && (
            <Results
              results={results}
              running={running.isPending}
              onForce={(txids) =>
                source !== undefined && submission.submitSome({ ...choices, force: true, source }, txids)
              }
              onRetry={submission.retry}
            />
          )}
          <div>
            <Button
              variant="default"
              disabled={running.isPending}
              onClick={() => {
                fields.clear();
                submission.clear();
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
