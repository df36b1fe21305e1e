import { CloseButton } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { MinerTest } from '../../../contract/index.ts';
import { Panel } from '../../components/page.tsx';
import { StepText } from '../../components/status/step-text.tsx';
import layout from '../../components/styles/layout.module.css';
import { Badge } from '../../components/values/values.tsx';
import classes from './miners.module.css';

const tones = { passed: 'done', warning: 'wait', failed: 'fail', skipped: 'neutral' } as const;

/** The results of a miner's test, step by step. */
export function MinerTestReport({ name, test, onClose }: { name: string; test: MinerTest; onClose: () => void }) {
  const { t } = useTranslation();
  const report = useRef<HTMLDivElement>(null);
  // Scrolls into view, since the button that started the test may be far below.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each test scrolls into view again
  useEffect(() => {
    report.current?.scrollIntoView({ block: 'nearest' });
  }, [test]);
  return (
    <div ref={report} role="status" className={classes.report}>
      <Panel
        flush
        title={t('miners.testTitle', { name })}
        hint={t(test.passed ? 'miners.testPassed' : 'miners.testFailed')}
        actions={<CloseButton aria-label={t('common.close')} onClick={onClose} />}
      >
        {test.steps.map(({ step, outcome, message, sentence, failure, milliseconds }) => (
          <div key={step} className={layout.line}>
            <span className={layout.label}>{t(`miners.step.${step}`)}</span>
            <StepText message={message} sentence={sentence} failure={failure} />
            {outcome !== 'skipped' && <span className={`num ${layout.dim}`}>{milliseconds.toFixed(1)} ms</span>}
            <Badge tone={tones[outcome]}>{t(`miners.outcome.${outcome}`)}</Badge>
          </div>
        ))}
      </Panel>
    </div>
  );
}
