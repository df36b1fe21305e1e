import { ActionIcon, Group, Select } from '@mantine/core';
import { IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { smallIcon } from '../icon.ts';

/** Sort order of tiles; `place` is the order set by the person. */
type SortKey = 'place' | 'time' | 'number' | 'rank' | 'name';

export interface TileSort<K extends SortKey = SortKey> {
  readonly by: K;
  readonly reversed: boolean;
}

interface SortControlProps<K extends SortKey> {
  keys: readonly K[];
  sort: TileSort<K>;
  onChange: (sort: TileSort<K>) => void;
}

/** Selects the sort order of tiles, and reverses it. */
export function SortControl<K extends SortKey>({ keys, sort: { by, reversed }, onChange }: SortControlProps<K>) {
  const { t } = useTranslation();
  const Direction = reversed ? IconSortDescending : IconSortAscending;
  return (
    <Group gap={4} wrap="nowrap">
      <Select
        size="xs"
        w={148}
        aria-label={t('common.tiles.sort')}
        data={keys.map((value) => ({ value: value as string, label: t(`common.tiles.by.${value}`) }))}
        value={by}
        allowDeselect={false}
        onChange={(value) => value !== null && onChange({ by: value as K, reversed })}
      />
      <ActionIcon
        variant="default"
        size={30}
        aria-label={t('common.tiles.reverse')}
        aria-pressed={reversed}
        title={t('common.tiles.reverse')}
        onClick={() => onChange({ by, reversed: !reversed })}
      >
        <Direction {...smallIcon} />
      </ActionIcon>
    </Group>
  );
}
