import { Button, Group } from '@mantine/core';
import { useClipboard, useDisclosure } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { smallIcon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import classes from './transactions.module.css';

/** Hex beyond this is not put into the page; the copy has all of it. */
const SHOWN_DIGITS = 20_000;

export function RawHex({ hex }: { hex: string }) {
  const { t } = useTranslation();
  const [open, { toggle }] = useDisclosure(false);
  const clipboard = useClipboard({ timeout: 1_500 });
  return (
    <Panel
      flush={!open}
      title={t('transactions.raw')}
      hint={t('transactions.rawHint')}
      actions={
        <Group gap="xs">
          <Button size="compact-sm" variant="subtle" aria-expanded={open} onClick={toggle}>
            {t(open ? 'transactions.hideRaw' : 'transactions.showRaw')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={clipboard.copied ? <IconCheck {...smallIcon} /> : <IconCopy {...smallIcon} />}
            onClick={() => clipboard.copy(hex)}
          >
            {t(clipboard.copied ? 'common.copied' : 'transactions.copyRaw')}
          </Button>
        </Group>
      }
    >
      {open && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
        <section className={classes.hex} tabIndex={0} aria-label={t('common.hexName')}>
          {hex.length > SHOWN_DIGITS ? `${hex.slice(0, SHOWN_DIGITS)}…` : hex}
        </section>
      )}
    </Panel>
  );
}
