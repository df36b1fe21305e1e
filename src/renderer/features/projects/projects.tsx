import { Button, CloseButton, Progress, SegmentedControl, TextInput } from '@mantine/core';
import { IconFolders, IconLayoutGrid, IconList, IconPlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { Project } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { usePreferences } from '../../app/preferences.ts';
import { routes } from '../../app/routes.ts';
import { icon, smallIcon } from '../../components/icon.ts';
import { Empty, Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { SortedTable } from '../../components/sorted-table.tsx';
import { Ago, Badge, Id } from '../../components/values.tsx';
import { openCreateProject } from './create-project.tsx';
import classes from './projects.module.css';

function Card({ project }: { project: Project }) {
  const { t } = useTranslation();
  const percent = project.itemCount === 0 ? 0 : (project.mintedCount / project.itemCount) * 100;
  return (
    <Link href={routes.project(project.uid)} className={classes.projectCard}>
      <div className={classes.projectHead}>
        <span className={classes.projectName}>{project.name}</span>
        <Badge tone="neutral">{t(`common.projectType.${project.type}`)}</Badge>
      </div>
      <div>
        <div className={`${classes.row} ${classes.dim} num`}>
          <span>
            {project.itemCount === 0
              ? t('projects.itemsCount', { count: 0 })
              : t('projects.mintedCount', { minted: project.mintedCount, total: project.itemCount })}
          </span>
          {project.createdAt !== null && <Ago at={project.createdAt} />}
        </div>
        <Progress value={percent} size={4} mt={8} color="var(--pl-done)" aria-label={t('projects.column.minted')} />
      </div>
    </Link>
  );
}

function Table({ projects }: { projects: Project[] }) {
  const { t } = useTranslation();
  return (
    <SortedTable
      records={projects}
      idOf={(project) => project.uid}
      initialSort={{ column: 'createdAt', direction: 'desc' }}
      columns={[
        {
          accessor: 'name',
          title: t('projects.column.name'),
          sortBy: (project) => project.name.toLowerCase(),
          render: (project) => (
            <Link href={routes.project(project.uid)} className="link">
              {project.name}
            </Link>
          ),
        },
        {
          accessor: 'type',
          title: t('projects.column.type'),
          sortBy: (project) => project.type,
          render: (project) => t(`common.projectType.${project.type}`),
        },
        {
          accessor: 'itemCount',
          title: t('projects.column.items'),
          textAlign: 'right',
          sortBy: (project) => project.itemCount,
          render: (project) => <span className="num">{project.itemCount}</span>,
        },
        {
          accessor: 'mintedCount',
          title: t('projects.column.minted'),
          textAlign: 'right',
          sortBy: (project) => project.mintedCount,
          render: (project) => <span className="num">{project.mintedCount}</span>,
        },
        {
          accessor: 'createdAt',
          title: t('projects.column.created'),
          sortBy: (project) => project.createdAt ?? 0,
          render: (project) => (project.createdAt === null ? t('common.unknown') : <Ago at={project.createdAt} />),
        },
        {
          accessor: 'uid',
          title: t('projects.column.uid'),
          render: (project) => <Id value={project.uid} what={t('projects.column.uid')} />,
        },
      ]}
    />
  );
}

export function Projects() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const [filter, setFilter] = useState('');
  const view = usePreferences((state) => state.projectsView);
  const setView = usePreferences((state) => state.setProjectsView);
  const query = useQuery(api.projects.list.queryOptions());
  const create = (): void => openCreateProject((project) => navigate(routes.project(project.uid)));
  const viewLabel = (Icon: typeof IconList, label: string) => (
    <span style={{ display: 'flex', alignItems: 'center', gap: 6 }}>
      <Icon {...smallIcon} />
      {label}
    </span>
  );

  return (
    <Page
      title={t('projects.title')}
      purpose={t('projects.purpose')}
      actions={
        query.data?.length === 0 ? undefined : (
          <Button leftSection={<IconPlus {...icon} />} onClick={create}>
            {t('projects.new')}
          </Button>
        )
      }
    >
      <QueryView
        query={query}
        isEmpty={(list) => list.length === 0}
        empty={
          <Empty
            icon={<IconFolders {...icon} size={24} />}
            title={t('projects.emptyTitle')}
            text={t('projects.emptyText')}
            action={<Button onClick={create}>{t('projects.emptyAction')}</Button>}
          />
        }
      >
        {(list) => {
          const wanted = filter.trim().toLowerCase();
          const shown = list.filter((project) => project.name.toLowerCase().includes(wanted));
          return (
            <>
              <div className={classes.toolbar}>
                <TextInput
                  w={280}
                  size="xs"
                  aria-label={t('projects.filterPlaceholder')}
                  placeholder={t('projects.filterPlaceholder')}
                  leftSection={<IconSearch {...smallIcon} />}
                  rightSection={
                    filter === '' ? undefined : (
                      <CloseButton size="xs" aria-label={t('common.clearFilter')} onClick={() => setFilter('')} />
                    )
                  }
                  value={filter}
                  onChange={(event) => setFilter(event.currentTarget.value)}
                />
                <SegmentedControl
                  size="xs"
                  aria-label={t('projects.view')}
                  value={view}
                  onChange={(value) => setView(value as typeof view)}
                  data={[
                    { value: 'cards', label: viewLabel(IconLayoutGrid, t('projects.viewCards')) },
                    { value: 'table', label: viewLabel(IconList, t('projects.viewTable')) },
                  ]}
                />
              </div>
              {shown.length === 0 ? (
                <p className={classes.dim}>{t('common.noMatches')}</p>
              ) : view === 'table' ? (
                <Table projects={shown} />
              ) : (
                <div className={classes.cards}>
                  {shown.map((project) => (
                    <Card key={project.uid} project={project} />
                  ))}
                </div>
              )}
            </>
          );
        }}
      </QueryView>
    </Page>
  );
}
