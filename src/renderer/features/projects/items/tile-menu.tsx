import { Menu } from '@mantine/core';
import {
  IconArrowLeft,
  IconArrowRight,
  IconCopyPlus,
  IconHammer,
  IconPencil,
  IconTransfer,
  IconTrash,
} from '@tabler/icons-react';
import { type Ref, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Item } from '../../../../contract/index.ts';
import { smallIcon } from '../../../components/icon.ts';
import { isDraft } from '../../../lib/items/item-rules.ts';
import { routes } from '../../../lib/routes.ts';
import { openItem } from './editing/item-editor.tsx';
import { openMakeEdition } from './editing/make-edition.tsx';
import classes from './item-tile.module.css';

interface TileMenuProps {
  item: Item;
  canMove: boolean;
  onStep: (id: string, places: number) => void;
  onRemove: (item: Item) => void;
}

/** The actions of an item. The menu is mounted at its first use, since it costs more than the rest of the tile. */
export function TileMenu(props: TileMenuProps) {
  const { t } = useTranslation();
  const [isMade, setMade] = useState(false);
  const label = `${t('common.moreActions')}: ${props.item.metadata.name}`;
  if (isMade) return <MadeMenu {...props} label={label} />;
  return <DotsButton label={label} aria-haspopup="menu" aria-expanded={false} onClick={() => setMade(true)} />;
}

interface DotsProps {
  label: string;
  ref?: Ref<HTMLButtonElement>;
  onClick?: () => void;
  'aria-haspopup'?: 'menu';
  'aria-expanded'?: boolean;
}

/** The dots are a background: an icon would be one more SVG on every tile. */
function DotsButton({ label, ...props }: DotsProps) {
  return <button type="button" className={classes.dots} aria-label={label} {...props} />;
}

/** Opens when it is mounted; its button takes the focus from the button that it replaces. */
function MadeMenu({ item, canMove, onStep, onRemove, label }: TileMenuProps & { label: string }) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    button.current?.focus();
    setOpened(true);
  }, []);
  const draft = isDraft(item);
  const txid = item.outpoint?.split('_')[0];
  return (
    // Inside the main landmark, where a screen reader expects it.
    <Menu position="bottom-end" width={200} portalProps={{ target: 'main' }} opened={opened} onChange={setOpened}>
      <Menu.Target>
        <DotsButton label={label} ref={button} />
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
          <Menu.Item component={Link} href={routes.transaction(txid)} leftSection={<IconTransfer {...smallIcon} />}>
            {t('projects.page.openTransaction')}
          </Menu.Item>
        )}
        {draft && item.subType !== 'collection' && (
          <Menu.Item leftSection={<IconCopyPlus {...smallIcon} />} onClick={() => openMakeEdition(item)}>
            {t('projects.edition.open')}
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
          <Menu.Item c="var(--pl-fail-text)" leftSection={<IconTrash {...smallIcon} />} onClick={() => onRemove(item)}>
            {t('projects.page.removeSelected')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
