import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { i18n } from '../../i18n/index.ts';
import { smallIcon } from '../icon.ts';
import { Hint, InRow } from './hint.tsx';
import classes from './values.module.css';

interface CopyProps {
  value: string;
  /** The value's name for screen readers: “Copy address”. */
  what: string;
  className?: string | undefined;
}

export function CopyButton(props: CopyProps) {
  return useContext(InRow) ? <RowCopyButton {...props} /> : <FullCopyButton {...props} />;
}

/** One element instead of the several of the component library, since fast scrolling renders hundreds of rows a second. */
function RowCopyButton({ value, what, className = '' }: CopyProps) {
  const clipboard = useClipboard({ timeout: 1_500 });
  // The row may be showing another value by now.
  const [copiedValue, setCopiedValue] = useState('');
  const copied = clipboard.copied && copiedValue === value;
  const label = copied ? i18n.t('common.copied') : i18n.t('common.copyThing', { what });
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      data-copied={copied || undefined}
      className={`${classes.rowCopy} ${className}`}
      onClick={(event) => {
        event.stopPropagation();
        setCopiedValue(value);
        clipboard.copy(value);
      }}
    />
  );
}

function FullCopyButton({ value, what, className }: CopyProps) {
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
        {...(className === undefined ? {} : { className })}
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
