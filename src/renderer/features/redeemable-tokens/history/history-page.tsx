import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { TokenHistory } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useMoney } from '../../../api/money.ts';
import { Page, Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { Amount, Badge, Id } from '../../../components/values/values.tsx';
import { shortenId } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import classes from '../redeemable-tokens.module.css';
import { layoutHistory, NODE_HEIGHT, NODE_WIDTH } from './graph-layout.ts';

/** The drawing: steps from left to right, joined by bands as wide as what they carry. */
function Graph({ history }: { history: TokenHistory }) {
  const { t } = useTranslation();
  const money = useMoney();
  const { width, height, nodes, edges } = layoutHistory(history.steps);
  const label = t('redeemableTokens.historyPage.graphLabel', { count: nodes.length });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={classes.scroll} tabIndex={0} aria-label={label}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        {edges.map((edge) => (
          <g key={edge.key}>
            <path
              className={classes.edge}
              data-redeemed={edge.redeemed || undefined}
              d={edge.path}
              strokeWidth={edge.width}
            />
            <text className={classes.label} x={edge.labelX} y={edge.labelY}>
              {money(edge.satoshis)}
            </text>
          </g>
        ))}
        {nodes.map(({ step, x, y }) => (
          <g key={step.txid} className={classes.node} data-first={step.action === 'contract' || undefined}>
            <rect x={x} y={y} width={NODE_WIDTH} height={NODE_HEIGHT} rx={8} />
            <text x={x + 10} y={y + 20}>
              {t(`redeemableTokens.action.${step.action}`)}
            </text>
            <text className={classes.small} x={x + 10} y={y + 37}>
              {shortenId(step.txid, 4)}
            </text>
          </g>
        ))}
      </svg>
    </section>
  );
}

function Steps({ history }: { history: TokenHistory }) {
  const { t } = useTranslation();
  return (
    <ol className={`${classes.list} ${classes.steps}`}>
      {history.steps.map((step) => (
        <li key={step.txid} className={classes.row}>
          <b>{t(`redeemableTokens.action.${step.action}`)}</b>
          <Id value={step.txid} kind="transaction" keep={6} />
          <span className={classes.grow}>
            {step.outputs.map((output) => (
              <span key={output.outpoint} style={{ display: 'inline-block', marginRight: 16 }}>
                <Amount satoshis={output.satoshis} />{' '}
                <span className={classes.dim}>
                  {output.redeemed
                    ? t('redeemableTokens.historyPage.redeemed')
                    : output.own
                      ? t('redeemableTokens.historyPage.own')
                      : shortenId(output.address, 4)}
                </span>
              </span>
            ))}
          </span>
          <span className={classes.dim}>
            {step.blockHeight === null
              ? t('redeemableTokens.unconfirmed')
              : t('redeemableTokens.historyPage.block', { height: step.blockHeight })}
          </span>
          <Badge tone={step.verified ? 'done' : 'neutral'}>
            {t(step.verified ? 'redeemableTokens.historyPage.verified' : 'redeemableTokens.historyPage.seen')}
          </Badge>
        </li>
      ))}
    </ol>
  );
}

/** A token's life as a graph and as a list, from the contract on. */
export function TokenHistoryPage({ outpoint }: { outpoint: string }) {
  const { t } = useTranslation();
  const query = useQuery(api.redeemableTokens.history.queryOptions({ input: { outpoint } }));
  const symbol = query.data?.symbol;
  return (
    <Page
      title={
        symbol === undefined
          ? t('redeemableTokens.historyPage.titleUnknown')
          : t('redeemableTokens.historyPage.title', { symbol })
      }
      purpose={t('redeemableTokens.historyPage.purpose')}
      crumbs={[{ label: t('redeemableTokens.title'), to: routes.redeemableTokens }]}
    >
      <QueryView query={query}>
        {(history) => (
          <Stack gap="md">
            <Panel title={t('redeemableTokens.historyPage.graph')}>
              <Graph history={history} />
            </Panel>
            <Panel title={t('redeemableTokens.historyPage.steps')} flush>
              <Steps history={history} />
            </Panel>
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
