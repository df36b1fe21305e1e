import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SandboxBlock } from '../../../../contract/index.ts';
import { WholeNumberInput } from '../../../components/forms/whole-number-input.tsx';
import { Id } from '../../../components/values/values.tsx';
import { formatInteger } from '../../../lib/format.ts';
import classes from './chain.module.css';
import { fallsOut, mostReplaced } from './falls-out.ts';

/** Transactions that are listed; the others are counted. */
const MOST_NAMED = 2;

interface ForkProps {
  blocks: readonly SandboxBlock[];
  depth: number;
  busy: boolean;
  onDepth: (depth: number) => void;
  onConfirm: () => void;
}

/** What a reorganisation would remove from the chain, before it is made. */
export function Fork({ blocks, depth, busy, onDepth, onConfirm }: ForkProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const { from, to, transactions, txids, isComplete } = fallsOut(blocks, depth);
  const named = txids.slice(0, MOST_NAMED);
  return (
    <section className={classes.strip} data-fork aria-label={t('sandbox.chain.fork')}>
      <div className={classes.stripText} role="status">
        <div className={classes.stripTitle}>
          {t('sandbox.chain.forkTitle', {
            count: depth,
            from: formatInteger(from, language),
            to: formatInteger(to, language),
          })}
          <span className={classes.stripQuiet}>{t('sandbox.chain.forkRewards', { count: depth })}</span>
        </div>
        <div className={classes.stripLine}>
          {!isComplete && t('sandbox.chain.forkReading')}
          {isComplete &&
            (transactions === 0
              ? t('sandbox.chain.forkEmpty')
              : t('sandbox.chain.forkWaits', {
                  count: transactions,
                  number: formatInteger(transactions, language),
                }))}{' '}
          {isComplete && named.map((txid) => <Id key={txid} value={txid} kind="transaction" />)}
          {isComplete &&
            transactions > named.length &&
            t('sandbox.chain.forkMore', {
              count: transactions - named.length,
              number: formatInteger(transactions - named.length, language),
            })}
        </div>
      </div>
      <div className={classes.stripActions}>
        <WholeNumberInput
          w={84}
          size="xs"
          aria-label={t('sandbox.depth')}
          min={1}
          max={mostReplaced(to)}
          value={depth}
          onChange={(value) => value && onDepth(value)}
        />
        <Button size="xs" variant="subtle" color="gray" onClick={() => onDepth(0)}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" loading={busy} onClick={onConfirm}>
          {t('sandbox.reorgN', { count: depth })}
        </Button>
      </div>
    </section>
  );
}
