import { Button, Group, Stack } from '@mantine/core';
import { IconCoins, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { TokenContract, TokenHolding, TokenJob, TokenOverview } from '../../../contract/index.ts';
import { routes } from '../../app/routes.ts';
import { icon, smallIcon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { SortedTable } from '../../components/sorted-table.tsx';
import { Ago, Amount, Badge, Id, StateBadge } from '../../components/values.tsx';
import { type ActionSubject, openAction } from './action-dialog.tsx';
import { issueOf, stepOf, tokenSteps } from './subjects.ts';
import classes from './token-bench.module.css';
import { useBench } from './use-bench.ts';

type OnAction = (subject: ActionSubject) => void;

function Contract({ contract, own, onAction }: { contract: TokenContract; own: string; onAction: OnAction }) {
  const { t } = useTranslation();
  const { outpoint, satoshis, schema, confirmed, inUse } = contract;
  return (
    <li className={classes.row}>
      <b>{schema.symbol}</b>
      <span className={`${classes.grow} ${classes.dim}`}>{schema.name}</span>
      <Id value={outpoint} what={t('common.outpointName')} to={routes.tokenHistory(outpoint)} keep={6} />
      <Amount satoshis={satoshis} />
      <Badge tone={confirmed ? 'done' : 'info'}>
        {t(confirmed ? 'tokenBench.confirmed' : 'tokenBench.unconfirmed')}
      </Badge>
      <Button
        size="xs"
        disabled={inUse}
        aria-label={t('tokenBench.dialog.issue', { symbol: schema.symbol })}
        onClick={() => onAction(issueOf(contract, own))}
      >
        {t('tokenBench.action.issue')}
      </Button>
    </li>
  );
}

function Contracts({ bench, onAction }: { bench: TokenOverview; onAction: OnAction }) {
  const { t } = useTranslation();
  return (
    <Panel title={t('tokenBench.contracts')} hint={t('tokenBench.contractsHint')} flush>
      <ul className={classes.list}>
        {bench.contracts.map((contract) => (
          <Contract key={contract.outpoint} contract={contract} own={bench.address ?? ''} onAction={onAction} />
        ))}
      </ul>
    </Panel>
  );
}

function Holding({ holding, own, onAction }: { holding: TokenHolding; own: string; onAction: OnAction }) {
  const { t } = useTranslation();
  const { symbol, splittable, tokens } = holding;
  return (
    <>
      <div className={classes.group}>
        <h3>{symbol}</h3>
        {holding.ownIssue && <Badge tone="info">{t('tokenBench.ownIssue')}</Badge>}
        {!splittable && <Badge tone="neutral">{t('tokenBench.unsplittable')}</Badge>}
        <span className={classes.grow} />
        <b>
          <Amount satoshis={holding.satoshis} />
        </b>
      </div>
      <ul className={classes.list} aria-label={symbol}>
        {tokens.map((token) => {
          return (
            <li key={token.outpoint} className={classes.row}>
              <span className={classes.grow}>
                <Id
                  value={token.outpoint}
                  what={t('common.outpointName')}
                  to={routes.tokenHistory(token.outpoint)}
                  keep={6}
                />
              </span>
              <Amount satoshis={token.satoshis} />
              <Badge tone={token.inUse ? 'wait' : token.confirmed ? 'done' : 'info'}>
                {t(
                  token.inUse
                    ? 'tokenBench.inUse'
                    : token.confirmed
                      ? 'tokenBench.confirmed'
                      : 'tokenBench.unconfirmed',
                )}
              </Badge>
              <Group gap={6}>
                {tokenSteps.map((step) => {
                  const subject = stepOf(step, token, holding, own);
                  return (
                    <Button
                      key={step}
                      size="compact-sm"
                      variant="default"
                      disabled={subject === undefined}
                      aria-label={`${t(`tokenBench.action.${step}`)} ${symbol} ${token.satoshis}`}
                      onClick={() => subject && onAction(subject)}
                    >
                      {t(`tokenBench.action.${step}`)}
                    </Button>
                  );
                })}
              </Group>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Jobs({ jobs }: { jobs: readonly TokenJob[] }) {
  const { t } = useTranslation();
  return (
    <SortedTable
      records={jobs}
      idOf={(job) => job.id}
      initialSort={{ column: 'createdAt', direction: 'desc' }}
      columns={[
        {
          accessor: 'action',
          title: t('tokenBench.what'),
          sortBy: (job) => job.request.action,
          render: (job) => (
            <Link
              href={routes.tokenJob(job.id)}
              className="link"
              aria-label={t('tokenBench.open', {
                what: t(`tokenBench.action.${job.request.action}`),
                symbol: job.symbol,
              })}
            >
              {t(`tokenBench.action.${job.request.action}`)}
            </Link>
          ),
        },
        { accessor: 'symbol', title: t('tokenBench.symbol'), sortBy: (job) => job.symbol },
        {
          accessor: 'amount',
          title: t('tokenBench.amount'),
          textAlign: 'right',
          sortBy: (job) => job.review.tokensOut + job.review.redeemed,
          render: (job) => <Amount satoshis={job.review.tokensOut + job.review.redeemed} />,
        },
        {
          accessor: 'fee',
          title: t('tokenBench.fee'),
          textAlign: 'right',
          sortBy: (job) => job.review.fee,
          render: (job) => <Amount satoshis={job.review.fee} />,
        },
        {
          accessor: 'state',
          title: t('tokenBench.state'),
          sortBy: (job) => job.state,
          render: (job) => (
            <StateBadge
              state={job.state}
              failed={job.failure !== null && !job.active}
              awaiting={job.awaitingApproval}
              active={job.active}
            />
          ),
        },
        {
          accessor: 'txid',
          title: t('tokenBench.history'),
          render: (job) =>
            job.txid === null ? (
              '–'
            ) : (
              <Id value={job.txid} what={t('common.txidName')} to={routes.tokenHistory(historyStart(job))} />
            ),
        },
        {
          accessor: 'createdAt',
          title: t('tokenBench.when'),
          sortBy: (job) => job.createdAt,
          render: (job) => <Ago at={job.createdAt} />,
        },
      ]}
    />
  );
}

/** An output from which a job's history can be told: what it spent where nothing of it is a token any more. */
function historyStart(job: TokenJob): string {
  const { request } = job;
  if (request.action === 'redeem') return request.token;
  const first = job.review.outputs.find(({ kind }) => kind === 'token' || kind === 'contract');
  return `${job.txid}_${first?.index ?? 0}`;
}

/** Everything about redeemable tokens: contracts, holdings by symbol, and what was done with them. */
export function TokenBench() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const query = useBench();
  const onAction: OnAction = (subject) => openAction(subject, (id) => navigate(routes.tokenJob(id)));
  const design = (
    <Button component={Link} href={routes.tokenDesign} leftSection={<IconPlus {...smallIcon} />}>
      {t('tokenBench.design')}
    </Button>
  );
  const isEmpty = ({ contracts, holdings, jobs }: TokenOverview): boolean =>
    contracts.length + holdings.length + jobs.length === 0;
  return (
    <Page
      title={t('tokenBench.title')}
      purpose={t('tokenBench.purpose')}
      actions={query.data === undefined || isEmpty(query.data) ? undefined : design}
    >
      <QueryView
        query={query}
        isEmpty={isEmpty}
        empty={
          <Empty
            icon={<IconCoins {...icon} size={24} />}
            title={t('tokenBench.emptyTitle')}
            text={t('tokenBench.emptyText')}
            action={design}
          />
        }
      >
        {(bench) => (
          <Stack gap="md">
            {bench.contracts.length > 0 && <Contracts bench={bench} onAction={onAction} />}
            <Panel title={t('tokenBench.holdings')} hint={t('tokenBench.holdingsHint')} flush>
              {bench.holdings.length === 0 ? (
                <div className={`${classes.row} ${classes.dim}`}>{t('tokenBench.holdingsEmpty')}</div>
              ) : (
                bench.holdings.map((holding) => (
                  <Holding key={holding.kind} holding={holding} own={bench.address ?? ''} onAction={onAction} />
                ))
              )}
            </Panel>
            <Panel>
              <dl className={classes.addresses}>
                <dt>{t('tokenBench.receive')}</dt>
                <dd>{bench.address && <Id value={bench.address} what={t('common.addressName')} full />}</dd>
                <dt>{t('tokenBench.issuer')}</dt>
                <dd>{bench.issuer && <Id value={bench.issuer.address} what={t('common.addressName')} full />}</dd>
              </dl>
            </Panel>
            {bench.jobs.length > 0 && <Jobs jobs={bench.jobs} />}
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
