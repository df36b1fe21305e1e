import { Button, Checkbox, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { SendManyList } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { ErrorNote, FailureNote } from '../../../components/callouts/failure-note.tsx';
import { Page, Panel } from '../../../components/page.tsx';
import { formatInteger } from '../../../lib/format.ts';
import { useTokenSelection } from '../../../lib/items/token-selection.ts';
import { routes } from '../../../lib/routes.ts';
import classes from '../send/send.module.css';
import { useSendManyDraft } from './draft.ts';
import { ReceiverList } from './receiver-list.tsx';
import { RowList } from './row-list.tsx';
import './texts.ts';
import { newKey } from '../../../lib/new-key.ts';

const TYPING_PAUSE_MS = 400;

/** What is sent of a list: lines without a fault, and those of the doubtful ones that a person has looked at. */
function sendable({ rows }: SendManyList) {
  const faulty = rows.filter(({ problems }) => problems.some(({ severity }) => severity === 'error'));
  const good = rows.filter((row) => !faulty.includes(row) && row.token !== null);
  return { faulty, good, doubtful: good.filter(({ problems }) => problems.length > 0) };
}

/** Sends many tokens: a list of receivers, paired with the chosen tokens line by line, before anything is built. */
export function SendManyPage() {
  const { t, i18n } = useTranslation();
  const [, navigate] = useLocation();
  const { chosen, change } = useTokenSelection();
  const { text, name, workbook, change: setList } = useSendManyDraft();
  const [settled] = useDebouncedValue(text, TYPING_PAUSE_MS);
  const [leavesOut, setLeavesOut] = useState(false);
  const [isSure, setSure] = useState(false);
  const tokens = useMemo(() => [...chosen], [chosen]);
  const list = useMemo(() => workbook ?? new Blob([settled], { type: 'text/csv' }), [settled, workbook]);
  const isEmpty = settled.trim() === '' && workbook === null;
  const options = api.tokens.sendMany.read.queryOptions({
    input: { list, name: name === '' ? 'list.csv' : name, tokens },
    enabled: !isEmpty,
    retry: false,
    placeholderData: keepPreviousData,
  });
  // A file has no value to compare lists by.
  const read = useQuery({
    ...options,
    queryKey: [
      'send-many',
      settled,
      name,
      workbook?.size,
      workbook?.lastModified,
      tokens,
    ] as unknown as typeof options.queryKey,
  });
  const found = isEmpty || read.isError ? undefined : read.data;
  const { faulty, good, doubtful } = useMemo(
    () => sendable(found ?? { rows: [], left: [], pairedBy: 'order' }),
    [found],
  );
  const prepare = useMutation(
    api.tokens.sendMany.prepare.mutationOptions({
      onSuccess: () => {
        change(() => new Set());
        setList({ text: '', name: '', workbook: null });
      },
    }),
  );
  const number = (value: number): string => formatInteger(value, i18n.language);
  const isCurrent = settled === text && found !== undefined && !read.isPlaceholderData;
  const ready = isCurrent && good.length > 0 && (faulty.length === 0 || leavesOut) && (doubtful.length === 0 || isSure);
  const submit = (): void => {
    if (!ready || prepare.isPending) return;
    const moves = good.flatMap(({ token, address }) => (token === null ? [] : [{ outpoint: token.outpoint, address }]));
    const onSuccess = ({ id }: { id: string }): void => navigate(routes.walletPayment(id));
    prepare.mutate({ moves, idempotencyKey: newKey() }, { onSuccess });
  };
  return (
    <Page
      title={t('sendMany.title')}
      purpose={t('sendMany.purpose')}
      crumbs={[{ label: t('tokens.title'), to: routes.tokens }]}
    >
      <Stack gap="md">
        <Panel
          title={t('sendMany.receivers')}
          hint={
            chosen.size > 0
              ? t('sendMany.chosen', { count: chosen.size, n: number(chosen.size) })
              : t('sendMany.noneChosen')
          }
        >
          <ReceiverList
            text={text}
            workbook={workbook}
            onChange={(draft) => {
              setList(draft);
              setSure(false);
              setLeavesOut(false);
            }}
          />
        </Panel>
        {read.isError && !isEmpty && <FailureNote failure={failureOf(read.error)} />}
        {found !== undefined && found.rows.length > 0 && <RowList list={found} />}
        <ErrorNote error={prepare.error} />
        {found !== undefined && (faulty.length > 0 || doubtful.length > 0) && (
          <Stack gap="xs">
            {faulty.length > 0 && (
              <Checkbox
                label={t('sendMany.leaveOut', { count: faulty.length, n: number(faulty.length) })}
                checked={leavesOut}
                onChange={(event) => setLeavesOut(event.currentTarget.checked)}
              />
            )}
            {doubtful.length > 0 && (
              <Checkbox
                label={t('sendMany.sure', { count: doubtful.length, n: number(doubtful.length) })}
                checked={isSure}
                onChange={(event) => setSure(event.currentTarget.checked)}
              />
            )}
          </Stack>
        )}
      </Stack>
      <div className={classes.bar}>
        <span className={classes.dim} role="status">
          {found !== undefined && found.left.length > 0
            ? t('sendMany.left', { count: found.left.length, n: number(found.left.length) })
            : t('tokens.send.nothingYet')}
        </span>
        <Button variant="default" component={Link} href={routes.tokens}>
          {t('common.cancel')}
        </Button>
        <Button disabled={!ready} loading={prepare.isPending} onClick={submit}>
          {good.length === 0
            ? t('tokens.send.review')
            : t('sendMany.review', { count: good.length, n: number(good.length) })}
        </Button>
      </div>
    </Page>
  );
}
