import { Button, type ButtonProps } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ServiceName } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { ErrorNote } from '../callouts/failure-note.tsx';
import { smallIcon } from '../icon.ts';

interface RestartButtonProps extends Pick<ButtonProps, 'size' | 'variant' | 'color'> {
  name: ServiceName;
  /** Whether it is starting already. */
  busy?: boolean;
  onRestarted?: () => void;
}

/** Restarts one service. If that fails, the reason is shown next to it. */
export function RestartButton({ name, busy = false, onRestarted, ...look }: RestartButtonProps) {
  const { t } = useTranslation();
  const restart = useMutation({ ...api.services.restart.mutationOptions(), onSettled: () => onRestarted?.() });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        {...look}
        aria-label={t('services.restartNamed', { name: t(`services.${name}`) })}
        leftSection={<IconRefresh {...smallIcon} />}
        loading={busy || restart.isPending}
        onClick={() => restart.mutate({ name })}
      >
        {t('common.restart')}
      </Button>
      <ErrorNote error={restart.error} />
    </>
  );
}
