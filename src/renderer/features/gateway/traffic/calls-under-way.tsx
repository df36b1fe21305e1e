import { Progress } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { CallsUnderWay as Calls, CallUnderWay } from '../../../../contract/index.ts';
import { Panel } from '../../../components/page.tsx';
import { formatDuration, formatInteger } from '../../../lib/format.ts';
import '../without-node/texts.ts';
import classes from './calls-under-way.module.css';

/** Calls that are answered faster are listed only once they are answered. */
const SHOWN_AFTER_MS = 1_000;

/** What is being read, and what the call waits for. */
function stepsOf({ sent, waiting, parts }: CallUnderWay, t: TFunction, language: string): string[] {
  const count = (value: number): string => formatInteger(value, language);
  const read = parts && t(`withoutNode.read.${parts.what}`, { read: count(parts.read), of: count(parts.of) });
  const turn =
    waiting === null
      ? t('withoutNode.asked', { count: sent, visible: count(sent) })
      : t('withoutNode.turn', {
          count: waiting.before,
          before: count(waiting.before),
          time: formatDuration(waiting.milliseconds),
        });
  if (read === null) return [turn];
  return waiting === null ? [read] : [read, turn];
}

/** Running calls that need public services. These allow few requests a second, so a first request takes time. Renders nothing if there are none. */
export function CallsUnderWay({ underWay: { calls, total } }: { underWay: Calls }) {
  const { t, i18n } = useTranslation();
  const shown = calls.filter(({ milliseconds }) => milliseconds >= SHOWN_AFTER_MS);
  if (shown.length === 0) return null;
  const others = total - calls.length;
  return (
    <Panel title={t('withoutNode.underWay')} hint={t('withoutNode.underWayHint')} flush>
      <ul className={classes.calls} aria-label={t('withoutNode.underWay')}>
        {shown.map((call) => (
          <li key={call.number}>
            <span className={classes.called}>
              <span className="mono">{call.method}</span>
              <span className={classes.params} title={call.params}>
                <span className="mono">{call.params}</span>
              </span>
            </span>
            <span className={classes.steps}>
              {call.parts !== null && (
                <Progress
                  value={(100 * call.parts.read) / Math.max(1, call.parts.of)}
                  aria-label={t('withoutNode.readOf', { method: call.method })}
                  size="sm"
                />
              )}
              {stepsOf(call, t, i18n.language).join(' · ')}
            </span>
            <span className={classes.caller} data-untranslated title={call.caller}>
              {call.caller}
            </span>
            <span className={`num ${classes.time}`}>{formatDuration(call.milliseconds)}</span>
          </li>
        ))}
      </ul>
      {others > 0 && (
        <div className={classes.others}>
          {t('withoutNode.othersUnderWay', { count: others, visible: formatInteger(others, i18n.language) })}
        </div>
      )}
    </Panel>
  );
}
