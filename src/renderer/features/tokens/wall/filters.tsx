import { MultiSelect, SegmentedControl, Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client.ts';
import { smallIcon } from '../../../components/icon.ts';
import { formatInteger } from '../../../lib/format.ts';
import { isFiltered, sources, traitKey, traitOf, type WallFilter } from './filter.ts';
import classes from './wall.module.css';

interface FiltersProps {
  filter: WallFilter;
  /** How many tokens fit it. */
  shown: number;
  onChange: (filter: WallFilter) => void;
}

/** Text, source, project and traits. Each choice is offered only where there is something to choose. */
export function Filters({ filter, shown, onChange }: FiltersProps) {
  const { t, i18n } = useTranslation();
  const { projectUid } = filter;
  const facets = useQuery({
    ...api.tokens.facets.queryOptions({ input: projectUid === null ? {} : { projectUid } }),
    placeholderData: keepPreviousData,
  }).data;
  const change = (changes: Partial<WallFilter>): void => onChange({ ...filter, ...changes });
  const number = (value: number): string => formatInteger(value, i18n.language);
  const total = facets === undefined ? shown : Math.max(shown, facets.minted + facets.received);
  // Sent tokens are shown as well, but no longer belong to the wallet.
  const elsewhere = Math.min(shown, facets?.elsewhere ?? 0);
  const label = (name: string, value: string, n: number): string =>
    t('tokens.filter.trait', { name, value, n: number(n) });
  const counted = new Map(facets?.traits.map(({ name, value, count }) => [traitKey({ name, value }), count]));
  for (const trait of filter.traits) if (!counted.has(traitKey(trait))) counted.set(traitKey(trait), 0);
  return (
    <div className={classes.toolbar}>
      <TextInput
        size="xs"
        className={classes.search}
        aria-label={t('tokens.filter.text')}
        placeholder={t('tokens.filter.text')}
        leftSection={<IconSearch {...smallIcon} />}
        maxLength={200}
        value={filter.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
      />
      {facets !== undefined && facets.received > 0 && (
        <SegmentedControl
          size="xs"
          aria-label={t('tokens.filter.origin')}
          value={filter.source}
          data={sources.map((value) => ({ value, label: t(`tokens.filter.origins.${value}`) }))}
          onChange={(source) => change({ source: source as WallFilter['source'] })}
        />
      )}
      {facets !== undefined && facets.projects.length > 1 && (
        <Select
          size="xs"
          className={classes.projectFilter}
          aria-label={t('tokens.filter.project')}
          placeholder={t('tokens.filter.allProjects')}
          data={facets.projects.map(({ uid, name, count }) => ({ value: uid, label: `${name} (${number(count)})` }))}
          value={projectUid}
          searchable
          clearable
          onChange={(uid) => change({ projectUid: uid, traits: [] })}
        />
      )}
      {counted.size > 0 && (
        <MultiSelect
          size="xs"
          className={classes.traits}
          aria-label={t('tokens.filter.traits')}
          placeholder={filter.traits.length === 0 ? t('tokens.filter.traitsHint') : ''}
          nothingFoundMessage={t('tokens.filter.noTrait')}
          data={[...counted].map(([key, count]) => {
            const { name, value } = traitOf(key);
            return { value: key, label: label(name, value, count) };
          })}
          value={filter.traits.map(traitKey)}
          limit={200}
          searchable
          clearable
          hidePickedOptions
          onChange={(keys) => change({ traits: keys.map(traitOf) })}
        />
      )}
      <span className={`num ${classes.count}`} role="status">
        {isFiltered(filter)
          ? t('tokens.countOf', { shown: number(shown), total: number(total) })
          : elsewhere > 0
            ? t('tokens.countElsewhere', { here: number(shown - elsewhere), elsewhere: number(elsewhere) })
            : t('tokens.count', { count: shown, shown: number(shown) })}
      </span>
    </div>
  );
}
