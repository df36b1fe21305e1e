import { Button, SegmentedControl, Skeleton, Stack, Tooltip } from '@mantine/core';
import { IconHammer } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { Item, Project } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { upsert } from '../../api/live-state.ts';
import { useItems } from '../../api/use-items.ts';
import { icon } from '../../components/icon.ts';
import { Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Badge } from '../../components/values.tsx';
import { type ItemFilter, inFilter, isDraft } from '../../lib/item-rules.ts';
import { useSelectedItems, useSelection } from '../../lib/item-selection.ts';
import { routes } from '../../lib/routes.ts';
import { selectable } from '../../lib/selectable.ts';
import { DropArea } from './drop-area.tsx';
import { ItemTile } from './item-tile.tsx';
import classes from './projects.module.css';
import { confirmRemove } from './remove-items.tsx';
import { UploadList } from './upload-list.tsx';
import { useUploads } from './uploads.ts';

const filters = ['all', 'drafts', 'running', 'minted'] as const;

function GallerySkeleton() {
  const { t } = useTranslation();
  return (
    <div className={classes.gallery} role="status" aria-label={t('common.loading')}>
      {['a', 'b', 'c', 'd'].map((key) => (
        <Skeleton key={key} height={260} radius="md" />
      ))}
    </div>
  );
}

function Gallery({ project, items }: { project: Project; items: readonly Item[] }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [filter, setFilter] = useState<ItemFilter>('all');
  const setSelection = useSelection((state) => state.set);
  const drafts = items.filter(isDraft);
  const chosen = useSelectedItems(project.uid);
  const selected = drafts.filter((item) => chosen.includes(item.id));
  const visible = items.filter((item) => inFilter(item, filter));
  const select = (ids: readonly string[]): void => setSelection(project.uid, ids);

  return (
    <>
      <div className={classes.toolbar}>
        <SegmentedControl
          size="xs"
          aria-label={t('projects.page.filterState')}
          value={filter}
          onChange={(value) => setFilter(value as ItemFilter)}
          data={filters.map((value) => ({
            value,
            label: `${t(`projects.page.filter${({ all: 'All', drafts: 'Drafts', running: 'Running', minted: 'Minted' } as const)[value]}`)} ${items.filter((item) => inFilter(item, value)).length}`,
          }))}
        />
        {drafts.length > 0 && (
          <Button
            size="xs"
            variant="subtle"
            onClick={() => select(selected.length === drafts.length ? [] : drafts.map((item) => item.id))}
          >
            {t(selected.length === drafts.length ? 'projects.page.clearSelection' : 'projects.page.selectAll')}
          </Button>
        )}
      </div>
      {visible.length === 0 ? (
        <p className={classes.dim}>{t('projects.page.noneInFilter')}</p>
      ) : (
        <div className={classes.gallery}>
          {visible.map((item) => (
            <ItemTile
              key={item.id}
              item={item}
              selected={isDraft(item) && chosen.includes(item.id)}
              onSelect={(on) => select(on ? [...chosen, item.id] : chosen.filter((id) => id !== item.id))}
              onRemove={() => confirmRemove(queries, [item], () => {})}
            />
          ))}
        </div>
      )}
      {selected.length > 0 && (
        <div
          className={classes.selectionBar}
          role="toolbar"
          aria-label={t('projects.page.selected', { count: selected.length })}
        >
          <span className="num">{t('projects.page.selected', { count: selected.length })}</span>
          <Button size="xs" variant="subtle" color="gray" onClick={() => select([])}>
            {t('projects.page.clearSelection')}
          </Button>
          <Button size="xs" variant="default" onClick={() => confirmRemove(queries, selected, () => select([]))}>
            {t('projects.page.removeSelected')}
          </Button>
          <Button
            size="xs"
            leftSection={<IconHammer {...icon} size={15} />}
            onClick={() => navigate(routes.mint(project.uid))}
          >
            {t('projects.page.mintSelected', { count: selected.length })}
          </Button>
        </div>
      )}
    </>
  );
}

/** Drop files in, name them, choose what to mint. */
export function ProjectPage({ uid }: { uid: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const project = useQuery(api.projects.get.queryOptions({ input: { uid } }));
  const items = useItems(uid);
  const { now, later } = selectable(items.data ?? []);
  const drafts = now.length;
  const onAdded = (item: Item): void => {
    queries.setQueryData<Item[]>(
      api.items.list.queryKey({ input: { projectUid: uid } }),
      (list) => list && upsert(list, item, (one) => one.id, 'last'),
    );
  };
  const type = project.data?.type;

  return (
    <Page
      title={project.data?.name ?? (project.isError ? t('app.notFound.title') : '…')}
      crumbs={[{ label: t('projects.title'), to: routes.projects }]}
      purpose={
        type === undefined
          ? undefined
          : t(type === 'collection' ? 'projects.page.purposeCollection' : 'projects.page.purposeSingle')
      }
      aside={type === undefined ? undefined : <Badge tone="neutral">{t(`common.projectType.${type}`)}</Badge>}
      actions={
        project.data !== undefined && (
          <Tooltip label={t('projects.page.nothingToMint')} disabled={drafts > 0} openDelay={0}>
            <Button
              component={Link}
              href={routes.mint(uid)}
              leftSection={<IconHammer {...icon} />}
              data-disabled={drafts === 0 || undefined}
              aria-disabled={drafts === 0 || undefined}
              onClick={(event: React.MouseEvent) => {
                if (drafts === 0) event.preventDefault();
              }}
            >
              {drafts === 0
                ? t('projects.page.mint')
                : later.length > 0
                  ? t('projects.page.mintCollection')
                  : t('projects.page.mintAll', { count: drafts })}
            </Button>
          </Tooltip>
        )
      }
    >
      <QueryView query={project} skeleton={<GallerySkeleton />}>
        {(found) => (
          <Stack gap="lg">
            <DropArea
              name={found.name}
              big={items.data?.length === 0}
              onFiles={(files) => useUploads.getState().add(uid, files, onAdded)}
            />
            <UploadList projectUid={uid} onAdded={onAdded} />
            <QueryView query={items} skeleton={<GallerySkeleton />} isEmpty={(list) => list.length === 0} empty={null}>
              {(list) => (
                <section aria-label={t('projects.page.items')}>
                  <Gallery project={found} items={list} />
                </section>
              )}
            </QueryView>
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
