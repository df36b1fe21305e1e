import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { type MinerAnswer, minerProtocols, type TransactionEvent } from '../../../../../contract/index.ts';
import { Panel } from '../../../../components/page.tsx';
import layout from '../../../../components/styles/layout.module.css';
import { CopyButton } from '../../../../components/values/copy-button.tsx';
import { Ago, Badge } from '../../../../components/values/values.tsx';
import { shownMinerName } from '../../../../i18n/phrases.ts';
import { reasonWords } from '../../../../i18n/reason.ts';
import { formatExact } from '../../../../lib/format.ts';
import { verdictOf } from '../../verdict.ts';
import classes from '../page.module.css';

const tones = { accepted: 'done', refused: 'fail', failed: 'wait' } as const;

type Answered = TransactionEvent & { answer: MinerAnswer };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Indents JSON, including the payload of an envelope. Other text stays as it came. */
function readable(raw: string): string {
  const answer = parsed(raw);
  if (typeof answer !== 'object' || answer === null) return raw;
  const payload = 'payload' in answer && typeof answer.payload === 'string' ? { payload: parsed(answer.payload) } : {};
  return JSON.stringify({ ...answer, ...payload }, null, 2);
}

function Answer({ event: { answer, raw, signature, at } }: { event: Answered }) {
  const { t, i18n } = useTranslation();
  const [open, { toggle }] = useDisclosure(false);
  const verdict = verdictOf(answer);
  const name = shownMinerName(answer.name);
  const words = { miner: name, time: formatExact(at, i18n.language) };
  return (
    <li className={classes.answer}>
      <div className={classes.answerLine}>
        <div className={classes.answerWords}>
          <span className={classes.miner}>{name}</span>
          <span className={layout.dim}>
            {minerProtocols[answer.kind].name} · {t(`submitted.page.answers.${answer.request}`)} · <Ago at={at} />
          </span>
          <Badge tone={tones[verdict]}>{t(`submitted.page.answers.${verdict}`)}</Badge>
          <span className="mono">{answer.status}</span>
          {signature !== null && verdict !== 'failed' && (
            <span className={layout.dim} data-signature={signature}>
              {t(`submitted.page.answers.${signature}`)}
            </span>
          )}
        </div>
        {raw !== null && raw !== '' && (
          <Button
            size="compact-xs"
            variant="subtle"
            aria-expanded={open}
            aria-label={t(open ? 'submitted.page.answers.hideOf' : 'submitted.page.answers.showOf', words)}
            onClick={toggle}
          >
            {t(open ? 'submitted.page.answers.hide' : 'submitted.page.answers.show')}
          </Button>
        )}
      </div>
      {answer.reason !== null && <div>{reasonWords(answer.reason).text}</div>}
      {open && raw !== null && (
        <div className={classes.raw}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
          <section className={layout.text} tabIndex={0} aria-label={t('submitted.page.answers.raw', words)}>
            <span className="mono">{readable(raw)}</span>
          </section>
          <CopyButton value={raw} what={t('submitted.page.answers.rawName')} className={classes.copyRaw} />
        </div>
      )}
    </li>
  );
}

function List({ events }: { events: readonly Answered[] }) {
  return (
    <ul className={classes.answers}>
      {events.map((event, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: answers are only ever added at the end.
        <Answer key={index} event={event} />
      ))}
    </ul>
  );
}

/** What each miner said of a transaction when it was asked, and what miners reported by themselves. */
export function Answers({ events }: { events: readonly TransactionEvent[] }) {
  const { t } = useTranslation();
  const answered = events.filter((event): event is Answered => event.answer !== null);
  const callbacks = answered.filter(({ answer }) => answer.request === 'callback');
  const asked = answered.filter(({ answer }) => answer.request !== 'callback');
  return (
    <>
      <Panel flush title={t('submitted.page.answers.title')} hint={t('submitted.page.answers.hint')}>
        {asked.length === 0 ? (
          <p className={classes.none}>{t('submitted.page.answers.empty')}</p>
        ) : (
          <List events={asked} />
        )}
      </Panel>
      {callbacks.length > 0 && (
        <Panel flush title={t('submitted.page.answers.callbacks')} hint={t('submitted.page.answers.callbacksHint')}>
          <List events={callbacks} />
        </Panel>
      )}
    </>
  );
}
