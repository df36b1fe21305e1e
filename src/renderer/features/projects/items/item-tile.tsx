import { IconLibraryPhoto } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Item, mintStates } from '../../../../contract/index.ts';
import { smallIcon } from '../../../components/icon.ts';
import { useDrag } from '../../../components/list/use-drag.ts';
import { isPlayable, PlayButton, PlayerInPlace } from '../../../components/preview/players.tsx';
import { Thumbnail } from '../../../components/preview/thumbnail.tsx';
import framed from '../../../components/tiles/tile-frame.module.css';
import type { Click } from '../../../components/tiles/tile-selection.ts';
import { EndKept } from '../../../components/values/end-kept.tsx';
import { StateBadge } from '../../../components/values/values.tsx';
import { isDraft } from '../../../lib/items/item-rules.ts';
import classes from './item-tile.module.css';
import { canMove } from './order.ts';
import { TileMenu } from './tile-menu.tsx';

interface ItemTileProps {
  item: Item;
  index: number;
  /** Names the element for the keyboard of the gallery. */
  domId: string;
  /** Whether it is the current tile of the keyboard. */
  active: boolean;
  /** Undefined where the item cannot be selected. */
  selected: boolean | undefined;
  /** False while the gallery is sorted, so that no place can be changed. */
  movable: boolean;
  onClick: (index: number, click: Click) => void;
  onRemove: (item: Item) => void;
  /** Puts the dragged draft, named first, to the place of this one. */
  onMove: (id: string, target: string) => void;
  onStep: (id: string, places: number) => void;
}

/** Tells the token of a collection from its first item, which may have the same picture. */
function CollectionMark({ inWords }: { inWords: boolean }) {
  const { t } = useTranslation();
  const words = t('projects.plan.collection');
  return inWords ? (
    <span className={classes.place}>{words}</span>
  ) : (
    <span className={classes.place} role="img" aria-label={words} title={words}>
      <IconLibraryPhoto {...smallIcon} aria-hidden />
    </span>
  );
}

/** Its picture, its name, where it stands, and what can be done with it. */
export const ItemTile = memo(function ItemTile({
  item,
  index,
  domId,
  active,
  selected,
  movable,
  onClick,
  onRemove,
  onMove,
  onStep,
}: ItemTileProps) {
  const { t } = useTranslation();
  const { metadata } = item;
  const { name } = metadata;
  const draft = isDraft(item);
  const isMovable = movable && canMove(item);
  const drag = useDrag(item.id, isMovable, onMove);
  // A minted item has no state badge.
  const isDone = item.failure === null && mintStates.is(item.state, 'mined');
  const [isPlaying, setPlaying] = useState(false);
  const working = !draft && item.failure === null && !isDone;
  return (
    <article
      id={domId}
      className={`${framed.frame} ${classes.tile}`}
      data-active={active || undefined}
      data-chosen={selected || undefined}
      {...drag}
      draggable={isMovable && !isPlaying}
    >
      {isPlaying ? (
        <div className={classes.picture}>
          <PlayerInPlace file={item.file} />
        </div>
      ) : (
        <button
          type="button"
          className={classes.picture}
          aria-label={t(draft ? 'projects.page.editItem' : 'projects.page.showItem', { name })}
          onClick={(event) => onClick(index, { extend: event.shiftKey, choose: event.ctrlKey || event.metaKey })}
        >
          <Thumbnail file={item.file} />
        </button>
      )}
      <div className={classes.tileBody}>
        <div className={classes.tileTitle}>
          {selected !== undefined && (
            <input
              type="checkbox"
              className={classes.box}
              checked={selected}
              aria-label={t('projects.page.selectItem', { name })}
              onChange={(event) =>
                onClick(index, { extend: (event.nativeEvent as MouseEvent).shiftKey === true, choose: true })
              }
            />
          )}
          <div className={classes.tileName} title={name}>
            <EndKept text={name} />
          </div>
        </div>
        <div className={classes.tileMeta}>
          {isDone && item.subType !== 'collection' && (
            <span className={classes.place}>
              {metadata.mintNumber !== undefined && `#${metadata.mintNumber}`}
              {metadata.rank !== undefined && ` · ${t('projects.table.rank')} ${metadata.rank}`}
            </span>
          )}
          {!isDone && (
            <StateBadge
              state={item.state}
              failed={item.failure !== null}
              awaiting={item.state === 'reviewed'}
              active={working}
            />
          )}
          {item.subType === 'collection' && <CollectionMark inWords={isDone} />}
          {isPlayable(item.file) && (
            <PlayButton className={classes.play} name={name} playing={isPlaying} onPlaying={setPlaying} />
          )}
          <TileMenu item={item} canMove={isMovable} onStep={onStep} onRemove={onRemove} />
        </div>
      </div>
    </article>
  );
});
