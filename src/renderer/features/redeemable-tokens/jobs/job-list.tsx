import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { TokenJob } from '../../../../contract/index.ts';
import { amountColumn, timeColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { JobBadge, jobText } from '../../../components/values/job-badge.tsx';
import { Id } from '../../../components/values/values.tsx';
import { routes } from '../../../lib/routes.ts';

const idOf = (job: TokenJob): string => job.id;

/** An output to trace the job's history from: one it spent, if none of its own outputs is a token any more. */
function historyStart(job: TokenJob): string {
  const { request } = job;
  if (request.action === 'redeem') return request.token;
  const first = job.review.outputs.find(({ kind }) => kind === 'token' || kind === 'contract');
  return `${job.txid}_${first?.index ?? 0}`;
}

/** The satoshis that were redeemed, or moved where nothing was: what stays of a token redeemed in part is not part of it. */
function amountOf({ review }: TokenJob): number {
  return review.redeemed || review.tokensOut;
}

/** What was done with tokens, the newest first. */
export function TokenJobList({ jobs }: { jobs: readonly TokenJob[] }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const columns = useMemo<readonly ListColumn<TokenJob>[]>(
    () => [
      {
        key: 'action',
        title: t('redeemableTokens.what'),
        width: 'minmax(96px, 1fr)',
        value: (job) => t(`redeemableTokens.action.${job.request.action}`),
        render: (job) => {
          const what = t(`redeemableTokens.action.${job.request.action}`);
          return (
            <Link
              href={routes.tokenJob(job.id)}
              className="link"
              aria-label={t('redeemableTokens.open', { what, symbol: job.symbol })}
            >
              {what}
            </Link>
          );
        },
      },
      { key: 'symbol', title: t('redeemableTokens.symbol'), width: 'minmax(72px, 1fr)', value: (job) => job.symbol },
      amountColumn({ key: 'amount', title: t('redeemableTokens.amount'), width: '104px' }, amountOf),
      // The fee is on the transaction's page; here it would push the time out of a small window.
      amountColumn(
        { key: 'fee', title: t('redeemableTokens.fee'), width: '96px', extra: true },
        (job) => job.review.fee,
      ),
      {
        key: 'state',
        title: t('redeemableTokens.state'),
        width: '136px',
        value: (job) => jobText(t, job),
        render: (job) => <JobBadge job={job} />,
      },
      {
        key: 'txid',
        title: t('redeemableTokens.history'),
        width: '116px',
        value: (job) => job.txid,
        render: (job) =>
          job.txid === null ? (
            '–'
          ) : (
            <Id value={job.txid} kind="transaction" to={routes.tokenHistory(historyStart(job))} />
          ),
      },
      timeColumn({ key: 'createdAt', title: t('redeemableTokens.when'), width: '96px' }, (job) => job.createdAt),
    ],
    [t],
  );
  return (
    <List
      name="token-jobs"
      label={t('redeemableTokens.transactions')}
      title={t('redeemableTokens.transactions')}
      rows={jobs}
      idOf={idOf}
      columns={columns}
      initialSort={{ column: 'createdAt', direction: 'desc' }}
      filter={t('redeemableTokens.filterJobs')}
      copies={{ label: t('redeemableTokens.copyTxids'), of: (job) => job.txid ?? '' }}
      onOpen={(job) => navigate(routes.tokenJob(job.id))}
      maxHeight={480}
    />
  );
}
