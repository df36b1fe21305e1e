import { ActionIcon, Checkbox, Menu, UnstyledButton } from '@mantine/core';
import { IconDots, IconHammer, IconPencil, IconTransfer, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type Item, mintStates } from '../../../../contract/index.ts';
import { smallIcon } from '../../../components/icon.ts';
import { Thumbnail } from '../../../components/preview/thumbnail.tsx';
import { StateBadge } from '../../../components/values.tsx';
import { isDraft } from '../../../lib/item-rules.ts';
import { routes } from '../../../lib/routes.ts';
import { openItem } from './item-editor.tsx';
import classes from './item-tile.module.css';

interface ItemTileProps {
  item: Item;
  selected: boolean;
  onSelect: (selected: boolean) => void;
  onRemove: () => void;
}

/** Its picture, its name, where it stands, and what can be done with it. */
export function ItemTile({ item, selected, onSelect, onRemove }: ItemTileProps) {
  const { t } = useTranslation();
  const { name } = item.metadata;
  const draft = isDraft(item);
  const txid = item.outpoint?.split('_')[0];
  const working = !draft && item.failure === null && !mintStates.is(item.state, 'mined');
  return (
    <article className={classes.tile} data-selected={selected || undefined}>
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
              onChange={(event) => onSelect(event.currentTarget.checked)}
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
          <Menu position="bottom-end" width={200}>
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
              {draft && (
                <Menu.Item c="var(--pl-fail-text)" leftSection={<IconTrash {...smallIcon} />} onClick={onRemove}>
                  {t('projects.page.removeSelected')}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        </div>
      </div>
    </article>
  );
}
