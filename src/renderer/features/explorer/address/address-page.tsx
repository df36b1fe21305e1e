import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { Receipt } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { amountColumn, timeColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Page, Panel } from '../../../components/page.tsx';
import { SkeletonRows } from '../../../components/query-view.tsx';
import { sum } from '../../../components/review/sum.ts';
import layout from '../../../components/styles/layout.module.css';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { Fact } from '../../../components/values/fact.tsx';
import { Amount, Badge, Id } from '../../../components/values/values.tsx';
import { inPageLanguage } from '../../../i18n/errors.ts';
import { formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { useAddressScan } from './use-address-scan.ts';

const idOf = ({ outpoint }: Receipt): string => outpoint;

function useColumns(): readonly ListColumn<Receipt>[] {
  const { t, i18n } = useTranslation();
  return useMemo<readonly ListColumn<Receipt>[]>(
    () => [
      {
        key: 'outpoint',
        title: t('explorer.output'),
        width: 'minmax(150px, 1fr)',
        value: idOf,
        render: ({ outpoint }) => <Id value={outpoint} kind="output" keep={8} />,
      },
      amountColumn({ key: 'satoshis', title: t('explorer.amount'), width: '144px' }, ({ satoshis }) => satoshis),
      {
        key: 'height',
        title: t('explorer.height'),
        width: '80px',
        align: 'right',
        value: ({ height }) => height ?? Number.MAX_SAFE_INTEGER,
        text: ({ height }) => (height === null ? '' : String(height)),
        render: ({ height }) => (height === null ? t('common.pending') : formatInteger(height, i18n.language)),
      },
      timeColumn({ key: 'mined', title: t('explorer.mined'), width: '96px' }, ({ time }) => time && time * 1_000),
      {
        key: 'state',
        title: t('explorer.state'),
        width: '136px',
        value: ({ unspent }) => t(unspent ? 'explorer.unspent' : 'explorer.spent'),
        render: ({ unspent }) => (
          <Badge tone={unspent ? 'done' : 'neutral'}>{t(unspent ? 'explorer.unspent' : 'explorer.spent')}</Badge>
        ),
      },
    ],
    [t, i18n.language],
  );
}

/** What was found of an address, from the tip the search began at. */
function Found({ address, tip }: { address: string; tip: number }) {
  const { t, i18n } = useTranslation();
  const [, navigate] = useLocation();
  const scan = useAddressScan(address, tip);
  const columns = useColumns();
  const count = (value: number): string => formatInteger(value, i18n.language);
  const open = scan.receipts.filter(({ unspent }) => unspent);
  const done = scan.lowest === 0;
  /** Until a first block was searched, zero receipts say nothing. */
  const begun = scan.lowest !== null || scan.receipts.length > 0;
  const facts = [
    { name: t('explorer.received'), value: <Amount satoshis={sum(scan.receipts)} /> },
    { name: t('explorer.unspentSum'), value: <Amount satoshis={sum(open)} /> },
    { name: t('explorer.outputs'), value: count(scan.receipts.length) },
  ];
  const searched =
    scan.lowest === null
      ? t(scan.busy ? 'explorer.foundSoon' : 'explorer.foundNone')
      : t(done ? 'explorer.foundAll' : 'explorer.foundHint', {
          count: tip - scan.lowest + 1,
          visible: count(tip - scan.lowest + 1),
          from: count(tip),
          to: count(scan.lowest),
        });
  return (
    <>
      <Panel
        title={t('explorer.foundTitle')}
        hint={searched}
        actions={
          scan.busy ? (
            <Button size="xs" variant="default" onClick={scan.stop}>
              {t('explorer.stop')}
            </Button>
          ) : done ? undefined : (
            <Button size="xs" variant="default" onClick={scan.goOn}>
              {t('explorer.goOn')}
            </Button>
          )
        }
      >
        <dl className={layout.facts}>
          {facts.map(({ name, value }) => (
            <Fact key={name} name={name} num>
              {begun ? value : '–'}
            </Fact>
          ))}
        </dl>
      </Panel>
      {scan.failure !== undefined && <FailureNote failure={scan.failure} onRetry={scan.goOn} />}
      {scan.skipped > 0 && <Callout tone="wait" title={t('explorer.skippedBlocks', { count: scan.skipped })} />}
      <List
        name="receipts"
        label={t('explorer.outputs')}
        title={t('explorer.outputs')}
        rows={scan.receipts}
        idOf={idOf}
        columns={columns}
        initialSort={{ column: 'height', direction: 'desc' }}
        copies={{ label: t('explorer.copyOutpoints'), of: idOf }}
        onOpen={({ outpoint }) => navigate(routes.outpoint(outpoint))}
        empty={t(scan.busy ? 'explorer.looking' : begun ? 'explorer.nothingFound' : 'explorer.foundNone')}
      />
    </>
  );
}

/** An address: whose it is, and what it received as far as the node can tell. */
export function AddressPage({ address }: { address: string }) {
  const { t } = useTranslation();
  const tip = useLive((state) => state.tip?.height);
  const [begunAt, setBegunAt] = useState<number>();
  // The search goes on from the tip it began at; a new one does not start it again.
  if (begunAt === undefined && tip !== undefined) setBegunAt(tip);
  const known = useQuery(api.wallet.validateAddress.queryOptions({ input: { address } })).data;
  return (
    <Page
      wide
      title={t('explorer.address')}
      purpose={t('explorer.addressPurpose')}
      crumbs={[{ label: t('explorer.title'), to: routes.explorer }]}
      aside={known?.own === true ? <Badge tone="info">{t('explorer.yours')}</Badge> : undefined}
      actions={
        begunAt !== undefined && tip !== undefined && tip !== begunAt ? (
          <Button variant="default" onClick={() => setBegunAt(tip)}>
            {t('explorer.again')}
          </Button>
        ) : undefined
      }
    >
      <Stack gap="md">
        <div className={layout.id}>
          <span className="mono">{address}</span>
          <CopyButton value={address} what={t('common.addressName')} />
        </div>
        {known?.valid === false ? (
          <Callout
            tone="wait"
            title={t('explorer.noAddress')}
            actions={
              <Button size="xs" variant="default" component={Link} href={routes.explorer}>
                {t('explorer.toBlocks')}
              </Button>
            }
          >
            {known.failure !== null && inPageLanguage(known.failure).message}
          </Callout>
        ) : begunAt === undefined ? (
          <SkeletonRows />
        ) : (
          <Found key={begunAt} address={address} tip={begunAt} />
        )}
      </Stack>
    </Page>
  );
}
