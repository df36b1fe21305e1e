import { useTranslation } from 'react-i18next';
import type { TrackedTransaction } from '../../../../contract/index.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { routes } from '../../../lib/routes.ts';

/** Where the person finds what a transaction was sent for. */
export function useOriginLink({
  txid,
  origin,
}: Pick<TrackedTransaction, 'txid' | 'origin'>): { to: string; label: string } | undefined {
  const { t } = useTranslation();
  const job = useLive(({ jobs }) => jobs.find((one) => one.txid === txid)?.id);
  const token = useLive(({ tokens }) => tokens.find(({ outpoint }) => outpoint.startsWith(txid))?.outpoint);
  switch (origin) {
    case 'mint':
      return { to: job === undefined ? routes.jobs : routes.job(job), label: t('submitted.page.openOrigin.mint') };
    case 'wallet':
      if (token !== undefined) return { to: routes.token(token), label: t('submitted.page.openOrigin.tokenOf') };
      return { to: routes.wallet, label: t('submitted.page.openOrigin.wallet') };
    case 'token':
      return { to: routes.redeemableTokens, label: t('submitted.page.openOrigin.token') };
    case 'writer':
      return { to: routes.writerDocuments, label: t('submitted.page.openOrigin.writer') };
    case 'gateway':
      return { to: routes.gateway, label: t('submitted.page.openOrigin.gateway') };
    default:
      return undefined;
  }
}
