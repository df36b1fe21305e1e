import { Stack, Text, TextInput, Title } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearch } from 'wouter';
import { smallIcon } from '../../components/icon.ts';
import { Page, Panel } from '../../components/page.tsx';
import { helpTopics } from '../../lib/help-topics.ts';
import { DocumentsLink } from './documents-link.tsx';
import classes from './help.module.css';
import { RepairLinks } from './repair-links.tsx';
import { useTopicWords } from './use-topics.ts';

/** Every topic, and what helps where something does not work. */
export function HelpPage() {
  const { t } = useTranslation();
  const words = useTopicWords();
  const found = new URLSearchParams(useSearch()).get('find');
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const topics = helpTopics()
    .map((topic) => ({ ...topic, ...words(topic) }))
    .filter(({ title, text }) => `${title}\n${text}`.toLowerCase().includes(wanted));
  useEffect(() => {
    if (found === null) return;
    // The shell takes a new view to its top first.
    const frame = requestAnimationFrame(() =>
      document.querySelector(`[data-topic="${CSS.escape(found)}"]`)?.scrollIntoView({ block: 'center' }),
    );
    return () => cancelAnimationFrame(frame);
  }, [found]);
  return (
    <Page title={t('help.title')} purpose={t('help.purpose')}>
      <Stack gap="md">
        <Panel title={t('help.documents.title')}>
          <DocumentsLink />
        </Panel>
        <Panel title={t('help.repair')}>
          <RepairLinks />
        </Panel>
        <Panel
          title={t('help.topics')}
          flush
          actions={
            <TextInput
              aria-label={t('help.search')}
              placeholder={t('help.search')}
              leftSection={<IconSearch {...smallIcon} />}
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
          }
        >
          {topics.length === 0 && <Text p="md">{t('help.noMatch')}</Text>}
          {topics.map(({ texts, at, title, text }) => (
            <div key={texts} className={classes.topic} data-topic={texts} data-found={texts === found || undefined}>
              <Title order={3} size="h5">
                <Link href={at}>{title}</Link>
              </Title>
              <Text>{text}</Text>
            </div>
          ))}
        </Panel>
      </Stack>
    </Page>
  );
}
