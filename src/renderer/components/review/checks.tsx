import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ReviewCheck } from '../../../contract/index.ts';
import { checkInPageLanguage } from '../../i18n/phrases.ts';
import { FoldButton } from '../fold-button.tsx';
import { smallIcon } from '../icon.ts';
import { Panel } from '../page.tsx';
import classes from './checks.module.css';

function Check({ check }: { check: ReviewCheck }) {
  const { t } = useTranslation();
  return (
    <li className={classes.check} data-failed={!check.passed || undefined} data-check={check.id}>
      {check.passed ? (
        <IconCheck {...smallIcon} stroke={2} aria-hidden={false} role="img" aria-label={t('review.passed')} />
      ) : (
        <IconX {...smallIcon} stroke={2} aria-hidden={false} role="img" aria-label={t('review.failed')} />
      )}
      <span>{checkInPageLanguage(check)}</span>
    </li>
  );
}

/** Failed checks are unfolded, since a person has to read them. Passed ones are folded to their number. */
export function Checks({ checks }: { checks: readonly ReviewCheck[] }) {
  const { t } = useTranslation();
  const [open, { toggle }] = useDisclosure(false);
  const failed = checks.filter((check) => !check.passed);
  const passed = checks.filter((check) => check.passed);
  const shown = open ? [...failed, ...passed] : failed;
  return (
    <Panel title={t('review.checks')}>
      {shown.length > 0 && (
        <ul className={classes.checks}>
          {shown.map((check) => (
            <Check key={check.id} check={check} />
          ))}
        </ul>
      )}
      {passed.length > 0 && (
        <div className={classes.passed}>
          <IconCheck {...smallIcon} stroke={2} aria-hidden />
          <span>
            {failed.length === 0
              ? t('review.checksPassed', { count: passed.length })
              : t('review.othersPassed', { count: passed.length })}
          </span>
          <FoldButton open={open} label={t(open ? 'review.hidePassed' : 'review.showPassed')} onClick={toggle} />
        </div>
      )}
    </Panel>
  );
}
