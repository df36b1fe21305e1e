import { SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SendManyList, SendManyProblem, SendManyRow } from '../../../../contract/index.ts';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Id } from '../../../components/values/values.tsx';
import { inPageLanguage } from '../../../i18n/errors.ts';
import { phraseInPageLanguage } from '../../../i18n/phrases.ts';
import { formatInteger, shortenId } from '../../../lib/format.ts';
import classes from './send-many.module.css';

interface Shown extends SendManyRow {
  readonly id: string;
}

const idOf = ({ id }: Shown): string => id;

function told({ text, phrase, failure }: SendManyProblem): string {
  if (failure !== null) return inPageLanguage(failure).message;
  return phrase === null ? text : phraseInPageLanguage(phrase);
}

const severityOf = ({ problems }: SendManyRow): 'error' | 'warning' | 'none' =>
  problems.some(({ severity }) => severity === 'error') ? 'error' : problems.length > 0 ? 'warning' : 'none';

const RANK = { error: 0, warning: 1, none: 2 } as const;

function useColumns(): readonly ListColumn<Shown>[] {
  const { t } = useTranslation();
  return useMemo<readonly ListColumn<Shown>[]>(
    () => [
      { key: 'line', title: t('sendMany.line'), width: '56px', align: 'right', value: ({ line }) => line },
      {
        key: 'token',
        title: t('sendMany.token'),
        width: 'minmax(130px, 1fr)',
        value: ({ token }) => token?.number ?? token?.name ?? null,
        text: ({ token }) => (token === null ? '' : `${token.name} ${token.outpoint}`),
        render: ({ token }) =>
          token === null ? (
            '–'
          ) : (
            <span title={token.outpoint}>
              {token.name || shortenId(token.outpoint, 6)}
              {token.number !== null && ` · #${token.number}`}
            </span>
          ),
      },
      {
        key: 'receiver',
        title: t('sendMany.receiver'),
        width: 'minmax(200px, 1.6fr)',
        value: ({ contact, address }) => contact ?? address,
        text: ({ contact, address }) => (contact === null ? address : `${contact} ${address}`),
        render: ({ contact, address, problems }) =>
          problems.some(({ failure }) => failure !== null) || address === '' ? (
            <span title={address}>{address}</span>
          ) : (
            <span className={classes.receiver}>
              {contact !== null && <span className={classes.name}>{contact}</span>}
              <Id value={address} kind="address" keep={8} unnamed />
            </span>
          ),
      },
      {
        key: 'problem',
        title: t('sendMany.problem'),
        width: 'minmax(180px, 2fr)',
        value: (row) => RANK[severityOf(row)],
        text: ({ problems }) => problems.map(told).join(' '),
        render: (row) => {
          const text = row.problems.map(told).join(' ');
          return (
            <span className={classes.problem} data-severity={severityOf(row)} title={text}>
              {text}
            </span>
          );
        },
      },
    ],
    [t],
  );
}

/** Every line of the list with its token and what is wrong with it; those with a fault first. */
export function RowList({ list }: { list: SendManyList }) {
  const { t, i18n } = useTranslation();
  const [only, setOnly] = useState<'all' | 'error' | 'warning'>('all');
  const columns = useColumns();
  const rows = useMemo(
    () =>
      list.rows
        .map((row, index): Shown => ({ ...row, id: `${index}` }))
        .sort((a, b) => RANK[severityOf(a)] - RANK[severityOf(b)] || Number(a.id) - Number(b.id)),
    [list],
  );
  const counts = { all: rows.length, error: 0, warning: 0, none: 0 };
  for (const row of rows) counts[severityOf(row)] += 1;
  const offered = (['all', 'error', 'warning'] as const).filter((one) => one === 'all' || counts[one] > 0);
  const shown = only !== 'all' && counts[only] > 0 ? rows.filter((row) => severityOf(row) === only) : rows;
  return (
    <List
      name="send-many"
      label={t('sendMany.rows')}
      title={t('sendMany.rows')}
      hint={t(list.pairedBy === 'order' ? 'sendMany.pairedByOrder' : 'sendMany.pairedByToken')}
      rows={shown}
      idOf={idOf}
      columns={columns}
      plain
      maxHeight={420}
      tools={
        offered.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={t('sendMany.show')}
            value={only}
            onChange={(value) => setOnly(value as typeof only)}
            data={offered.map((value) => ({
              value,
              label: `${t(`sendMany.only.${value}`)} ${formatInteger(counts[value], i18n.language)}`,
            }))}
          />
        )
      }
    />
  );
}
