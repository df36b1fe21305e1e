import { UnstyledButton } from '@mantine/core';
import { IconBug } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SandboxFault } from '../../../contract/index.ts';
import { useLive } from '../../api/live/live-store.ts';
import { ErrorNote } from '../callouts/failure-note.tsx';
import { smallIcon } from '../icon.ts';
import banner from '../styles/banner.module.css';
import { faultWords, useClearFaults } from './faults.ts';

/** Names the active faults of the sandbox above every view and turns them off: failures they cause are no defects. */
export function FaultBanner() {
  const { t } = useTranslation();
  const faults = useLive((state) => state.faults);
  const [open, setOpen] = useState(false);
  const clear = useClearFaults();
  const first = faults[0];
  if (first === undefined) return null;
  const several = faults.length > 1;
  const turnOff = (which: readonly SandboxFault[], label: string, hint?: string) => (
    <UnstyledButton
      className={banner.action}
      disabled={clear.isPending}
      aria-label={hint}
      onClick={() => clear.mutate(which)}
    >
      {label}
    </UnstyledButton>
  );
  return (
    <section className={banner.stack} aria-label={t('services.faults')}>
      <div className={banner.line}>
        <IconBug {...smallIcon} />
        <span role="status">
          {several
            ? t('services.faultsOn', { count: faults.length })
            : t('services.faultOn', { count: 1, what: faultWords(t, first) })}
        </span>
        {several && (
          <UnstyledButton className={banner.action} aria-expanded={open} onClick={() => setOpen((was) => !was)}>
            {t(open ? 'services.hideFaults' : 'services.showFaults')}
          </UnstyledButton>
        )}
        {turnOff(faults, t('services.turnOff', { count: faults.length }))}
      </div>
      {several && open && (
        <ul className={banner.list}>
          {faults.map((fault) => (
            <li key={`${fault.name} ${fault.area}`}>
              <span>{faultWords(t, fault)}</span>
              {turnOff(
                [fault],
                t('services.turnOff', { count: 1 }),
                t('services.turnOffNamed', { what: faultWords(t, fault) }),
              )}
            </li>
          ))}
        </ul>
      )}
      <ErrorNote error={clear.error} />
    </section>
  );
}
