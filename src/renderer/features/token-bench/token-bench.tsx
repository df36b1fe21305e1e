import { Button, Stack } from '@mantine/core';
import { IconCoins, IconPlus } from '@tabler/icons-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { TokenContract, TokenOverview } from '../../../contract/index.ts';
import { icon, smallIcon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Amount, Badge, Id } from '../../components/values/values.tsx';
import { routes } from '../../lib/routes.ts';
import { type ActionSubject, openAction } from './action-dialog.tsx';
import { TokenJobList } from './jobs/job-list.tsx';
import { issueOf } from './subjects.ts';
import classes from './token-bench.module.css';
import { TokenList } from './token-list.tsx';
import { useBench } from './use-bench.ts';

type OnAction = (subject: ActionSubject) => void;

function Contract({ contract, own, onAction }: { contract: TokenContract; own: string; onAction: OnAction }) {
  const { t } = useTranslation();
  const { outpoint, satoshis, schema, confirmed, inUse } = contract;
  return (
    <li className={classes.row}>
      <b>{schema.symbol}</b>
      <span className={`${classes.grow} ${classes.dim}`}>{schema.name}</span>
      <Id value={outpoint} kind="output" to={routes.tokenHistory(outpoint)} keep={6} />
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

/** Everything about redeemable tokens: contracts, holdings by symbol, and what was done with them. */
export function TokenBench() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const query = useBench();
  const onAction = useCallback<OnAction>(
    (subject) => openAction(subject, (id) => navigate(routes.tokenJob(id))),
    [navigate],
  );
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
            {bench.holdings.length === 0 ? (
              <Panel title={t('tokenBench.holdings')} hint={t('tokenBench.holdingsHint')} flush>
                <div className={`${classes.row} ${classes.dim}`}>{t('tokenBench.holdingsEmpty')}</div>
              </Panel>
            ) : (
              bench.holdings.map((holding) => (
                <TokenList key={holding.kind} holding={holding} own={bench.address ?? ''} onAction={onAction} />
              ))
            )}
            <Panel>
              <dl className={classes.addresses}>
                <dt>{t('tokenBench.receive')}</dt>
                <dd>{bench.address && <Id value={bench.address} kind="address" full />}</dd>
                <dt>{t('tokenBench.issuer')}</dt>
                <dd>{bench.issuer && <Id value={bench.issuer.address} kind="address" full />}</dd>
              </dl>
            </Panel>
            {bench.jobs.length > 0 && <TokenJobList jobs={bench.jobs} />}
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
