import { useElementSize } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Item } from '../../../../contract/index.ts';
import { useKeptScroll, useListPlace } from '../../../components/list/list-state.ts';
import { type ChangeChosen, useTileSelection } from '../../../components/tiles/tile-selection.ts';
import { tilePixels } from '../../../components/tiles/tile-size.tsx';
import { hasToken, isDraft } from '../../../lib/items/item-rules.ts';
import { usePreferences } from '../../../lib/preferences.ts';
import { openItem } from './editing/item-editor.tsx';
import classes from './gallery.module.css';
import tileClasses from './item-tile.module.css';
import { ItemTile } from './item-tile.tsx';
import { removeDrafts } from './remove-items.tsx';

const GAP_PX = 16;
/** Name and state under the picture. */
const WORDS_PX = 74;

/** Drafts can be minted, edited and removed together, tokens be sent together. */
export const isChoosable = (item: Item): boolean => isDraft(item) || hasToken(item);

/** Tiles of any number of items. Only the rows in sight are drawn. */
export const ItemGallery = memo(function ItemGallery({
  label,
  items,
  chosen,
  onChosen,
  movable = true,
  onMove,
  onStep,
}: {
  label: string;
  items: readonly Item[];
  chosen: ReadonlySet<string>;
  onChosen: ChangeChosen;
  /** False while the gallery is sorted, so that no place can be changed. */
  movable?: boolean;
  /** Puts a draft to the place of another. */
  onMove: (id: string, target: string) => void;
  /** Moves a draft by some places. */
  onStep: (id: string, places: number) => void;
}) {
  const { t } = useTranslation();
  const prefix = useId();
  const queries = useQueryClient();
  const box = useRef<HTMLDivElement>(null);
  const { ref, width } = useElementSize<HTMLDivElement>();
  const inside = width === 0 ? 800 : width;
  const smallest = tilePixels[usePreferences((state) => state.tileSize)];
  const columns = Math.max(1, Math.floor((inside + GAP_PX) / (smallest + GAP_PX)));
  const tile = (inside - (columns - 1) * GAP_PX) / columns;
  const rowPx = Math.round(tile + WORDS_PX + GAP_PX);
  const virtualizer = useVirtualizer({
    count: Math.ceil(items.length / columns),
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    overscan: 2,
    useFlushSync: false,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are measured anew where their height changed.
  useEffect(() => virtualizer.measure(), [rowPx, virtualizer]);
  const remove = useCallback((item: Item) => void removeDrafts(queries, [item]), [queries]);
  useKeptScroll(box, useListPlace('gallery'));
  const pageRows = Math.max(1, Math.floor((virtualizer.scrollRect?.height ?? 0) / rowPx));
  const { active, onClick, onKeyDown } = useTileSelection({
    count: items.length,
    columns,
    page: pageRows * columns,
    idsBetween: async (first, last) =>
      items
        .slice(first, last + 1)
        .filter(isChoosable)
        .map(({ id }) => id),
    onChosen,
    onOpen: (index) => {
      const item = items[index];
      if (item !== undefined) openItem(item);
    },
    scrollTo: (index) => virtualizer.scrollToIndex(Math.floor(index / columns)),
  });
  const rows = virtualizer.getVirtualItems();
  const inSight = (index: number): boolean =>
    index >= (rows[0]?.index ?? 0) * columns && index < ((rows.at(-1)?.index ?? -1) + 1) * columns;
  return (
    <section ref={box} aria-label={label} className={classes.box}>
      {/* biome-ignore lint/a11y/useSemanticElements: the tiles are no fields of a form. */}
      <div
        ref={ref}
        role="group"
        aria-label={t('projects.page.tiles')}
        aria-activedescendant={active >= 0 && inSight(active) ? `${prefix}-${active}` : undefined}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it has the focus and names the tile the keyboard stands on.
        tabIndex={0}
        className={tileClasses.tiles}
        style={{ position: 'relative', height: Math.ceil(items.length / columns) * rowPx - GAP_PX }}
        onKeyDown={onKeyDown}
      >
        {rows.map(({ index, key }) => (
          <div
            key={key}
            className={classes.row}
            style={{
              top: index * rowPx,
              height: rowPx - GAP_PX,
              gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            }}
          >
            {items.slice(index * columns, (index + 1) * columns).map((item, offset) => (
              <ItemTile
                key={item.id}
                item={item}
                index={index * columns + offset}
                domId={`${prefix}-${index * columns + offset}`}
                active={index * columns + offset === active}
                selected={isChoosable(item) ? chosen.has(item.id) : undefined}
                movable={movable}
                onClick={onClick}
                onMove={onMove}
                onStep={onStep}
                onRemove={remove}
              />
            ))}
          </div>
        ))}
      </div>
    </section>
  );
});
