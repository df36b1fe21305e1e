import { Button, Stack } from '@mantine/core';
import { IconHammer } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type Item, isPassing, type PlannedTransaction, type Project, type RunPlan } from '../../../contract/index.ts';
import { useLive } from '../../api/live/live-store.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { FailureNote } from '../../components/callouts/failure-note.tsx';
import { CostAdvice } from '../../components/cost-advice/cost-advice.tsx';
import { icon } from '../../components/icon.ts';
import { Empty, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Fact } from '../../components/values/fact.tsx';
import { Amount } from '../../components/values/values.tsx';
import { formatBytes } from '../../lib/format.ts';
import { isDraft } from '../../lib/items/item-rules.ts';
import { routes } from '../../lib/routes.ts';
import classes from './plan-tab.module.css';
import { usePlan } from './use-plan.ts';

/** Transactions drawn one by one. */
const SHOWN = 24;

/** The transactions as bars. The length is the number of bytes; the coloured part is the art. */
function Transactions({ plan }: { plan: RunPlan }) {
  const { t, i18n } = useTranslation();
  const { split } = plan;
  const shown = plan.transactions.slice(0, SHOWN);
  const largest = Math.max(1, ...shown.map(({ size }) => size));
  const label = ({ kind, tokens }: PlannedTransaction): string =>
    kind === 'collection' ? t('projects.plan.collection') : t('projects.plan.tokens', { count: tokens });
  const bars = [
    ...(split === null ? [] : [{ ...split, name: t('projects.plan.split', { count: split.outputs }), art: 0 }]),
    ...shown.map((one) => ({ name: label(one), size: one.size, art: one.contentBytes, fee: one.fee })),
  ];
  const more = plan.transactionCount - bars.length;
  return (
    <Panel title={t('projects.plan.transactions', { count: plan.transactionCount })} hint={t('projects.plan.barsHint')}>
      <ol className={classes.bars}>
        {bars.map(({ name, size, art, fee }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the transactions of a plan never move.
          <li key={index}>
            <span>{name}</span>
            <span className={classes.track} aria-hidden>
              <span className={classes.size} style={{ width: `${Math.max(1, (size / largest) * 100)}%` }}>
                <span className={classes.art} style={{ width: `${(Math.min(art, size) / size) * 100}%` }} />
              </span>
            </span>
            <span className={`num ${classes.figure}`}>{formatBytes(size, i18n.language)}</span>
            <span className={`num ${classes.figure}`}>
              <Amount satoshis={fee} />
            </span>
          </li>
        ))}
      </ol>
      {more > 0 && <p className={classes.more}>{t('projects.plan.more', { count: more })}</p>}
    </Panel>
  );
}

function Plan({ plan, project, items }: { plan: RunPlan; project: Project; items: readonly Item[] }) {
  const { t, i18n } = useTranslation();
  return (
    <Stack gap="md">
      {plan.problems.map((problem) => (
        <FailureNote
          key={`${problem.code}${problem.message}`}
          failure={problem}
          tone={isPassing(problem) ? 'wait' : 'fail'}
        />
      ))}
      <CostAdvice plan={plan} items={items} />
      <Panel>
        <dl className={classes.figures}>
          <div>
            <dt>{t('projects.plan.total')}</dt>
            <dd className={classes.large}>
              <Amount satoshis={plan.total} />
            </dd>
          </div>
          <Fact name={t('projects.plan.fees')}>
            <Amount satoshis={plan.fee} />
          </Fact>
          <Fact name={t('projects.plan.perToken')}>
            <Amount satoshis={Math.ceil(plan.total / plan.tokens)} />
          </Fact>
          <Fact name={t('projects.plan.most')}>
            <Amount satoshis={plan.maxTotal} />
          </Fact>
          <Fact name={t('projects.plan.spendable')}>
            <Amount satoshis={plan.spendable} />
          </Fact>
          <Fact name={t('projects.plan.art')} num>
            {t('projects.plan.tokens', { count: plan.tokens })}, {formatBytes(plan.contentBytes, i18n.language)}
          </Fact>
        </dl>
        <Button component={Link} href={routes.mint(project.uid)} leftSection={<IconHammer {...icon} />} mt="md">
          {t('projects.plan.open')}
        </Button>
      </Panel>
      <Transactions plan={plan} />
    </Stack>
  );
}

/** What minting the drafts will do and cost at the miner's rate of now. Showing it prepares nothing. */
export function PlanTab({ project, items }: { project: Project; items: readonly Item[] }) {
  const { t } = useTranslation();
  const hasWallet = useLive((state) => (state.wallet?.address ?? null) !== null);
  const query = usePlan(project.uid, items);
  if (!items.some(isDraft)) {
    return (
      <Empty
        icon={<IconHammer {...icon} size={24} />}
        title={t('projects.plan.emptyTitle')}
        text={t('projects.plan.emptyText')}
      />
    );
  }
  if (!hasWallet) {
    return (
      <Callout tone="wait" title={t('projects.plan.noWallet')}>
        {t('projects.plan.noWalletText')}
      </Callout>
    );
  }
  return <QueryView query={query}>{(plan) => <Plan plan={plan} project={project} items={items} />}</QueryView>;
}
