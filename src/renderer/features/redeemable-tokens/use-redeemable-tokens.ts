import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** How often it is looked whether the histories of tokens are checked, in milliseconds. */
const CHECKING_MS = 2_000;

/** Contracts, holdings and transactions of the wallet, kept current by the live events. */
export function useRedeemableTokens() {
  return useQuery(
    api.redeemableTokens.overview.queryOptions({
      refetchInterval: ({ state: { data } }) =>
        data?.holdings.some(({ tokens }) => tokens.some(({ history }) => history === 'checking')) === true &&
        CHECKING_MS,
    }),
  );
}
