import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { headersFault } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';

const POLL_MS = 5_000;

/** Says that the balance may lack something, because no source answers with headers of the chain. @param height of the block the coins are known up to; null before the first */
export function ChainSilent({ height }: { height: number | null }) {
  const { t, i18n } = useTranslation();
  const network = useLive(({ app }) => app?.network);
  const { data } = useQuery({ ...api.headers.status.queryOptions(), refetchInterval: POLL_MS });
  const fault = data && headersFault(data);
  if (data === undefined || fault === undefined || network === undefined) return null;
  const isNode = data.sources.every(({ operator }) => operator === null);
  return (
    <Callout
      tone="wait"
      role="status"
      title={t(`wallet.unsettled.${isNode ? 'node' : fault}`)}
      actions={
        <Button size="xs" variant="default" component={Link} href={routes.network(network)}>
          {t('common.mend.sources')}
        </Button>
      }
    >
      {height === null
        ? t('wallet.unsettled.never')
        : t('wallet.unsettled.upTo', { height: formatInteger(height, i18n.language) })}
    </Callout>
  );
}
