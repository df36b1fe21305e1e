import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';

interface Question {
  title: string;
  text: string;
  confirm: string;
  cancel: string;
  onConfirm: () => void;
}

/** Says what will be lost and asks before it is. */
export function askFirst({ title, text, confirm, cancel, onConfirm }: Question): void {
  modals.openConfirmModal({
    title,
    children: <Text>{text}</Text>,
    labels: { confirm, cancel },
    confirmProps: { color: 'red.8' },
    onConfirm,
  });
}
