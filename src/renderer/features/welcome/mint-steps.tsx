import { Anchor, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconPencilCheck, IconShieldCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type Item, type MintJob, mintStates } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { useExactMoney } from '../../api/money.ts';
import { FailureNote } from '../../components/callouts/failure-note.tsx';
import { icon } from '../../components/icon.ts';
import { Panel } from '../../components/page.tsx';
import { Preview } from '../../components/preview/preview.tsx';
import { Checks } from '../../components/review/checks.tsx';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import classes from './welcome.module.css';

/** What follows the choice: the review with its approval, the way to the block, the token with its proof. */
export function MintSteps({ id, initial, item }: { id: string; initial: MintJob; item: Item }) {
  const queries = useQueryClient();
  const job = useQuery({ ...api.mint.get.queryOptions({ input: { id } }), initialData: initial }).data;
  const onSuccess = (next: MintJob): void => {
    queries.setQueryData(api.mint.get.queryKey({ input: { id } }), next);
  };
  const approve = useMutation(api.mint.approve.mutationOptions({ onSuccess }));
  const retry = useMutation(api.mint.retry.mutationOptions({ onSuccess }));
  return (
    <Panel>
      <div className={classes.mint}>
        <div className={classes.picture}>
          <Preview file={item.file} />
        </div>
        <Stack gap="sm" style={{ minWidth: 0 }}>
          <strong className={classes.name}>{item.metadata.name}</strong>
          {approve.isError && <FailureNote failure={failureOf(approve.error)} />}
          {job.failure !== null && (
            <FailureNote
              failure={job.failure}
              tone={job.active ? 'wait' : 'fail'}
              retrying={retry.isPending}
              {...(job.canRetry ? { onRetry: () => retry.mutate({ id }) } : {})}
            />
          )}
          <Stage job={job} approve={(digest) => approve.mutate({ id, digest })} isApproving={approve.isPending} />
        </Stack>
      </div>
    </Panel>
  );
}

function Stage({
  job,
  approve,
  isApproving,
}: {
  job: MintJob;
  approve: (digest: string) => void;
  isApproving: boolean;
}) {
  const { t } = useTranslation();
  const money = useExactMoney();
  const { review } = job;
  if (mintStates.is(job.state, 'mined')) return <Done job={job} />;
  if (job.awaitingApproval && review !== null) {
    return (
      <>
        <Text>
          {t('welcome.create.review', { fee: money(review.fee) })}{' '}
          <Anchor component={Link} href={routes.mintJob(job.projectUid, job.id)}>
            {t('welcome.create.fields')}
          </Anchor>
        </Text>
        <Checks checks={review.checks} />
        <Group>
          <Button
            leftSection={<IconPencilCheck {...icon} />}
            disabled={!job.canApprove}
            loading={isApproving}
            onClick={() => approve(review.digest)}
          >
            {t('welcome.create.approve')}
          </Button>
        </Group>
      </>
    );
  }
  if (job.failure !== null && !job.active) return null;
  return (
    <Group gap="xs" role="status">
      <Loader size="xs" />
      {t(review === null ? 'welcome.create.building' : `welcome.create.way.${wayOf(job)}`)}
    </Group>
  );
}

function wayOf({ state }: MintJob): 'signing' | 'submitted' | 'seen' {
  if (mintStates.is(state, 'onNetwork')) return 'seen';
  return state === 'submitted' ? 'submitted' : 'signing';
}

function Done({ job }: { job: MintJob }) {
  const { t, i18n } = useTranslation();
  const index = job.review?.outputs.findIndex(({ kind }) => kind === 'token') ?? 0;
  const txid = job.txid as string;
  return (
    <>
      <Group gap="xs" role="status" className={classes.done}>
        <IconCircleCheck {...icon} size={22} />
        {t('welcome.create.done', { height: formatInteger(job.blockHeight ?? 0, i18n.language) })}
      </Group>
      <Text size="sm">{t(job.state === 'proven' ? 'welcome.create.proven' : 'welcome.create.proving')}</Text>
      <Group gap="xs">
        <Button component={Link} href={routes.transaction(txid)} leftSection={<IconShieldCheck {...icon} />}>
          {t('welcome.create.proof')}
        </Button>
        <Button component={Link} href={routes.token(`${txid}_${Math.max(0, index)}`)} variant="default">
          {t('welcome.create.token')}
        </Button>
        <Button component={Link} href={routes.project(job.projectUid)} variant="default">
          {t('welcome.create.project')}
        </Button>
      </Group>
    </>
  );
}
