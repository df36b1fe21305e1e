import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeptScroll } from '../../../components/list/list-state.ts';
import { Tile } from './tile.tsx';
import type { Look, TokenPages } from './use-pages.ts';
import classes from './wall.module.css';

const SMALLEST_TILE_PX = 168;
const GAP_PX = 16;
const PADDING_PX = 4;
/** Name and collection below the picture. */
const WORDS_PX = 60;

/** The width of an element's content box in pixels, followed as it changes. */
function useWidth(box: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => setWidth(element.clientWidth - 2 * PADDING_PX);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}

/** Where a key leads from a tile; undefined for keys that do not move. */
function moved(key: string, at: number, count: number, columns: number, page: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at - columns,
    ArrowDown: at + columns,
    PageUp: at - page,
    PageDown: at + page,
    Home: 0,
    End: count - 1,
  };
  const next = steps[key];
  if (next === undefined) return undefined;
  // Nothing above the first row; below the last full row lies the last token.
  if (key === 'ArrowUp' && next < 0) return at;
  return Math.max(0, Math.min(count - 1, next));
}

interface TokenWallProps {
  pages: TokenPages;
  /** Is told which tokens are in sight. */
  look: Look;
  onOpen: (outpoint: string, index: number) => void;
}

/** Pictures of all tokens. Only what is in sight is fetched and drawn, so their number costs nothing; the arrow keys move, Enter opens. */
export function TokenWall({ pages, look, onOpen }: TokenWallProps) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const width = useWidth(box);
  const [active, setActive] = useState(-1);
  useKeptScroll(box, 'tokens');
  const columns = Math.max(1, Math.floor((width + GAP_PX) / (SMALLEST_TILE_PX + GAP_PX)));
  const tilePx = Math.max(0, (width - (columns - 1) * GAP_PX) / columns);
  const rowPx = Math.round(tilePx) + WORDS_PX + GAP_PX;
  const virtualizer = useVirtualizer({
    count: width === 0 ? 0 : Math.ceil(pages.total / columns),
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    overscan: 2,
    paddingStart: PADDING_PX,
    scrollPaddingStart: PADDING_PX,
    scrollPaddingEnd: PADDING_PX,
    useFlushSync: false,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are measured anew where their height changed.
  useEffect(() => virtualizer.measure(), [rowPx, virtualizer]);

  const open = useRef(onOpen);
  open.current = onOpen;
  const [openTile] = useState(() => (outpoint: string, index: number) => {
    setActive(index);
    open.current(outpoint, index);
  });

  const rows = virtualizer.getVirtualItems();
  const first = (rows[0]?.index ?? 0) * columns;
  const end = Math.min(pages.total, ((rows.at(-1)?.index ?? -1) + 1) * columns);
  useEffect(() => look(first, end - 1), [look, first, end]);
  const pageRows = Math.max(1, Math.floor((virtualizer.scrollRect?.height ?? 0) / rowPx));

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      const token = pages.at(active);
      if (token !== undefined) openTile(token.outpoint, active);
      return;
    }
    const next = moved(event.key, Math.max(0, active), pages.total, columns, pageRows * columns);
    if (next === undefined) return;
    event.preventDefault();
    // The first arrow chooses the first token; only the next ones move.
    const at = active < 0 && event.key.startsWith('Arrow') ? 0 : next;
    setActive(at);
    virtualizer.scrollToIndex(Math.floor(at / columns));
  };

  return (
    <div
      ref={box}
      role="listbox"
      aria-label={t('tokens.wall')}
      aria-activedescendant={active >= first && active < end ? `${prefix}-${active}` : undefined}
      tabIndex={0}
      className={classes.wall}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className={classes.canvas} style={{ height: virtualizer.getTotalSize() }}>
        {rows.map((row) => (
          <div
            key={row.key}
            role="presentation"
            className={classes.row}
            style={{
              transform: `translateY(${row.start}px)`,
              height: rowPx - GAP_PX,
              gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            }}
          >
            {Array.from({ length: Math.min(columns, pages.total - row.index * columns) }, (_, offset) => {
              const index = row.index * columns + offset;
              const token = pages.at(index);
              return (
                <Tile
                  key={token?.outpoint ?? index}
                  token={token}
                  id={`${prefix}-${index}`}
                  index={index}
                  count={pages.total}
                  active={index === active}
                  onOpen={openTile}
                />
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}
