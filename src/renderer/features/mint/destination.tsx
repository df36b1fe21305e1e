import { Group, Radio, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { useLive } from '../../api/live/live-store.ts';
import { AddressField } from '../../components/address/address-field.tsx';
import { FailureNote } from '../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../components/icon.ts';
import { Panel } from '../../components/page.tsx';
import choice from '../../components/styles/choice.module.css';
import { Id } from '../../components/values/values.tsx';
import classes from './mint.module.css';

export interface DestinationChoice {
  kind: 'own' | 'other';
  pasted: string;
}

/** The choice, and the address once it is validated. */
export function useDestination() {
  const own = useLive((state) => state.wallet?.address ?? null);
  const [choiceMade, setChoice] = useState<DestinationChoice>({ kind: 'own', pasted: '' });
  const pasted = choiceMade.pasted.trim();
  const [settled] = useDebouncedValue(pasted, 250);
  const validation = useQuery(
    api.wallet.validateAddress.queryOptions({
      input: { address: settled },
      enabled: choiceMade.kind === 'other' && settled !== '' && settled.length <= 128,
      retry: false,
    }),
  );
  const current = settled === pasted;
  const valid = current && validation.data?.valid === true;
  const address = choiceMade.kind === 'own' ? own : valid ? pasted : null;
  return { own, choice: choiceMade, setChoice, validation, current, pasted, address };
}

function Validity({ destination }: { destination: ReturnType<typeof useDestination> }) {
  const { t } = useTranslation();
  const { validation, current, pasted } = destination;
  if (pasted === '') return <div className={classes.validity}>{t('mint.destination.required')}</div>;
  if (!current || validation.isPending) return <div className={classes.validity}>{t('mint.destination.checking')}</div>;
  if (validation.isError) {
    return <FailureNote failure={failureOf(validation.error)} onRetry={() => void validation.refetch()} />;
  }
  if (!validation.data.valid) {
    return validation.data.failure === null ? null : <FailureNote failure={validation.data.failure} />;
  }
  return (
    <div className={classes.validity} data-valid>
      <IconCheck {...smallIcon} />
      {t(validation.data.own ? 'mint.destination.validOwn' : 'mint.destination.valid')}
    </div>
  );
}

export function Destination({ destination }: { destination: ReturnType<typeof useDestination> }) {
  const { t } = useTranslation();
  const { own, choice: made, setChoice } = destination;
  return (
    <Panel title={t('mint.destination.title')}>
      <Radio.Group
        aria-label={t('mint.destination.title')}
        value={made.kind}
        onChange={(kind) => setChoice({ ...made, kind: kind as DestinationChoice['kind'] })}
      >
        <Stack gap="xs">
          {(['own', 'other'] as const).map((kind) => (
            <Radio.Card key={kind} value={kind} className={choice.choice}>
              <Group wrap="nowrap" align="flex-start">
                <Radio.Indicator />
                <div style={{ minWidth: 0 }}>
                  <div className={choice.choiceTitle}>{t(`mint.destination.${kind}`)}</div>
                  <div className={choice.choiceHint}>{t(`mint.destination.${kind}Hint`)}</div>
                </div>
              </Group>
            </Radio.Card>
          ))}
        </Stack>
      </Radio.Group>
      {made.kind === 'own' && own !== null && (
        <div className={classes.validity}>
          <Id value={own} kind="address" full />
        </div>
      )}
      {made.kind === 'other' && (
        <Stack gap={6} mt="md">
          <AddressField
            label={t('mint.destination.label')}
            placeholder={t('mint.destination.placeholder')}
            quiet
            data-autofocus
            value={made.pasted}
            onChange={(pasted) => setChoice({ ...made, pasted })}
          />
          <div aria-live="polite">
            <Validity destination={destination} />
          </div>
        </Stack>
      )}
    </Panel>
  );
}
