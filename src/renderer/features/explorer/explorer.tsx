import { Button, Skeleton, Stack } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useLive } from '../../api/live-store.ts';
import { routes } from '../../app/routes.ts';
import { icon } from '../../components/icon.ts';
import { Page, Panel } from '../../components/page.tsx';
import { SkeletonRows } from '../../components/query-view.tsx';
import { Ago, Id } from '../../components/values.tsx';
import { VirtualRows } from '../../components/virtual-rows.tsx';
import { formatBytes, formatInteger } from '../../lib/format.ts';
import classes from './explorer.module.css';
import { type Header, headerAt } from './node.ts';
import { Search } from './search.tsx';

/** Heights asked for together. */
const CHUNK = 25;
/** As many rows as every browser can scroll over. */
const MOST_ROWS = 400_000;

function Blocks({ tip }: { tip: { height: number; hash: string } }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const [range, setRange] = useState({ first: 0, end: 20 });
  const count = Math.min(tip.height + 1, MOST_ROWS);
  const highest = Math.floor((tip.height - range.first) / CHUNK);
  const lowest = Math.floor(Math.max(0, tip.height - range.end) / CHUNK);
  const chunks = Array.from({ length: highest - lowest + 1 }, (_, offset) => lowest + offset);
  const answers = useQueries({
    queries: chunks.map((chunk) => ({
      // A new tip may have replaced blocks near it; deeper chunks stay as they were read.
      queryKey: ['explorer', 'headers', chunk, tip.height - chunk * CHUNK > 200 ? 'deep' : tip.hash],
      queryFn: async () => {
        const last = Math.min(tip.height, chunk * CHUNK + CHUNK - 1);
        const heights = Array.from({ length: last - chunk * CHUNK + 1 }, (_, offset) => chunk * CHUNK + offset);
        return new Map((await Promise.all(heights.map(headerAt))).map((header) => [header.height, header]));
      },
      placeholderData: (previous: Map<number, Header> | undefined) => previous,
    })),
  });
  const known = new Map(answers.flatMap((answer) => [...(answer.data ?? [])]));
  const failed = answers.filter((answer) => answer.isError);
  const cell = (index: number, column: string) => {
    const height = tip.height - index;
    const header = known.get(height);
    if (column === 'height') {
      const text = formatInteger(height, language);
      return header === undefined ? (
        <span className="num">{text}</span>
      ) : (
        <Link href={routes.block(header.hash)} className="link num">
          {text}
        </Link>
      );
    }
    if (header === undefined) {
      return failed.length > 0 ? (
        <span className={classes.dim}>{t('explorer.rowFailed')}</span>
      ) : (
        <Skeleton height={12} />
      );
    }
    if (column === 'hash') return <Id value={header.hash} what={t('common.hashName')} keep={12} />;
    if (column === 'mined') return <Ago at={header.time * 1_000} />;
    if (column === 'size') return header.size === undefined ? '–' : formatBytes(header.size, language);
    return header.num_tx === undefined ? '–' : formatInteger(header.num_tx, language);
  };
  return (
    <Panel
      flush
      title={t('explorer.blocks')}
      hint={
        count === tip.height + 1
          ? t('explorer.blocksHintAll', { total: formatInteger(count, language) })
          : t('explorer.blocksHint', {
              total: formatInteger(tip.height + 1, language),
              shown: formatInteger(count, language),
            })
      }
      actions={
        failed.length === 0 ? undefined : (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              for (const answer of failed) void answer.refetch();
            }}
          >
            {t('explorer.retryAll')}
          </Button>
        )
      }
    >
      <VirtualRows
        label={t('explorer.tableLabel', { name: t('explorer.blocks') })}
        count={count}
        keyOf={(index) => tip.height - index}
        cell={cell}
        onRange={(first, end) => setRange({ first, end })}
        maxHeight="max(320px, calc(100vh - 320px))"
        columns={[
          { key: 'height', title: t('explorer.height'), width: '96px' },
          { key: 'hash', title: t('explorer.hash'), width: 'minmax(0, 1fr)' },
          { key: 'mined', title: t('explorer.mined'), width: '130px' },
          { key: 'transactions', title: t('explorer.transactions'), width: '104px', align: 'right' },
          { key: 'size', title: t('explorer.size'), width: '84px', align: 'right' },
        ]}
      />
    </Panel>
  );
}

/** The chain as the node has it. */
export function Explorer() {
  const { t } = useTranslation();
  const tip = useLive((state) => state.tip);
  return (
    <Page
      title={t('explorer.title')}
      purpose={t('explorer.purpose')}
      actions={
        <Button variant="default" component={Link} href={routes.mempool} leftSection={<IconHourglass {...icon} />}>
          {t('explorer.mempool')}
        </Button>
      }
    >
      <Stack gap="md">
        <Search />
        {tip === null ? <SkeletonRows rows={10} height={32} /> : <Blocks tip={tip} />}
      </Stack>
    </Page>
  );
}
