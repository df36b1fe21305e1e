import { Button, Stack } from '@mantine/core';
import { IconHammer, IconPhotoHexagon, IconTransfer } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type FileInfo, type Item, type MintJob, mintStates } from '../../../../contract/index.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { icon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import { Thumb } from '../../../components/preview/art.tsx';
import layout from '../../../components/styles/layout.module.css';
import { Amount, Id } from '../../../components/values/values.tsx';
import { formatInteger } from '../../../lib/format.ts';
import { selectable } from '../../../lib/items/selectable.ts';
import { routes } from '../../../lib/routes.ts';
import classes from '../mint.module.css';

/** Outpoints of the tokens in the order of the items. The review names each output; without one they are the first outputs in order. */
function tokenOutpoints(job: Pick<MintJob, 'txid' | 'itemIds' | 'review'>): { itemId: string; outpoint: string }[] {
  if (job.txid === null) return [];
  return job.itemIds.map((itemId, index) => {
    const output = job.review?.outputs.find((one) => one.itemId === itemId);
    return { itemId, outpoint: `${job.txid}_${output?.index ?? index}` };
  });
}

/** What came of it: transaction, tokens, block and fee, each appearing as soon as it is known. */
export function JobResult({ job, items }: { job: MintJob; items: readonly Item[] }) {
  const { t, i18n } = useTranslation();
  const names = new Map(items.map((item) => [item.id, item.metadata.name]));
  const files = new Map(items.map((item) => [item.id, item.file]));
  const rest = selectable(items).now.length;
  const own = useLive((state) => state.wallet?.address);
  const pending = <span className={layout.dim}>{t('common.pending')}</span>;
  const tokens = tokenOutpoints(job);
  const [first] = tokens;
  // Before the node has the transaction there is no page to open.
  const onChain = mintStates.is(job.state, 'onNetwork');
  return (
    <Panel title={t('mint.result.panel')}>
      <Stack gap="md">
        <dl className={classes.facts}>
          <dt>{t('mint.result.txid')}</dt>
          <dd>
            {job.txid === null ? (
              pending
            ) : (
              <Id value={job.txid} kind="transaction" to={onChain ? undefined : null} copyAlways keep={6} />
            )}
          </dd>
          {tokens.slice(0, 12).map(({ itemId, outpoint }) => (
            <div key={itemId} style={{ display: 'contents' }}>
              <dt title={names.get(itemId)} className={classes.resultName}>
                {files.has(itemId) && <Thumb file={files.get(itemId) as FileInfo} />}
                {names.get(itemId) ?? t('mint.result.outpoint')}
              </dt>
              <dd>
                <Id value={outpoint} kind="output" to={onChain ? undefined : null} unnamed copyAlways keep={6} />
              </dd>
            </div>
          ))}
          <dt>{t('mint.result.block')}</dt>
          <dd className="num">
            {job.blockHeight === null ? (
              pending
            ) : (
              <>
                {formatInteger(job.blockHeight, i18n.language)}{' '}
                {job.blockHash !== null && <Id value={job.blockHash} kind="block" copyAlways keep={4} />}
              </>
            )}
          </dd>
          <dt>{t('mint.result.fee')}</dt>
          <dd>{job.fee === null ? pending : <Amount satoshis={job.fee} />}</dd>
          <dt>{t('mint.result.destination')}</dt>
          <dd>
            {own === job.destination ? `${t('mint.destination.own')} ` : ''}
            <Id value={job.destination} kind="address" copyAlways keep={6} />
          </dd>
        </dl>
        {job.state === 'proven' && <div className={layout.dim}>{t('mint.result.proven')}</div>}
        {first !== undefined && onChain && (
          <Button
            component={Link}
            href={tokens.length === 1 ? routes.token(first.outpoint) : routes.tokens}
            variant={job.state === 'proven' ? 'filled' : 'default'}
            leftSection={<IconPhotoHexagon {...icon} />}
          >
            {t('mint.result.see', { count: tokens.length })}
          </Button>
        )}
        {job.txid !== null && onChain && (
          <Button
            component={Link}
            href={routes.transaction(job.txid)}
            variant="default"
            leftSection={<IconTransfer {...icon} />}
          >
            {t('mint.result.open')}
          </Button>
        )}
        {mintStates.is(job.state, 'mined') && rest > 0 && (
          <Button
            component={Link}
            href={routes.mint(job.projectUid)}
            variant="default"
            leftSection={<IconHammer {...icon} />}
          >
            {t('mint.result.mintRest', { count: rest })}
          </Button>
        )}
      </Stack>
    </Panel>
  );
}
