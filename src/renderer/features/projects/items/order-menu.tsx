import { Button, Menu } from '@mantine/core';
import { IconArrowsSort } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Item } from '../../../../contract/index.ts';
import { smallIcon } from '../../../components/icon.ts';
import { movable, type OrderKey, orderedBy, orderKeys } from './order.ts';

const MAX_TRAITS = 20;

interface OrderMenuProps {
  items: readonly Item[];
  onOrder: (ids: readonly string[], renumber: boolean) => void;
}

/** Puts all drafts of a project in the order of one of their values. */
export const OrderMenu = memo(function OrderMenu({ items, onOrder }: OrderMenuProps) {
  const { t } = useTranslation();
  const [renumber, setRenumber] = useState(false);
  const drafts = movable(items);
  if (drafts.length < 2) return null;
  const traits = [...new Set(drafts.flatMap(({ metadata }) => metadata.traits.map(({ name }) => name)))];
  const order = (key: OrderKey) => () => onOrder(orderedBy(items, key), renumber);
  return (
    <Menu position="bottom-end" width={240} withinPortal={false} floatingStrategy="fixed">
      <Menu.Target>
        <Button size="xs" variant="subtle" color="gray" leftSection={<IconArrowsSort {...smallIcon} />}>
          {t('projects.order.open')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        <Menu.Label>{t('projects.order.by')}</Menu.Label>
        {orderKeys.map((key) => (
          <Menu.Item key={key} onClick={order(key)}>
            {t(`projects.order.${key}`)}
          </Menu.Item>
        ))}
        {traits.slice(0, MAX_TRAITS).map((name) => (
          <Menu.Item key={`trait ${name}`} onClick={order(`trait:${name}`)}>
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.CheckboxItem checked={renumber} onChange={setRenumber}>
          {t('projects.order.renumber')}
        </Menu.CheckboxItem>
        <Menu.Label>{t('projects.order.hint')}</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
});
