import { Button, PasswordInput } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NetworkProfile } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../components/icon.ts';
import { Panel } from '../../components/page.tsx';
import { StepText } from '../../components/status/step-text.tsx';
import layout from '../../components/styles/layout.module.css';
import { Badge } from '../../components/values/values.tsx';
import { shownMinerName } from '../../i18n/phrases.ts';
import { sourceName } from './source-name.ts';

const tones = { passed: 'done', failed: 'fail', skipped: 'neutral' } as const;

/** Tests the saved profile step by step. A failed step shows its fix. */
export function NetworkTest({ profile }: { profile: NetworkProfile }) {
  const { t } = useTranslation();
  const [passphrase, setPassphrase] = useState('');
  const test = useMutation({
    mutationFn: () => client.networks.test({ network: profile.network, ...(passphrase === '' ? {} : { passphrase }) }),
  });
  const hasKey = profile.entries.some(({ key, isSet }) => key === 'apiKey' && isSet);
  return (
    <Panel
      flush
      title={t('networks.test')}
      hint={t('networks.testHint')}
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlugConnected {...smallIcon} />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          {t('networks.runTest')}
        </Button>
      }
    >
      {!profile.active && profile.passphrase === 'known' && hasKey && (
        <div className={layout.pad}>
          <PasswordInput
            maw={360}
            label={t('networks.passphrase.known')}
            description={t('networks.testPassphrase')}
            autoComplete="current-password"
            value={passphrase}
            onChange={(event) => setPassphrase(event.currentTarget.value)}
          />
        </div>
      )}
      {test.isError && (
        <div className={layout.pad}>
          <ErrorNote error={test.error} />
        </div>
      )}
      <div role="status">
        {test.data?.map(({ step, miner, source, outcome, message, sentence, failure }) => (
          <div key={`${step} ${miner ?? source}`} className={layout.line} data-step={step}>
            <span className={layout.label}>
              {miner !== null
                ? t('networks.step.minerNamed', { name: shownMinerName(miner) })
                : source === undefined
                  ? t(`networks.step.${step}`)
                  : sourceName(t, source)}
            </span>
            <StepText message={message} sentence={sentence} failure={failure} />
            <Badge tone={tones[outcome]}>{t(`networks.outcome.${outcome}`)}</Badge>
          </div>
        ))}
      </div>
    </Panel>
  );
}
