import { Button, Skeleton, Stack, Switch } from '@mantine/core';
import { IconMasksTheater, IconPencilCheck } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { type Item, isPassing, type RunPlan } from '../../../../../contract/index.ts';
import { api, client } from '../../../../api/client.ts';
import { failureOf } from '../../../../api/failure.ts';
import { useLive } from '../../../../api/live/live-store.ts';
import { useExactMoney } from '../../../../api/money.ts';
import { FailureNote } from '../../../../components/callouts/failure-note.tsx';
import { Failures } from '../../../../components/callouts/failures.tsx';
import { CostAdvice } from '../../../../components/cost-advice/cost-advice.tsx';
import { icon } from '../../../../components/icon.ts';
import { isDraft } from '../../../../lib/items/item-rules.ts';
import { useSelection } from '../../../../lib/items/item-selection.ts';
import { routes } from '../../../../lib/routes.ts';
import { Destination, useDestination } from '../../destination.tsx';
import { useIdempotencyKey } from '../../idempotency-key.ts';
import { whileProblems } from '../../look-again.ts';
import mintClasses from '../../mint.module.css';
import classes from '../run.module.css';
import { PlanTree } from './plan-tree.tsx';
import { RunCost } from './run-cost.tsx';
import '../../rehearsal/texts.ts';

/** The plan of a project's mint: what it will do and cost. Approving it starts the run. */
export function RunPlanView({ uid, items, onChoose }: { uid: string; items: readonly Item[]; onChoose: () => void }) {
  const { t } = useTranslation();
  const money = useExactMoney();
  const [, navigate] = useLocation();
  const destination = useDestination();
  const { address } = destination;
  const [direct, setDirect] = useState(false);
  const isServed = useQuery(api.projects.get.queryOptions({ input: { uid } })).data?.direct === false;
  // What is left to spend changes the plan, so a payment that arrives clears its problem by itself.
  const spendable = useLive((state) => state.wallet?.balance.spendable ?? 0);
  const options = api.runs.plan.queryOptions({
    input: { projectUid: uid, destination: address ?? '', direct },
    enabled: address !== null,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const query = useQuery({
    ...options,
    queryKey: [...options.queryKey, spendable] as unknown as typeof options.queryKey,
    refetchInterval: whileProblems,
  });
  const drafts = items.filter(isDraft);
  const idempotencyKey = useIdempotencyKey(JSON.stringify([uid, address, direct, drafts.map(({ id }) => id)]));
  const start = useMutation({
    mutationFn: async (shown: RunPlan) => {
      const input = { projectUid: uid, destination: shown.destination, direct: shown.direct, idempotencyKey };
      const run = await client.runs.create(input);
      // Another plan than the one shown waits on its own page for an approval of its own.
      return run.digest === shown.digest && run.canApprove
        ? client.runs.approve({ id: run.id, digest: shown.digest })
        : run;
    },
    onSuccess: () => useSelection.getState().set(uid, []),
  });
  const rehearse = useMutation({
    mutationFn: () => client.rehearsals.start({ projectUid: uid, direct }),
  });
  const plan = query.data;
  const blocked = plan?.problems.some((problem) => !isPassing(problem)) ?? true;
  const ready = plan !== undefined && address !== null && !query.isPlaceholderData && !blocked;
  return (
    <>
      <div className={classes.page}>
        {plan === undefined ? <Skeleton height={240} /> : <PlanTree plan={plan} />}
        <Stack gap="md">
          <Failures of={[start, rehearse]} />
          {plan !== undefined ? (
            <>
              <CostAdvice plan={plan} items={items} />
              <RunCost plan={plan} files={drafts.map(({ file }) => file)} />
            </>
          ) : query.isError ? (
            <FailureNote
              failure={failureOf(query.error)}
              retrying={query.isFetching}
              onRetry={() => void query.refetch()}
            />
          ) : (
            <Skeleton height={240} />
          )}
          <Destination destination={destination} />
          {isServed && (
            <Switch
              checked={direct}
              onChange={(event) => setDirect(event.currentTarget.checked)}
              label={t('run.direct')}
              description={t('run.directHint')}
            />
          )}
        </Stack>
      </div>
      <div className={mintClasses.bar}>
        <Button variant="subtle" className={classes.choose} onClick={onChoose}>
          {t('run.chooseSingle')}
        </Button>
        <span className={`${mintClasses.barNote} ${mintClasses.noteAbove}`}>{t('run.approveHint')}</span>
        <Button
          variant="default"
          leftSection={<IconMasksTheater {...icon} />}
          disabled={drafts.length === 0}
          loading={rehearse.isPending}
          onClick={() => rehearse.mutate(undefined, { onSuccess: ({ id }) => navigate(routes.rehearsal(id)) })}
        >
          {t('rehearsal.start')}
        </Button>
        <Button
          leftSection={<IconPencilCheck {...icon} />}
          disabled={!ready}
          loading={start.isPending}
          onClick={() =>
            plan !== undefined &&
            start.mutate(plan, { onSuccess: ({ id }) => navigate(routes.run(id), { replace: true }) })
          }
        >
          {plan === undefined ? t('run.approvePlain') : t('mint.approve', { total: money(plan.total) })}
        </Button>
      </div>
    </>
  );
}
