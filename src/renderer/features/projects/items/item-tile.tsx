import { Checkbox, UnstyledButton } from '@mantine/core';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Item, mintStates } from '../../../../contract/index.ts';
import { Thumbnail } from '../../../components/preview/thumbnail.tsx';
import { EndKept } from '../../../components/values/end-kept.tsx';
import { StateBadge } from '../../../components/values/values.tsx';
import { isDraft } from '../../../lib/items/item-rules.ts';
import { openItem } from './editing/item-editor.tsx';
import classes from './item-tile.module.css';
import { TileMenu } from './tile-menu.tsx';

interface ItemTileProps {
  item: Item;
  selected: boolean;
  onSelect: (id: string, selected: boolean) => void;
  onRemove: (item: Item) => void;
  /** Puts the dragged draft, named first, to the place of this one. */
  onMove: (id: string, target: string) => void;
  onStep: (id: string, places: number) => void;
}

/** What a dragged tile carries. */
const DRAGGED = 'application/x-planchet-item';

/** Its picture, its name, where it stands, and what can be done with it. */
export const ItemTile = memo(function ItemTile({ item, selected, onSelect, onRemove, onMove, onStep }: ItemTileProps) {
  const { t } = useTranslation();
  const { name } = item.metadata;
  const draft = isDraft(item);
  const [isTarget, setTarget] = useState(false);
  const canMove = draft && item.subType !== 'collection';
  const working = !draft && item.failure === null && !mintStates.is(item.state, 'mined');
  return (
    <article
      className={classes.tile}
      data-selected={selected || undefined}
      data-target={isTarget || undefined}
      draggable={canMove}
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAGGED, item.id);
        event.dataTransfer.effectAllowed = 'move';
      }}
      onDragOver={(event) => {
        if (!canMove || !event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        setTarget(true);
      }}
      onDragLeave={() => setTarget(false)}
      onDrop={(event) => {
        setTarget(false);
        const id = event.dataTransfer.getData(DRAGGED);
        if (!canMove || id === '') return;
        event.preventDefault();
        event.stopPropagation();
        if (id !== item.id) onMove(id, item.id);
      }}
    >
      <UnstyledButton
        className={classes.picture}
        aria-label={t(draft ? 'projects.page.editItem' : 'projects.page.showItem', { name })}
        onClick={() => openItem(item)}
      >
        <Thumbnail file={item.file} />
      </UnstyledButton>
      <div className={classes.tileBody}>
        <div className={classes.tileTitle}>
          {draft && (
            <Checkbox
              size="xs"
              checked={selected}
              aria-label={t('projects.page.selectItem', { name })}
              onChange={(event) => onSelect(item.id, event.currentTarget.checked)}
            />
          )}
          <div className={classes.tileName} title={name}>
            <EndKept text={name} />
          </div>
        </div>
        <div className={classes.tileMeta}>
          <StateBadge
            state={item.state}
            failed={item.failure !== null}
            awaiting={item.state === 'reviewed'}
            active={working}
          />
          <TileMenu item={item} canMove={canMove} onStep={onStep} onRemove={onRemove} />
        </div>
      </div>
    </article>
  );
});
