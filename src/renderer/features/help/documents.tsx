import { Text, TextInput, Title } from '@mantine/core';
import { IconBook2, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type DocumentHeading, documentHeadings, documentLink } from '../../api/documents.ts';
import { icon, smallIcon } from '../../components/icon.ts';
import { Panel } from '../../components/page.tsx';
import classes from './help.module.css';

/** Number of hits that are shown. */
const MOST_HITS = 60;

const isPage = ({ text, page }: DocumentHeading): boolean => text === page;

/** All documents, grouped by section. */
function Pages({ headings }: { headings: readonly DocumentHeading[] }) {
  const placed = headings.filter((heading) => isPage(heading) && heading.section !== '');
  const sections = Object.groupBy(placed, ({ section }) => section);
  return Object.entries(sections).map(([section, pages = []]) => (
    <section key={section} className={classes.section} aria-label={section}>
      <Title order={3} size="h6">
        {section}
      </Title>
      <ul className={classes.pages}>
        {pages.map(({ at, page }) => (
          <li key={at}>
            <a {...documentLink(at)}>{page}</a>
          </li>
        ))}
      </ul>
    </section>
  ));
}

/** The headings that contain every word of the search, titles of documents first. */
function Hits({ headings, words }: { headings: readonly DocumentHeading[]; words: readonly string[] }) {
  const { t } = useTranslation();
  const hits = headings
    .filter(({ text, page }) => words.every((word) => `${text}\n${page}`.toLowerCase().includes(word)))
    .sort((a, b) => Number(isPage(b)) - Number(isPage(a)))
    .slice(0, MOST_HITS);
  if (hits.length === 0) return <Text p="md">{t('help.noMatch')}</Text>;
  return (
    <ul className={classes.hits}>
      {hits.map((hit) => (
        <li key={hit.at}>
          <a {...documentLink(hit.at)}>{hit.text}</a>
          {!isPage(hit) && <span className={classes.linkText}>{hit.page}</span>}
        </li>
      ))}
    </ul>
  );
}

/** The documents that come with the application, with a search over their headings. If they are not built, says how to build them. */
export function Documents() {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const { data: headings = [] } = useQuery(documentHeadings);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (
    <Panel
      title={t('help.documents.title')}
      hint={t('help.documents.text')}
      flush
      actions={
        headings.length > 0 && (
          <TextInput
            aria-label={t('help.search')}
            placeholder={t('help.search')}
            leftSection={<IconSearch {...smallIcon} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        )
      }
    >
      {words.length > 0 ? (
        <Hits headings={headings} words={words} />
      ) : (
        <>
          <a {...documentLink('')} className={classes.first}>
            <IconBook2 {...icon} />
            {t('help.documents.name')}
          </a>
          <Pages headings={headings} />
        </>
      )}
    </Panel>
  );
}
