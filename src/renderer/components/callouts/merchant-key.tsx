import { Button, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { formatMinute } from '../../lib/format.ts';
import { icon } from '../icon.ts';
import { Id } from '../values/values.tsx';
import classes from './callout.module.css';

/** The details of a failure caused by a changed key. */
interface KeyChange {
  /** The kind of owner of the key; part of the keys of its texts. */
  of: 'merchantKey' | 'walletKey';
  endpoint: string;
  /** Null for replies without a signature. */
  known: string | null;
  offered: string | null;
  /** Null if the key is pinned. */
  since: Date | null;
}

/** Parses the details of the failure; undefined if it is a different one. */
export function keyChangeOf({ code, id, detail = {} }: Failure): KeyChange | undefined {
  const { url, endpoint = url, knownKey, offeredKey, knownSince, pinned } = detail;
  const isWallet = id === 'wallet.external-changed';
  if (!(isWallet || code === 'merchant-key-changed') || typeof endpoint !== 'string') return undefined;
  const keyOf = (text: unknown): string | null => (typeof text === 'string' && text !== 'unsigned' ? text : null);
  return {
    of: isWallet ? 'walletKey' : 'merchantKey',
    endpoint,
    known: keyOf(knownKey),
    offered: keyOf(offeredKey),
    since: pinned !== true && typeof knownSince === 'string' ? new Date(knownSince) : null,
  };
}

function Keys({ change: { of, endpoint, known, offered, since } }: { change: KeyChange }) {
  const { t, i18n } = useTranslation();
  const keyText = (key: string | null) =>
    key === null ? t('common.merchantKey.unsigned') : <Id value={key} what={t('common.merchantKey.name')} full />;
  return (
    <dl className={classes.details}>
      <dt>{t(`common.${of}.endpoint`)}</dt>
      <dd className="mono">{endpoint}</dd>
      <dt>{t(since === null ? 'common.merchantKey.pinned' : 'common.merchantKey.known')}</dt>
      <dd>
        {keyText(known)}
        {since !== null && (
          <div>
            {t('common.merchantKey.since', {
              time: formatMinute(since.getTime(), i18n.language),
            })}
          </div>
        )}
      </dd>
      <dt>{t(`common.${of}.offered`)}</dt>
      <dd>{keyText(offered)}</dd>
    </dl>
  );
}

interface MerchantKeyChangeProps {
  change: KeyChange;
  failureNote: (failure: Failure) => ReactNode;
}

/**
 * Old and new key of a merchant API or of a wallet, and a button that accepts the new one after a confirmation.
 * @param failureNote renders why the key could not be accepted; a parameter, since that note renders this component
 */
export function MerchantKeyChange({ change, failureNote }: MerchantKeyChangeProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // Requests that were refused because of the key can be repeated.
  const { of, endpoint, offered } = change;
  const accept = useMutation({
    mutationFn: async () => {
      if (of === 'walletKey') await client.wallet.external.accept({ identityKey: offered ?? '' });
      else await client.merchant.acceptKey({ endpoint, publicKey: offered });
    },
    onSuccess: () => queries.invalidateQueries(),
  });
  const ask = (): void => {
    modals.openConfirmModal({
      title: t(`common.${of}.title`),
      size: 'lg',
      children: (
        <Stack gap="sm">
          <Text size="sm">{offered === null ? t('common.merchantKey.unsignedText') : t(`common.${of}.text`)}</Text>
          <Keys change={change} />
        </Stack>
      ),
      labels: { confirm: t(`common.${of}.confirm`), cancel: t('common.cancel') },
      confirmProps: { color: 'red' },
      onConfirm: () => accept.mutate(),
    });
  };
  return (
    <>
      <Keys change={change} />
      {accept.isSuccess ? (
        <Text size="sm" role="status" className={classes.accepted}>
          <IconCheck {...icon} aria-hidden />
          {t(`common.${of}.accepted`)}
        </Text>
      ) : (
        change.since !== null && (
          <Button size="xs" variant="default" mt="xs" loading={accept.isPending} onClick={ask}>
            {t(`common.${of}.accept`)}
          </Button>
        )
      )}
      {accept.isError && failureNote(failureOf(accept.error))}
    </>
  );
}
