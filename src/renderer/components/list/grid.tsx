// biome-ignore-all lint/a11y/useSemanticElements: rows are positioned absolutely, which elements of a table cannot be.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names the active row.
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { defaultKeyExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type KeyboardEvent, memo, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { smallIcon } from '../icon.ts';
import { InRow } from '../values/hint.tsx';
import classes from './grid.module.css';
import { useKeptScroll } from './list-state.ts';
import type { ListColumn, Sort } from './rows.ts';
import { type Order, pressKey, type Selection, toggle, toggleAll } from './selection.ts';
import { assignSlots } from './slots.ts';
import { useDrag } from './use-drag.ts';

const ROW_PX = 40;
const HEADING_PX = 32;
/** Rows rendered above and below the visible ones, so that fast scrolling shows no gap. */
const OVERSCAN = 6;

interface RowProps<T> {
  row: T;
  index: number;
  id: string;
  domId: string;
  name: string;
  columns: readonly ListColumn<T>[];
  chosen: boolean | undefined;
  active: boolean;
  /** Pixels from the top of the first row. */
  top: number;
  onToggle: (id: string, extend: boolean) => void;
  movable: boolean;
  /** Moves the dragged row, given first, to the position of this one. */
  onMove: (id: string, target: string) => void;
}

function PlainRow<T>(props: RowProps<T>) {
  const { row, index, id, domId, name, columns, chosen, active, top, onToggle, movable, onMove } = props;
  const drag = useDrag(id, movable, onMove);
  return (
    <div
      {...(movable && drag)}
      id={domId}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={chosen}
      data-active={active || undefined}
      className={classes.row}
      style={{ top }}
    >
      {chosen !== undefined && (
        <div role="gridcell" className={classes.check}>
          {/* The browser's own checkbox: fast scrolling renders hundreds of rows a second. */}
          <input
            type="checkbox"
            className={classes.box}
            aria-label={name}
            tabIndex={-1}
            checked={chosen}
            onChange={(event) => onToggle(id, (event.nativeEvent as MouseEvent).shiftKey === true)}
          />
        </div>
      )}
      {columns.map((column) => (
        <div key={column.key} role="gridcell" className={classes.cell} data-align={column.align}>
          {column.render === undefined ? column.value(row) : column.render(row)}
        </div>
      ))}
    </div>
  );
}

/** Average width of a letter in a heading, and extra width of the sort arrow. The gap between columns has the rest. */
const LETTER_EM = 0.55;
const ARROW_EM = 0.3;

/** The grid track of a column, never narrower than its heading in any language. In em, since headings and rows differ in font weight. */
function trackOf<T>({ title, width }: ListColumn<T>): string {
  const words = `${(title.length * LETTER_EM + ARROW_EM).toFixed(1)}em`;
  return width.replace(/\d+px/, (pixels) => `max(${pixels}, ${words})`);
}

/** Renders only if its own values changed, so that scrolling costs only the rows that appear. */
const Row = memo(PlainRow) as typeof PlainRow;

/** Headings by the index of the row below. */
function headingsOf<T>(rows: readonly T[], headingOf: ((row: T) => string) | undefined): ReadonlyMap<number, string> {
  const headings = new Map<number, string>();
  if (headingOf === undefined) return headings;
  let last: string | undefined;
  for (const [index, row] of rows.entries()) {
    const heading = headingOf(row);
    if (heading !== last) headings.set(index, heading);
    last = heading;
  }
  return headings;
}

/** Moves the focus to the grid if the row that has it is about to be removed. */
function keepFocus(box: HTMLElement | null, firstVisible: number, lastVisible: number): void {
  const focused = document.activeElement;
  if (box === null || focused === box || !box.contains(focused)) return;
  const row = focused?.closest('[role="row"]');
  const index = Number(row?.getAttribute('aria-rowindex') ?? 0) - 2;
  if (index >= 0 && (index < firstVisible - OVERSCAN || index > lastVisible + OVERSCAN))
    box.focus({ preventScroll: true });
}

/** How rows are reordered. Has to be stable between renders. */
export interface Moves<T> {
  fits: (row: T) => boolean;
  /** Moves a row to the position of another. */
  to: (id: string, target: string) => void;
  /** Moves a row by a number of positions. */
  by: (id: string, places: number) => void;
}

const noMove = (): void => undefined;

interface GridProps<T> {
  label: string;
  /** Storage key of the scroll position. */
  place: string;
  rows: readonly T[];
  idOf: (row: T) => string;
  columns: readonly ListColumn<T>[];
  sort: Sort | null;
  onSort: (column: string) => void;
  /** The shared heading of consecutive rows. Has to be stable between renders. */
  headingOf?: ((row: T) => string) | undefined;
  /** Undefined if rows cannot be selected. */
  selection?: Selection;
  /** Number of these rows that are selected: those that are gone stay in the selection. */
  chosenCount: number;
  onSelection: (change: (selection: Selection) => Selection) => void;
  onOpen?: ((row: T) => void) | undefined;
  /** Undefined if rows cannot be moved. */
  moves?: Moves<T> | undefined;
  /** Called when other rows become visible, also by sorting, with the first index and the one after the last. */
  onRange?: ((first: number, end: number) => void) | undefined;
  maxHeight: number | string;
}

/** A table with rows of equal height. It renders only the visible rows, so any length is fast. The arrow keys move through it. */
export function Grid<T>(props: GridProps<T>) {
  const { label, place, rows, idOf, columns, sort, onSort, selection, onSelection, onOpen, onRange, maxHeight } = props;
  const { chosenCount, headingOf, moves } = props;
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const headings = useMemo(() => headingsOf(rows, headingOf), [rows, headingOf]);
  // A new function makes the virtualizer recompute all positions.
  const keyOf = useMemo(() => (headings.size === 0 ? defaultKeyExtractor : (index: number) => index), [headings]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => ROW_PX + (headings.has(index) ? HEADING_PX : 0),
    getItemKey: keyOf,
    overscan: OVERSCAN,
    // The heading is above the first row and sticks to the top.
    scrollMargin: ROW_PX,
    scrollPaddingStart: ROW_PX,
    // onChange runs before the render, so the focus leaves a row before its element is reused.
    useFlushSync: false,
    onChange: ({ range }) => range !== null && keepFocus(box.current, range.startIndex, range.endIndex),
  });
  useKeptScroll(box, place);
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const end = (items.at(-1)?.index ?? -1) + 1;
  const firstVisible = virtualizer.range?.startIndex ?? 0;
  const endVisible = Math.min(rows.length, (virtualizer.range?.endIndex ?? -1) + 1);
  const pageRows = Math.max(1, Math.ceil((virtualizer.scrollRect?.height ?? 0) / ROW_PX) - 2);

  const order = useMemo<Order>(() => {
    let places: Map<string, number> | undefined;
    return {
      count: rows.length,
      idAt: (index) => idOf(rows[index] as T),
      indexOf: (id) => {
        places ??= new Map(rows.map((row, index) => [idOf(row), index]));
        return places.get(id) ?? -1;
      },
    };
  }, [rows, idOf]);
  // Rows are memoized, so their callbacks have to be stable while the order changes.
  const latest = useRef(order);
  latest.current = order;
  const [onToggle] = useState(
    () => (id: string, extend: boolean) => onSelection((before) => toggle(before, latest.current, id, extend)),
  );

  const range = useRef(onRange);
  range.current = onRange;
  const inSight = rows.slice(firstVisible, endVisible).map(idOf).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: sorting puts other rows at the same indexes.
  useEffect(() => {
    range.current?.(firstVisible, endVisible);
  }, [firstVisible, endVisible, inSight]);

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.target !== event.currentTarget || selection === undefined) return;
    const at = selection.active === null ? -1 : order.indexOf(selection.active);
    if (event.key === 'Enter' && at >= 0) {
      onOpen?.(rows[at] as T);
      return;
    }
    const places = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
    if (places !== undefined && moves !== undefined) {
      event.preventDefault();
      if (at < 0 || !moves.fits(rows[at] as T)) return;
      moves.by(order.idAt(at), places);
      virtualizer.scrollToIndex(Math.max(0, Math.min(rows.length - 1, at + places)));
      return;
    }
    const key = { key: event.key, shift: event.shiftKey, command: event.ctrlKey || event.metaKey };
    const next = pressKey(selection, order, key, pageRows);
    if (next === undefined) return;
    event.preventDefault();
    onSelection(() => next);
    if (next.active !== null) virtualizer.scrollToIndex(order.indexOf(next.active));
  };

  const slots = useRef<ReadonlyMap<string, number>>(new Map());
  const visible = rows.slice(first, end);
  slots.current = assignSlots(slots.current, visible.map(idOf));
  const activeIndex = selection?.active == null ? -1 : order.indexOf(selection.active);
  const tracks = {
    '--columns': [...(selection === undefined ? [] : ['20px']), ...columns.map(trackOf)].join(' '),
  } as CSSProperties;
  return (
    <div
      ref={box}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-multiselectable={selection !== undefined}
      aria-activedescendant={activeIndex >= first && activeIndex < end ? `${prefix}-${activeIndex}` : undefined}
      aria-keyshortcuts={moves === undefined ? undefined : 'Alt+ArrowUp Alt+ArrowDown'}
      tabIndex={0}
      className={classes.grid}
      style={{ maxHeight, ...tracks }}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" className={classes.headGroup}>
        <div role="row" aria-rowindex={1} className={classes.head}>
          {selection !== undefined && (
            <div role="columnheader" className={classes.check}>
              <input
                type="checkbox"
                className={classes.box}
                aria-label={t('common.list.chooseAll')}
                ref={(input) => {
                  if (input !== null) input.indeterminate = chosenCount > 0 && chosenCount < rows.length;
                }}
                checked={rows.length > 0 && chosenCount >= rows.length}
                onChange={() => onSelection((before) => toggleAll(before, latest.current))}
              />
            </div>
          )}
          {columns.map(({ key, title, align, sortable = true }) => {
            const direction = sort?.column === key ? sort.direction : undefined;
            const Arrow = direction === 'desc' ? IconArrowDown : IconArrowUp;
            return (
              <div
                key={key}
                role="columnheader"
                className={classes.cell}
                data-align={align}
                aria-sort={direction === undefined ? undefined : direction === 'asc' ? 'ascending' : 'descending'}
              >
                {sortable ? (
                  <button type="button" className={classes.sort} data-on={direction} onClick={() => onSort(key)}>
                    {title}
                    <Arrow {...smallIcon} size={13} />
                  </button>
                ) : (
                  title
                )}
              </div>
            );
          })}
        </div>
      </div>
      <InRow value={true}>
        <div role="rowgroup" className={classes.canvas} style={{ height: virtualizer.getTotalSize() }}>
          {items.flatMap(({ index, start }) => {
            const text = headings.get(index);
            if (text === undefined) return [];
            return [
              <div key={index} role="row" className={classes.heading} style={{ top: start - ROW_PX }}>
                <div role="rowheader">{text}</div>
              </div>,
            ];
          })}
          {items.map(({ index, end: bottom }) => {
            const row = rows[index] as T;
            const id = idOf(row);
            return (
              <Row
                key={slots.current.get(id)}
                row={row}
                index={index}
                id={id}
                domId={`${prefix}-${index}`}
                name={t('common.list.choose', { n: index + 1 })}
                columns={columns}
                chosen={selection?.chosen.has(id)}
                active={index === activeIndex}
                // Offsets are measured from the top of the box, and the column heading has the first row's height.
                top={bottom - 2 * ROW_PX}
                onToggle={onToggle}
                movable={moves?.fits(row) ?? false}
                onMove={moves?.to ?? noMove}
              />
            );
          })}
        </div>
      </InRow>
    </div>
  );
}
