import { Button, Group } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Callout } from './callouts/callout.tsx';

/** Prevents a dialog with changes from closing by Escape or a click outside, and asks whether to discard them. */
export function CloseGuard({ modalId, hasChanges }: { modalId: string; hasChanges: boolean }) {
  const { t } = useTranslation();
  const [isAsking, setIsAsking] = useState(false);
  useEffect(() => {
    const closes = !hasChanges;
    modals.updateModal({ modalId, closeOnEscape: closes, closeOnClickOutside: closes, withCloseButton: closes });
  }, [modalId, hasChanges]);
  const ask = (): void => setIsAsking(hasChanges);
  useWindowEvent('keydown', ({ key }) => {
    if (key === 'Escape') ask();
  });
  useWindowEvent('mousedown', ({ target }) => {
    if (target instanceof Element && target.matches('.mantine-Modal-inner, .mantine-Modal-overlay')) ask();
  });
  if (!isAsking || !hasChanges) return null;
  return (
    <Callout
      tone="wait"
      role="alert"
      title={t('common.unsaved.title')}
      actions={
        <Group gap="xs" wrap="nowrap">
          <Button size="xs" variant="default" onClick={() => modals.close(modalId)}>
            {t('common.unsaved.discard')}
          </Button>
          <Button size="xs" autoFocus onClick={() => setIsAsking(false)}>
            {t('common.unsaved.keep')}
          </Button>
        </Group>
      }
    />
  );
}
