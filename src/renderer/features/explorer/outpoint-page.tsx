import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { TransactionView } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import layout from '../../components/styles/layout.module.css';
import { Inscription } from '../../components/transaction-parts/inscription/inscription.tsx';
import { DataPushes } from '../../components/transaction-parts/parts.tsx';
import { Spend, useSpends } from '../../components/transaction-parts/spends.tsx';
import { CopyButton } from '../../components/values/copy-button.tsx';
import { Fact } from '../../components/values/fact.tsx';
import { Amount, Id } from '../../components/values/values.tsx';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';

function Facts({ tx, output }: { tx: TransactionView; output: TransactionView['outputs'][number] }) {
  const { t, i18n } = useTranslation();
  const spends = useSpends(tx.txid, [output]);
  const facts = [
    { name: t('explorer.amount'), value: <Amount satoshis={output.satoshis} /> },
    {
      name: t('explorer.state'),
      value: spends.error === null ? <Spend output={output} spends={spends.data} /> : failureOf(spends.error).message,
    },
    {
      name: t('explorer.address'),
      value:
        output.address === null ? t('transactions.noAddress') : <Id value={output.address} kind="address" keep={8} />,
    },
    {
      name: t('transactions.block'),
      value: tx.blockHeight === null ? t('common.pending') : formatInteger(tx.blockHeight, i18n.language),
    },
  ];
  return (
    <Panel>
      <dl className={layout.facts}>
        {facts.map(({ name, value }) => (
          <Fact key={name} name={name} num>
            {value}
          </Fact>
        ))}
      </dl>
    </Panel>
  );
}

function Output({ tx, index }: { tx: TransactionView; index: number }) {
  const { t } = useTranslation();
  const output = tx.outputs.find((one) => one.index === index);
  if (output === undefined) {
    return (
      <Callout tone="wait" title={t('explorer.noOutput', { n: index })}>
        {t('explorer.noOutputHint', { count: tx.outputs.length })}
      </Callout>
    );
  }
  return (
    <>
      <Facts tx={tx} output={output} />
      <Inscription txid={tx.txid} output={output} />
      {output.data !== null && output.inscription === null && (
        <Panel flush title={t('explorer.data')}>
          <DataPushes data={output.data} />
        </Panel>
      )}
      <Panel
        flush
        title={t('transactions.script')}
        actions={<CopyButton value={output.scriptAsm} what={t('transactions.script')} />}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
        <pre className={`mono ${layout.text}`} tabIndex={0}>
          {output.scriptAsm}
        </pre>
      </Panel>
    </>
  );
}

/** One output: what it holds, who may spend it, and whether it is spent. */
export function OutpointPage({ outpoint }: { outpoint: string }) {
  const { t } = useTranslation();
  const [txid = '', index = ''] = outpoint.split('_');
  const query = useQuery(api.transactions.get.queryOptions({ input: { txid, output: Number(index) } }));
  return (
    <Page
      title={t('explorer.outputTitle', { n: index })}
      purpose={t('explorer.outputPurpose')}
      crumbs={[{ label: t('explorer.title'), to: routes.explorer }]}
      actions={
        <Button variant="default" component={Link} href={routes.transaction(txid)}>
          {t('explorer.toTransaction')}
        </Button>
      }
    >
      <Stack gap="md">
        <div className={layout.id}>
          <span className="mono">{outpoint}</span>
          <CopyButton value={outpoint} what={t('common.outpointName')} />
        </div>
        <QueryView query={query}>{(tx) => <Output tx={tx} index={Number(index)} />}</QueryView>
      </Stack>
    </Page>
  );
}
