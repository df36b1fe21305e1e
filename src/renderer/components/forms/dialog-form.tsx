import { Button, Group, Stack } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../callouts/failure-note.tsx';
import { formSubmit } from './form-submit.ts';

interface DialogFormProps {
  modalId: string;
  /** Names the button that sends the form. */
  submit: string;
  /** What the form starts. */
  save: { isPending: boolean; error: Error | null };
  disabled?: boolean;
  /** Red where something is lost. */
  color?: 'red';
  onSubmit: () => void;
  children: ReactNode;
}

/** The form of a dialog: its fields, why it was refused, and the buttons to leave it or to send it. */
export function DialogForm({ modalId, submit, save, disabled = false, color, onSubmit, children }: DialogFormProps) {
  const { t } = useTranslation();
  return (
    <form onSubmit={formSubmit(() => !disabled && onSubmit())}>
      <Stack gap="md">
        {children}
        <ErrorNote error={save.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => modals.close(modalId)}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" color={color} disabled={disabled} loading={save.isPending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
