import { Button, Group, Select, Skeleton, Stack, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type Network, networks, type Project, type ProjectPreview } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { useLive } from '../../api/live/live-store.ts';
import { ErrorNote, FailureNote } from '../../components/callouts/failure-note.tsx';
import layout from '../../components/styles/layout.module.css';
import { Amount } from '../../components/values/values.tsx';
import { i18n } from '../../i18n/index.ts';
import { routes } from '../../lib/routes.ts';

const MODAL = 'move-project';

/** Opens the copying of a project to another network. */
export function openMoveProject(project: Project): void {
  modals.open({
    modalId: MODAL,
    title: i18n.t('projects.move.title', { name: project.name }),
    size: 560,
    children: <MoveProject project={project} />,
  });
}

/** Chooses a network, shows what differs there, and copies the project to it. */
export function MoveProject({ project }: { project: Project }) {
  const { t } = useTranslation();
  const here = useLive((state) => state.app?.network);
  const others = networks.filter((network) => network !== here);
  const [to, setTo] = useState<Network>(others.includes('main') ? 'main' : (others[0] as Network));
  const [receivers, setReceivers] = useState<Record<string, string>>({});
  const target = { projectUid: project.uid, to };
  const preview = useQuery(api.projectMoves.preview.queryOptions({ input: target, staleTime: 0 }));
  const copy = useMutation({
    mutationFn: ({ royalties }: ProjectPreview) =>
      client.projectMoves.copy({
        ...target,
        royalties: Object.fromEntries(royalties.map((receiver) => [receiver, receivers[receiver]?.trim() ?? ''])),
      }),
  });
  const network = t(`common.network.${to}`);
  if (copy.isSuccess) {
    return (
      <Stack gap="md">
        <p role="status">{t('projects.move.done', { count: copy.data.items, network })}</p>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => modals.close(MODAL)}>
            {t('common.close')}
          </Button>
          <Button component={Link} href={routes.network(to)} onClick={() => modals.close(MODAL)}>
            {t('projects.move.change', { network })}
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <Select
        label={t('projects.move.to')}
        description={t('projects.move.toHint')}
        allowDeselect={false}
        data={others.map((value) => ({ value, label: t(`common.network.${value}`) }))}
        disabled={copy.isPending}
        value={to}
        onChange={(value) => {
          copy.reset();
          if (value !== null) setTo(value as Network);
        }}
      />
      {preview.isError && <FailureNote failure={failureOf(preview.error)} onRetry={() => void preview.refetch()} />}
      {preview.data === undefined ? (
        !preview.isError && <Skeleton height={120} />
      ) : (
        <Differences preview={preview.data} network={network} receivers={receivers} onReceivers={setReceivers} />
      )}
      <ErrorNote error={copy.error} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => modals.close(MODAL)}>
          {t('common.cancel')}
        </Button>
        <Button
          disabled={preview.data === undefined || preview.data.items === 0}
          loading={copy.isPending}
          onClick={() => preview.data !== undefined && copy.mutate(preview.data)}
        >
          {t('projects.move.confirm', { network })}
        </Button>
      </Group>
    </Stack>
  );
}

interface DifferencesProps {
  preview: ProjectPreview;
  network: string;
  receivers: Readonly<Record<string, string>>;
  onReceivers: (receivers: Record<string, string>) => void;
}

/** What is copied unchanged, and what differs on the other network: names, prices, limits, receivers of royalties. */
function Differences({ preview, network, receivers, onReceivers }: DifferencesProps) {
  const { t } = useTranslation();
  const { items, nameTaken, miners, royalties } = preview;
  return (
    <Stack gap="sm">
      <div>{t('projects.move.items', { count: items, network })}</div>
      {nameTaken && <div className={layout.dim}>{t('projects.move.nameTaken', { network })}</div>}
      {miners.length === 0 && <div className={layout.dim}>{t('projects.move.noMiner', { network })}</div>}
      {miners.map(({ name, total, transactions, problems }) => (
        <div key={name}>
          <strong>{name}</strong>{' '}
          {total !== null && (
            <>
              <Amount satoshis={total} />{' '}
              <span className={layout.dim}>{t('projects.move.inTransactions', { count: transactions ?? 0 })}</span>
            </>
          )}
          {problems.map((problem) => (
            <FailureNote key={problem.id ?? problem.message} failure={problem} />
          ))}
        </div>
      ))}
      {royalties.length > 0 && <div>{t('projects.move.royalties', { count: royalties.length, network })}</div>}
      {royalties.map((receiver) => (
        <TextInput
          key={receiver}
          label={t('projects.move.receiver', { receiver })}
          description={t('projects.move.receiverHint')}
          spellCheck={false}
          value={receivers[receiver] ?? ''}
          onChange={(event) => onReceivers({ ...receivers, [receiver]: event.currentTarget.value })}
        />
      ))}
    </Stack>
  );
}
