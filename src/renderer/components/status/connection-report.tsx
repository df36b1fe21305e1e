import { useTranslation } from 'react-i18next';
import type { ConnectionTest } from '../../../contract/index.ts';
import { formatMilliseconds } from '../../lib/format.ts';
import { Panel } from '../page.tsx';
import layout from '../styles/layout.module.css';
import { Badge } from '../values/values.tsx';
import { StepText } from './step-text.tsx';

const tones = { passed: 'done', failed: 'fail', skipped: 'neutral' } as const;

/** The results of a connection test, step by step. */
export function ConnectionReport({ tests, hint }: { tests: readonly ConnectionTest[]; hint: string }) {
  const { t, i18n } = useTranslation();
  return (
    <Panel flush title={t('gateway.testTitle')} hint={hint}>
      {tests.map((test) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
        <div
          role="group"
          className={layout.part}
          key={`${test.subject} ${test.address}`}
          aria-label={t(`gateway.subject.${test.subject}`)}
        >
          <div className={layout.line}>
            <strong>{t(`gateway.subject.${test.subject}`)}</strong>
            <span className={`mono ${layout.value}`}>{test.address || t('gateway.testNowhere')}</span>
            <Badge tone={test.passed ? 'done' : 'fail'}>{t(test.passed ? 'gateway.passed' : 'gateway.failed')}</Badge>
          </div>
          {test.steps.map((step) => (
            <div key={step.step} className={layout.line}>
              <span className={layout.label}>{t(`gateway.step.${step.step}`)}</span>
              <StepText {...step} />
              {step.outcome !== 'skipped' && (
                <span className={`num ${layout.dim}`}>{formatMilliseconds(step.milliseconds, i18n.language)} ms</span>
              )}
              <Badge tone={tones[step.outcome]}>{t(`gateway.${step.outcome}`)}</Badge>
            </div>
          ))}
        </div>
      ))}
    </Panel>
  );
}
