import { Drawer, Kbd, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { documentLink } from '../../api/documents.ts';
import { useLive } from '../../api/live/live-store.ts';
import { topicsOf } from '../../lib/help-topics.ts';
import { routes } from '../../lib/routes.ts';
import classes from './help.module.css';
import { RepairLinks } from './repair-links.tsx';
import { documentOf } from './topic-documents.ts';

function Shortcuts() {
  const { t } = useTranslation();
  const onMac = useLive((state) => state.app?.platform === 'darwin') || navigator.platform.startsWith('Mac');
  const shortcuts = [
    [onMac ? '⌘ K' : 'Ctrl K', t('help.shortcut.search')],
    ['?', t('help.shortcut.help')],
    [onMac ? '⌘ Z' : 'Ctrl Z', t('help.shortcut.undo')],
    [t('help.keys.escape'), t('help.shortcut.escape')],
    [t('help.keys.arrows'), t('help.shortcut.rows')],
    [t('help.keys.space'), t('help.shortcut.select')],
    [t('help.keys.enter'), t('help.shortcut.openRow')],
  ] as const;
  return (
    <dl className={classes.shortcuts}>
      {shortcuts.map(([key, what]) => (
        <div key={key} style={{ display: 'contents' }}>
          <dt>
            <Kbd>{key}</Kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The help of the open page, the shortcuts, and links to troubleshooting. */
export function HelpSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const [path] = useLocation();
  const topics = topicsOf(path);
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size={400} title={t('help.title')}>
      <Stack gap="lg">
        {topics.length > 0 && (
          <section aria-label={t('help.thisPage')}>
            {topics.map(({ texts, at }) => {
              const path = texts as 'help.help';
              return (
                <div key={texts}>
                  <Title order={2} size="h4">
                    {t(`${path}.title`)}
                  </Title>
                  <Text mt={4}>{t(`${path}.text`)}</Text>
                  <a {...documentLink(documentOf(at))} className={classes.more}>
                    {t('help.readMore')}
                  </a>
                </div>
              );
            })}
          </section>
        )}
        <section aria-label={t('help.shortcuts')}>
          <Title order={2} size="h4" mb="xs">
            {t('help.shortcuts')}
          </Title>
          <Shortcuts />
        </section>
        <section aria-label={t('help.repair')}>
          <Title order={2} size="h4" mb="xs">
            {t('help.repair')}
          </Title>
          <RepairLinks onOpen={onClose} />
        </section>
        <Link href={routes.help} onClick={onClose} className={classes.more}>
          {t('help.allDocuments')}
        </Link>
      </Stack>
    </Drawer>
  );
}
