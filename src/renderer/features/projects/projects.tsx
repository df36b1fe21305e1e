import { Button, Group, SegmentedControl } from '@mantine/core';
import { IconFileImport, IconFolders, IconLayoutGrid, IconList, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { Project } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { openCreateProject } from '../../components/create-project.tsx';
import { NewProjectDrop } from '../../components/drop/new-project-drop.tsx';
import { icon } from '../../components/icon.ts';
import { idColumn, numberColumn, timeColumn } from '../../components/list/columns.tsx';
import { List, ListFilter } from '../../components/list/list.tsx';
import { useListState } from '../../components/list/list-state.ts';
import type { ListColumn } from '../../components/list/rows.ts';
import { Empty, Page } from '../../components/page.tsx';
import { ProjectCard } from '../../components/project-card/project-card.tsx';
import { QueryView } from '../../components/query-view.tsx';
import layout from '../../components/styles/layout.module.css';
import { formatInteger } from '../../lib/format.ts';
import { usePreferences } from '../../lib/preferences.ts';
import { routes } from '../../lib/routes.ts';
import { keptText } from './kept.tsx';
import classes from './projects.module.css';
import './import/texts.ts';
import { ViewLabel } from './view-label.tsx';

const idOf = (project: Project): string => project.uid;

function useColumns(): readonly ListColumn<Project>[] {
  const { t, i18n } = useTranslation();
  return useMemo<readonly ListColumn<Project>[]>(() => {
    const count = (value: number): string => formatInteger(value, i18n.language);
    return [
      {
        key: 'name',
        title: t('projects.column.name'),
        width: 'minmax(120px, 2fr)',
        value: (project) => project.name,
        render: (project) => (
          <Link href={routes.project(project.uid)} className="link">
            {project.name}
          </Link>
        ),
      },
      {
        key: 'type',
        title: t('projects.column.type'),
        width: '100px',
        value: (project) => t(`common.projectType.${project.type}`),
      },
      numberColumn('itemCount', t('projects.column.items'), '80px', count),
      numberColumn('mintedCount', t('projects.column.minted'), '80px', count),
      timeColumn(
        { key: 'created', title: t('projects.column.created'), width: '128px' },
        ({ createdAt }) => createdAt,
        t('common.unknown'),
      ),
      { key: 'kept', title: t('projects.column.kept'), width: 'minmax(96px, 1fr)', value: (row) => keptText(t, row) },
      idColumn(
        { key: 'uid', title: t('projects.column.uid'), width: 'minmax(120px, 1fr)' },
        { what: t('projects.column.uid') },
        idOf,
      ),
    ];
  }, [t, i18n.language]);
}

function Gallery({ projects, view }: { projects: readonly Project[]; view: ReactNode }) {
  const { t } = useTranslation();
  const [filter, setFilter] = useListState('projects text', '');
  const wanted = filter.trim().toLowerCase();
  const visible = projects.filter((project) => project.name.toLowerCase().includes(wanted));
  return (
    <>
      <div className={classes.toolbar}>
        <ListFilter label={t('projects.filterPlaceholder')} value={filter} onChange={setFilter} />
        {view}
      </div>
      {visible.length === 0 ? (
        <p className={layout.dim}>{t('common.noMatches')}</p>
      ) : (
        <div className={classes.cards}>
          {visible.map((project) => (
            <ProjectCard key={project.uid} project={project} />
          ))}
        </div>
      )}
    </>
  );
}

export function Projects() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const view = usePreferences((state) => state.projectsView);
  const setView = usePreferences((state) => state.setProjectsView);
  const query = useQuery(api.projects.list.queryOptions());
  const columns = useColumns();
  const create = (): void => openCreateProject((project) => navigate(routes.project(project.uid)));

  const views = (
    <SegmentedControl
      size="xs"
      aria-label={t('projects.view')}
      value={view}
      onChange={(value) => setView(value as typeof view)}
      data={[
        { value: 'cards', label: <ViewLabel icon={IconLayoutGrid} label={t('projects.viewCards')} /> },
        { value: 'table', label: <ViewLabel icon={IconList} label={t('projects.viewTable')} /> },
      ]}
    />
  );

  return (
    <Page
      wide
      title={t('projects.title')}
      purpose={t('projects.purpose')}
      actions={
        query.data?.length === 0 ? undefined : (
          <>
            <Button component={Link} href={routes.import} variant="default" leftSection={<IconFileImport {...icon} />}>
              {t('import.open')}
            </Button>
            <Button leftSection={<IconPlus {...icon} />} onClick={create}>
              {t('projects.new')}
            </Button>
          </>
        )
      }
    >
      <NewProjectDrop />
      <QueryView
        query={query}
        isEmpty={(list) => list.length === 0}
        empty={
          <Empty
            icon={<IconFolders {...icon} size={24} />}
            title={t('projects.emptyTitle')}
            text={t('projects.emptyText')}
            action={
              <Group gap="xs" justify="center">
                <Button onClick={create}>{t('projects.emptyAction')}</Button>
                <Button component={Link} href={routes.import} variant="default">
                  {t('import.title')}
                </Button>
              </Group>
            }
          />
        }
      >
        {(list) =>
          view === 'cards' ? (
            <Gallery projects={list} view={views} />
          ) : (
            <List
              name="projects"
              label={t('projects.title')}
              rows={list}
              idOf={idOf}
              columns={columns}
              initialSort={{ column: 'created', direction: 'desc' }}
              filter={t('projects.filterPlaceholder')}
              tools={views}
              copies={{ label: t('projects.copyIds'), of: idOf }}
              onOpen={(project) => navigate(routes.project(project.uid))}
            />
          )
        }
      </QueryView>
    </Page>
  );
}
