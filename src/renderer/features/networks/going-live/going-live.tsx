import { Button, Group, Select, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'wouter';
import type { NetworkProfile } from '../../../../contract/index.ts';
import { openCreateProject } from '../../../components/create-project.tsx';
import { SkeletonRows } from '../../../components/query-view.tsx';
import { routes } from '../../../lib/routes.ts';
import classes from './going-live.module.css';
import { MinersBody } from './miners-row.tsx';
import { MintBody } from './mint-row.tsx';
import { MoneyBody } from './money-row.tsx';
import { Row, type RowName, rowNames } from './row.tsx';
import { SourcesBody } from './sources-row.tsx';
import './texts.ts';
import { type GoingLive, useGoingLive } from './use-going-live.ts';
import { useSentences } from './use-sentences.ts';
import { BackupBody, WalletBody } from './wallet-row.tsx';

/** Six steps to a minted token on a network. One is open at a time: the first that is not done, or the one that a person opens. */
export function GoingLiveSteps({ profile }: { profile: NetworkProfile }) {
  const [search, setSearch] = useSearchParams();
  const live = useGoingLive(profile, search.get('project'));
  const sentences = useSentences(profile, live);
  const open = useOpenRow(live, search.get('step'));
  // The open step is part of the address, so that going back leads to it.
  const put = (name: 'step' | 'project', value: string): void => {
    setSearch(
      (before) => {
        before.set(name, value);
        return before;
      },
      { replace: true },
    );
  };
  const bodies: Record<RowName, React.ReactNode> = {
    wallet: <WalletBody profile={profile} />,
    backup: <BackupBody profile={profile} />,
    sources: <SourcesBody profile={profile} live={live} />,
    miners: <MinersBody live={live} />,
    money: <MoneyBody live={live} />,
    mint: <MintBody live={live} />,
  };
  if (!live.isKnown) return <SkeletonRows rows={rowNames.length} height={56} />;
  return (
    <Stack gap="md">
      {profile.active && <ProjectChoice live={live} choose={(uid) => put('project', uid)} />}
      <ol className={classes.rows}>
        {rowNames.map((name) => (
          <Row
            key={name}
            name={name}
            state={live.states[name]}
            {...sentences[name]}
            open={open === name}
            onToggle={() => put('step', open === name ? 'none' : name)}
          >
            {!profile.active && ['miners', 'money', 'mint'].includes(name) ? (
              <NotYet network={profile.network} />
            ) : (
              bodies[name]
            )}
          </Row>
        ))}
      </ol>
    </Stack>
  );
}

/** A step that was opened automatically stays open until it is done, even if an earlier step changes. */
function useOpenRow({ states, next, isKnown }: GoingLive, named: string | null): string | undefined {
  const [held, setHeld] = useState<RowName>();
  if (isKnown && next !== held && (held === undefined || states[held] === 'done')) setHeld(next);
  return named ?? held;
}

function NotYet({ network }: Pick<NetworkProfile, 'network'>) {
  const { t } = useTranslation();
  return <p>{t('goingLive.afterChange', { network: t(`common.network.${network}`) })}</p>;
}

/** The project to mint. The prices, the sum and the limits below are for it. */
function ProjectChoice({ live: { projects, project }, choose }: { live: GoingLive; choose: (uid: string) => void }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const list = projects.data ?? [];
  return (
    <Group className={classes.chooser}>
      {list.length > 0 && <span>{t('goingLive.project.label')}</span>}
      {list.length > 0 && (
        <Select
          aria-label={t('goingLive.project.label')}
          w={320}
          allowDeselect={false}
          data={list.map(({ uid, name }) => ({ value: uid, label: name }))}
          value={project?.uid ?? null}
          onChange={(uid) => uid !== null && choose(uid)}
        />
      )}
      {list.length === 0 && <span>{t('goingLive.project.none')}</span>}
      <Button
        size="xs"
        variant={list.length === 0 ? 'default' : 'subtle'}
        onClick={() => openCreateProject(({ uid }) => navigate(routes.project(uid)))}
      >
        {t('goingLive.project.create')}
      </Button>
    </Group>
  );
}
