import { Button, NumberInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { parseDuration } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { Panel } from '../../components/page.tsx';
import { Outcome } from './outcome.tsx';
import classes from './sandbox.module.css';
import { SettingField } from './setting-field.tsx';
import { useAction } from './use-action.ts';

const readDuration = (text: string): string | undefined =>
  parseDuration(text.trim()) === undefined ? undefined : text.trim();

/** Blocks by the number, on a timer, and when transactions arrive. */
export function Mining() {
  const { t } = useTranslation();
  const [blocks, setBlocks] = useState<number>(10);
  const action = useAction<{ hashes: string[] }>();
  return (
    <Panel title={t('sandbox.mine')} hint={t('sandbox.mineHint')}>
      <Stack gap="md">
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            void action.run(() => client.sandbox.mine({ blocks }));
          }}
        >
          <NumberInput
            className={classes.grow}
            label={t('sandbox.blocks')}
            min={1}
            max={1_000}
            allowDecimal={false}
            clampBehavior="strict"
            value={blocks}
            onChange={(value) => setBlocks(Number(value) || 1)}
          />
          <Button type="submit" variant="default" className={classes.fieldButton} loading={action.busy}>
            {t('sandbox.mineN', { count: blocks })}
          </Button>
        </form>
        <Outcome action={action}>{({ hashes }) => t('sandbox.mined', { count: hashes.length })}</Outcome>
        <SettingField
          setting="sandbox.mineInterval"
          label={t('sandbox.interval')}
          hint={t('sandbox.intervalHint')}
          invalid={t('sandbox.durationInvalid')}
          read={readDuration}
        />
        <SettingField
          setting="sandbox.mineOnArrival"
          label={t('sandbox.onArrival')}
          hint={t('sandbox.onArrivalHint')}
          invalid={t('sandbox.durationInvalid')}
          read={(text) => (text.trim() === '' ? '' : readDuration(text))}
        />
      </Stack>
    </Panel>
  );
}
