import { Button, Group, UnstyledButton } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { DecodedTransaction } from '../../../../contract/index.ts';
import { amountColumn, figureColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { furtherWarnings } from '../../../components/transaction-parts/notes.ts';
import { Hint } from '../../../components/values/hint.tsx';
import { Badge } from '../../../components/values/values.tsx';
import { phraseInPageLanguage } from '../../../i18n/phrases.ts';
import { formatBytes, formatInteger, shortenId } from '../../../lib/format.ts';
import classes from './submit.module.css';

const idOf = ({ txid }: DecodedTransaction): string => txid;

function toKnow(tx: DecodedTransaction): string {
  return [...tx.checks, ...furtherWarnings(tx)].map(({ sentence }) => phraseInPageLanguage(sentence)).join(' ');
}

function useColumns(open: (txid: string) => void): readonly ListColumn<DecodedTransaction>[] {
  const { t, i18n } = useTranslation();
  return useMemo(() => {
    const columns: ListColumn<DecodedTransaction>[] = [
      {
        key: 'txid',
        title: t('submitted.submit.col.txid'),
        width: 'minmax(96px, 1fr)',
        value: idOf,
        render: ({ txid }) => (
          <UnstyledButton
            className="mono link"
            aria-label={t('submitted.submit.viewOf', { id: shortenId(txid) })}
            onClick={() => open(txid)}
          >
            {shortenId(txid)}
          </UnstyledButton>
        ),
      },
      {
        key: 'format',
        title: t('submitted.submit.col.format'),
        width: '72px',
        value: ({ format }) => t(`submitted.submit.format.${format}`),
      },
      figureColumn(
        { key: 'bytes', title: t('submitted.submit.col.size'), width: '72px' },
        ({ bytes }) => bytes,
        (bytes) => formatBytes(bytes, i18n.language),
      ),
      amountColumn(
        { key: 'fee', title: t('submitted.submit.col.fee'), width: '96px' },
        ({ fee }) => fee,
        t('submitted.submit.unknown'),
      ),
      figureColumn(
        { key: 'feeRate', title: t('submitted.submit.col.rate'), width: '96px' },
        ({ feeRate }) => feeRate,
        (rate) => t('submitted.submit.rateValue', { rate: formatInteger(Math.round(rate), i18n.language) }),
      ),
      {
        key: 'warnings',
        title: t('submitted.submit.col.notes'),
        width: '72px',
        value: toKnow,
        render: (tx) => {
          const count = tx.checks.length + furtherWarnings(tx).length;
          if (count === 0) return '';
          return (
            <Hint text={toKnow(tx)}>
              <span>
                <Badge tone={tx.checks.length > 0 ? 'fail' : 'wait'}>{formatInteger(count, i18n.language)}</Badge>
              </span>
            </Hint>
          );
        },
      },
    ];
    return columns.map((column) => ({ ...column, sortable: false }));
  }, [t, i18n.language, open]);
}

/** The transactions of a source, each with what a person should know of it. */
export function DecodedList({
  transactions,
  more,
  open,
}: {
  transactions: readonly DecodedTransaction[];
  /** Fetches further ones; undefined where all are here. */
  more: (() => void) | undefined;
  open: (txid: string) => void;
}) {
  const { t } = useTranslation();
  return (
    <List
      name="decoded-transactions"
      label={t('submitted.submit.decoded')}
      title={t('submitted.submit.decoded')}
      rows={transactions}
      idOf={idOf}
      columns={useColumns(open)}
      onOpen={({ txid }) => open(txid)}
      onRange={(_, end) => end >= transactions.length - 20 && more?.()}
      maxHeight="360px"
      below={
        more !== undefined && (
          <Group justify="flex-end" className={classes.below}>
            <Button size="xs" variant="default" onClick={more}>
              {t('submitted.submit.older')}
            </Button>
          </Group>
        )
      }
    />
  );
}
