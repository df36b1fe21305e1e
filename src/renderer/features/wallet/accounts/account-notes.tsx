import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { WalletAccount, WalletNotice, WalletSweep } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { TimeLeft } from '../../../components/status/time-left.tsx';
import { Id } from '../../../components/values/values.tsx';
import { formatExact, formatInteger } from '../../../lib/format.ts';
import { newKey } from '../../../lib/new-key.ts';
import { routes } from '../../../lib/routes.ts';

/** Transactions that a notice names; the others are in the history. */
const SHOWN_TXIDS = 3;
/** So few transactions are read too quickly for a progress note. */
const FEW = 20;

/** Brings an imported key's money and tokens to the main account. */
function Sweep({ account }: { account: WalletAccount }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const [swept, setSwept] = useState<WalletSweep>();
  // The same key for each try, so that a second click builds no second payment.
  const [idempotencyKey, setIdempotencyKey] = useState(() => newKey());
  const sweep = useMutation(
    api.wallet.sweep.mutationOptions({
      onSuccess: () => setIdempotencyKey(newKey()),
    }),
  );
  const show = (answer: WalletSweep): void => {
    if (answer.left.length === 0) navigate(routes.walletPayment(answer.send.id));
    else setSwept(answer);
  };
  const isEmpty = account.total === 0 && account.tokens === 0;
  return (
    <Callout
      tone="info"
      title={t('wallet.accounts.imported')}
      actions={
        swept === undefined ? (
          <Button
            size="xs"
            variant="default"
            disabled={isEmpty || account.searching}
            loading={sweep.isPending}
            onClick={() => sweep.mutate({ account: account.id, idempotencyKey }, { onSuccess: show })}
          >
            {t('wallet.accounts.sweep')}
          </Button>
        ) : (
          <Button size="xs" variant="default" component={Link} href={routes.walletPayment(swept.send.id)}>
            {t('wallet.accounts.sweepReview')}
          </Button>
        )
      }
    >
      {swept === undefined
        ? t('wallet.accounts.importedText')
        : t('wallet.accounts.left', { count: swept.left.length })}
      <ErrorNote error={sweep.error} />
    </Callout>
  );
}

function Notice({ notice }: { notice: WalletNotice }) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const dismiss = useMutation(
    api.wallet.notices.dismiss.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.wallet.notices.key() }),
    }),
  );
  const { kind, at, txids, height } = notice;
  return (
    <Callout
      tone="wait"
      role="status"
      title={t(`wallet.notices.${kind}`, { count: txids.length })}
      actions={
        <Button
          size="xs"
          variant="default"
          loading={dismiss.isPending}
          onClick={() => dismiss.mutate({ id: notice.id })}
        >
          {t('wallet.notices.dismiss')}
        </Button>
      }
    >
      <Text>
        {t(`wallet.notices.text.${kind}`, {
          time: formatExact(at, i18n.language),
          height: formatInteger(height ?? 0, i18n.language),
        })}
      </Text>
      {txids.slice(0, SHOWN_TXIDS).map((txid) => (
        <div key={txid}>
          <Id value={txid} kind="transaction" keep={8} />
        </div>
      ))}
      <ErrorNote error={dismiss.error} />
    </Callout>
  );
}

/** What a person should know of the active account before its coins. */
export function AccountNotes({ account }: { account: WalletAccount }) {
  const { t, i18n } = useTranslation();
  const notices = useQuery(api.wallet.notices.list.queryOptions()).data ?? [];
  const height = formatInteger(account.height ?? 0, i18n.language);
  return (
    <>
      {notices.map((notice) => (
        <Notice key={notice.id} notice={notice} />
      ))}
      {account.searching && !account.main && (
        <Callout tone="info" role="status" title={t('wallet.accounts.searching', { height })} />
      )}
      {account.reading !== null && account.reading.total > FEW && (
        <Callout tone="info" role="status" title={t('wallet.accounts.reading')}>
          <Text className="num">
            {t('wallet.accounts.readingText', {
              done: formatInteger(account.reading.done, i18n.language),
              total: formatInteger(account.reading.total, i18n.language),
            })}
            {account.reading.leftMs !== null && (
              <>
                {' · '}
                <TimeLeft milliseconds={account.reading.leftMs} />
              </>
            )}
          </Text>
        </Callout>
      )}
      {account.kind === 'watch' && (
        <Callout tone="info" title={t('wallet.accounts.watchOnly')}>
          {t('wallet.accounts.watchOnlyText')}
        </Callout>
      )}
      {account.kind === 'key' && <Sweep account={account} />}
    </>
  );
}
