import { IconCheck, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { LastAnswer } from '../../../contract/index.ts';
import classes from './answer-marks.module.css';

/**
 * What each miner last said of a transaction: a tick or a cross beside its name, its own word over it.
 * @param short leaves out the names of several, which stand over their marks as well
 */
export function AnswerMarks({ answers, short = false }: { answers: readonly LastAnswer[]; short?: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={classes.marks}>
      {answers.map(({ minerId, name, accepted, status }) => {
        const Icon = accepted ? IconCheck : IconX;
        const words = t(accepted ? 'submitted.acceptedBy' : 'submitted.refusedBy', { name, status });
        return (
          <span key={minerId} className={classes.mark} data-accepted={accepted || undefined} title={words}>
            <Icon size={13} stroke={1.5} role="img" aria-label={words} />
            {(!short || answers.length === 1) && <span className={classes.name}>{name}</span>}
          </span>
        );
      })}
    </span>
  );
}
