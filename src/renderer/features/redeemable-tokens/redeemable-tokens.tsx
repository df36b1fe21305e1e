import { Button, Stack } from '@mantine/core';
import { IconCoins, IconPlus } from '@tabler/icons-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { TokenContract, TokenOverview } from '../../../contract/index.ts';
import { icon, smallIcon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import pairs from '../../components/styles/pairs.module.css';
import { Amount, Badge, Id } from '../../components/values/values.tsx';
import { routes } from '../../lib/routes.ts';
import { type ActionSubject, openAction } from './action-dialog.tsx';
import { TokenJobList } from './jobs/job-list.tsx';
import classes from './redeemable-tokens.module.css';
import { issueOf } from './subjects.ts';
import { TokenList } from './token-list.tsx';
import { useRedeemableTokens } from './use-redeemable-tokens.ts';

type OnAction = (subject: ActionSubject) => void;

function Contract({ contract, own, onAction }: { contract: TokenContract; own: string; onAction: OnAction }) {
  const { t } = useTranslation();
  const { outpoint, satoshis, schema, confirmed } = contract;
  const issue = issueOf(contract, own);
  return (
    <li className={classes.row}>
      {schema && <b>{schema.symbol}</b>}
      <span className={`${classes.grow} ${classes.dim}`}>
        {schema ? schema.name : t('redeemableTokens.unreadable')}
      </span>
      <Id value={outpoint} kind="output" to={routes.tokenHistory(outpoint)} keep={6} />
      <Amount satoshis={satoshis} />
      <Badge tone={confirmed ? 'done' : 'info'}>
        {t(confirmed ? 'redeemableTokens.confirmed' : 'redeemableTokens.unconfirmed')}
      </Badge>
      {schema && (
        <Button
          size="xs"
          disabled={issue === undefined}
          aria-label={t('redeemableTokens.dialog.issue', { symbol: schema.symbol })}
          onClick={() => issue && onAction(issue)}
        >
          {t('redeemableTokens.action.issue')}
        </Button>
      )}
    </li>
  );
}

function Contracts({ overview, onAction }: { overview: TokenOverview; onAction: OnAction }) {
  const { t } = useTranslation();
  return (
    <Panel title={t('redeemableTokens.contracts')} hint={t('redeemableTokens.contractsHint')} flush>
      <ul className={classes.list}>
        {overview.contracts.map((contract) => (
          <Contract key={contract.outpoint} contract={contract} own={overview.address ?? ''} onAction={onAction} />
        ))}
      </ul>
    </Panel>
  );
}

/** Everything about redeemable tokens: contracts, holdings by symbol, and what was done with them. */
export function RedeemableTokens() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const query = useRedeemableTokens();
  const onAction = useCallback<OnAction>(
    (subject) => openAction(subject, (id) => navigate(routes.tokenJob(id))),
    [navigate],
  );
  const design = (
    <Button component={Link} href={routes.tokenDesign} leftSection={<IconPlus {...smallIcon} />}>
      {t('redeemableTokens.design')}
    </Button>
  );
  const isEmpty = ({ contracts, holdings, jobs }: TokenOverview): boolean =>
    contracts.length + holdings.length + jobs.length === 0;
  return (
    <Page
      wide
      title={t('redeemableTokens.title')}
      purpose={t('redeemableTokens.purpose')}
      actions={query.data === undefined || isEmpty(query.data) ? undefined : design}
    >
      <QueryView
        query={query}
        isEmpty={isEmpty}
        empty={
          <Empty
            icon={<IconCoins {...icon} size={24} />}
            title={t('redeemableTokens.emptyTitle')}
            text={t('redeemableTokens.emptyText')}
            action={design}
          />
        }
      >
        {(overview) => (
          <Stack gap="md">
            {overview.contracts.length > 0 && <Contracts overview={overview} onAction={onAction} />}
            {overview.holdings.length === 0 ? (
              <Panel title={t('redeemableTokens.holdings')} hint={t('redeemableTokens.holdingsHint')} flush>
                <div className={`${classes.row} ${classes.dim}`}>{t('redeemableTokens.holdingsEmpty')}</div>
              </Panel>
            ) : (
              overview.holdings.map((holding) => (
                <TokenList key={holding.kind} holding={holding} own={overview.address ?? ''} onAction={onAction} />
              ))
            )}
            <Panel>
              <dl className={pairs.pairs}>
                <dt>{t('redeemableTokens.receive')}</dt>
                <dd>{overview.address && <Id value={overview.address} kind="address" full />}</dd>
                <dt>{t('redeemableTokens.issuer')}</dt>
                <dd>{overview.issuer && <Id value={overview.issuer.address} kind="address" full />}</dd>
              </dl>
            </Panel>
            {overview.jobs.length > 0 && <TokenJobList jobs={overview.jobs} />}
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
