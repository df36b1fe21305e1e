import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { icon } from '../icon.ts';
import calloutClasses from './callout.module.css';

const calloutIcons = { fail: IconCircleX, wait: IconAlertTriangle, info: IconInfoCircle, done: IconCircleCheck };

interface CalloutProps {
  tone: keyof typeof calloutIcons;
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  role?: 'alert' | 'status';
}

/** A framed message with the icon of its tone, and actions. */
export function Callout({ tone, title, children, actions, role }: CalloutProps) {
  const Shown = calloutIcons[tone];
  return (
    <div className={calloutClasses.callout} data-tone={tone} role={role}>
      <Shown {...icon} className={calloutClasses.calloutIcon} />
      <div className={calloutClasses.calloutBody}>
        <div className={calloutClasses.calloutTitle}>{title}</div>
        {children}
      </div>
      {actions !== undefined && <div className={calloutClasses.calloutActions}>{actions}</div>}
    </div>
  );
}
