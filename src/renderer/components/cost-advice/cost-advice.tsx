import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Item, RunPlan } from '../../../contract/index.ts';
import { useMoney } from '../../api/money.ts';
import { formatBytes, formatShare } from '../../lib/format.ts';
import { isDraft } from '../../lib/items/item-rules.ts';
import { Callout } from '../callouts/callout.tsx';
import { ErrorNote } from '../callouts/failure-note.tsx';
import { adviceFor } from './advice.ts';
import { openCompare } from './compare.tsx';
import { COPY_BYTES } from './smaller-copy.ts';
import './texts.ts';
import { useSmallerCopies } from './use-smaller-copies.ts';

/** The cost of large photos in a plan, and a button that makes smaller copies. The originals can be restored. */
export function CostAdvice({ plan, items }: { plan: Pick<RunPlan, 'size' | 'rate'>; items: readonly Item[] }) {
  const { t, i18n } = useTranslation();
  const money = useMoney();
  const { make, putBack, done, cancel, kept } = useSmallerCopies((changed) => {
    if (changed.length > 0) openCompare(changed);
  });
  const drafts = items.filter(isDraft);
  const copied = drafts.filter(({ original }) => original !== undefined);
  const advice = adviceFor(drafts, plan, new Set(kept.keys()));
  const keptHere = drafts.filter(({ file }) => kept.has(file.sha256)).length;
  const failed = make.error ?? putBack.error;
  const saved = copied.reduce((sum, { file, original }) => sum + (original?.bytes ?? 0) - file.bytes, 0);
  return (
    <>
      <ErrorNote error={failed} />
      {make.isPending ? (
        <Callout
          tone="info"
          role="status"
          title={t('costAdvice.making', { n: Math.min(done + 1, make.variables.length), total: make.variables.length })}
          actions={
            <Button size="xs" variant="default" onClick={cancel}>
              {t('common.cancel')}
            </Button>
          }
        />
      ) : (
        advice !== undefined && (
          <Callout
            tone="info"
            title={t('costAdvice.title', {
              count: advice.photos.length,
              share: formatShare(Math.min(advice.bytes, advice.size), advice.size, i18n.language),
            })}
            actions={
              <Button size="xs" onClick={() => make.mutate(advice.photos)}>
                {t('costAdvice.make')}
              </Button>
            }
          >
            {t('costAdvice.text', {
              size: formatBytes(COPY_BYTES, i18n.language),
              saves: money(advice.saves),
            })}
          </Callout>
        )
      )}
      {copied.length > 0 && (
        <Callout
          tone="done"
          title={t('costAdvice.copied', {
            count: copied.length,
            saves: money(Math.floor((saved * plan.rate.satoshis) / plan.rate.bytes)),
          })}
          actions={
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => openCompare(copied)}>
                {t('costAdvice.compare')}
              </Button>
              <Button size="xs" variant="default" loading={putBack.isPending} onClick={() => putBack.mutate(copied)}>
                {t('costAdvice.putBack')}
              </Button>
            </Group>
          }
        >
          {t('costAdvice.copiedText')}
        </Callout>
      )}
      {keptHere > 0 && make.isSuccess && (
        <Callout tone="info" role="status" title={t('costAdvice.kept', { count: keptHere })}>
          {t('costAdvice.keptText')}
        </Callout>
      )}
    </>
  );
}
