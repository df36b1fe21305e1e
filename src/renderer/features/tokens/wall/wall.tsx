import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeptScroll } from '../../../components/list/list-state.ts';
import { type ChangeChosen, type Tiles, useTileSelection } from '../../../components/tiles/tile-selection.ts';
import { tilePixels } from '../../../components/tiles/tile-size.tsx';
import { usePreferences } from '../../../lib/preferences.ts';
import { Tile } from './tile.tsx';
import { canPlay, TilePlayer } from './tile-player.tsx';
import type { Look, TokenPages } from './use-pages.ts';
import classes from './wall.module.css';

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

interface TokenWallProps {
  pages: TokenPages;
  /** Is told which tokens are in sight. */
  look: Look;
  chosen: ReadonlySet<string>;
  onChosen: ChangeChosen;
  /** Where the tokens between two places are, as far as they are in the wallet. */
  idsBetween: Tiles['idsBetween'];
  /** The token whose sheet is open. */
  opened: string | undefined;
  onOpen: (outpoint: string) => void;
}

/**
 * Pictures of all tokens. Only what is in sight is fetched and drawn, so their number costs nothing. The arrow keys move, Enter opens, Space
 * and Shift choose.
 */
export function TokenWall({ pages, look, chosen, onChosen, idsBetween, opened, onOpen }: TokenWallProps) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const width = useWidth(box);
  useKeptScroll(box, 'tokens');
  const smallest = tilePixels[usePreferences((state) => state.tileSize)];
  const columns = Math.max(1, Math.floor((width + GAP_PX) / (smallest + GAP_PX)));
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

  const rows = virtualizer.getVirtualItems();
  const first = (rows[0]?.index ?? 0) * columns;
  const end = Math.min(pages.total, ((rows.at(-1)?.index ?? -1) + 1) * columns);
  useEffect(() => look(first, end - 1), [look, first, end]);
  const pageRows = Math.max(1, Math.floor((virtualizer.scrollRect?.height ?? 0) / rowPx));

  // Only one plays at a time. It is stored by its token, since places change.
  const [playing, setPlaying] = useState<string>();
  // The sheet has a player of its own; it may also be opened by the search or a link.
  useEffect(() => {
    if (opened !== undefined) setPlaying(undefined);
  }, [opened]);
  const { active, onClick, onKeyDown } = useTileSelection({
    count: pages.total,
    columns,
    page: pageRows * columns,
    idsBetween,
    onChosen,
    onOpen: (index) => {
      const token = pages.at(index);
      if (token !== undefined) onOpen(token.outpoint);
    },
    scrollTo: (index) => virtualizer.scrollToIndex(Math.floor(index / columns)),
  });

  return (
    <div ref={box} className={classes.wall}>
      <div
        role="listbox"
        aria-multiselectable
        aria-label={t('tokens.wall')}
        aria-activedescendant={active >= first && active < end ? `${prefix}-${active}` : undefined}
        tabIndex={0}
        className={classes.canvas}
        style={{ height: virtualizer.getTotalSize() }}
        data-choosing={chosen.size > 0 || undefined}
        onKeyDown={onKeyDown}
      >
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
                  chosen={token !== undefined && chosen.has(token.outpoint)}
                  onClick={onClick}
                />
              );
            })}
          </div>
        ))}
      </div>
      {rows.flatMap((row) =>
        Array.from({ length: columns }, (_, offset) => {
          const token = pages.at(row.index * columns + offset);
          if (token === undefined || !canPlay(token)) return null;
          const { outpoint } = token;
          return (
            <TilePlayer
              key={outpoint}
              token={token}
              place={{
                width: tilePx,
                height: rowPx - GAP_PX,
                transform: `translate(${offset * (tilePx + GAP_PX)}px, ${row.start}px)`,
              }}
              playing={outpoint === playing}
              onPlaying={(plays) => setPlaying(plays ? outpoint : undefined)}
            />
          );
        }),
      )}
    </div>
  );
}
