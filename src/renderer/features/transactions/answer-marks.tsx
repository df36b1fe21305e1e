import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { LastAnswer } from '../../../contract/index.ts';
import { shownMinerName } from '../../i18n/phrases.ts';
import classes from './answer-marks.module.css';
import { verdictOf } from './verdict.ts';

const icons = { accepted: IconCheck, refused: IconX, failed: IconAlertTriangle } as const;
const words = {
  accepted: 'submitted.acceptedBy',
  refused: 'submitted.refusedBy',
  failed: 'submitted.failedBy',
} as const;

/**
 * The last answer of each miner to a transaction: a tick, a cross or a warning with its name, and its status as a tooltip.
 * @param short leaves out the names where there are several miners; the tooltips have them
 */
export function AnswerMarks({ answers, short = false }: { answers: readonly LastAnswer[]; short?: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={classes.marks}>
      {answers.map(({ minerId, name: named, accepted, status }) => {
        const name = shownMinerName(named);
        const verdict = verdictOf({ accepted, status });
        const Icon = icons[verdict];
        const title = t(words[verdict], { name, status });
        return (
          <span key={minerId} className={classes.mark} data-verdict={verdict} title={title}>
            <Icon size={13} stroke={1.5} role="img" aria-label={title} />
            {(!short || answers.length === 1) && <span className={classes.name}>{name}</span>}
          </span>
        );
      })}
    </span>
  );
}
