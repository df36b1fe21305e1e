import { Button } from '@mantine/core';
import { IconPinFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { SandboxBlock, SandboxChain, SandboxSnapshot } from '../../../../contract/index.ts';
import { Amount, Id } from '../../../components/values/values.tsx';
import { formatBytes, formatExact, formatInteger, formatRelative } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { SnapshotButtons } from '../actions/snapshot-buttons.tsx';
import { SpendTwice } from '../actions/spend-twice.tsx';
import { useSandboxNow } from '../sandbox-time.ts';
import classes from './chain.module.css';

/** Transactions of a block that are listed. The page of the block has all of them. */
const MOST_NAMED = 4;

interface LookInBlockProps {
  block: SandboxBlock;
  tip: number;
  snapshots: readonly SandboxSnapshot[];
  onReorganise: (depth: number) => void;
}

export function LookInBlock({ block, tip, snapshots, onReorganise }: LookInBlockProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const now = useSandboxNow();
  const pins = snapshots.filter((snapshot) => snapshot.tip?.hash === block.hash);
  const left = block.transactions - Math.min(block.txids.length, MOST_NAMED);
  return (
    <section className={classes.strip} aria-label={t('sandbox.chain.lookIn')}>
      <div className={classes.stripText}>
        <div className={classes.stripTitle}>
          {t('sandbox.chain.block', { height: formatInteger(block.height, language) })}
          <span className={classes.stripQuiet} title={formatExact(block.time, language)}>
            {formatRelative(Math.min(block.time, now), now, language)} · {formatBytes(block.bytes, language)}
          </span>
          <Id value={block.hash} kind="block" />
        </div>
        <div className={classes.stripLine}>
          {block.transactions === 0
            ? t('sandbox.chain.onlyReward')
            : t('sandbox.chain.inside', {
                count: block.transactions + 1,
                number: formatInteger(block.transactions + 1, language),
              })}{' '}
          {block.txids.slice(0, MOST_NAMED).map((txid) => (
            <Id key={txid} value={txid} kind="transaction" />
          ))}
          {left > 0 && t('sandbox.chain.forkMore', { count: left, number: formatInteger(left, language) })}
        </div>
        {pins.map((snapshot) => (
          <div key={snapshot.name} className={classes.stripPin}>
            <IconPinFilled size={14} aria-hidden />
            <span className={classes.stripPinName}>{snapshot.name}</span>
            <SnapshotButtons snapshot={snapshot} />
          </div>
        ))}
      </div>
      <div className={classes.stripActions}>
        {block.height > 1 && tip > 1 && (
          <Button size="xs" variant="subtle" color="gray" onClick={() => onReorganise(tip - block.height + 1)}>
            {t('sandbox.chain.reorganiseHere')}
          </Button>
        )}
        <Button size="xs" variant="default" component={Link} href={routes.block(block.hash)}>
          {t('sandbox.chain.open')}
        </Button>
      </div>
    </section>
  );
}

export function LookInTransaction({ transaction }: { transaction: SandboxChain['mempool']['transactions'][number] }) {
  const { t, i18n } = useTranslation();
  const now = useSandboxNow();
  return (
    <section className={classes.strip} aria-label={t('sandbox.chain.lookIn')}>
      <div className={classes.stripText}>
        <div className={classes.stripTitle}>
          {t('sandbox.chain.transaction')}
          <span className={classes.stripQuiet}>
            {formatRelative(Math.min(transaction.at, now), now, i18n.language)} ·{' '}
            {formatBytes(transaction.bytes, i18n.language)}
          </span>
          <Id value={transaction.txid} kind="transaction" />
        </div>
        <div className={classes.stripLine}>
          {t('sandbox.chain.fee')} <Amount satoshis={transaction.fee} />
        </div>
      </div>
      <div className={classes.stripActions}>
        <SpendTwice txid={transaction.txid} />
        <Button size="xs" variant="default" component={Link} href={routes.transaction(transaction.txid)}>
          {t('sandbox.chain.openTransaction')}
        </Button>
      </div>
    </section>
  );
}
