import { DataTable, type DataTableColumn, type DataTableProps } from 'mantine-datatable';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { WriterDocumentView } from '../../../contract/index.ts';
import { routes } from '../../app/routes.ts';
import { Ago, Amount, Id } from '../../components/values.tsx';
import { formatBytes, formatInteger, shortenId } from '../../lib/format.ts';
import { WriterBadge } from './states.tsx';
import classes from './writer.module.css';

interface Selection {
  readonly selected: WriterDocumentView[];
  readonly onSelect: (selected: WriterDocumentView[]) => void;
}

/** @param dead shows why instead of where: reason and attempts in place of state, fee and transaction */
export function DocumentsTable({
  documents,
  fetching,
  dead,
}: {
  documents: readonly WriterDocumentView[];
  fetching: boolean;
  dead?: Selection;
}) {
  const { t, i18n } = useTranslation();
  const common: DataTableColumn<WriterDocumentView>[] = [
    {
      accessor: 'id',
      title: t('writer.list.id'),
      render: ({ id }) => (
        <Link
          href={routes.writerDocument(id)}
          className="mono link"
          aria-label={t('writer.list.open', { id: shortenId(id) })}
        >
          {shortenId(id)}
        </Link>
      ),
    },
    {
      accessor: 'tag',
      title: t('writer.list.tag'),
      render: ({ tag }) => <span className={classes.tag}>{tag ?? '–'}</span>,
    },
  ];
  const size: DataTableColumn<WriterDocumentView> = {
    accessor: 'bytes',
    title: t('writer.list.size'),
    textAlign: 'right',
    noWrap: true,
    render: ({ bytes }) => <span className="num">{formatBytes(bytes, i18n.language)}</span>,
  };
  const accepted: DataTableColumn<WriterDocumentView> = {
    accessor: 'createdAt',
    title: t('writer.list.accepted'),
    noWrap: true,
    render: ({ createdAt }) => <Ago at={Date.parse(createdAt)} />,
  };
  const columns: DataTableColumn<WriterDocumentView>[] =
    dead === undefined
      ? [
          ...common,
          { accessor: 'state', title: t('writer.list.state'), render: ({ state }) => <WriterBadge state={state} /> },
          size,
          {
            accessor: 'fee',
            title: t('writer.list.fee'),
            textAlign: 'right',
            render: ({ fee }) => (fee === null ? '–' : <Amount satoshis={fee} />),
          },
          {
            accessor: 'txid',
            title: t('writer.list.txid'),
            render: ({ txid }) =>
              txid === null ? '–' : <Id value={txid} what={t('common.txidName')} to={routes.transaction(txid)} />,
          },
          accepted,
        ]
      : [
          ...common,
          {
            accessor: 'reason',
            title: t('writer.list.reason'),
            render: ({ reason }) => <span className={classes.reason}>{reason ?? t('writer.dead.noReason')}</span>,
          },
          {
            accessor: 'attempts',
            title: t('writer.list.attempts'),
            textAlign: 'right',
            render: ({ attempts }) => <span className="num">{formatInteger(attempts, i18n.language)}</span>,
          },
          size,
          accepted,
        ];
  const table: DataTableProps<WriterDocumentView> = {
    withTableBorder: true,
    borderRadius: 'md',
    highlightOnHover: true,
    verticalSpacing: 8,
    horizontalSpacing: 'md',
    minHeight: 80,
    idAccessor: 'id',
    records: [...documents],
    columns,
    noRecordsText: t('common.noMatches'),
  };
  const selection =
    dead === undefined
      ? {}
      : {
          selectedRecords: dead.selected,
          onSelectedRecordsChange: dead.onSelect,
          allRecordsSelectionCheckboxProps: { 'aria-label': t('writer.dead.selectAll') },
          getRecordSelectionCheckboxProps: ({ id }: WriterDocumentView) => ({
            'aria-label': t('writer.dead.select', { id: shortenId(id) }),
          }),
        };
  return (
    <div aria-busy={fetching}>
      <DataTable<WriterDocumentView> {...table} {...selection} />
    </div>
  );
}
