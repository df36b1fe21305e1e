import { Box, Button, Skeleton, Stack } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type Item, isPassing, type MintEstimate, type MintJob } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { ErrorNote, FailureNote } from '../../../components/callouts/failure-note.tsx';
import { CostAdvice } from '../../../components/cost-advice/cost-advice.tsx';
import { Panel } from '../../../components/page.tsx';
import { Royalties } from '../../../components/royalties.tsx';
import layout from '../../../components/styles/layout.module.css';
import { Amount } from '../../../components/values/values.tsx';
import { formatBytes, formatInteger } from '../../../lib/format.ts';
import { Destination, useDestination } from '../destination.tsx';
import { useIdempotencyKey } from '../idempotency-key.ts';
import { whileProblems } from '../look-again.ts';
import mintClasses from '../mint.module.css';
import { RepeatedFiles } from '../repeated-files.tsx';
import { PlanProblems } from '../run/plan/run-cost.tsx';
import classes from './funding-step.module.css';

function CostRow({ name, className, children }: { name: ReactNode; className?: string; children: ReactNode }) {
  return (
    <tr className={className}>
      <th scope="row">{name}</th>
      <td>{children}</td>
    </tr>
  );
}

function CostTable({ estimate }: { estimate: MintEstimate }) {
  const { t, i18n } = useTranslation();
  return (
    <table className={classes.cost}>
      <tbody>
        <CostRow name={t('mint.cost.tokens', { count: estimate.tokens })}>
          <Amount satoshis={estimate.total - estimate.fee} />
        </CostRow>
        <CostRow
          name={
            <>
              {t('mint.cost.fee')}
              <div className={layout.dim}>
                {t('mint.cost.feeFor', { size: formatBytes(estimate.size, i18n.language) })}
              </div>
            </>
          }
        >
          <Amount satoshis={estimate.fee} />
        </CostRow>
        <CostRow className={classes.costTotal} name={t('mint.cost.total')}>
          <Amount satoshis={estimate.total} />
        </CostRow>
        <CostRow name={t('mint.cost.spendable')}>
          <Amount satoshis={estimate.spendable} />
        </CostRow>
        {estimate.spendable >= estimate.total && (
          <CostRow name={t('mint.cost.after')}>
            <Amount satoshis={estimate.spendable - estimate.total} />
          </CostRow>
        )}
        {!estimate.direct && (
          <CostRow name={t('mint.cost.quota')}>
            {estimate.quotaAvailable === null
              ? t('mint.cost.quotaUnknown')
              : formatInteger(estimate.quotaAvailable, i18n.language)}
          </CostRow>
        )}
      </tbody>
    </table>
  );
}

interface FundingStepProps {
  itemIds: readonly string[];
  items: readonly Item[];
  onBack: () => void;
  onCreated: (job: MintJob) => void;
}

export function FundingStep({ itemIds, items, onBack, onCreated }: FundingStepProps) {
  const { t } = useTranslation();
  const destination = useDestination();
  const { address } = destination;
  // What is left to spend changes the estimate, so a payment that arrives clears its problem by itself.
  const spendable = useLive((state) => state.wallet?.balance.spendable ?? 0);
  const options = api.mint.estimate.queryOptions({
    input: { itemIds: [...itemIds], destination: address ?? '' },
    enabled: address !== null && itemIds.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const estimate = useQuery({
    ...options,
    queryKey: [...options.queryKey, spendable] as unknown as typeof options.queryKey,
    refetchInterval: whileProblems,
  });
  const idempotencyKey = useIdempotencyKey(JSON.stringify([itemIds, address]));
  const create = useMutation(api.mint.create.mutationOptions({ onSuccess: onCreated }));
  const problems = estimate.data?.problems ?? [];
  const blocked = problems.some((problem) => !isPassing(problem));
  const ready = address !== null && estimate.data !== undefined && !estimate.isPlaceholderData && !blocked;

  return (
    <>
      <PlanProblems problems={problems} mb="md" />
      {estimate.data !== undefined && estimate.data.repeats.length > 0 && (
        <Box mb="md">
          <RepeatedFiles repeats={estimate.data.repeats} />
        </Box>
      )}
      {estimate.data !== undefined && (
        <Stack gap="xs" mb="md">
          <CostAdvice
            plan={{ size: estimate.data.size, rate: { satoshis: estimate.data.fee, bytes: estimate.data.size } }}
            items={items}
          />
        </Stack>
      )}
      <div className={mintClasses.columns}>
        <Destination destination={destination} />
        <Stack gap="md">
          <Panel title={t('mint.cost.title')}>
            {estimate.data !== undefined ? (
              <>
                <CostTable estimate={estimate.data} />
                <Royalties royalties={estimate.data.royalties} />
              </>
            ) : estimate.isError ? (
              <FailureNote
                failure={failureOf(estimate.error)}
                retrying={estimate.isFetching}
                onRetry={() => void estimate.refetch()}
              />
            ) : address === null ? (
              <div className={layout.dim}>{t('mint.cost.waiting')}</div>
            ) : (
              <Skeleton height={200} />
            )}
          </Panel>
          <ErrorNote error={create.error} />
        </Stack>
      </div>
      <div className={mintClasses.bar}>
        <span className={mintClasses.barNote}>{t('mint.notSigned')}</span>
        <Button variant="default" onClick={onBack}>
          {t('common.back')}
        </Button>
        <Button
          disabled={!ready}
          loading={create.isPending}
          onClick={() => {
            if (address !== null) create.mutate({ itemIds: [...itemIds], destination: address, idempotencyKey });
          }}
        >
          {t('mint.toReview')}
        </Button>
      </div>
    </>
  );
}
