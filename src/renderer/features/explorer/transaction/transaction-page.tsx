import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { TransactionView } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { Panel } from '../../../components/page.tsx';
import { Drawing, useTokenNames } from '../../../components/transaction-parts/drawing.tsx';
import { Inputs, Outputs } from '../../../components/transaction-parts/parts.tsx';
import { TransactionFrame } from '../../../components/transaction-parts/transaction-frame.tsx';
import { Amount, Badge, Id } from '../../../components/values/values.tsx';
import { formatBytes, formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { Inscription } from './inscription.tsx';
import { MerkleProof } from './merkle-proof.tsx';
import { RawHex } from './raw-hex.tsx';
import { Spend, useSpends } from './spends.tsx';
import classes from './transactions.module.css';

function Facts({ tx }: { tx: TransactionView }) {
  const { t, i18n } = useTranslation();
  return (
    <dl className={classes.facts}>
      <div>
        <dt>{t('transactions.confirmations')}</dt>
        <dd className="num">{formatInteger(tx.confirmations, i18n.language)}</dd>
      </div>
      <div>
        <dt>{t('transactions.block')}</dt>
        <dd className="num">
          {tx.blockHeight === null ? (
            t('common.pending')
          ) : (
            <>
              {formatInteger(tx.blockHeight, i18n.language)}{' '}
              {tx.blockHash !== null && <Id value={tx.blockHash} kind="block" />}
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>{t('transactions.fee')}</dt>
        <dd>{tx.fee === null ? t('transactions.unknownFee') : <Amount satoshis={tx.fee} />}</dd>
      </div>
      <div>
        <dt>{t('transactions.size')}</dt>
        <dd className="num">{formatBytes(tx.size, i18n.language)}</dd>
      </div>
      {tx.fee !== null && tx.size > 0 && (
        <div>
          <dt>{t('transactions.rate')}</dt>
          <dd className="num">
            {t('review.rateValue', { rate: formatInteger(Math.round((tx.fee / tx.size) * 1_000), i18n.language) })}
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Input numbers named in a sentence, at most. */
const NAMED_INPUTS = 10;

/** What Chronicle allows and a reader should know of: a version above 1, signatures with 0x20, unlocking scripts that compute. */
function Unusual({ tx }: { tx: TransactionView }) {
  const { t, i18n } = useTranslation();
  const { version, isMalleable, originalDigest, computing } = tx;
  if (!isMalleable && originalDigest.length === 0 && computing.length === 0) return null;
  const named = (inputs: readonly number[]) => {
    const visible = inputs.slice(0, NAMED_INPUTS).map(String);
    const list = new Intl.ListFormat(i18n.language).format(inputs.length > NAMED_INPUTS ? [...visible, '…'] : visible);
    return { count: inputs.length, inputs: list };
  };
  return (
    <Callout tone="wait" title={t('transactions.unusual.title')}>
      <ul className={classes.unusual}>
        {isMalleable && (
          <li>
            {t(tx.confirmations > 0 ? 'transactions.unusual.versionMined' : 'transactions.unusual.version', {
              version,
            })}
          </li>
        )}
        {originalDigest.length > 0 && <li>{t('transactions.unusual.originalDigest', named(originalDigest))}</li>}
        {computing.length > 0 && <li>{t('transactions.unusual.computing', named(computing))}</li>}
      </ul>
    </Callout>
  );
}

/** A transaction as the node has it: what it spends, what it makes, what is inscribed. */
export function TransactionPage({ txid }: { txid: string }) {
  const { t, i18n } = useTranslation();
  const query = useQuery(api.transactions.get.queryOptions({ input: { txid } }));
  const tx = query.data;
  const spends = useSpends(txid, tx?.outputs);
  const confirmed = tx !== undefined && tx.confirmations > 0;
  const names = useTokenNames(tx?.outputs ?? []);
  const inscribed = tx?.outputs.filter((output) => output.inscription !== null) ?? [];
  return (
    <TransactionFrame
      txid={txid}
      query={query}
      title={t('transactions.title')}
      crumbs={[{ label: t('explorer.title'), to: routes.explorer }]}
      aside={
        tx === undefined ? undefined : (
          <Badge tone={confirmed ? 'done' : 'info'} busy={!confirmed}>
            {t(confirmed ? 'transactions.confirmed' : 'transactions.unconfirmed')}
          </Badge>
        )
      }
      purpose={
        tx === undefined
          ? undefined
          : tx.blockHeight === null
            ? t('transactions.purposeWaiting')
            : t('transactions.purposeMined', {
                count: tx.confirmations,
                height: formatInteger(tx.blockHeight, i18n.language),
              })
      }
      actions={
        <Button variant="default" onClick={() => history.back()}>
          {t('transactions.back')}
        </Button>
      }
    >
      {(found) => (
        <>
          <Panel>
            <Facts tx={found} />
          </Panel>
          <Unusual tx={found} />
          {inscribed.map((output) => (
            <Inscription key={output.index} txid={found.txid} output={output} />
          ))}
          <Drawing tx={found} title={t('review.drawing')} />
          <Inputs tx={found} />
          <Outputs tx={found} names={names} more={(output) => <Spend output={output} spends={spends.data} />} />
          {spends.error !== null && (
            <FailureNote
              failure={failureOf(spends.error)}
              tone="wait"
              retrying={spends.isFetching}
              onRetry={() => void spends.refetch()}
            />
          )}
          {found.blockHash !== null && <MerkleProof txid={found.txid} blockHash={found.blockHash} />}
          <RawHex hex={found.hex} />
        </>
      )}
    </TransactionFrame>
  );
}
