import { Button, Checkbox, Group, Loader, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { missingFor, type NetworkProfile, type NetworkUse } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { Panel } from '../../components/page.tsx';

/** The text to type before real money is used. The host compares it. */
const MAIN_WORD = 'main';

/** The switch to a network. Each thing that it lacks has to be accepted, and the main network is confirmed by typing its name. */
export function SwitchPanel({ profile, use }: { profile: NetworkProfile; use: NetworkUse }) {
  const { network } = profile;
  const missing = missingFor(use, profile.missing);
  const { t } = useTranslation();
  const [accepted, setAccepted] = useState('');
  const [word, setWord] = useState('');
  const change = useMutation({
    mutationFn: () => client.networks.switch({ network, use, without: missing, word }),
  });
  const name = t(`common.network.${network}`);
  const open = missing.map((need) => t(`networks.need.${need}`)).join(', ');
  const isConfirmed = network !== 'main' || word.trim().toLowerCase() === MAIN_WORD;
  // Accepted items are sent as they were shown.
  const isAccepted = missing.length === 0 || accepted === open;
  if (change.data?.restarts) {
    return (
      <Callout tone="info" role="status" title={t('networks.starting', { network: name })}>
        <Loader size="xs" />
      </Callout>
    );
  }
  return (
    <Panel title={t('networks.change', { network: name })} hint={t(`networks.changeHint.${network}`)}>
      <Stack gap="sm">
        {missing.length > 0 && (
          <Checkbox
            label={t('networks.without', { missing: open })}
            description={t('networks.withoutHint')}
            checked={isAccepted}
            onChange={(event) => setAccepted(event.currentTarget.checked ? open : '')}
          />
        )}
        {network === 'main' && (
          <TextInput
            maw={360}
            label={t('networks.typeMain')}
            description={t('networks.typeMainHint')}
            autoComplete="off"
            spellCheck={false}
            value={word}
            onChange={(event) => setWord(event.currentTarget.value)}
          />
        )}
        <ErrorNote error={change.error} />
        {change.data !== undefined && (
          <Callout tone="info" role="status" title={t('networks.nextStart', { network: name })} />
        )}
        <Group>
          <Button
            color={`var(--pl-${network})`}
            variant="outline"
            loading={change.isPending}
            disabled={!isConfirmed || !isAccepted}
            onClick={() => change.mutate()}
          >
            {t('networks.switch', { network: name })}
          </Button>
        </Group>
      </Stack>
    </Panel>
  );
}
