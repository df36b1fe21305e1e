import { Button, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure } from '../../contract/index.ts';
import { api } from '../api/client.ts';
import { failureOf } from '../api/failure.ts';
import { formatMinute } from '../lib/format.ts';
import { icon } from './icon.ts';
import classes from './styles/callout.module.css';
import { Id } from './values/values.tsx';

/** A failure `merchant-key-changed` as the host describes it. */
interface KeyChange {
  endpoint: string;
  /** Null for answers without a signature. */
  known: string | null;
  offered: string | null;
  /** Null if the key is pinned. */
  since: Date | null;
}

/** Reads the details of the failure; undefined if it is another one. */
export function keyChangeOf({ code, detail = {} }: Failure): KeyChange | undefined {
  const { endpoint, knownKey, offeredKey, knownSince, pinned } = detail;
  if (code !== 'merchant-key-changed' || typeof endpoint !== 'string') return undefined;
  const keyOf = (text: unknown): string | null => (typeof text === 'string' && text !== 'unsigned' ? text : null);
  return {
    endpoint,
    known: keyOf(knownKey),
    offered: keyOf(offeredKey),
    since: pinned !== true && typeof knownSince === 'string' ? new Date(knownSince) : null,
  };
}

function Keys({ change: { endpoint, known, offered, since } }: { change: KeyChange }) {
  const { t, i18n } = useTranslation();
  const keyText = (key: string | null) =>
    key === null ? t('common.merchantKey.unsigned') : <Id value={key} what={t('common.merchantKey.name')} full />;
  return (
    <dl className={classes.details}>
      <dt>{t('common.merchantKey.endpoint')}</dt>
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
      <dt>{t('common.merchantKey.offered')}</dt>
      <dd>{keyText(offered)}</dd>
    </dl>
  );
}

/**
 * Old and new key of a merchant API, and the button that accepts the new one after a second question.
 * @param failureNote shows why the key could not be accepted; given, as that note shows this
 */
export function MerchantKeyChange({
  change,
  failureNote,
}: {
  change: KeyChange;
  failureNote: (failure: Failure) => ReactNode;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // What was refused because of the key can be asked again.
  const accept = useMutation(api.merchant.acceptKey.mutationOptions({ onSuccess: () => queries.invalidateQueries() }));
  const words = change.offered === null ? 'unsignedText' : 'text';
  const ask = (): void => {
    modals.openConfirmModal({
      title: t('common.merchantKey.title'),
      size: 'lg',
      children: (
        <Stack gap="sm">
          <Text size="sm">{t(`common.merchantKey.${words}`)}</Text>
          <Keys change={change} />
        </Stack>
      ),
      labels: { confirm: t('common.merchantKey.confirm'), cancel: t('common.cancel') },
      confirmProps: { color: 'red.9' },
      onConfirm: () => accept.mutate({ endpoint: change.endpoint, publicKey: change.offered }),
    });
  };
  return (
    <>
      <Keys change={change} />
      {accept.isSuccess ? (
        <Text size="sm" role="status" className={classes.accepted}>
          <IconCheck {...icon} aria-hidden />
          {t('common.merchantKey.accepted')}
        </Text>
      ) : (
        change.since !== null && (
          <Button size="xs" variant="default" mt="xs" loading={accept.isPending} onClick={ask}>
            {t('common.merchantKey.accept')}
          </Button>
        )
      )}
      {accept.isError && failureNote(failureOf(accept.error))}
    </>
  );
}
