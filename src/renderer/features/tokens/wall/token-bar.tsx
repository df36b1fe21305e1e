import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { SelectionBar } from '../../../components/tiles/selection-bar.tsx';
import type { ChangeChosen, Tiles } from '../../../components/tiles/tile-selection.ts';

interface TokenBarProps {
  chosen: ReadonlySet<string>;
  /** How many tokens the wall has. */
  total: number;
  idsBetween: Tiles['idsBetween'];
  onChosen: ChangeChosen;
}

/** What can be done with the chosen tokens. */
export function TokenBar({ chosen, total, idsBetween, onChosen }: TokenBarProps) {
  const { t } = useTranslation();
  return (
    <SelectionBar count={chosen.size} onClear={() => onChosen(() => new Set())}>
      <Button
        size="xs"
        variant="default"
        onClick={() => void idsBetween(0, total - 1).then((ids) => onChosen(() => new Set(ids)))}
      >
        {t('tokens.selectAll')}
      </Button>
    </SelectionBar>
  );
}
