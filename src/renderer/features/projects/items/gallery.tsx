import { useElementSize } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useRef } from 'react';
import type { Item } from '../../../../contract/index.ts';
import { useKeptScroll, useListPlace } from '../../../components/list/list-state.ts';
import { isDraft } from '../../../lib/items/item-rules.ts';
import classes from './gallery.module.css';
import { ItemTile } from './item-tile.tsx';
import { removeDrafts } from './remove-items.tsx';

const TILE_PX = 168;
const GAP_PX = 16;
/** Name and state under the picture. */
const WORDS_PX = 74;

/** Tiles of any number of items. Only the rows in sight are drawn. */
export const ItemGallery = memo(function ItemGallery({
  label,
  items,
  chosen,
  onChoose,
  onMove,
  onStep,
}: {
  label: string;
  items: readonly Item[];
  chosen: ReadonlySet<string>;
  onChoose: (id: string, on: boolean) => void;
  /** Puts a draft to the place of another. */
  onMove: (id: string, target: string) => void;
  /** Moves a draft by some places. */
  onStep: (id: string, places: number) => void;
}) {
  const queries = useQueryClient();
  const box = useRef<HTMLDivElement>(null);
  const { ref, width } = useElementSize<HTMLDivElement>();
  const inside = width === 0 ? 800 : width;
  const columns = Math.max(1, Math.floor((inside + GAP_PX) / (TILE_PX + GAP_PX)));
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
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <section ref={box} aria-label={label} tabIndex={0} className={classes.box}>
      <div ref={ref} style={{ position: 'relative', height: Math.ceil(items.length / columns) * rowPx - GAP_PX }}>
        {virtualizer.getVirtualItems().map(({ index, key }) => (
          <div
            key={key}
            className={classes.row}
            style={{
              top: index * rowPx,
              height: rowPx - GAP_PX,
              gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            }}
          >
            {items.slice(index * columns, (index + 1) * columns).map((item) => (
              <ItemTile
                key={item.id}
                item={item}
                selected={isDraft(item) && chosen.has(item.id)}
                onSelect={onChoose}
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
