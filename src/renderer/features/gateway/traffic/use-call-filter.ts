import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { routes } from '../../../lib/routes.ts';
import { type CallFilter, filterGroups } from './call-filter.ts';

function paramsOf(filter: CallFilter): URLSearchParams {
  const params = new URLSearchParams();
  for (const flag of ['own', 'errors'] as const) if (filter[flag]) params.set(flag, '1');
  for (const group of filterGroups) for (const value of filter[group]) params.append(group, value);
  return params;
}

/** The filter is part of the address, so that links and going back keep it. */
export function useCallFilter(): [CallFilter, (next: CallFilter) => void] {
  const [, navigate] = useLocation();
  const search = useSearch();
  const filter = useMemo((): CallFilter => {
    const params = new URLSearchParams(search);
    return {
      own: params.get('own') === '1',
      errors: params.get('errors') === '1',
      source: params.getAll('source'),
      caller: params.getAll('caller'),
      method: params.getAll('method'),
    };
  }, [search]);
  const change = (next: CallFilter): void => {
    const params = paramsOf(next);
    const address = routes.gatewayView('traffic');
    navigate(params.size === 0 ? address : `${address}?${params}`, { replace: true });
  };
  return [filter, change];
}
