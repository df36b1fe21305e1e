import { DataTable, type DataTableColumn, type DataTableSortStatus } from 'mantine-datatable';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface Column<T> extends Omit<DataTableColumn<T>, 'sortable' | 'accessor'> {
  accessor: string;
  /** What the column is ordered by; without it the column cannot be sorted. */
  sortBy?: (record: T) => string | number;
}

interface SortedTableProps<T> {
  records: readonly T[];
  idOf: (record: T) => string;
  columns: readonly Column<T>[];
  initialSort: { column: string; direction: 'asc' | 'desc' };
}

/** A table that sorts what it was given. */
export function SortedTable<T extends object>({ records, idOf, columns, initialSort }: SortedTableProps<T>) {
  const { t } = useTranslation();
  const [sort, setSort] = useState<DataTableSortStatus<T>>({
    columnAccessor: initialSort.column,
    direction: initialSort.direction,
  });
  const sorted = useMemo(() => {
    const key = columns.find((column) => column.accessor === sort.columnAccessor)?.sortBy;
    if (key === undefined) return [...records];
    const sign = sort.direction === 'asc' ? 1 : -1;
    return records.toSorted((a, b) => {
      const left = key(a);
      const right = key(b);
      return left === right ? 0 : (left < right ? -1 : 1) * sign;
    });
  }, [records, columns, sort]);
  return (
    <DataTable<T>
      withTableBorder
      borderRadius="md"
      highlightOnHover
      verticalSpacing={8}
      horizontalSpacing="md"
      minHeight={80}
      idAccessor={idOf as (record: T) => React.Key}
      records={sorted}
      columns={columns.map(
        ({ sortBy, ...column }) => ({ ...column, sortable: sortBy !== undefined }) as DataTableColumn<T>,
      )}
      sortStatus={sort}
      onSortStatusChange={setSort}
      noRecordsText={t('common.noMatches')}
    />
  );
}
