import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { mintStates } from '../../../contract/index.ts';
import { Thumbnail } from '../../components/preview/thumbnail.tsx';
import { StateBadge } from '../../components/values.tsx';
import { ReceivedTile } from './received.tsx';
import classes from './wall.module.css';
import type { MintedToken, WallToken } from './wall-rules.ts';

const SMALLEST_TILE_PX = 168;
const GAP_PX = 16;
const PADDING_PX = 4;
/** Name and collection below the picture. */
const WORDS_PX = 60;

interface TileProps {
  token: WallToken;
  id: string;
  index: number;
  count: number;
  active: boolean;
  onOpen: (token: WallToken, index: number) => void;
}

function MintedTile({ token: { item, project } }: { token: MintedToken }) {
  const { name } = item.metadata;
  const working = item.failure === null && !mintStates.is(item.state, 'mined');
  return (
    <>
      <div className={classes.picture}>
        <Thumbnail file={item.file} />
      </div>
      <div className={classes.state}>
        <StateBadge state={item.state} failed={item.failure !== null} active={working} />
      </div>
      <div className={classes.words}>
        <div className={classes.name}>{name}</div>
        <div className={classes.project}>{project.name}</div>
      </div>
    </>
  );
}

/** Drawn again only where its own values changed, so that scrolling costs no more than the tiles that appear. */
const Tile = memo(function Tile({ token, id, index, count, active, onOpen }: TileProps) {
  const { t } = useTranslation();
  const label =
    token.kind === 'received'
      ? t('tokens.received.tile', { outpoint: token.outpoint })
      : t('tokens.tile', {
          name: token.item.metadata.name,
          project: token.project.name,
          state: t(mintStates.row(token.item.state).label),
        });
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the wall has the focus and names the token the keyboard stands on.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the wall handles the keys.
    <div
      id={id}
      role="option"
      aria-selected={active}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-label={label}
      className={classes.tile}
      data-active={active || undefined}
      onClick={() => onOpen(token, index)}
    >
      {token.kind === 'received' ? <ReceivedTile token={token} /> : <MintedTile token={token} />}
    </div>
  );
});

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

/** Pictures of all tokens. Only what is in sight is drawn, so their number costs nothing; the arrow keys move, Enter opens. */
export function TokenWall({ tokens, onOpen }: { tokens: readonly WallToken[]; onOpen: (token: WallToken) => void }) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const width = useWidth(box);
  const [activeOutpoint, setActiveOutpoint] = useState<string | null>(null);
  const columns = Math.max(1, Math.floor((width + GAP_PX) / (SMALLEST_TILE_PX + GAP_PX)));
  const tilePx = Math.max(0, (width - (columns - 1) * GAP_PX) / columns);
  const rowPx = Math.round(tilePx) + WORDS_PX + GAP_PX;
  const virtualizer = useVirtualizer({
    count: width === 0 ? 0 : Math.ceil(tokens.length / columns),
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
  const [openTile] = useState(() => (token: WallToken) => {
    setActiveOutpoint(token.outpoint);
    open.current(token);
  });

  const rows = virtualizer.getVirtualItems();
  const found = activeOutpoint === null ? -1 : tokens.findIndex(({ outpoint }) => outpoint === activeOutpoint);
  const first = (rows[0]?.index ?? 0) * columns;
  const end = ((rows.at(-1)?.index ?? -1) + 1) * columns;
  const pageRows = Math.max(1, Math.floor((virtualizer.scrollRect?.height ?? 0) / rowPx));

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      const token = tokens[found];
      if (token !== undefined) openTile(token);
      return;
    }
    const next = moved(event.key, Math.max(0, found), tokens.length, columns, pageRows * columns);
    if (next === undefined) return;
    event.preventDefault();
    // The first arrow chooses the first token; only the next ones move.
    const at = found < 0 && event.key.startsWith('Arrow') ? 0 : next;
    setActiveOutpoint(tokens[at]?.outpoint ?? null);
    virtualizer.scrollToIndex(Math.floor(at / columns));
  };

  return (
    <div
      ref={box}
      role="listbox"
      aria-label={t('tokens.wall')}
      aria-activedescendant={found >= first && found < end ? `${prefix}-${found}` : undefined}
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
            {tokens.slice(row.index * columns, (row.index + 1) * columns).map((token, offset) => {
              const index = row.index * columns + offset;
              return (
                <Tile
                  key={token.outpoint}
                  token={token}
                  id={`${prefix}-${index}`}
                  index={index}
                  count={tokens.length}
                  active={index === found}
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
