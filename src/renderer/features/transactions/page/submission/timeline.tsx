import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { type TrackedDetail, type TransactionEvent, transactionStates } from '../../../../../contract/index.ts';
import { Panel } from '../../../../components/page.tsx';
import { LinkedText } from '../../../../components/values/linked-text.tsx';
import { Ago } from '../../../../components/values/values.tsx';
import { phraseInPageLanguage, shownMinerName } from '../../../../i18n/phrases.ts';
import { verdictOf } from '../../verdict.ts';
import classes from '../page.module.css';

/** One sentence for an event: its own, or one made of what it carries. */
function sentenceOf({ kind, text, sentence, state, answer }: TransactionEvent, t: TFunction): string {
  if (sentence !== null) return phraseInPageLanguage(sentence);
  if (text !== '') return text;
  if (answer !== null) {
    const words = { miner: shownMinerName(answer.name), status: answer.status };
    if (kind === 'callback') return t('submitted.page.timeline.callback', words);
    return t(`submitted.page.timeline.${verdictOf(answer) === 'failed' ? 'failed' : 'answered'}`, words);
  }
  if (kind === 'retry' || kind === 'reorganisation' || kind === 'double-spend')
    return t(`submitted.page.timeline.${kind}`);
  return state === null ? kind : t(transactionStates.row(state).label);
}

/** What happened to a transaction, oldest first. */
export function Timeline({ transaction }: { transaction: TrackedDetail }) {
  const { t } = useTranslation();
  return (
    <Panel title={t('submitted.page.timeline.title')} flush>
      <ol className={classes.timeline}>
        {transaction.events.map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events are only ever added at the end.
          <li key={index} data-tone={event.state === null ? undefined : transactionStates.row(event.state).tone}>
            <span className={classes.sentence}>
              <LinkedText text={sentenceOf(event, t)} />
            </span>
            {event.state !== null && event.answer !== null && (
              <span className={classes.state}>{t(transactionStates.row(event.state).label)}</span>
            )}
            <span className={classes.when}>
              <Ago at={event.at} />
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
