import { Button, NumberInput, Select, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type SandboxFault, sandboxFaultNames } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { Panel } from '../../components/page.tsx';
import { Badge } from '../../components/values.tsx';
import { Outcome } from './outcome.tsx';
import classes from './sandbox.module.css';
import { type Action, useAction } from './use-action.ts';

const areas = ['all', 'token', 'mapi', 'arc', 'rpc'] as const;
/** Most often a fault can be asked to happen. */
const MOST_TIMES = 1_000_000;
const firstValue: Partial<Record<SandboxFault['name'], number>> = { latency: 2_000, 'http-error': 503 };

function FaultLine({
  name,
  fault,
  action,
}: {
  name: SandboxFault['name'];
  fault: SandboxFault | undefined;
  action: Action<SandboxFault[]>;
}) {
  const { t } = useTranslation();
  const [value, setValue] = useState(firstValue[name] ?? 0);
  const [area, setArea] = useState<SandboxFault['area']>('all');
  /** Null until it is turned off. */
  const [times, setTimes] = useState<number | null>(null);
  const title = t(`sandbox.fault.${name}`);
  const on = fault !== undefined;
  const everywhere = name === 'latency' || name === 'http-error' || name === 'drop-connection';
  return (
    <div className={classes.line} data-on={on || undefined} data-fault={name}>
      <div>
        <div className={classes.name}>{title}</div>
        <div className={classes.hint}>{t(`sandbox.faultHint.${name}`)}</div>
      </div>
      <div className={classes.controls}>
        {on && (
          <Badge tone="wait">
            {everywhere ? t('sandbox.isOn', { area: t(`sandbox.area.${fault.area}`) }) : t('sandbox.isOnPlain')}
            {firstValue[name] !== undefined && ` · ${fault.value}`}
            {fault.times !== null && ` · ${t('sandbox.timesLeft', { count: fault.times })}`}
          </Badge>
        )}
        {!on && firstValue[name] !== undefined && (
          <NumberInput
            w={92}
            size="xs"
            aria-label={t(name === 'latency' ? 'sandbox.milliseconds' : 'sandbox.httpStatus')}
            min={name === 'latency' ? 1 : 400}
            max={name === 'latency' ? 600_000 : 599}
            value={value}
            onChange={(next) => setValue(Number(next))}
          />
        )}
        {!on && everywhere && (
          <Select
            w={126}
            size="xs"
            aria-label={t('sandbox.areaLabel')}
            allowDeselect={false}
            data={areas.map((one) => ({ value: one, label: t(`sandbox.area.${one}`) }))}
            value={area}
            onChange={(next) => next !== null && setArea(next as SandboxFault['area'])}
          />
        )}
        {!on && (
          <NumberInput
            w={92}
            size="xs"
            aria-label={t('sandbox.times', { name: title })}
            placeholder={t('sandbox.timesAlways')}
            min={1}
            max={MOST_TIMES}
            allowDecimal={false}
            clampBehavior="strict"
            value={times ?? ''}
            onChange={(next) => setTimes(Number(next) || null)}
          />
        )}
        <Switch
          aria-label={t(on ? 'sandbox.turnOff' : 'sandbox.turnOn', { name: title })}
          checked={on}
          disabled={action.busy}
          onChange={() =>
            void action.run(() =>
              on ? client.sandbox.faults.clear({ name }) : client.sandbox.faults.set({ name, value, area, times }),
            )
          }
        />
      </div>
    </div>
  );
}

/** What the sandbox does wrong on purpose; what is on stands out. */
export function Faults({ faults }: { faults: readonly SandboxFault[] }) {
  const { t } = useTranslation();
  const action = useAction<SandboxFault[]>();
  return (
    <Panel
      flush
      title={t('sandbox.faults')}
      hint={t('sandbox.faultsHint')}
      actions={
        faults.length === 0 ? undefined : (
          <Button
            size="compact-sm"
            variant="default"
            loading={action.busy}
            onClick={() => void action.run(() => client.sandbox.faults.clear({}))}
          >
            {t('sandbox.clearAll')}
          </Button>
        )
      }
    >
      <Stack gap={0}>
        <Outcome action={action} />
        {sandboxFaultNames.map((name) => (
          <FaultLine key={name} name={name} action={action} fault={faults.find((fault) => fault.name === name)} />
        ))}
      </Stack>
    </Panel>
  );
}
