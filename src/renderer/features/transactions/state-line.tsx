import { useTranslation } from 'react-i18next';
import { type TransactionState, transactionStates } from '../../../contract/index.ts';
import { Badge } from '../../components/values/values.tsx';
import classes from './state-line.module.css';

/** The states of a transaction that is accepted at once. */
const steps = ['queued', 'submitted', 'seen', 'mined', 'proven'] as const satisfies readonly TransactionState[];

/** The step of a state; undefined for a state outside of the steps, such as failed. */
function stepOf(state: TransactionState): number | undefined {
  if (state === 'evicted') return 0;
  if (state === 'stale') return steps.indexOf('submitted');
  const step = (steps as readonly TransactionState[]).indexOf(state);
  return step < 0 ? undefined : step;
}

export function TransactionBadge({ state }: { state: TransactionState }) {
  const { t } = useTranslation();
  const { tone, label } = transactionStates.row(state);
  const moves = !transactionStates.is(state, 'final') && !transactionStates.is(state, 'mined');
  return (
    <Badge tone={tone} busy={moves}>
      {t(label)}
    </Badge>
  );
}

/** Where a transaction stands: the five steps of its way as dots, and its state in words. */
export function StateLine({ state }: { state: TransactionState }) {
  const { t } = useTranslation();
  const { tone, label } = transactionStates.row(state);
  const at = stepOf(state);
  return (
    <span className={classes.line} data-tone={tone}>
      <span className={classes.steps} aria-hidden>
        {steps.map((step, index) => (
          <span
            key={step}
            className={classes.step}
            data-reached={(at !== undefined && index <= at) || undefined}
            data-ended={at === undefined || undefined}
          />
        ))}
      </span>
      <span className={classes.words}>{t(label)}</span>
    </span>
  );
}
