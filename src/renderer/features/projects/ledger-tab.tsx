import { Button } from '@mantine/core';
import { IconDownload, IconShieldCheck } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type LedgerRow, mintStates, type Project } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { Failures } from '../../components/callouts/failures.tsx';
import { smallIcon } from '../../components/icon.ts';
import { amountColumn, idColumn } from '../../components/list/columns.tsx';
import { List } from '../../components/list/list.tsx';
import type { ListColumn } from '../../components/list/rows.ts';
import { QueryView } from '../../components/query-view.tsx';
import layout from '../../components/styles/layout.module.css';
import { Id, StateBadge } from '../../components/values/values.tsx';
import { routes } from '../../lib/routes.ts';
import { saveBlob } from '../../lib/save-blob.ts';
import classes from './projects.module.css';

/** Rows that are fetched at once. */
const PAGE = 500;

const idOf = (row: LedgerRow): string => row.itemId;

async function fetchLedger(projectUid: string, signal: AbortSignal): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for (;;) {
    const page = await client.tokens.ledger({ projectUid, offset: rows.length, limit: PAGE }, { signal });
    rows.push(...page.rows);
    if (page.rows.length === 0 || rows.length >= page.total) return rows;
  }
}

function useColumns(): readonly ListColumn<LedgerRow>[] {
  const { t } = useTranslation();
  return useMemo<readonly ListColumn<LedgerRow>[]>(
    () => [
      { key: 'item', title: t('projects.ledger.item'), width: 'minmax(120px, 1.4fr)', value: ({ item }) => item },
      {
        key: 'state',
        title: t('projects.table.state'),
        width: '120px',
        value: ({ state }) => t(mintStates.row(state).label),
        render: ({ state }) => <StateBadge state={state} />,
      },
      {
        key: 'outpoint',
        title: t('projects.table.outpoint'),
        width: 'minmax(120px, 1fr)',
        value: ({ outpoint }) => outpoint,
        render: ({ outpoint }) =>
          outpoint === null ? null : <Id value={outpoint} kind="output" to={routes.token(outpoint)} keep={6} />,
      },
      {
        key: 'block',
        title: t('projects.ledger.block'),
        width: '84px',
        align: 'right',
        value: ({ blockHeight }) => blockHeight,
      },
      {
        key: 'proof',
        title: t('projects.ledger.proof'),
        width: '92px',
        value: ({ proof }) => t(proof === null ? 'projects.ledger.proofMissing' : 'projects.ledger.proofChecked'),
      },
      amountColumn({ key: 'fee', title: t('projects.ledger.fee'), width: '96px' }, ({ fee }) => fee, null),
      idColumn(
        { key: 'txid', title: t('projects.ledger.txid'), width: 'minmax(110px, 1fr)', extra: true },
        'transaction',
        ({ txid }) => txid,
        null,
      ),
      idColumn(
        { key: 'hash', title: t('projects.ledger.fileHash'), width: 'minmax(110px, 1fr)', extra: true },
        { what: t('common.hashName') },
        ({ fileHash }) => fileHash,
      ),
      {
        key: 'file',
        title: t('projects.item.file'),
        width: 'minmax(100px, 1fr)',
        value: ({ fileName }) => fileName,
        extra: true,
      },
      {
        key: 'type',
        title: t('common.type'),
        width: 'minmax(90px, 1fr)',
        value: ({ contentType }) => contentType,
        extra: true,
      },
    ],
    [t],
  );
}

/** What proves each item: outpoint, block, Merkle proof and its share of the fee, as a table and as files. */
export function LedgerTab({ project }: { project: Project }) {
  const { t } = useTranslation();
  const { uid, name, mintedCount } = project;
  const columns = useColumns();
  const query = useQuery({
    queryKey: [...api.tokens.ledger.key(), 'all', uid],
    queryFn: ({ signal }) => fetchLedger(uid, signal),
  });
  const save = useMutation({
    mutationFn: async (format: 'csv' | 'json') => ({
      format,
      file: await client.tokens.exportLedger({ projectUid: uid, format }),
    }),
    onSuccess: ({ format, file }) => saveBlob(t('projects.ledger.file', { name, format }), file),
  });
  const bundle = useMutation({
    mutationFn: () => client.tokens.bundle({ projectUid: uid }),
    onSuccess: (made) => saveBlob(t('projects.ledger.bundleFile', { name }), made.bundle),
  });
  return (
    <>
      <div className={classes.toolbar}>
        <span className={layout.dim} style={{ marginRight: 'auto' }}>
          {t('projects.ledger.purpose')}
        </span>
        {(['csv', 'json'] as const).map((format) => (
          <Button
            key={format}
            size="xs"
            variant="default"
            leftSection={<IconDownload {...smallIcon} />}
            loading={save.isPending && save.variables === format}
            onClick={() => save.mutate(format)}
          >
            {t(`projects.ledger.${format}`)}
          </Button>
        ))}
        <Button
          size="xs"
          variant="default"
          leftSection={<IconShieldCheck {...smallIcon} />}
          disabled={mintedCount === 0}
          loading={bundle.isPending}
          onClick={() => bundle.mutate()}
        >
          {t('projects.ledger.bundle')}
        </Button>
      </div>
      <Failures of={[save, bundle]} />
      <QueryView query={query}>
        {(rows) => <List name="ledger" label={t('projects.ledger.title')} rows={rows} idOf={idOf} columns={columns} />}
      </QueryView>
    </>
  );
}
