import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** Interval of polling while histories of tokens are being checked, in milliseconds. */
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
