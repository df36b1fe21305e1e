import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { i18n } from '../../i18n/index.ts';

interface Question {
  title: string;
  text: string;
  confirm: string;
  onConfirm: () => void;
}

/** Lists what will be lost and asks for confirmation. */
export function askFirst({ title, text, confirm, onConfirm }: Question): void {
  modals.openConfirmModal({
    title,
    children: <Text>{text}</Text>,
    labels: { confirm, cancel: i18n.t('common.cancel') },
    confirmProps: { color: 'red' },
    onConfirm,
  });
}
