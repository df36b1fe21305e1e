import { Button } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { smallIcon } from '../../../components/icon.ts';
import { SelectionBar } from '../../../components/tiles/selection-bar.tsx';
import type { ChangeChosen, Tiles } from '../../../components/tiles/tile-selection.ts';
import { showFailure } from '../../../components/toasts/show-failure.ts';
import { routes } from '../../../lib/routes.ts';

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
        onClick={() =>
          void idsBetween(0, total - 1).then(
            (ids) => onChosen(() => new Set(ids)),
            (error: unknown) => showFailure('tiles-chosen', error),
          )
        }
      >
        {t('tokens.selectAll')}
      </Button>
      <Button size="xs" component={Link} href={routes.tokensSend} leftSection={<IconSend {...smallIcon} />}>
        {t('tokens.many.open', { count: chosen.size })}
      </Button>
    </SelectionBar>
  );
}
