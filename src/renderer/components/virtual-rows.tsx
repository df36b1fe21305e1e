// biome-ignore-all lint/a11y/useSemanticElements: rows stand by their position, which elements of a table cannot.
// biome-ignore-all lint/a11y/useFocusableInteractive: the rows hold what can be focused; they cannot themselves.
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { type CSSProperties, type ReactNode, useRef, useState } from 'react';
import classes from './virtual-rows.module.css';

const ROW_PX = 40;
/** Rows drawn above and below what is in sight, so that a fast wheel meets no gap. */
const SPARE = 8;

interface VirtualColumn {
  key: string;
  title: string;
  /** A grid track: `120px`, `minmax(0, 1fr)`. */
  width: string;
  align?: 'right';
}

interface VirtualRowsProps {
  label: string;
  columns: readonly VirtualColumn[];
  count: number;
  keyOf: (index: number) => string | number;
  cell: (index: number, column: string) => ReactNode;
  /** Told when other rows come into sight: the first and the one after the last. */
  onRange?: (first: number, end: number) => void;
  maxHeight?: number | string;
}

/** A table of rows of one height that draws only those in sight, so that its length costs nothing. */
export function VirtualRows({ label, columns, count, keyOf, cell, onRange, maxHeight = 560 }: VirtualRowsProps) {
  const { ref: measured, height } = useElementSize<HTMLDivElement>();
  const own = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(measured, own);
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / ROW_PX) - SPARE);
  const end = Math.min(count, Math.ceil((top + Math.max(height, ROW_PX)) / ROW_PX) + SPARE);
  const tracks = { '--columns': columns.map(({ width }) => width).join(' ') } as CSSProperties;
  return (
    <div role="table" aria-label={label} aria-rowcount={count + 1} className={classes.table} style={tracks}>
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} className={classes.head}>
          {columns.map(({ key, title, align }) => (
            <div key={key} role="columnheader" className={classes.cell} data-align={align}>
              {title}
            </div>
          ))}
        </div>
      </div>
      <div
        ref={ref}
        role="rowgroup"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
        tabIndex={0}
        className={classes.scroll}
        style={{ maxHeight }}
        onScroll={(event) => {
          const next = event.currentTarget.scrollTop;
          setTop(next);
          const from = Math.floor(next / ROW_PX);
          onRange?.(from, Math.min(count, from + Math.ceil(event.currentTarget.clientHeight / ROW_PX) + 1));
        }}
      >
        <div role="presentation" className={classes.canvas} style={{ height: count * ROW_PX }}>
          {Array.from({ length: Math.max(0, end - first) }, (_, offset) => {
            const index = first + offset;
            return (
              <div
                key={keyOf(index)}
                role="row"
                aria-rowindex={index + 2}
                className={classes.row}
                style={{ top: index * ROW_PX }}
              >
                {columns.map(({ key, align }) => (
                  <div key={key} role="cell" className={classes.cell} data-align={align}>
                    {cell(index, key)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
