import { Button, Skeleton, Stack } from '@mantine/core';
import { IconCircleCheck, IconPencilCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { isRehearsalOver, type Rehearsal } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { ErrorNote, FailureNote } from '../../../components/callouts/failure-note.tsx';
import { icon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import { LongWork } from '../../../components/status/long-work.tsx';
import { Amount } from '../../../components/values/values.tsx';
import { formatBytes, formatDuration, formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { useIdempotencyKey } from '../idempotency-key.ts';
import jobClasses from '../jobs/job-view.module.css';
import mintClasses from '../mint.module.css';
import { RunGallery } from '../run/map/run-gallery.tsx';
import { RunMap } from '../run/map/run-map.tsx';
import { PlanTree } from '../run/plan/plan-tree.tsx';
import classes from '../run/run.module.css';
import { useRehearsalItems } from './use-rehearsal.ts';
import './texts.ts';
import { Fact } from '../../../components/values/fact.tsx';

function Figures({ rehearsal }: { rehearsal: Rehearsal }) {
  const { t, i18n } = useTranslation();
  const { fee, bytes, milliseconds, run, plan } = rehearsal;
  if (fee === null || bytes === null || run === null || plan === null) return null;
  const total = fee + run.minted;
  return (
    <Panel title={t('rehearsal.result')} hint={t('rehearsal.resultHint')}>
      <dl className={classes.figures}>
        <Fact name={t('run.cost.total')}>
          <Amount satoshis={total} />
        </Fact>
        <Fact name={t('mint.result.fee')}>
          <Amount satoshis={fee} />
        </Fact>
        <Fact name={t('run.cost.sizes')} num>
          {t('run.cost.sizesValue', {
            all: formatBytes(bytes, i18n.language),
            art: formatBytes(plan.contentBytes, i18n.language),
          })}
        </Fact>
        <Fact name={t('run.facts.took')} num>
          {formatDuration(milliseconds ?? 0)}
        </Fact>
        <Fact name={t('rehearsal.transactions')} num>
          {formatInteger(run.transactions.total, i18n.language)}
        </Fact>
      </dl>
    </Panel>
  );
}

/** Takes the rehearsed plan to the active network, where it waits for an approval of its own. */
function MintForReal({ rehearsal }: { rehearsal: Rehearsal }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const address = useLive((state) => state.wallet?.address ?? null);
  const network = useLive((state) => state.app?.network ?? 'sandbox');
  const idempotencyKey = useIdempotencyKey(`${rehearsal.id} ${address}`);
  const mint = useMutation({
    mutationFn: (destination: string) => client.rehearsals.mint({ id: rehearsal.id, destination, idempotencyKey }),
  });
  return (
    <>
      <ErrorNote error={mint.error} />
      <div className={mintClasses.bar}>
        <span className={mintClasses.barNote}>
          {t(address === null ? 'rehearsal.noWallet' : 'rehearsal.mintHint', {
            network: t(`rehearsal.network.${network}`),
          })}
        </span>
        <Button
          leftSection={<IconPencilCheck {...icon} />}
          disabled={address === null}
          loading={mint.isPending}
          onClick={() => address !== null && mint.mutate(address, { onSuccess: ({ id }) => navigate(routes.run(id)) })}
        >
          {t('rehearsal.mint')}
        </Button>
      </div>
    </>
  );
}

/** Starts another rehearsal of the same project. */
function Again({ rehearsal: { projectUid, direct } }: { rehearsal: Rehearsal }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const again = useMutation({
    mutationFn: () => client.rehearsals.start({ projectUid, direct }),
  });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={again.isPending}
        onClick={() => again.mutate(undefined, { onSuccess: ({ id }) => navigate(routes.rehearsal(id)) })}
      >
        {t('rehearsal.again')}
      </Button>
      <ErrorNote error={again.error} />
    </>
  );
}

function Progress({ rehearsal }: { rehearsal: Rehearsal }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { id, state, items, copied, run, startedAt, failure } = rehearsal;
  const cancel = useMutation(
    api.rehearsals.cancel.mutationOptions({
      onSuccess: (ended) => queries.setQueryData(api.rehearsals.get.queryKey({ input: { id } }), ended),
    }),
  );
  const isPreparing = state === 'preparing';
  const stepOf = (key: 'network' | 'copied' | 'minted', reached: boolean, isNow: boolean) => ({
    key,
    label: t(`rehearsal.step.${key}`),
    state: reached ? ('done' as const) : isNow ? ('now' as const) : ('next' as const),
  });
  const hasNetwork = !isPreparing || copied > 0;
  return (
    <Panel>
      <LongWork
        phase={t(`rehearsal.phase.${isPreparing ? (hasNetwork ? 'copying' : 'opening') : 'minting'}`)}
        amount={{
          done: isPreparing ? copied : (run?.minted ?? 0),
          total: items,
          rate: isPreparing ? null : (run?.rate ?? null),
          millisecondsLeft: isPreparing ? null : (run?.millisecondsLeft ?? null),
        }}
        steps={[
          stepOf('network', hasNetwork, !hasNetwork),
          stepOf('copied', !isPreparing, hasNetwork && isPreparing),
          stepOf('minted', false, !isPreparing),
        ]}
        startedAt={startedAt}
        note={failure === null ? undefined : <FailureNote failure={failure} tone="wait" />}
        actions={
          <>
            <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate({ id })}>
              {t('rehearsal.cancel')}
            </Button>
            <ErrorNote error={cancel.error} />
          </>
        }
      />
    </Panel>
  );
}

/** A rehearsal as progress, then as its result; the plan stands at the left as it does for the mint itself. */
export function RehearsalView({ rehearsal }: { rehearsal: Rehearsal }) {
  const { t, i18n } = useTranslation();
  const items = useRehearsalItems(rehearsal);
  const { state, plan, run, failure } = rehearsal;
  const count = run?.minted ?? 0;
  const hasPlan = plan !== null || !isRehearsalOver(rehearsal);
  const isComplete = state === 'done' && count === rehearsal.items;
  return (
    <>
      <div className={hasPlan ? classes.page : undefined}>
        {plan !== null ? (
          <PlanTree plan={plan} {...(run && { run })} />
        ) : (
          !isRehearsalOver(rehearsal) && <Skeleton height={240} />
        )}
        <Stack gap="md">
          {isComplete && (
            <div className={jobClasses.resultTitle} role="status">
              <span className={jobClasses.resultIcon}>
                <IconCircleCheck {...icon} size={22} />
              </span>
              {t('rehearsal.doneTitle', { count, tokens: formatInteger(count, i18n.language) })}
            </div>
          )}
          {state === 'cancelled' && (
            <Callout tone="info" title={t('rehearsal.cancelledTitle')} actions={<Again rehearsal={rehearsal} />}>
              {t('rehearsal.cancelledText')}
            </Callout>
          )}
          {state === 'failed' && failure !== null && (
            <FailureNote failure={failure} note={t('rehearsal.failedText')} actions={<Again rehearsal={rehearsal} />} />
          )}
          {!isRehearsalOver(rehearsal) && <Progress rehearsal={rehearsal} />}
          <Figures rehearsal={rehearsal} />
          {state === 'done' && <RunGallery items={items} linked={false} />}
          {items.length > 0 && !isComplete && (
            <RunMap items={items} moving={state === 'minting'} retrying={false} onRetry={undefined} />
          )}
        </Stack>
      </div>
      {isComplete && <MintForReal rehearsal={rehearsal} />}
    </>
  );
}
