import { Button, Group, Stack } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { NetworkProfile } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { inPageLanguage } from '../../../i18n/errors.ts';
import { formatInteger } from '../../../lib/format.ts';
import { ChainSources } from '../chain-sources.tsx';
import { NetworkTest } from '../network-test.tsx';
import { SwitchPanel } from '../switch-panel.tsx';
import type { GoingLive } from './use-going-live.ts';

/** The chain sources: asked at once if the network is in use, and tested one by one before a switch to it. */
export function SourcesBody({ profile, live }: { profile: NetworkProfile; live: GoingLive }) {
  const { t } = useTranslation();
  if (profile.active) return <Answers profile={profile} live={live} />;
  return (
    <Stack gap="md">
      <p>{t('goingLive.sources.before')}</p>
      <NetworkTest profile={profile} />
      <SwitchPanel profile={profile} use="mint" />
    </Stack>
  );
}

function Answers({ profile, live: { headers } }: { profile: NetworkProfile; live: GoingLive }) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const sync = useMutation({
    mutationFn: () => client.headers.sync({ from: null }),
    onSettled: () => queries.invalidateQueries({ queryKey: api.headers.key() }),
  });
  const { data, error } = headers;
  const failed = sync.error ?? error;
  const node = data?.sources.some(({ operator }) => operator === null) ? data : undefined;
  return (
    <Stack gap="md">
      <ErrorNote error={failed} />
      {node !== undefined && (
        <p>
          {node.tip === null
            ? t('goingLive.sources.nodeSilent')
            : t('goingLive.sources.node', { height: formatInteger(node.tip.height, i18n.language) })}
        </p>
      )}
      <ChainSources network={profile.network} />
      {data?.failure != null && !data.isAgreed && data.sources.every(({ failure }) => failure === null) && (
        <p>{inPageLanguage(data.failure).message}</p>
      )}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh {...smallIcon} />}
          loading={sync.isPending || data?.isReading === true}
          onClick={() => sync.mutate()}
        >
          {t('goingLive.sources.again')}
        </Button>
      </Group>
    </Stack>
  );
}
