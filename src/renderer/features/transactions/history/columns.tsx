import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type TrackedTransaction, transactionStates, withHint } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { amountColumn, figureColumn, timeColumn } from '../../../components/list/columns.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Note } from '../../../components/note.tsx';
import { Hint } from '../../../components/values/hint.tsx';
import { Id } from '../../../components/values/values.tsx';
import { shownMinerName } from '../../../i18n/phrases.ts';
import { reasonWords } from '../../../i18n/reason.ts';
import { formatBytes, formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { AnswerMarks } from '../answer-marks.tsx';
import { StateLine } from '../state-line.tsx';
import classes from './history.module.css';

type Column = ListColumn<TrackedTransaction>;

/** Columns of the history. The host keeps the order over all pages, so no column can be sorted. */
export function useColumns(): readonly Column[] {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  return useMemo<readonly Column[]>(() => {
    const columns: Column[] = [
      timeColumn({ key: 'createdAt', title: t('submitted.list.when'), width: '84px' }, ({ createdAt }) => createdAt),
      {
        key: 'origin',
        title: t('submitted.list.what'),
        width: 'minmax(96px, 0.8fr)',
        value: ({ origin }) => t(`common.origin.${origin}`),
        render: ({ origin, txid }) => {
          const what = t(`common.origin.${origin}`);
          return (
            // A plain link, cheaper than one of the router in each of many rows; see Id.
            <a
              className="link"
              href={`#${routes.submittedTransaction(txid)}`}
              title={what}
              aria-label={t('submitted.list.open', { what })}
            >
              {what}
            </a>
          );
        },
      },
      {
        key: 'label',
        title: t('submitted.list.note'),
        width: 'minmax(60px, 1fr)',
        value: ({ label }) => label,
        render: ({ txid, label }) => (
          <Note
            key={txid}
            text={label}
            save={async (text) => {
              await client.tx.label({ txid, label: text });
              await queries.invalidateQueries({ queryKey: api.tx.key() });
            }}
          />
        ),
      },
      {
        key: 'state',
        title: t('submitted.list.state'),
        width: 'minmax(104px, 2fr)',
        value: ({ state }) => t(transactionStates.row(state).label),
        render: ({ state, reason }) => {
          if (reason === null) return <StateLine state={state} />;
          const words = reasonWords(reason);
          return (
            <Hint text={withHint({ message: words.text, hint: words.advice || undefined })}>
              <span className={classes.explained}>
                <StateLine state={state} />
                <span className={classes.reason}>{words.text}</span>
              </span>
            </Hint>
          );
        },
      },
      {
        key: 'answers',
        title: t('submitted.list.miners'),
        width: 'minmax(72px, 1fr)',
        value: ({ answers }) => answers.map(({ name, status }) => `${shownMinerName(name)}: ${status}`).join(', '),
        render: ({ answers }) => <AnswerMarks answers={answers} short />,
      },
      {
        key: 'reason',
        title: t('submitted.list.why'),
        width: 'minmax(88px, 1.4fr)',
        extra: true,
        value: ({ reason }) => reason && reasonWords(reason).text,
      },
      amountColumn({ key: 'fee', title: t('submitted.list.fee'), width: '80px' }, ({ fee }) => fee),
      figureColumn(
        { key: 'bytes', title: t('submitted.list.size'), width: '72px', extra: true },
        ({ bytes }) => bytes,
        (bytes) => formatBytes(bytes, i18n.language),
      ),
      figureColumn(
        { key: 'height', title: t('submitted.list.block'), width: '80px', extra: true },
        ({ block }) => block?.height ?? null,
        (height) => formatInteger(height, i18n.language),
      ),
      figureColumn(
        { key: 'confirmations', title: t('submitted.list.confirmations'), width: '104px', extra: true },
        ({ confirmations }) => confirmations,
        (confirmations) => formatInteger(confirmations, i18n.language),
      ),
      {
        key: 'txid',
        title: t('submitted.list.txid'),
        width: '108px',
        value: ({ txid }) => txid,
        render: ({ txid }) => <Id value={txid} kind="transaction" to={routes.submittedTransaction(txid)} />,
      },
    ];
    return columns.map((column) => ({ ...column, sortable: false }));
  }, [t, i18n.language, queries]);
}
