import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isPassing, type ReviewCheck, type RunPlan } from '../../../../../contract/index.ts';
import { useLive } from '../../../../api/live/live-store.ts';
import { useExactMoney } from '../../../../api/money.ts';
import { Callout } from '../../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../../components/callouts/failure-note.tsx';
import { Panel } from '../../../../components/page.tsx';
import { Thumb } from '../../../../components/preview/art.tsx';
import type { PreviewFile } from '../../../../components/preview/preview-file.ts';
import { Checks } from '../../../../components/review/checks.tsx';
import { Royalties } from '../../../../components/royalties.tsx';
import { Fact } from '../../../../components/values/fact.tsx';
import { Amount } from '../../../../components/values/values.tsx';
import { formatBytes, formatInteger, shortenId } from '../../../../lib/format.ts';
import { RepeatedFiles } from '../../repeated-files.tsx';
import classes from '../run.module.css';

/** Pictures beside the sentences. */
const PICTURES = 8;

/** What prevents a mint for now; each names its fix. */
export function PlanProblems({ problems, mb }: Pick<RunPlan, 'problems'> & { mb?: 'md' }) {
  const { t } = useTranslation();
  if (problems.length === 0) return null;
  return (
    <Stack gap="xs" mb={mb} role="group" aria-label={t('mint.cost.problemsTitle', { count: problems.length })}>
      {problems.map((problem) => (
        <FailureNote
          key={`${problem.code}${problem.message}`}
          failure={problem}
          tone={isPassing(problem) ? 'wait' : 'fail'}
        />
      ))}
    </Stack>
  );
}

function useChecks(plan: RunPlan): ReviewCheck[] {
  const { t, i18n } = useTranslation();
  const money = useExactMoney();
  const quota = plan.quotaAvailable;
  return [
    {
      id: 'money',
      passed: plan.spendable >= plan.needed,
      text: t('run.check.money', { spendable: money(plan.spendable), needed: money(plan.needed) }),
    },
    ...(quota === null
      ? []
      : [
          {
            id: 'quota',
            passed: quota >= plan.tokens,
            text: t('run.check.quota', {
              quota: formatInteger(quota, i18n.language),
              tokens: formatInteger(plan.tokens, i18n.language),
            }),
          },
        ]),
    ...(plan.policy.maxTxBytes === null
      ? []
      : [
          {
            id: 'policy',
            passed: !plan.problems.some(({ code }) => code === 'file-too-large'),
            text: t('run.check.policy', {
              largest: formatBytes(Math.max(0, ...plan.transactions.map(({ size }) => size)), i18n.language),
              limit: formatBytes(plan.policy.maxTxBytes, i18n.language),
            }),
          },
        ]),
    ...(plan.quote === null
      ? []
      : [{ id: 'quote', passed: true, text: t('run.check.quote', { endpoint: plan.quote.endpoint }) }]),
  ];
}

/** What a plan does in words, its art, its cost, and its problems. */
export function RunCost({ plan, files }: { plan: RunPlan; files: readonly PreviewFile[] }) {
  const { t, i18n } = useTranslation();
  const own = useLive((state) => state.wallet?.address);
  const checks = useChecks(plan);
  const money = useExactMoney();
  // A receiver's address is shown whole: two can be alike in their shortened form.
  const address = plan.destination === own ? shortenId(plan.destination, 6) : plan.destination;
  const perToken = plan.tokens === 0 ? 0 : plan.total / plan.tokens;
  return (
    <Stack gap="md">
      <PlanProblems problems={plan.problems} />
      {plan.quote?.publicKey === null && (
        <Callout tone="wait" title={t('review.quoteUnsignedTitle')}>
          {t('review.quoteUnsignedText')}
        </Callout>
      )}
      <RepeatedFiles repeats={plan.repeats} />
      <Panel>
        {files.length > 0 && (
          <div className={classes.strip} aria-hidden>
            {files.slice(0, PICTURES).map((file, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two tokens may have the same file, and the order never changes.
              <Thumb key={`${file.sha256}${index}`} file={file} size={56} />
            ))}
            {plan.tokens > PICTURES && (
              <span className={classes.more}>+{formatInteger(plan.tokens - PICTURES, i18n.language)}</span>
            )}
          </div>
        )}
        <p className={classes.sentences}>
          {t('run.cost.sentence', {
            count: plan.tokens,
            tokens: formatInteger(plan.tokens, i18n.language),
            destination: own === plan.destination ? t('review.ownWallet', { address }) : address,
          })}{' '}
          {t('run.cost.pays', {
            count: plan.tokens,
            fee: money(plan.fee),
            dust: money(plan.total - plan.fee),
            total: money(plan.total),
          })}{' '}
          {plan.maxTotal > plan.total && t('run.cost.most', { most: money(plan.maxTotal) })}
        </p>
        <Royalties royalties={plan.royalties} />
        <dl className={classes.figures}>
          <Fact name={t('run.cost.total')}>
            <Amount satoshis={plan.total} exact />
          </Fact>
          <Fact name={t('run.cost.perToken')} num>
            {money(Math.ceil(perToken))}
          </Fact>
          <Fact name={t('review.rate')} num>
            {t('review.rateValue', {
              rate: formatInteger(Math.round((plan.rate.satoshis / plan.rate.bytes) * 1_000), i18n.language),
            })}
          </Fact>
          <Fact name={t('run.cost.sizes')} num>
            {t('run.cost.sizesValue', {
              all: formatBytes(plan.size, i18n.language),
              art: formatBytes(plan.contentBytes, i18n.language),
            })}
          </Fact>
          <Fact name={t('run.cost.after')}>
            <Amount satoshis={Math.max(0, plan.spendable - plan.total)} exact />
          </Fact>
        </dl>
      </Panel>
      <Checks checks={checks} />
    </Stack>
  );
}
