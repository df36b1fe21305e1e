import { Button, Skeleton, Stack, Tabs, Tooltip } from '@mantine/core';
import { IconHammer, IconWorldShare } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { memo, useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useSearch } from 'wouter';
import type { Item, Project } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { upsert } from '../../api/live/live-state.ts';
import { useLive } from '../../api/live/live-store.ts';
import { useItems } from '../../api/use-items.ts';
import { icon } from '../../components/icon.ts';
import { useListState } from '../../components/list/list-state.ts';
import { Page } from '../../components/page.tsx';
import { Thumbnail } from '../../components/preview/thumbnail.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Amount, Badge } from '../../components/values/values.tsx';
import { takeOver } from '../../lib/dropped-files.ts';
import { isDraft } from '../../lib/items/item-rules.ts';
import { selectable } from '../../lib/items/selectable.ts';
import { routes } from '../../lib/routes.ts';
import { addOrAsk } from './import/ask-import.tsx';
import { openImport, useImportUpload } from './import/import-upload.ts';
import { openItem } from './items/editing/item-editor.tsx';
import { ItemsView } from './items/items-view.tsx';
import { TraitChart } from './items/trait-chart.tsx';
import { countMinted, coverOf, noSearch, toggleTrait } from './items/traits.ts';
import { KeptBadge } from './kept.tsx';
import { LedgerTab } from './ledger-tab.tsx';
import { ServiceOutputs } from './outputs/service-outputs.tsx';
import { PlanTab } from './plan-tab.tsx';
import { ProjectMenu } from './project-menu.tsx';
import classes from './projects.module.css';
import { openPublish } from './publish/open-publish.tsx';
import { DropArea } from './upload/drop-area.tsx';
import { UploadList } from './upload/upload-list.tsx';
import { useUploads } from './upload/uploads.ts';
import { usePlan, versionOf } from './use-plan.ts';

const none: readonly Item[] = [];
/** Items whose cost the host estimates at once. */
const MAX_ESTIMATE = 500;

function GallerySkeleton() {
  const { t } = useTranslation();
  return (
    <div className={classes.skeletons} role="status" aria-label={t('common.loading')}>
      {['a', 'b', 'c', 'd'].map((key) => (
        <Skeleton key={key} height={250} radius="md" />
      ))}
    </div>
  );
}

/** How many items there are, how they stand, and what the drafts cost as long as they are few enough to be estimated at once. */
const Facts = memo(function Facts({ projectUid, items }: { projectUid: string; items: readonly Item[] }) {
  const { t } = useTranslation();
  const address = useLive((state) => state.wallet?.address ?? null);
  const { now, later } = selectable(items);
  const drafts = items.filter(isDraft).length;
  const few = drafts > 0 && drafts <= MAX_ESTIMATE;
  // Items that name their collection's token follow it in transactions of their own, as the plan of a run has them.
  const isRun = later.length > 0;
  const options = api.mint.estimate.queryOptions({
    // The ids are part of the query's key: many of them take long to compare.
    input: { itemIds: few && !isRun ? now.map(({ id }) => id) : [], destination: address ?? '' },
    enabled: address !== null && few && !isRun,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const estimate = useQuery({
    ...options,
    queryKey: [...options.queryKey, versionOf(items)] as unknown as typeof options.queryKey,
  });
  const plan = usePlan(projectUid, items, few && isRun);
  const total = isRun ? plan.data?.total : estimate.data?.total;
  const listed = items.filter(({ subType }) => subType !== 'collection').length;
  const counted = t('projects.itemsCount', { count: listed });
  const itemsText = listed === items.length ? counted : t('projects.page.andCollection', { items: counted });
  const parts = [
    itemsText,
    ...(drafts > 0 ? [t('projects.page.draftsCount', { count: drafts })] : []),
    ...(countMinted(items) > 0 ? [t('projects.page.mintedCount', { count: countMinted(items) })] : []),
  ];
  return (
    <span className="num">
      {parts.join(' · ')}
      {total !== undefined && drafts > 0 && (
        <>
          {' · '}
          <Amount satoshis={total} /> {t('projects.page.toMint')}
        </>
      )}
    </span>
  );
});

function isMinted({ itemCount, mintedCount }: Project): boolean {
  return itemCount > 0 && mintedCount >= itemCount;
}

/** Drop files in, name them, choose what to mint. */
export function ProjectPage({ uid }: { uid: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [tab, setTab] = useListState(`project ${uid} tab`, 'items');
  const [search, setSearch] = useListState(`project ${uid}`, noSearch);
  const project = useQuery(api.projects.get.queryOptions({ input: { uid } }));
  const items = useItems(uid);
  const list = items.data ?? none;
  const { now, later } = useMemo(() => selectable(list), [list]);
  const drafts = now.length;
  // The address may name one to open, as the search does, or ask for the pages of what is minted.
  const asks = new URLSearchParams(useSearch());
  const named = asks.get('item');
  const asksToPublish = asks.has('publish');
  const asked = list.find(({ id }) => id === named);
  useEffect(() => {
    if (asked === undefined) return;
    navigate(routes.project(uid), { replace: true });
    openItem(asked);
  }, [asked, navigate, uid]);
  useEffect(() => {
    if (!asksToPublish || project.data === undefined) return;
    navigate(routes.project(uid), { replace: true });
    openPublish(project.data);
  }, [asksToPublish, project.data, navigate, uid]);
  const cover = coverOf(list);
  const onAdded = (item: Item): void => {
    queries.setQueryData<Item[]>(
      api.items.list.queryKey({ input: { projectUid: uid } }),
      (known) => known && upsert(known, item, (one) => one.id, 'last'),
    );
  };
  const type = project.data?.type;
  const isMissing = project.error !== null && failureOf(project.error).code === 'not-found';
  const bring = async (files: readonly File[], { name, type: projectType }: Project): Promise<void> => {
    navigate(routes.import);
    const { send } = useImportUpload.getState();
    openImport(await send(files, { projectUid: uid, projectName: name, projectType }), navigate);
  };
  const take = (files: readonly File[], found: Project): void =>
    addOrAsk(files, {
      onAdd: (added) => useUploads.getState().add(uid, added, onAdded),
      onImport: (added) => void bring(added, found),
    });
  // The files that were dropped on another page to create this project.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are taken once, as soon as the project is known.
  useEffect(() => {
    const files = project.data === undefined ? [] : takeOver(uid);
    if (project.data !== undefined && files.length > 0) take(files, project.data);
  }, [project.data, uid]);

  return (
    <Page
      wide
      title={project.data?.name ?? (isMissing ? t('app.notFound.title') : t('projects.page.title'))}
      crumbs={[{ label: t('projects.title'), to: routes.projects }]}
      lead={
        cover !== undefined && (
          <div className={classes.cover}>
            <Thumbnail file={cover.file} small />
          </div>
        )
      }
      purpose={
        type === undefined ? undefined : list.length > 0 ? (
          <Facts projectUid={uid} items={list} />
        ) : (
          t(type === 'collection' ? 'projects.page.purposeCollection' : 'projects.page.purposeSingle')
        )
      }
      aside={
        project.data && (
          <>
            <Badge tone="neutral">{t(`common.projectType.${project.data.type}`)}</Badge>
            <KeptBadge project={project.data} />
          </>
        )
      }
      actions={
        project.data !== undefined && (
          <>
            {project.data.mintedCount > 0 && (
              <Button
                variant="default"
                leftSection={<IconWorldShare {...icon} />}
                onClick={() => project.data !== undefined && openPublish(project.data)}
              >
                {t('projects.publish.open')}
              </Button>
            )}
            <ProjectMenu project={project.data} />
            {/* No button where everything is minted. The project tells that before its items are loaded. */}
            {!(items.data === undefined ? isMinted(project.data) : list.length > 0 && drafts === 0) && (
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
                    : t('projects.page.mintAll', { count: drafts + later.length })}
                </Button>
              </Tooltip>
            )}
          </>
        )
      }
    >
      <QueryView query={project} skeleton={<GallerySkeleton />}>
        {(found) => (
          <Stack gap="lg">
            <DropArea
              name={found.name}
              big={items.data?.length === 0 && tab === 'items'}
              onFiles={(files) => take(files, found)}
            />
            <UploadList projectUid={uid} onAdded={onAdded} />
            <QueryView query={items} skeleton={<GallerySkeleton />}>
              {(all) => (
                <Tabs
                  value={found.direct && tab === 'outputs' ? 'items' : tab}
                  onChange={(value) => setTab(value ?? 'items')}
                  keepMounted={false}
                >
                  <Tabs.List mb="md" aria-label={t('projects.page.tabs')}>
                    <Tabs.Tab value="items">{t('projects.page.items')}</Tabs.Tab>
                    <Tabs.Tab value="traits">{t('projects.item.traits')}</Tabs.Tab>
                    <Tabs.Tab value="plan">{t('projects.page.plan')}</Tabs.Tab>
                    <Tabs.Tab value="ledger">{t('projects.page.ledger')}</Tabs.Tab>
                    {!found.direct && <Tabs.Tab value="outputs">{t('projects.outputs.title')}</Tabs.Tab>}
                  </Tabs.List>
                  <Tabs.Panel value="items">
                    {all.length > 0 && <ItemsView projectUid={uid} items={all} search={search} onSearch={setSearch} />}
                  </Tabs.Panel>
                  <Tabs.Panel value="outputs">{!found.direct && <ServiceOutputs project={found} />}</Tabs.Panel>
                  <Tabs.Panel value="plan">
                    <PlanTab project={found} items={all} />
                  </Tabs.Panel>
                  <Tabs.Panel value="ledger">
                    <LedgerTab project={found} />
                  </Tabs.Panel>
                  <Tabs.Panel value="traits">
                    <TraitChart
                      items={all}
                      chosen={search.traits}
                      onChoose={(trait) => {
                        setSearch({ ...search, traits: toggleTrait(search.traits, trait) });
                        setTab('items');
                      }}
                    />
                  </Tabs.Panel>
                </Tabs>
              )}
            </QueryView>
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
