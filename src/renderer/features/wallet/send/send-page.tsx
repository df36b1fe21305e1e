import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { isAboutAddress } from '../../../api/address-check.ts';
import { api } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { useMoney } from '../../../api/money.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../../components/forms/form-submit.ts';
import { WholeNumberInput } from '../../../components/forms/whole-number-input.tsx';
import { Page, Panel } from '../../../components/page.tsx';
import { sum } from '../../../components/review/sum.ts';
import layout from '../../../components/styles/layout.module.css';
import { newKey } from '../../../lib/new-key.ts';
import { routes } from '../../../lib/routes.ts';
import { BackupDue } from '../backup-due.tsx';
import { isFree } from '../coins/coin-rules.ts';
import classes from '../wallet.module.css';
import { CoinChoice } from './coin-choice.tsx';
import { Receivers } from './receivers.tsx';
import { requestOf, SMALLEST_AMOUNT, sumOf, useSendDraft } from './send-draft.ts';

const LONGEST_LABEL = 200;

/** Satoshis the payment can take: of the chosen coins, or all that is free; undefined while that is not known. */
function useAvailable(chosen: readonly string[] | null): number | undefined {
  const balance = useQuery(api.wallet.balance.queryOptions()).data;
  const coins = useQuery(api.wallet.coins.list.queryOptions({ enabled: chosen !== null })).data;
  if (chosen === null) return balance && balance.spendable + balance.elsewhere;
  const ticked = new Set(chosen);
  return coins && sum(coins.filter((coin) => isFree(coin) && ticked.has(coin.outpoint)));
}

/** The form of a payment: receivers, amounts, the fee and the coins. Its button builds the transaction for the review. */
export function SendPage() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const draft = useSendDraft();
  const [tried, setTried] = useState(false);
  const available = useAvailable(draft.coins);
  const money = useMoney();
  const total = sumOf(draft);
  const over = available === undefined ? 0 : total - available;
  const noCoin = draft.coins?.length === 0;
  const hasFee = draft.feeRate === '' || draft.feeRate > 0;
  const complete =
    hasFee &&
    draft.receivers.every(
      ({ address, satoshis }, index) =>
        address !== '' &&
        ((draft.all && index === draft.receivers.length - 1) || (satoshis !== '' && satoshis >= SMALLEST_AMOUNT)),
    );
  const prepare = useMutation(
    api.wallet.send.prepare.mutationOptions({
      onSuccess: (_, { request }) => {
        // What was typed since belongs to another payment.
        if (JSON.stringify(requestOf(useSendDraft.getState())) === JSON.stringify(request)) draft.clear();
      },
    }),
  );
  const submit = (): void => {
    setTried(true);
    if (!complete || noCoin || prepare.isPending) return;
    // Whoever has left the form by then finds the payment in the wallet's history.
    prepare.mutate(
      { request: requestOf(draft), idempotencyKey: newKey() },
      { onSuccess: ({ id }) => navigate(routes.walletPayment(id)) },
    );
  };
  const sums = { total: money(total), available: money(available ?? 0), over: money(over) };
  return (
    <Page
      title={t('wallet.sendPage.title')}
      purpose={t('wallet.sendPage.purpose')}
      crumbs={[{ label: t('wallet.title'), to: routes.wallet }]}
    >
      <form onSubmit={formSubmit(submit)} noValidate>
        <Stack gap="md">
          <BackupDue />
          <Panel title={t('wallet.sendPage.to')}>
            <Stack gap="md">
              <Receivers tried={tried} />
              <TextInput
                label={t('wallet.sendPage.note')}
                description={t('wallet.sendPage.noteHint')}
                inputWrapperOrder={['label', 'input', 'error', 'description']}
                maxLength={LONGEST_LABEL}
                value={draft.label}
                onChange={(event) => draft.change({ label: event.currentTarget.value })}
              />
            </Stack>
          </Panel>
          <Panel title={t('wallet.sendPage.options')}>
            <div className={layout.columns}>
              <WholeNumberInput
                label={t('wallet.sendPage.feeRate')}
                description={t('wallet.sendPage.feeRateHint')}
                inputWrapperOrder={['label', 'input', 'error', 'description']}
                min={1}
                max={100_000_000}
                value={draft.feeRate}
                onChange={(feeRate) => draft.change({ feeRate })}
              />
              <CoinChoice error={tried && noCoin ? t('wallet.sendPage.chooseOne') : undefined} />
            </div>
          </Panel>
          {prepare.isError && !isAboutAddress(prepare.error) && <FailureNote failure={failureOf(prepare.error)} />}
        </Stack>
        <div className={classes.bar}>
          <Text size="sm" className="num" c={over > 0 ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
            {available !== undefined &&
              t(
                over > 0 ? 'wallet.sendPage.over' : draft.all ? 'wallet.sendPage.totalAll' : 'wallet.sendPage.total',
                sums,
              )}
          </Text>
          <Button variant="default" component={Link} href={routes.wallet}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={prepare.isPending}>
            {t('wallet.sendPage.review')}
          </Button>
        </div>
      </form>
    </Page>
  );
}
