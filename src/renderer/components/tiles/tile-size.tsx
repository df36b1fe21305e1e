import { SegmentedControl, VisuallyHidden } from '@mantine/core';
import { IconGridDots, IconLayoutGrid, IconSquare } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { type TileSize, usePreferences } from '../../lib/preferences.ts';
import { smallIcon } from '../icon.ts';

/** Minimum width of a tile, in pixels. */
export const tilePixels: Readonly<Record<TileSize, number>> = { small: 112, medium: 168, large: 264 };

const icons = { small: IconGridDots, medium: IconLayoutGrid, large: IconSquare };

/** The size of the pictures in every gallery. It is stored. */
export function TileSizeControl() {
  const { t } = useTranslation();
  const size = usePreferences((state) => state.tileSize);
  const setSize = usePreferences((state) => state.setTileSize);
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('common.tiles.size')}
      value={size}
      onChange={(value) => setSize(value as TileSize)}
      data={(['small', 'medium', 'large'] as const).map((value) => {
        const Icon = icons[value];
        const name = t(`common.tiles.${value}`);
        return {
          value,
          label: (
            <span title={name} style={{ display: 'flex' }}>
              <Icon {...smallIcon} aria-hidden />
              <VisuallyHidden>{name}</VisuallyHidden>
            </span>
          ),
        };
      })}
    />
  );
}
