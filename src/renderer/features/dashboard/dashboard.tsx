import { Button, Skeleton, Stack } from '@mantine/core';
import { IconCoin, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { type TokenCard as MintedToken, mintStates, type Project } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { newestRuns } from '../../api/run-list.ts';
import { openCreateProject } from '../../components/create-project.tsx';
import { NewProjectDrop } from '../../components/drop/new-project-drop.tsx';
import { icon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { Preview } from '../../components/preview/preview.tsx';
import { ProjectCard } from '../../components/project-card/project-card.tsx';
import { QueryView, SkeletonRows } from '../../components/query-view.tsx';
import { StateBadge } from '../../components/values/values.tsx';
import { routes } from '../../lib/routes.ts';
import classes from './dashboard.module.css';
import { Figures } from './figures.tsx';
import { Notices } from './notices.tsx';
import { Services } from './service-list.tsx';
import { WaitingMints } from './waiting-mints.tsx';

const SHOWN_TOKENS = 6;
const SHOWN_PROJECTS = 4;
const placeholder = <SkeletonRows rows={1} />;

function TokenCard({ token }: { token: MintedToken }) {
  const { content } = token;
  return (
    <Link href={routes.token(token.outpoint)} className={classes.token}>
      <div className={classes.tokenPicture}>
        {content !== null && <Preview file={{ ...content, name: content.fileName ?? token.name }} />}
      </div>
      <div className={classes.tokenBody}>
        <div className={classes.tokenName} title={token.name}>
          {token.name}
        </div>
        {!mintStates.is(token.state, 'mined') && <StateBadge state={token.state} />}
      </div>
    </Link>
  );
}

/** The newest projects. Those with items left to mint come first. */
function Projects({ projects }: { projects: readonly Project[] }) {
  const { t } = useTranslation();
  if (projects.length === 0) return null;
  const newest = [...projects].sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
  const isOpen = ({ itemCount, mintedCount }: Project): boolean => mintedCount < itemCount;
  const shown = [...newest.filter(isOpen), ...newest.filter((project) => !isOpen(project))].slice(0, SHOWN_PROJECTS);
  return (
    <Panel
      title={t('dashboard.projects')}
      actions={
        <Button size="compact-sm" variant="subtle" component={Link} href={routes.projects}>
          {t('dashboard.allProjects')}
        </Button>
      }
    >
      <div className={classes.projects}>
        {shown.map((project) => (
          <ProjectCard key={project.uid} project={project} />
        ))}
      </div>
    </Panel>
  );
}

export function Dashboard() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const tokens = useQuery(api.tokens.list.queryOptions({ input: { source: 'minted', limit: SHOWN_TOKENS } }));
  const projects = useQuery(api.projects.list.queryOptions());
  const create = (): void => openCreateProject((project) => navigate(routes.project(project.uid)));
  // Problems are listed first.
  const broken = useLive((state) => state.services.some((service) => service.status.state === 'failed'));
  const runs = useQuery(newestRuns());
  // Stays so while one that failed is read once more.
  const isRead = [tokens, projects, runs].every(({ isFetched }) => isFetched);
  const hasTokens = tokens.data !== undefined && tokens.data.tokens.length > 0;
  const fresh = tokens.data?.tokens.length === 0 && projects.data?.length === 0;
  return (
    <Page
      title={t('dashboard.title')}
      purpose={t('dashboard.purpose')}
      actions={
        fresh ? undefined : (
          <Button leftSection={<IconPlus {...icon} />} onClick={create}>
            {t('dashboard.newProject')}
          </Button>
        )
      }
    >
      <NewProjectDrop />
      <Stack gap="md">
        <Notices />
        <Figures />
        {broken && <Services />}
        {isRead ? (
          <>
            <QueryView query={runs} skeleton={placeholder}>
              {(read) => <WaitingMints runs={read.runs} />}
            </QueryView>
            <QueryView query={projects} skeleton={placeholder}>
              {(read) => <Projects projects={read} />}
            </QueryView>
            <Panel
              title={t('dashboard.lastTokens')}
              actions={
                hasTokens && (
                  <Button size="compact-sm" variant="subtle" component={Link} href={routes.tokens}>
                    {t('dashboard.allTokens')}
                  </Button>
                )
              }
            >
              <QueryView
                query={tokens}
                skeleton={placeholder}
                isEmpty={(read) => read.tokens.length === 0}
                empty={
                  <Empty
                    icon={<IconCoin {...icon} size={24} />}
                    title={t('dashboard.emptyTitle')}
                    text={t('dashboard.emptyText')}
                    action={
                      fresh ? (
                        <Button leftSection={<IconPlus {...icon} />} onClick={create}>
                          {t('dashboard.emptyAction')}
                        </Button>
                      ) : (
                        <Button component={Link} href={routes.projects}>
                          {t('dashboard.allProjects')}
                        </Button>
                      )
                    }
                  />
                }
              >
                {(read) => (
                  <div className={classes.tokens}>
                    {read.tokens.map((token) => (
                      <TokenCard key={token.outpoint} token={token} />
                    ))}
                  </div>
                )}
              </QueryView>
            </Panel>
            {!broken && <Services />}
          </>
        ) : (
          <Skeleton height={240} radius="md" role="status" aria-label={t('common.loading')} />
        )}
      </Stack>
    </Page>
  );
}
