import { Button, MultiSelect, SegmentedControl, Select, Skeleton, Stack, TextInput } from '@mantine/core';
import { IconFolders, IconPhotoHexagon, IconSearch } from '@tabler/icons-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { failureOf } from '../../api/failure.ts';
import { icon, smallIcon } from '../../components/icon.ts';
import { Empty, FailureNote, Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { TokenSheet } from './token-sheet.tsx';
import { useTokens, type Wall } from './use-tokens.ts';
import classes from './wall.module.css';
import { TokenWall } from './wall.tsx';
import { filterTokens, origins, traitOptions, type WallFilter } from './wall-rules.ts';

const NO_FILTER: WallFilter = { origin: 'all', text: '', projectUid: null, traits: [] };

function WallSkeleton() {
  const { t } = useTranslation();
  return (
    <div className={classes.skeleton} role="status" aria-label={t('common.loading')}>
      {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => (
        <Skeleton key={key} height={240} radius="md" />
      ))}
    </div>
  );
}

function Filled({ wall, outpoint }: { wall: Wall; outpoint: string | undefined }) {
  const { t, i18n } = useTranslation();
  const [, navigate] = useLocation();
  const [filter, setFilter] = useState(NO_FILTER);
  const deferred = useDeferredValue(filter);
  const shown = useMemo(() => filterTokens(wall.tokens, deferred), [wall.tokens, deferred]);
  const projects = useMemo(
    () => [
      ...new Map(wall.minted.map(({ project }) => [project.uid, { value: project.uid, label: project.name }])).values(),
    ],
    [wall.minted],
  );
  const { projectUid } = filter;
  const traits = useMemo(
    () => traitOptions(wall.minted.filter(({ project }) => projectUid === null || project.uid === projectUid)),
    [wall.minted, projectUid],
  );
  const change = (changes: Partial<WallFilter>): void => setFilter({ ...filter, ...changes });
  const number = (value: number): string => formatInteger(value, i18n.language);
  const filtered = shown.length < wall.tokens.length;

  return (
    <Stack gap="md">
      <div className={classes.toolbar}>
        <TextInput
          size="xs"
          className={classes.search}
          aria-label={t('tokens.filter.text')}
          placeholder={t('tokens.filter.text')}
          leftSection={<IconSearch {...smallIcon} />}
          value={filter.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
        />
        {wall.minted.length < wall.tokens.length && (
          <SegmentedControl
            size="xs"
            aria-label={t('tokens.filter.origin')}
            value={filter.origin}
            data={origins.map((value) => ({ value, label: t(`tokens.filter.origins.${value}`) }))}
            onChange={(origin) => change({ origin: origin as WallFilter['origin'] })}
          />
        )}
        {projects.length > 1 && (
          <Select
            size="xs"
            className={classes.projectFilter}
            aria-label={t('tokens.filter.project')}
            placeholder={t('tokens.filter.allProjects')}
            data={projects}
            value={projectUid}
            searchable
            clearable
            onChange={(uid) => change({ projectUid: uid, traits: [] })}
          />
        )}
        {traits.length > 0 && (
          <MultiSelect
            size="xs"
            className={classes.traits}
            aria-label={t('tokens.filter.traits')}
            placeholder={filter.traits.length === 0 ? t('tokens.filter.traitsHint') : ''}
            nothingFoundMessage={t('tokens.filter.noTrait')}
            data={traits.map(({ key, name, value, count }) => ({
              value: key,
              label: t('tokens.filter.trait', { name, value, n: number(count) }),
            }))}
            value={[...filter.traits]}
            limit={200}
            searchable
            clearable
            hidePickedOptions
            onChange={(keys) => change({ traits: keys })}
          />
        )}
        <span className={`num ${classes.count}`} role="status">
          {filtered
            ? t('tokens.countOf', { shown: number(shown.length), total: number(wall.tokens.length) })
            : t('tokens.count', { count: shown.length, shown: number(shown.length) })}
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty
          icon={<IconSearch size={28} stroke={1.25} />}
          title={t('common.noMatches')}
          action={
            <Button variant="default" onClick={() => setFilter(NO_FILTER)}>
              {t('common.clearFilter')}
            </Button>
          }
        />
      ) : (
        <TokenWall tokens={shown} onOpen={(token) => navigate(routes.token(token.outpoint))} />
      )}
      <TokenSheet wall={wall} order={shown} outpoint={outpoint} />
    </Stack>
  );
}

/** A wall of pictures over all projects; the token of the address is shown in a sheet beside it. */
export function Tokens({ outpoint }: { outpoint?: string }) {
  const { t } = useTranslation();
  const query = useTokens();
  return (
    <Page title={t('tokens.title')} purpose={t('tokens.purpose')}>
      {query.coinsError !== null && (
        <FailureNote tone="wait" failure={failureOf(query.coinsError)} note={t('tokens.received.unknown')} />
      )}
      <QueryView
        query={query}
        skeleton={<WallSkeleton />}
        isEmpty={(wall) => wall.tokens.length === 0 && outpoint === undefined}
        empty={
          <Empty
            icon={<IconPhotoHexagon size={28} stroke={1.25} />}
            title={t('tokens.emptyTitle')}
            text={t('tokens.emptyText')}
            action={
              <Button component={Link} href={routes.projects} leftSection={<IconFolders {...icon} />}>
                {t('tokens.emptyAction')}
              </Button>
            }
          />
        }
      >
        {(wall) => <Filled wall={wall} outpoint={outpoint} />}
      </QueryView>
    </Page>
  );
}
