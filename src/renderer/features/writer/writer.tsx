import { Button } from '@mantine/core';
import { IconPencilPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { smallIcon } from '../../components/icon.ts';
import { Page } from '../../components/page.tsx';
import { PartTabs } from '../../components/part-tabs.tsx';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { DeadLetters } from './documents/dead-letters.tsx';
import { Documents } from './documents/documents.tsx';
import { Keys } from './keys.tsx';
import { Queue } from './queue/queue.tsx';
import { TryIt } from './try-it/try-it.tsx';
import classes from './writer.module.css';

const tabs = [
  { key: 'queue', to: routes.writer, View: Queue },
  { key: 'documents', to: routes.writerDocuments, View: Documents },
  { key: 'dead', to: routes.writerDead, View: DeadLetters },
  { key: 'keys', to: routes.writerKeys, View: Keys },
  { key: 'try', to: routes.writerTry, View: TryIt },
] as const;

export type WriterTab = (typeof tabs)[number]['key'];

/** JSON in, proof out: the queue, its documents, its keys and a form to try it. */
export function Writer({ tab }: { tab: WriterTab }) {
  const { t, i18n } = useTranslation();
  const [, navigate] = useLocation();
  const dead = useQuery(api.writer.status.queryOptions()).data?.states.dead ?? 0;
  return (
    <Page
      wide
      title={t('writer.title')}
      purpose={t('writer.purpose')}
      actions={
        tab === 'try' ? undefined : (
          <Button component={Link} href={routes.writerTry} leftSection={<IconPencilPlus {...smallIcon} />}>
            {t('writer.writeOne')}
          </Button>
        )
      }
    >
      <PartTabs
        label={t('writer.tabs.label')}
        parts={tabs.map(({ key, View }) => ({
          key,
          title: t(`writer.tabs.${key}`),
          View,
          aside:
            key === 'dead' && dead > 0 ? (
              <span className={classes.deadCount}>{formatInteger(dead, i18n.language)}</span>
            ) : undefined,
        }))}
        current={tab}
        onChoose={(next) => navigate(tabs.find(({ key }) => key === next)?.to ?? routes.writer)}
      />
    </Page>
  );
}
