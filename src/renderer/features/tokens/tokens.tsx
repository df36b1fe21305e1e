import { Button, Skeleton, Stack } from '@mantine/core';
import { IconFolders, IconPhotoHexagon, IconSearch } from '@tabler/icons-react';
import { useDeferredValue, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { tokenSorts } from '../../../contract/index.ts';
import { NewProjectDrop } from '../../components/drop/new-project-drop.tsx';
import { icon } from '../../components/icon.ts';
import { useListState } from '../../components/list/list-state.ts';
import { Empty, Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { TileTools } from '../../components/tiles/selection-bar.tsx';
import { SortControl } from '../../components/tiles/sort-control.tsx';
import { TileSizeControl } from '../../components/tiles/tile-size.tsx';
import { useTokenSelection } from '../../lib/items/token-selection.ts';
import { routes } from '../../lib/routes.ts';
import { TokenSheet } from './sheet/token-sheet.tsx';
import { askedOf, isFiltered, NEWEST_FIRST, NO_FILTER } from './wall/filter.ts';
import { Filters } from './wall/filters.tsx';
import { TokenBar } from './wall/token-bar.tsx';
import { useTokenPages } from './wall/use-pages.ts';
import classes from './wall/wall.module.css';
import { TokenWall } from './wall/wall.tsx';

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

/** A wall of pictures over all projects and what was received; the token of the address is shown in a sheet beside it. */
export function Tokens({ outpoint }: { outpoint?: string }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const [filter, setFilter] = useListState('tokens', NO_FILTER);
  const [sort, setSort] = useListState('tokens sort', NEWEST_FIRST);
  const wanted = useDeferredValue(filter);
  const asked = useMemo(() => askedOf(wanted, sort), [wanted, sort]);
  const { pages, look, idsBetween, query } = useTokenPages(asked);
  const { chosen, change } = useTokenSelection();
  return (
    <Page wide title={t('tokens.title')} purpose={t('tokens.purpose')}>
      <NewProjectDrop />
      <QueryView
        query={query}
        skeleton={<WallSkeleton />}
        isEmpty={({ total }) => total === 0 && !isFiltered(filter) && !isFiltered(wanted)}
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
        {({ total }) => (
          <Stack gap="md">
            <Stack gap="xs">
              <Filters filter={filter} shown={total} onChange={setFilter} />
              {chosen.size > 0 ? (
                <TokenBar chosen={chosen} idsBetween={idsBetween} total={total} onChosen={change} />
              ) : (
                <TileTools>
                  <SortControl keys={tokenSorts} sort={sort} onChange={setSort} />
                  <TileSizeControl />
                </TileTools>
              )}
            </Stack>
            {total === 0 || pages === undefined ? (
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
              <TokenWall
                pages={pages}
                look={look}
                chosen={chosen}
                onChosen={change}
                idsBetween={idsBetween}
                opened={outpoint}
                onOpen={(outpoint) => navigate(routes.token(outpoint))}
              />
            )}
          </Stack>
        )}
      </QueryView>
      <TokenSheet pages={pages} outpoint={outpoint} />
    </Page>
  );
}
