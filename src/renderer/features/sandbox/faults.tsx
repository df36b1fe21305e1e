import { ActionIcon, Button, Collapse, Select, Switch } from '@mantine/core';
import { IconAdjustments } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type SandboxFault,
  type SandboxFaultTraits,
  sandboxFaultAreas,
  sandboxFaultNames,
  sandboxFaultTraits,
} from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { WholeNumberInput } from '../../components/forms/whole-number-input.tsx';
import { smallIcon } from '../../components/icon.ts';
import { Panel } from '../../components/page.tsx';
import { offerUndo } from '../../components/toasts/undo.ts';
import { Badge } from '../../components/values/values.tsx';
import './fault-hints/texts.ts';
import classes from './faults.module.css';
import { Outcome } from './outcome.tsx';
import { type Action, useAction } from './use-action.ts';

/** The largest number of times that a fault can be set to happen. */
const MOST_TIMES = 1_000_000;

type Options = Pick<SandboxFault, 'value' | 'area' | 'times'>;

interface FaultOptionsProps {
  traits: SandboxFaultTraits;
  options: Options;
  onChange: (options: Options) => void;
}

/** Extent, area and frequency of a fault. Most uses need none of these. */
function FaultOptions({ traits: { value, answers, byArea }, options, onChange }: FaultOptionsProps) {
  const { t } = useTranslation();
  return (
    <div className={classes.options}>
      {value !== undefined && (
        <WholeNumberInput
          size="xs"
          label={t(`sandbox.${value.unit}`)}
          min={value.min}
          max={value.max}
          value={options.value}
          error={Number.isNaN(options.value) ? t('common.number.needed') : undefined}
          onChange={(next) => onChange({ ...options, value: next === '' ? Number.NaN : next })}
        />
      )}
      {(answers ?? byArea) === true && (
        <Select
          size="xs"
          label={t('sandbox.areaLabel')}
          allowDeselect={false}
          data={sandboxFaultAreas.map((one) => ({ value: one, label: t(`sandbox.area.${one}`) }))}
          value={options.area}
          onChange={(next) => next !== null && onChange({ ...options, area: next as SandboxFault['area'] })}
        />
      )}
      <WholeNumberInput
        size="xs"
        label={t('sandbox.times')}
        placeholder={t('sandbox.timesAlways')}
        min={1}
        max={MOST_TIMES}
        value={options.times ?? ''}
        onChange={(next) => onChange({ ...options, times: next === '' ? null : next })}
      />
    </div>
  );
}

interface FaultLineProps {
  name: SandboxFault['name'];
  /** Active faults of this name: one, or one in each of several areas. */
  faults: readonly SandboxFault[];
  action: Action<SandboxFault[]>;
}

function FaultLine({ name, faults, action }: FaultLineProps) {
  const { t } = useTranslation();
  const traits = sandboxFaultTraits(name);
  const [options, setOptions] = useState<Options>({ value: traits.value?.first ?? 0, area: 'all', times: null });
  const [open, setOpen] = useState(false);
  const id = useId();
  const title = t(`sandbox.fault.${name}`);
  const on = faults.length > 0;
  const isUnreadable = Number.isNaN(options.value) || Number.isNaN(options.times);
  return (
    <div className={classes.line} data-on={on || undefined} data-fault={name}>
      <div className={classes.head}>
        <div className={classes.name}>{title}</div>
        {!on && (
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={t('sandbox.optionsOf', { name: title })}
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          >
            <IconAdjustments {...smallIcon} />
          </ActionIcon>
        )}
        <Switch
          aria-label={t(on ? 'sandbox.turnOff' : 'sandbox.turnOn', { name: title })}
          checked={on}
          disabled={action.busy || (!on && isUnreadable)}
          onChange={() =>
            void action.run(() =>
              on ? client.sandbox.faults.clear({ name }) : client.sandbox.faults.set({ name, ...options }),
            )
          }
        />
      </div>
      <div className={classes.hint}>{t(`faultHints.${name}`)}</div>
      {faults.map((fault) => (
        <Badge key={fault.area} tone="wait">
          {(traits.answers ?? traits.byArea)
            ? t('sandbox.isOn', { area: t(`sandbox.area.${fault.area}`) })
            : t('sandbox.isOnPlain')}
          {traits.value !== undefined && ` · ${fault.value}`}
          {fault.times !== null && ` · ${t('sandbox.timesLeft', { count: fault.times })}`}
        </Badge>
      ))}
      <div id={id}>
        <Collapse expanded={open && !on} keepMounted={false}>
          <FaultOptions traits={traits} options={options} onChange={setOptions} />
        </Collapse>
      </div>
    </div>
  );
}

/** Deliberate faults of the sandbox. Active ones are highlighted. */
export function Faults({ faults }: { faults: readonly SandboxFault[] }) {
  const { t } = useTranslation();
  const action = useAction<SandboxFault[]>();
  const clearAll = async (): Promise<SandboxFault[]> => {
    const left = await client.sandbox.faults.clear({});
    offerUndo({
      id: 'faults-cleared',
      title: t('sandbox.cleared', { count: faults.length }),
      undo: async () => {
        for (const { name, area, value, times } of faults)
          await client.sandbox.faults.set({ name, area, value, times });
      },
    });
    return left;
  };
  return (
    <Panel
      flush
      title={t('sandbox.faults')}
      hint={t('sandbox.faultsHint')}
      actions={
        faults.length === 0 ? undefined : (
          <Button
            className={classes.clear}
            size="compact-sm"
            variant="default"
            loading={action.busy}
            onClick={() => void action.run(clearAll)}
          >
            {t('sandbox.clearAll')}
          </Button>
        )
      }
    >
      <Outcome action={action} />
      {sandboxFaultNames.map((name) => (
        <FaultLine key={name} name={name} action={action} faults={faults.filter((fault) => fault.name === name)} />
      ))}
    </Panel>
  );
}
