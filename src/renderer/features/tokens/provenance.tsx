import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Item, MintJob } from '../../../contract/index.ts';
import { Ago, Id } from '../../components/values.tsx';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { provenanceOf } from './provenance-steps.ts';
import classes from './sheet.module.css';
import type { Ownership } from './use-ownership.ts';

/** A line of dots from mint to now: what happened, with whom, when, and in which block. */
export function Provenance({
  item,
  job,
  ownership,
}: {
  item: Item;
  job: Pick<UseQueryResult<MintJob>, 'data' | 'isLoading'>;
  ownership: Ownership;
}) {
  const { t, i18n } = useTranslation();
  if (job.isLoading) return <Skeleton height={120} radius="md" aria-label={t('common.loading')} />;
  const steps = provenanceOf(item, job.data, ownership);
  return (
    <ol className={classes.steps}>
      {steps.map(({ kind, at, address, block }) => (
        <li key={kind} data-now={kind === 'held' || undefined}>
          <div className={classes.stepTitle}>
            <span>{t(`tokens.step.${kind}`)}</span>
            {at !== undefined && <Ago at={at} />}
          </div>
          {address !== undefined && (
            <div className={classes.dim}>
              {t(kind === 'held' ? 'tokens.step.by' : 'tokens.step.to')}{' '}
              <Id value={address} what={t('common.addressName')} to={routes.address(address)} keep={6} />
            </div>
          )}
          {block !== undefined && (
            <div className={classes.dim}>
              {t('tokens.step.block', { height: formatInteger(block.height, i18n.language) })}{' '}
              {block.hash !== null && (
                <Id value={block.hash} what={t('common.hashName')} to={routes.block(block.hash)} keep={6} />
              )}
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}
