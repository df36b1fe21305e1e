import { Button, Stepper } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useSearch } from 'wouter';
import type { Item } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useItems } from '../../../api/use-items.ts';
import { Page } from '../../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../../components/query-view.tsx';
import { useSelectedItems, useSelection } from '../../../lib/items/item-selection.ts';
import { selectable } from '../../../lib/items/selectable.ts';
import { routes } from '../../../lib/routes.ts';
import { wizardStepOf } from '../jobs/job-steps.ts';
import { JobView } from '../jobs/job-view.tsx';
import classes from '../mint.module.css';
import { RunPlanView } from '../run/plan/run-plan.tsx';
import { mintsAsRun } from '../run/run-states.ts';
import { FundingStep } from './funding-step.tsx';
import { SelectStep } from './select-step.tsx';

const steps = ['select', 'funding', 'review', 'progress'] as const;

/** Steps 3 and 4 belong to a job, so they have an address of their own and survive a reload. */
function JobSteps({ jobId, items }: { jobId: string; items: readonly Item[] }) {
  const job = useQuery(api.mint.get.queryOptions({ input: { id: jobId } }));
  return (
    <>
      <Steps active={job.data === undefined ? 2 : wizardStepOf(job.data)} finished={job.data?.state === 'proven'} />
      <QueryView query={job} skeleton={<SkeletonRows rows={4} height={96} />}>
        {(found) => <JobView job={found} items={items} />}
      </QueryView>
    </>
  );
}

function Steps({ active, finished = false }: { active: number; finished?: boolean }) {
  const { t } = useTranslation();
  return (
    <Stepper
      className={classes.steps}
      active={finished ? steps.length : active}
      size="sm"
      iconSize={30}
      wrap={false}
      allowNextStepsSelect={false}
      aria-label={t('mint.stepsLabel')}
    >
      {steps.map((step) => (
        <Stepper.Step
          key={step}
          label={t(`mint.steps.${step}`)}
          description={t(`mint.steps.${step}Hint`)}
          allowStepSelect={false}
          tabIndex={-1}
        />
      ))}
    </Stepper>
  );
}

/** The step is in the address, so that the browser's Back leads to the one before. Left out, it is the first. */
function useStep(): string | null {
  return new URLSearchParams(useSearch()).get('step');
}

function stepAddress(uid: string, step: (typeof steps)[number]): string {
  return `${routes.mint(uid)}?step=${step}`;
}

/** A whole project is planned as a run; a few of its items are chosen and go into one transaction. */
function Beginning({ uid, items }: { uid: string; items: readonly Item[] }) {
  const [, navigate] = useLocation();
  const step = useStep();
  const carried = useSelectedItems(uid);
  const [whole] = useState(() => mintsAsRun(items, carried));
  return whole && step === null ? (
    <RunPlanView uid={uid} items={items} onChoose={() => navigate(stepAddress(uid, 'select'))} />
  ) : (
    <Choosing uid={uid} items={items} />
  );
}

function Choosing({ uid, items }: { uid: string; items: readonly Item[] }) {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const { now: drafts, later } = selectable(items);
  const carried = useSelectedItems(uid);
  const [chosen, setChosen] = useState<readonly string[]>(() => {
    const wanted = drafts.filter((item) => carried.includes(item.id)).map((item) => item.id);
    return wanted.length > 0 ? wanted : drafts.map((item) => item.id);
  });
  // Fixed from here on: the items stop being drafts while the job that takes them is created.
  const [held, setHeld] = useState<readonly string[] | null>(null);
  const step = useStep();
  const funding = step === 'funding' ? held : null;
  const ids = drafts.filter((item) => chosen.includes(item.id)).map((item) => item.id);
  return (
    <>
      <Steps active={funding === null ? 0 : 1} />
      {funding === null ? (
        <SelectStep
          projectUid={uid}
          drafts={drafts}
          later={later}
          chosen={ids}
          onChange={(wanted) => {
            setChosen(wanted);
            // The browser's Forward must not lead to the former choice.
            setHeld(null);
          }}
          onNext={() => {
            setHeld(ids);
            navigate(stepAddress(uid, 'funding'));
          }}
        />
      ) : (
        <FundingStep
          itemIds={funding}
          items={drafts.filter(({ id }) => funding.includes(id))}
          onBack={() => history.back()}
          onCreated={(job) => {
            const queryKey = api.mint.get.queryKey({ input: { id: job.id } });
            queries.setQueryData(queryKey, job);
            // Events of the job may have come before this answer, when nothing here knew the job: its page asks once more.
            void queries.invalidateQueries({ queryKey });
            useSelection.getState().set(uid, []);
            navigate(routes.mintJob(uid, job.id), { replace: true });
          }}
        />
      )}
    </>
  );
}

/** From files to mined tokens in four steps. */
export function MintWizard({ uid, jobId }: { uid: string; jobId?: string | undefined }) {
  const { t } = useTranslation();
  const project = useQuery(api.projects.get.queryOptions({ input: { uid } }));
  const items = useItems(uid);
  return (
    <Page
      title={t('mint.title')}
      purpose={t('mint.purpose')}
      crumbs={[
        { label: t('projects.title'), to: routes.projects },
        { label: project.data?.name ?? '…', to: routes.project(uid) },
      ]}
      actions={
        <Button component={Link} href={routes.project(uid)} variant="default">
          {t('mint.backToProject')}
        </Button>
      }
    >
      {jobId !== undefined ? (
        <JobSteps jobId={jobId} items={items.data ?? []} />
      ) : (
        <QueryView query={items} skeleton={<SkeletonRows rows={4} height={64} />}>
          {(list) => <Beginning uid={uid} items={list} />}
        </QueryView>
      )}
    </Page>
  );
}
