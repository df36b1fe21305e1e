import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Approval, DecodedTransaction, Remember } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { useExactMoney } from '../../api/money.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { Panel } from '../../components/page.tsx';
import { drawingOf } from '../../components/review/flow/drawing-of.ts';
import { Flow } from '../../components/review/flow/flow.tsx';
import layout from '../../components/styles/layout.module.css';
import { furtherWarnings } from '../../components/transaction-parts/notes.ts';
import { Inputs, Outputs } from '../../components/transaction-parts/parts.tsx';
import { Fact } from '../../components/values/fact.tsx';
import { LinkedText } from '../../components/values/linked-text.tsx';
import { useNow } from '../../components/values/use-now.ts';
import { Amount, Id } from '../../components/values/values.tsx';
import { phraseInPageLanguage } from '../../i18n/phrases.ts';
import { formatDuration } from '../../lib/format.ts';
import classes from './approvals.module.css';
import { programName } from './program-name.ts';
import { RememberForm } from './remember-form.tsx';

function Transaction({ tx }: { tx: DecodedTransaction }) {
  const { t } = useTranslation();
  const own = useLive(({ wallet }) => wallet?.address ?? null);
  const drawing = drawingOf(tx, own);
  const inscribed = tx.outputs.filter(({ inscription }) => inscription !== null);
  const names = new Map(
    inscribed.map(({ index, inscription }) => [
      String(index),
      inscription?.metadata.name ?? t('transactions.emptyTokenName'),
    ]),
  );
  const notes = [...tx.checks, ...furtherWarnings(tx)];
  return (
    <Stack gap="sm">
      <Id value={tx.txid} to={null} kind="transaction" keep={12} />
      {notes.length > 0 && (
        <Callout tone="wait" title={t('approvals.toKnow')}>
          <ul className={classes.notes}>
            {notes.map(({ code, text, sentence }) => (
              <li key={`${code} ${text}`}>
                <LinkedText text={phraseInPageLanguage(sentence)} />
              </li>
            ))}
          </ul>
        </Callout>
      )}
      {drawing !== null && <Flow source={drawing} names={names} />}
      <Inputs tx={tx} />
      <Outputs tx={tx} names={names} />
    </Stack>
  );
}

/** A program may have a fee left unchecked, and nothing else. */
function isKeptBack({ checks }: DecodedTransaction): boolean {
  return checks.some(({ code }) => code !== 'fee' && code !== 'fee-high');
}

/** What an approval does, in one sentence. */
function useConsequence({ kind, amount, transactions, transactionCount }: Approval): string {
  const { t } = useTranslation();
  const own = useLive(({ wallet }) => wallet?.address ?? null);
  const money = useExactMoney();
  if (kind === 'budget') return t('approvals.yes.budget', { amount: money(amount) });
  const isWhole = transactionCount === transactions.length;
  if (isWhole && transactions.every(isKeptBack)) return t('approvals.yes.keptBack', { count: transactionCount });
  const fees = transactions.map(({ fee }) => fee);
  const known = fees.reduce<number>((sum, fee) => sum + (fee ?? 0), 0);
  const paidTo = (isOwn: boolean): number =>
    transactions
      .flatMap(({ outputs }) => outputs)
      .filter(({ address }) => (address !== null && address === own) === isOwn)
      .reduce((sum, { satoshis }) => sum + satoshis, 0);
  // Not all outputs of a long transaction are listed. Everything that is not known to return to the wallet counts as paid.
  const paid = money(isWhole ? amount - known - paidTo(true) : paidTo(false));
  return !isWhole || fees.includes(null)
    ? t('approvals.yes.send', { count: transactionCount, paid })
    : t('approvals.yes.sendWithFee', { count: transactionCount, paid, fee: money(known) });
}

/** One request with its contents, and the decision about it. */
export function ApprovalCard({ approval }: { approval: Approval }) {
  const { t } = useTranslation();
  const { id, digest, kind, program, method, amount, cap, transactions, transactionCount, expiresAt } = approval;
  const queries = useQueryClient();
  const now = useNow();
  const [remembers, setRemembers] = useState(false);
  const decide = useMutation({
    mutationFn: async (choice: { allow: boolean; remember?: Remember }) => {
      if (!choice.allow) return client.approvals.deny({ id });
      return client.approvals.approve({ id, digest, ...(choice.remember && { remember: choice.remember }) });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.approvals.key() }),
  });
  const named = programName(t, program);
  const hidden = transactionCount - transactions.length;
  const yes = useConsequence(approval);
  return (
    <Panel title={t(`approvals.asks.${kind}`, { program: named })} hint={yes}>
      <Stack gap="md">
        <dl className={layout.facts}>
          <div>
            <dt>{t('approvals.method')}</dt>
            <dd className="mono">{method}</dd>
          </div>
          <Fact name={t(`approvals.amount.${kind}`)}>
            <Amount satoshis={amount} exact />
          </Fact>
          {cap !== null && (
            <Fact name={t('approvals.cap')}>
              <Amount satoshis={cap} exact />
            </Fact>
          )}
          <Fact name={t('approvals.left')} num>
            {formatDuration(Math.max(1, Math.ceil((expiresAt - now) / 1_000)) * 1_000)}
          </Fact>
        </dl>
        {transactions.map((tx) => (
          <Transaction key={tx.txid} tx={tx} />
        ))}
        {hidden > 0 && <Callout tone="wait" title={t('approvals.hidden', { count: hidden })} />}
        <ErrorNote error={decide.error} />
        {remembers ? (
          <RememberForm
            amount={amount}
            busy={decide.isPending}
            onCancel={() => setRemembers(false)}
            onRemember={(remember) => decide.mutate({ allow: true, remember })}
          />
        ) : (
          <Group justify="flex-end" gap="xs" className={classes.decision}>
            <Text className={layout.dim} style={{ flex: 1 }}>
              {t('approvals.default')}
            </Text>
            <Button variant="subtle" disabled={decide.isPending} onClick={() => setRemembers(true)}>
              {t('approvals.remember')}
            </Button>
            <Button
              variant="default"
              data-autofocus
              disabled={decide.isPending}
              onClick={() => decide.mutate({ allow: false })}
            >
              {t('approvals.deny')}
            </Button>
            <Button loading={decide.isPending} onClick={() => decide.mutate({ allow: true })}>
              {t('approvals.approve')}
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}
