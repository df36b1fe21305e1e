import { Button, Checkbox, CloseButton, Menu, Popover, Skeleton, Stack, TextInput, Title } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconColumns3, IconCopy, IconDownload, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatInteger } from '../../lib/format.ts';
import { usePreferences } from '../../lib/preferences.ts';
import { saveBlob } from '../../lib/save-blob.ts';
import { smallIcon } from '../icon.ts';
import page from '../page.module.css';
import { showFailure } from '../toasts/show-failure.ts';
import { type ExportFormat, exportText } from './export.ts';
import { Grid, type Moves } from './grid.tsx';
import classes from './list.module.css';
import { useListPlace, useListState } from './list-state.ts';
import { filterRows, type ListColumn, type Sort, sortRows } from './rows.ts';
import { noSelection, type Selection } from './selection.ts';

/** An action on the selected rows. */
interface BulkAction<T> {
  label: string;
  run: (rows: readonly T[]) => void;
  /** Which of the selected rows it applies to. It is disabled if there are none. */
  fits?: (row: T) => boolean;
}

interface ListProps<T> {
  /** Name of the list in exported files and in stored state. */
  name: string;
  label: string;
  rows: readonly T[];
  /** Has to be stable between renders, such as a function outside the component. */
  idOf: (row: T) => string;
  /** Has to be stable between renders if the list may be long. */
  columns: readonly ListColumn<T>[];
  initialSort?: Sort;
  title?: string;
  hint?: string;
  /** Placeholder of the search field; without it there is no search. */
  filter?: string;
  /** Controls next to the search field. */
  tools?: ReactNode;
  /** The text of a row for the clipboard, and the label of that action. */
  copies?: { label: string; of: (row: T) => string };
  bulk?: readonly BulkAction<T>[];
  /** The heading of consecutive rows while the list has its own order. Has to be stable between renders. */
  headingOf?: (row: T) => string;
  onOpen?: (row: T) => void;
  /** How rows are moved while the list has its own order, and the texts for it. Has to be stable between renders. */
  moves?: Moves<T> & { hint: string; sorted: string; unsort: string };
  /** @param inSight the rows from `first` to before `end`, in display order */
  onRange?: (first: number, end: number, inSight: readonly T[]) => void;
  /** Loads missing data of rows before they are exported or copied. @returns the complete rows */
  complete?: (rows: readonly T[]) => Promise<readonly T[]>;
  /** Read-only figures: rows cannot be selected, columns not hidden. */
  plain?: boolean;
  /** Shown instead of the rows while there are none. */
  empty?: ReactNode;
  maxHeight?: number | string;
  /** Height of the list even without rows, so that what is below does not move when the first ones arrive. Replaces `maxHeight`. */
  height?: number | string;
  /** Whether there are rows is not known yet. */
  loading?: boolean;
  /** Between the heading and the rows; shown even if there are none. */
  above?: ReactNode;
  /** Below the rows, if there are any. */
  below?: ReactNode;
}

function Columns<T>({ name, columns }: { name: string; columns: readonly ListColumn<T>[] }) {
  const { t } = useTranslation();
  const visible = usePreferences((state) => state.columns[name]);
  const setColumns = usePreferences((state) => state.setColumns);
  const on = new Set(visible ?? columns.filter(({ extra }) => extra !== true).map(({ key }) => key));
  return (
    <Popover position="bottom-end">
      <Popover.Target>
        <Button size="xs" variant="subtle" color="gray" leftSection={<IconColumns3 {...smallIcon} />}>
          {t('common.list.columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={8} role="group" aria-label={t('common.list.columnsLabel')}>
          {columns.map(({ key, title }) => (
            <Checkbox
              key={key}
              size="xs"
              label={title}
              checked={on.has(key)}
              disabled={on.size === 1 && on.has(key)}
              onChange={(event) =>
                setColumns(
                  name,
                  columns
                    .map((column) => column.key)
                    .filter((other) => (other === key ? event.currentTarget.checked : on.has(other))),
                )
              }
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Export({ label, onExport }: { label: string; onExport: (format: ExportFormat) => void }) {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" withinPortal={false} floatingStrategy="fixed">
      <Menu.Target>
        <Button size="xs" variant="subtle" color="gray" leftSection={<IconDownload {...smallIcon} />}>
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['csv', 'json'] as const).map((format) => (
          <Menu.Item key={format} onClick={() => onExport(format)}>
            {t(`common.list.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ListFilterProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** The search field of a list or a gallery. */
export function ListFilter({ label, value, onChange }: ListFilterProps) {
  const { t } = useTranslation();
  return (
    <TextInput
      size="xs"
      className={classes.filter}
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch {...smallIcon} />}
      rightSection={
        value === '' ? undefined : (
          <CloseButton size="xs" aria-label={t('common.clearFilter')} onClick={() => onChange('')} />
        )
      }
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/**
 * A list of any length: sorting, search, choice of columns, selection by mouse or keyboard, export and copying of visible or selected rows, and
 * actions on the selection.
 */
export function List<T>(props: ListProps<T>) {
  const { name, label, rows, idOf, columns, title, hint, tools, copies, bulk = [], plain = false } = props;
  const { height, loading = false, complete = async (list: readonly T[]) => list } = props;
  const { maxHeight = height === undefined ? 'max(320px, calc(100vh - 300px))' : 'none' } = props;
  const { t, i18n } = useTranslation();
  const place = useListPlace(name);
  const [text, setText] = useListState(`${place} text`, '');
  const [sort, setSort] = useListState<Sort | null>(`${place} sort`, props.initialSort ?? null);
  const [selection, setSelection] = useState<Selection>(noSelection);
  const clipboard = useClipboard({ timeout: 1_500 });
  const chosenColumns = usePreferences((state) => state.columns[name]);
  const shownColumns = useMemo(() => {
    const chosen = columns.filter(({ key }) => chosenColumns?.includes(key));
    // Columns chosen in an earlier version may no longer exist.
    return chosen.length > 0 ? chosen : columns.filter(({ extra }) => extra !== true);
  }, [columns, chosenColumns]);
  // The rows are rendered with low priority, so that typing stays fast in a long list.
  const wanted = useDeferredValue(text);
  const visible = useMemo(
    () => sortRows(filterRows(rows, columns, wanted), columns, sort, i18n.language),
    [rows, columns, wanted, sort, i18n.language],
  );
  const chosen = useMemo(
    () => (selection.chosen.size === 0 ? [] : visible.filter((row) => selection.chosen.has(idOf(row)))),
    [visible, selection.chosen, idOf],
  );
  const onSort = (column: string): void =>
    setSort((before) => ({
      column,
      direction: before?.column === column && before.direction === 'asc' ? 'desc' : 'asc',
    }));
  // Nothing is exported or copied if the host has not all of it.
  const withAll = (list: readonly T[], use: (all: readonly T[]) => void): void =>
    void complete(list)
      .then(use)
      .catch((error: unknown) => showFailure(`list-${name}`, error));
  const save = (list: readonly T[], format: ExportFormat): void =>
    withAll(list, (all) => {
      const day = new Date().toISOString().slice(0, 10);
      saveBlob(`planchet-${name}-${day}.${format}`, new Blob([exportText(all, shownColumns, format)]));
    });
  const toolbar = (
    <>
      {props.filter !== undefined && (
        <div className={title === undefined ? classes.alone : classes.filter}>
          <ListFilter label={props.filter} value={text} onChange={setText} />
        </div>
      )}
      {tools}
      {!plain && <Columns name={name} columns={columns} />}
      {!plain && <Export label={t('common.list.export')} onExport={(format) => save(visible, format)} />}
    </>
  );
  return (
    <section
      className={height === undefined ? page.panel : `${page.panel} ${classes.filled}`}
      style={height === undefined ? undefined : { minHeight: height }}
      aria-label={title}
    >
      {chosen.length > 0 ? (
        <div className={classes.bulk} role="toolbar" aria-label={t('common.list.bulk')}>
          <b className={classes.words}>
            {t('common.list.chosen', { count: chosen.length, visible: formatInteger(chosen.length, i18n.language) })}
          </b>
          {bulk.map(({ label: what, run, fits = () => true }) => {
            const fitting = chosen.filter(fits);
            return (
              <Button
                key={what}
                size="xs"
                variant="default"
                disabled={fitting.length === 0}
                onClick={() => run(fitting)}
              >
                {what}
              </Button>
            );
          })}
          {copies !== undefined && (
            <Button
              size="xs"
              variant="default"
              leftSection={clipboard.copied ? <IconCheck {...smallIcon} /> : <IconCopy {...smallIcon} />}
              onClick={() => withAll(chosen, (all) => clipboard.copy(all.map(copies.of).join('\n')))}
            >
              {clipboard.copied ? t('common.copied') : copies.label}
            </Button>
          )}
          <Export label={t('common.list.exportChosen')} onExport={(format) => save(chosen, format)} />
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            onClick={() => setSelection((before) => ({ ...before, chosen: new Set(), anchor: null }))}
          >
            {t('common.list.clear')}
          </Button>
        </div>
      ) : (
        (title !== undefined || tools !== undefined || !plain) && (
          <div className={classes.bar}>
            {title !== undefined && (
              <div className={classes.words}>
                <Title order={2}>{title}</Title>
                {hint !== undefined && <div className={classes.hint}>{hint}</div>}
              </div>
            )}
            {(rows.length > 0 || tools !== undefined) && toolbar}
          </div>
        )
      )}
      {props.above}
      {props.moves !== undefined && rows.length > 1 && (
        <div className={classes.moves}>
          {sort === null ? props.moves.hint : props.moves.sorted}
          {sort !== null && (
            <Button size="compact-xs" variant="subtle" onClick={() => setSort(null)}>
              {props.moves.unsort}
            </Button>
          )}
        </div>
      )}
      {loading ? (
        <div className={classes.loading} role="status" aria-label={t('common.loading')}>
          <Skeleton height="100%" />
        </div>
      ) : rows.length === 0 && props.empty !== undefined ? (
        <div className={classes.none}>{props.empty}</div>
      ) : (
        <>
          <Grid
            label={label}
            place={place}
            rows={visible}
            idOf={idOf}
            columns={shownColumns}
            sort={sort}
            onSort={onSort}
            headingOf={sort === null ? props.headingOf : undefined}
            {...(plain ? {} : { selection })}
            chosenCount={chosen.length}
            onSelection={setSelection}
            onOpen={props.onOpen}
            moves={sort === null ? props.moves : undefined}
            onRange={(first, end) => props.onRange?.(first, end, visible.slice(first, end))}
            maxHeight={maxHeight}
          />
          {visible.length === 0 && <div className={classes.none}>{t('common.noMatches')}</div>}
          {props.below}
        </>
      )}
    </section>
  );
}
