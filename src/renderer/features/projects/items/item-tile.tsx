import { ActionIcon, Checkbox, Menu, UnstyledButton } from '@mantine/core';
import {
  IconArrowLeft,
  IconArrowRight,
  IconDots,
  IconHammer,
  IconPencil,
  IconTransfer,
  IconTrash,
} from '@tabler/icons-react';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type Item, mintStates } from '../../../../contract/index.ts';
import { smallIcon } from '../../../components/icon.ts';
import { Thumbnail } from '../../../components/preview/thumbnail.tsx';
import { StateBadge } from '../../../components/values/values.tsx';
import { isDraft } from '../../../lib/items/item-rules.ts';
import { routes } from '../../../lib/routes.ts';
import { openItem } from './editing/item-editor.tsx';
import classes from './item-tile.module.css';

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
  const txid = item.outpoint?.split('_')[0];
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
            {name}
          </div>
        </div>
        <div className={classes.tileMeta}>
          <StateBadge
            state={item.state}
            failed={item.failure !== null}
            awaiting={item.state === 'reviewed'}
            active={working}
          />
          <Menu position="bottom-end" width={200} withinPortal={false} floatingStrategy="fixed">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" size={24} aria-label={`${t('common.moreActions')}: ${name}`}>
                <IconDots {...smallIcon} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconPencil {...smallIcon} />} onClick={() => openItem(item)}>
                {t(draft ? 'common.edit' : 'common.details')}
              </Menu.Item>
              {item.jobId !== null && !draft && (
                <Menu.Item component={Link} href={routes.job(item.jobId)} leftSection={<IconHammer {...smallIcon} />}>
                  {t('projects.page.openJob')}
                </Menu.Item>
              )}
              {txid !== undefined && (
                <Menu.Item
                  component={Link}
                  href={routes.transaction(txid)}
                  leftSection={<IconTransfer {...smallIcon} />}
                >
                  {t('projects.page.openTransaction')}
                </Menu.Item>
              )}
              {canMove && (
                <>
                  <Menu.Item leftSection={<IconArrowLeft {...smallIcon} />} onClick={() => onStep(item.id, -1)}>
                    {t('projects.order.earlier')}
                  </Menu.Item>
                  <Menu.Item leftSection={<IconArrowRight {...smallIcon} />} onClick={() => onStep(item.id, 1)}>
                    {t('projects.order.later')}
                  </Menu.Item>
                </>
              )}
              {draft && (
                <Menu.Item
                  c="var(--pl-fail-text)"
                  leftSection={<IconTrash {...smallIcon} />}
                  onClick={() => onRemove(item)}
                >
                  {t('projects.page.removeSelected')}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        </div>
      </div>
    </article>
  );
});
