import { Button, Slider, Switch, TextInput } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SandboxStatus } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { Panel } from '../../../components/page.tsx';
import { formatExact } from '../../../lib/format.ts';
import { Outcome } from '../outcome.tsx';
import { useSandboxNow } from '../sandbox-time.ts';
import { useAction } from '../use-action.ts';
import { clockStops, LAST_MS, markedSteps, stepAt } from './clock-stops.ts';
import classes from './time.module.css';

/** A clock with a smaller difference from this machine's is not shown as ahead. */
const SAME_MS = 30_000;

/** Milliseconds of a local date and time from the field; null if there is none, or if no block can have that time. */
function timeOf(text: string): number | null {
  const at = new Date(text).getTime();
  return at >= 0 && at <= LAST_MS ? at : null;
}

function ExactTime({ frozen }: { frozen: boolean }) {
  const { t } = useTranslation();
  const [moment, setMoment] = useState('');
  const action = useAction<void>();
  const at = timeOf(moment);
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        void action.run(() => client.sandbox.clock({ at, frozen }));
      }}
    >
      <TextInput
        className={classes.grow}
        size="xs"
        type="datetime-local"
        aria-label={t('sandbox.clockAt')}
        error={moment === '' || at !== null ? undefined : t('sandbox.clockAtInvalid')}
        value={moment}
        onChange={(event) => setMoment(event.currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default" loading={action.busy} disabled={at === null}>
        {t('sandbox.clockSet')}
      </Button>
      <Outcome action={action} />
    </form>
  );
}

interface TimePanelProps {
  clock: SandboxStatus['clock'];
  medianTime: number;
  readAt: number;
}

/**
 * The clock of the sandbox as a slider.
 * @param medianTime the next block must be later, in milliseconds
 * @param readAt when this machine read the clock
 */
export function TimePanel({ clock, medianTime, readAt }: TimePanelProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const now = useSandboxNow();
  const [held, setHeld] = useState<number>();
  const wanted = useRef<number>(undefined);
  const changes = useRef(Promise.resolve());
  const action = useAction<void>();
  const stops = useMemo(() => clockStops(readAt, medianTime), [readAt, medianTime]);
  const step = held ?? stepAt(stops, clock.now);
  const wordsAt = (at: number): string => formatExact(stops[at] ?? now, language);
  function timeAt(value: number): number | null {
    // The first stop means this machine's time, unless that is before the median time or the clock stands still.
    return value === 0 && readAt > medianTime && !clock.frozen ? null : (stops[value] ?? null);
  }
  /** Each step of the arrow keys is a change. Changes superseded by a later one are skipped. */
  function choose(value: number): void {
    wanted.current = value;
    changes.current = changes.current.then(async () => {
      if (wanted.current !== value) return;
      await action.run(() => client.sandbox.clock({ at: timeAt(value), frozen: clock.frozen }));
      if (wanted.current === value) setHeld(undefined);
    });
  }
  const isMachine = !clock.frozen && Math.abs(clock.now - readAt) < SAME_MS;
  return (
    <Panel
      title={t('sandbox.setClock')}
      hint={t('sandbox.clockHint')}
      actions={
        <Switch
          className={classes.switch}
          label={t('sandbox.clockFreeze')}
          checked={clock.frozen}
          disabled={action.busy}
          onChange={({ currentTarget }) => {
            const { checked } = currentTarget;
            void action.run(() => client.sandbox.clock({ at: clock.now, frozen: checked }));
          }}
        />
      }
    >
      <div className={classes.now}>
        <span className={classes.big}>{formatExact(held === undefined ? now : (stops[held] ?? now), language)}</span>
        <span className={classes.quiet}>
          {clock.frozen ? t('sandbox.clockFrozen') : isMachine ? t('sandbox.clockIsMachine') : t('sandbox.clockRuns')}
        </span>
      </div>
      <Slider
        className={classes.slider}
        color="var(--pl-sandbox)"
        min={0}
        max={stops.length - 1}
        step={1}
        value={step}
        label={null}
        thumbLabel={t('sandbox.clock')}
        thumbValueText={wordsAt}
        marks={[
          { value: 0, label: t(readAt > medianTime ? 'sandbox.ahead.now' : 'sandbox.ahead.median') },
          ...markedSteps
            .filter(({ value }) => value < stops.length)
            .map(({ value, unit }) => ({ value, label: t(`sandbox.ahead.${unit}`) })),
        ]}
        onChange={setHeld}
        onChangeEnd={choose}
      />
      <div className={classes.foot}>
        <span className={classes.quiet}>{t('sandbox.medianTime', { time: formatExact(medianTime, language) })}</span>
        <div className={classes.form}>
          <ExactTime frozen={clock.frozen} />
          <Button
            size="xs"
            variant="default"
            disabled={action.busy || isMachine}
            onClick={() => void action.run(() => client.sandbox.clock({ at: null }))}
          >
            {t('sandbox.clockNow')}
          </Button>
        </div>
      </div>
      <Outcome action={action} />
    </Panel>
  );
}
