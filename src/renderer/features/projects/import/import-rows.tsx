import { Button, Select, type SelectProps, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  acceptableProblems,
  type ImportProblem,
  type ImportRow,
  type ItemField,
  itemFieldNames,
  problemPhrase,
} from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { Thumbnail } from '../../../components/preview/thumbnail.tsx';
import { phraseInPageLanguage } from '../../../i18n/phrases.ts';
import { isComposing } from '../../../lib/focus/is-typing.ts';
import classes from './import-rows.module.css';

export type Edit = (row: number, field: string, value: string | null) => void;

const CELLS = [
  'name',
  'number',
  'file',
  'description',
  ...itemFieldNames,
  'contentType',
  'collectionId',
  'collectionName',
] as const;
type Cell = (typeof CELLS)[number];
const isCell = (field: string): field is Cell => (CELLS as readonly string[]).includes(field);

function cellText(row: ImportRow, field: string): string {
  if (field === 'name' || field === 'description') return row[field];
  if (field === 'number' || field === 'collectionId' || itemFieldNames.includes(field as ItemField))
    return String(row[field as ItemField] ?? '');
  if (field === 'file') return row.file?.name ?? '';
  if (field === 'contentType') return row.file?.contentType ?? '';
  return row.traits.find(({ name }) => `trait:${name}` === field)?.value ?? '';
}

function labelOf(row: ImportRow): string {
  return row.name || row.file?.name || row.source.file;
}

interface FileSelectProps extends SelectProps {
  importId: string;
  /** Leaves out the files that only describe others. */
  onlyStored?: boolean;
  onChoose: (id: string) => void;
}

/** Finds a file of an import by its path. */
export function FileSelect({ importId, onlyStored = false, onChoose, ...props }: FileSelectProps) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, 150);
  const files = useQuery(
    api.import.files.queryOptions({ input: { id: importId, search, limit: 50 }, placeholderData: keepPreviousData }),
  );
  return (
    <Select
      {...props}
      size="xs"
      searchable
      data={(files.data?.files ?? [])
        .filter(({ sha256 }) => sha256 !== null || !onlyStored)
        .map(({ id, path }) => ({ value: String(id), label: path }))}
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={null}
      onChange={(id) => {
        if (id === null) return;
        setText('');
        onChoose(id);
      }}
    />
  );
}

interface EditableProps {
  importId: string;
  row: ImportRow;
  field: string;
  /** What stands there until a person edits it. */
  children: ReactNode;
  wrong?: boolean;
  onEdit: Edit;
}

/** A cell that a click or Enter opens; Enter keeps what was typed, Escape does not. */
function Editable({ importId, row, field, children, wrong = false, onEdit }: EditableProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const cell = isCell(field) ? t(`import.cell.${field}`) : field.replace(/^trait:/, '');
  const value = cellText(row, field);
  const close = (): void => {
    setOpen(false);
    requestAnimationFrame(() => button.current?.focus());
  };
  const save = (text: string): void => {
    if (text !== value) onEdit(row.row, field, text);
  };
  const label = t('import.input', { cell, row: labelOf(row) });
  if (open && field === 'file') {
    return (
      <FileSelect
        importId={importId}
        autoFocus
        defaultDropdownOpened
        aria-label={label}
        onBlur={() => setOpen(false)}
        onChoose={(id) => {
          onEdit(row.row, field, id);
          close();
        }}
      />
    );
  }
  if (open) {
    return (
      <TextInput
        size="xs"
        autoFocus
        aria-label={label}
        defaultValue={value}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === 'Escape') close();
          if (event.key !== 'Enter') return;
          save(event.currentTarget.value);
          close();
        }}
        onBlur={(event) => {
          save(event.currentTarget.value);
          setOpen(false);
        }}
      />
    );
  }
  return (
    <UnstyledButton
      ref={button}
      className={classes.cell}
      data-wrong={wrong || undefined}
      disabled={row.state === 'imported'}
      aria-label={t('import.edit', { row: labelOf(row), cell, value: value || t('import.none') })}
      onClick={() => setOpen(true)}
    >
      {children}
    </UnstyledButton>
  );
}

function Problem({
  importId,
  row,
  problem,
  onEdit,
}: {
  importId: string;
  row: ImportRow;
  problem: ImportProblem;
  onEdit: Edit;
}) {
  const { t } = useTranslation();
  const { field, severity } = problem;
  return (
    <div className={classes.problem} data-severity={severity}>
      <span className={classes.message}>{phraseInPageLanguage(problemPhrase(problem))}</span>
      {severity === 'error' && field !== null && !['name', 'number', 'file'].includes(field) && (
        <Editable importId={importId} row={row} field={field} onEdit={onEdit}>
          {t('import.fix')}
        </Editable>
      )}
      {severity === 'error' && acceptableProblems.includes(problem.code) && (
        <Button flex="none" size="compact-xs" variant="default" onClick={() => onEdit(row.row, 'accept', problem.code)}>
          {t('import.accept')}
        </Button>
      )}
    </div>
  );
}

function RowView({ importId, row, onEdit }: { importId: string; row: ImportRow; onEdit: Edit }) {
  const { t } = useTranslation();
  const wrong = (field: string): boolean =>
    row.problems.some((problem) => problem.field === field && problem.severity === 'error');
  const traits = row.traits.map(({ name, value }) => `${name}: ${value}`).join(', ');
  const excluded = row.state === 'excluded';
  const file = row.file?.sha256 == null ? null : { ...row.file, sha256: row.file.sha256 };
  return (
    <div className={classes.row} data-state={row.state}>
      <div className={classes.picture}>{file !== null && <Thumbnail file={file} small />}</div>
      <Editable importId={importId} row={row} field="number" wrong={wrong('number')} onEdit={onEdit}>
        {row.number ?? '–'}
      </Editable>
      <Editable importId={importId} row={row} field="name" wrong={wrong('name')} onEdit={onEdit}>
        {row.name || t('import.none')}
      </Editable>
      <Editable importId={importId} row={row} field="file" wrong={wrong('file')} onEdit={onEdit}>
        {row.file?.name ?? t('import.none')}
      </Editable>
      <span className={classes.traits} title={traits}>
        {traits}
      </span>
      {row.state === 'imported' ? (
        <span className={classes.traits}>{t('import.imported')}</span>
      ) : (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          onClick={() => onEdit(row.row, 'excluded', excluded ? null : 'true')}
        >
          {t(excluded ? 'import.takeIn' : 'import.leaveOut')}
        </Button>
      )}
      {!excluded && row.problems.length > 0 && (
        <div className={classes.problems}>
          {row.problems.map((problem) => (
            <Problem
              key={`${problem.code} ${problem.field}`}
              importId={importId}
              row={row}
              problem={problem}
              onEdit={onEdit}
            />
          ))}
        </div>
      )}
    </div>
  );
}

/** Rows of an import with what is wrong beneath each; only those in sight are drawn. */
export function ImportRows({ importId, rows, onEdit }: { importId: string; rows: readonly ImportRow[]; onEdit: Edit }) {
  const { t } = useTranslation();
  const box = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => 48 + (rows[index]?.problems.length ?? 0) * 28,
    getItemKey: (index) => rows[index]?.row ?? index,
    overscan: 6,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <section ref={box} aria-label={t('import.rows')} tabIndex={0} className={classes.rows}>
      <div className={classes.head}>
        <span />
        <span>{t('import.cell.number')}</span>
        <span>{t('import.cell.name')}</span>
        <span>{t('import.cell.file')}</span>
        <span>{t('import.cell.traits')}</span>
        <span />
      </div>
      <div style={{ position: 'relative', height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            className={classes.place}
            style={{ top: start }}
          >
            <RowView importId={importId} row={rows[index] as ImportRow} onEdit={onEdit} />
          </div>
        ))}
      </div>
    </section>
  );
}
