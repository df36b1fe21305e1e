import { UnstyledButton } from '@mantine/core';
import { IconHandStop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { openApprovals, useWaitingApprovals } from '../../../api/approvals.ts';
import { smallIcon } from '../../../components/icon.ts';
import classes from './top-bar.module.css';

/** Number of pending requests of other programs. Opens the list of them. */
export function ApprovalsButton() {
  const { t } = useTranslation();
  const count = useWaitingApprovals().length;
  if (count === 0) return null;
  const label = t('app.approvals', { count });
  return (
    <UnstyledButton className={classes.running} data-waiting aria-label={label} title={label} onClick={openApprovals}>
      <IconHandStop {...smallIcon} />
      <span className="num">{count}</span>
    </UnstyledButton>
  );
}
