import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { WalletAccount } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';

export function useAccounts() {
  return useQuery(api.wallet.accounts.list.queryOptions());
}

/** The account that is selected; undefined until it is known. */
export function useActiveAccount(): WalletAccount | undefined {
  return useAccounts().data?.find(({ active }) => active);
}

/** The name of an account; the main one has a default name until a person names it. */
export function useAccountName(): (account: WalletAccount) => string {
  const { t } = useTranslation();
  return ({ name }) => name || t('wallet.accounts.main');
}
