import { Button, Skeleton, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { BlockPart } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { Page, Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import layout from '../../../components/styles/layout.module.css';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { Fact } from '../../../components/values/fact.tsx';
import { Ago, Amount, Id } from '../../../components/values/values.tsx';
import { formatBytes, formatDifficulty, formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { blockPart } from './block-part.ts';
import { BlockTransactions } from './block-transactions.tsx';
import { rateOf } from './fee-rate.ts';

function Facts({ block }: { block: BlockPart }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  // The fees are requested separately, since they may take longer than the header.
  const { data: row } = useQuery({
    ...api.explorer.blockAt.queryOptions({ input: { height: block.height } }),
    enabled: block.confirmations !== null,
  });
  const counted = row?.hash === block.hash ? row : undefined;
  const rate = rateOf(counted?.fees, counted?.payingBytes);
  const amount = (satoshis: number | null | undefined) => (satoshis == null ? '–' : <Amount satoshis={satoshis} />);
  const facts = [
    { name: t('explorer.mined'), value: <Ago at={block.time * 1_000} /> },
    { name: t('explorer.size'), value: block.size === null ? '–' : formatBytes(block.size, language) },
    { name: t('explorer.fees'), value: amount(counted?.fees) },
    {
      name: t('review.rate'),
      value: rate === null ? '–' : t('review.rateValue', { rate: formatInteger(rate, language) }),
    },
    { name: t('explorer.value'), value: amount(counted?.value) },
    { name: t('explorer.difficulty'), value: formatDifficulty(block.difficulty, language) },
    { name: t('explorer.nonce'), value: formatInteger(block.nonce, language) },
    { name: t('explorer.version'), value: <span className="mono">{block.version.toString(16).padStart(8, '0')}</span> },
    { name: t('explorer.merkleRoot'), value: <Id value={block.merkleRoot} what={t('explorer.merkleRoot')} keep={6} /> },
  ];
  return (
    <Panel>
      <dl className={layout.facts}>
        {facts.map(({ name, value }) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
    </Panel>
  );
}

export function BlockPage({ hash }: { hash: string }) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  // A new tip changes the confirmations and perhaps what follows.
  const tip = useLive((state) => state.tip?.hash);
  const query = useQuery({
    queryKey: ['explorer', 'block', hash, tip],
    queryFn: async ({ signal }) => {
      const part = await client.explorer.block({ hash }, { signal });
      queries.setQueryData(blockPart({ hash, search: '', from: 0 }).queryKey, part);
      return part;
    },
    placeholderData: (previous) => previous,
  });
  const block = query.data;
  return (
    <Page
      wide
      title={
        block === undefined
          ? t('explorer.blockUnknown')
          : t('explorer.block', { height: formatInteger(block.height, i18n.language) })
      }
      purpose={
        block === undefined
          ? undefined
          : [
              ...(block.transactions === null ? [] : [t('explorer.blockPurpose', { count: block.transactions })]),
              block.confirmations === null
                ? t('explorer.blockStale')
                : t('explorer.blockConfirmations', {
                    count: block.confirmations,
                    visible: formatInteger(block.confirmations, i18n.language),
                  }),
            ].join(' · ')
      }
      crumbs={[{ label: t('explorer.title'), to: routes.explorer }]}
      actions={
        <>
          {block && block.previous !== null && (
            <Button variant="default" component={Link} href={routes.block(block.previous)}>
              {t('explorer.previous')}
            </Button>
          )}
          {block && block.next !== null && (
            <Button variant="default" component={Link} href={routes.block(block.next)}>
              {t('explorer.next')}
            </Button>
          )}
        </>
      }
    >
      <Stack gap="md">
        <div className={layout.id}>
          <span className="mono">{hash}</span>
          <CopyButton value={hash} what={t('common.hashName')} />
        </div>
        <QueryView
          query={query}
          skeleton={
            <Stack>
              <Skeleton height={88} />
              <Skeleton height={320} />
            </Stack>
          }
        >
          {(found) => (
            <>
              <Facts block={found} />
              {found.found === null || found.transactions === null ? (
                <Callout
                  tone="wait"
                  title={t(found.transactions === null ? 'explorer.notTold' : 'explorer.notListed')}
                />
              ) : (
                <BlockTransactions key={found.hash} hash={found.hash} total={found.transactions} />
              )}
            </>
          )}
        </QueryView>
      </Stack>
    </Page>
  );
}
