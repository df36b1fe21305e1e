import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { DecodedTransaction, TransactionSource } from '../../../../contract/index.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { Panel } from '../../../components/page.tsx';
import { Preview } from '../../../components/preview/preview.tsx';
import { sum } from '../../../components/review/sum.ts';
import layout from '../../../components/styles/layout.module.css';
import { Drawing, useTokenNames } from '../../../components/transaction-parts/drawing.tsx';
import { furtherWarnings } from '../../../components/transaction-parts/notes.ts';
import { Inputs, Outputs } from '../../../components/transaction-parts/parts.tsx';
import { Fact } from '../../../components/values/fact.tsx';
import { LinkedText } from '../../../components/values/linked-text.tsx';
import { Amount } from '../../../components/values/values.tsx';
import { phraseInPageLanguage } from '../../../i18n/phrases.ts';
import { formatBytes, formatInteger, shortenId } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { TransactionBadge } from '../state-line.tsx';
import classes from './submit.module.css';

function Facts({ tx }: { tx: DecodedTransaction }) {
  const { t, i18n } = useTranslation();
  return (
    <dl className={layout.facts}>
      <Fact name={t('submitted.submit.col.format')}>{t(`submitted.submit.format.${tx.format}`)}</Fact>
      <Fact name={t('submitted.submit.col.size')}>{formatBytes(tx.bytes, i18n.language)}</Fact>
      <Fact name={t('submitted.submit.col.value')}>
        <Amount satoshis={sum(tx.outputs)} />
      </Fact>
      <Fact name={t('submitted.submit.col.fee')}>
        {tx.fee === null ? t('submitted.submit.unknown') : <Amount satoshis={tx.fee} />}
      </Fact>
      {tx.feeRate !== null && (
        <Fact name={t('submitted.submit.col.rate')}>
          {t('submitted.submit.rateValue', { rate: formatInteger(Math.round(tx.feeRate), i18n.language) })}
        </Fact>
      )}
    </dl>
  );
}

/** Checks that would keep a transaction back. */
function FailedChecks({ checks }: Pick<DecodedTransaction, 'checks'>) {
  const { t } = useTranslation();
  if (checks.length === 0) return null;
  const skippable = checks.every((check) => check.skippable);
  return (
    <Callout tone="fail" title={t('submitted.submit.checks')}>
      <ul className={classes.list}>
        {checks.map((check) => (
          <li key={check.code}>
            <LinkedText text={phraseInPageLanguage(check.sentence)} />
          </li>
        ))}
      </ul>
      {skippable && t('submitted.submit.checksSkippable')}
    </Callout>
  );
}

/** One decoded transaction: what it moves, what it carries, and what to know before it is sent. */
export function DecodedDetail({ tx, source }: { tx: DecodedTransaction; source: TransactionSource }) {
  const { t } = useTranslation();
  const warnings = furtherWarnings(tx);
  const inscribed = tx.outputs.filter(({ inscription }) => inscription !== null);
  const names = useTokenNames(tx.outputs);
  return (
    <Stack gap="md">
      <Panel title={t('submitted.submit.detail', { id: shortenId(tx.txid, 8) })}>
        <Stack gap="md">
          <FailedChecks checks={tx.checks} />
          {warnings.length > 0 && (
            <Callout tone="wait" title={t('submitted.submit.warnings')}>
              <ul className={classes.list}>
                {warnings.map(({ code, text, sentence }) => (
                  <li key={`${code} ${text}`}>
                    <LinkedText text={phraseInPageLanguage(sentence)} />
                  </li>
                ))}
              </ul>
            </Callout>
          )}
          {tx.state !== null && (
            <Callout tone="info" title={t('submitted.submit.known')}>
              <TransactionBadge state={tx.state} />{' '}
              <Link className="link" href={routes.submittedTransaction(tx.txid)}>
                {t('submitted.submit.openPage')}
              </Link>
            </Callout>
          )}
          <Facts tx={tx} />
        </Stack>
      </Panel>
      <Drawing tx={tx} title={t('submitted.page.drawing')} />
      {inscribed.map((output) => (
        <Panel
          key={output.index}
          title={names.get(String(output.index)) ?? ''}
          hint={t('transactions.inscriptionOf', { n: output.index })}
        >
          {output.inscription !== null && (
            <Preview
              file={{
                ...output.inscription,
                name: names.get(String(output.index)) ?? '',
                unsentIn: { source, txid: tx.txid, output: output.index },
              }}
              full
            />
          )}
        </Panel>
      ))}
      <Inputs tx={tx} />
      <Outputs tx={tx} names={names} />
    </Stack>
  );
}
