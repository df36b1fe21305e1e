import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Hint } from './hint.tsx';
import { smallIcon } from './icon.ts';

/** @param what names the value for a screen reader: “Copy address”. */
export function CopyButton({ value, what, className }: { value: string; what: string; className?: string }) {
  const { t } = useTranslation();
  const clipboard = useClipboard({ timeout: 1_500 });
  const label = clipboard.copied ? t('common.copied') : t('common.copyThing', { what });
  return (
    <Hint text={label} openDelay={0}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        aria-label={label}
        className={className}
        onClick={(event) => {
          event.stopPropagation();
          clipboard.copy(value);
        }}
      >
        {clipboard.copied ? <IconCheck {...smallIcon} color="var(--pl-done)" /> : <IconCopy {...smallIcon} />}
      </ActionIcon>
    </Hint>
  );
}
