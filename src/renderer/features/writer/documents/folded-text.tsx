import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { Panel } from '../../../components/page.tsx';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import classes from '../writer.module.css';

/** Text beyond this is not put into the page; the copy has all of it. */
const SHOWN_LETTERS = 20_000;

/** A panel with long text that opens on demand. @param text null where there is none yet */
export function FoldedText({
  title,
  hint,
  what,
  text,
}: {
  title: string;
  hint: string;
  what: string;
  text: string | null;
}) {
  const { t } = useTranslation();
  const [open, { toggle }] = useDisclosure(false);
  return (
    <Panel
      flush={!open}
      title={title}
      hint={hint}
      actions={
        text === null ? undefined : (
          <Group gap={4} wrap="nowrap">
            <Button
              size="compact-sm"
              variant="subtle"
              aria-expanded={open}
              aria-label={t(open ? 'writer.document.hideThing' : 'writer.document.showThing', { what })}
              onClick={toggle}
            >
              {t(open ? 'writer.document.hide' : 'writer.document.show')}
            </Button>
            <CopyButton value={text} what={what} />
          </Group>
        )
      }
    >
      {open && text !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
        <section className={classes.code} tabIndex={0} aria-label={t('writer.document.contentOf', { what })}>
          {text.length > SHOWN_LETTERS ? `${text.slice(0, SHOWN_LETTERS)}…` : text}
        </section>
      )}
    </Panel>
  );
}
