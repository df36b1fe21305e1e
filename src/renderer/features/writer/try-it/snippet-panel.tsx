import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLive } from '../../../api/live/live-store.ts';
import { Panel } from '../../../components/page.tsx';
import layout from '../../../components/styles/layout.module.css';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import classes from '../writer.module.css';
import { type SnippetLanguage, type SnippetRequest, snippet, snippetLanguages } from './snippets.ts';

const DEFAULT_ADDRESS = 'http://127.0.0.1:9500';

export function Snippets(request: Omit<SnippetRequest, 'base'>) {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<SnippetLanguage>('curl');
  const base = useLive((state) => state.app?.endpoints.writer) ?? DEFAULT_ADDRESS;
  const code = snippet(language, { ...request, base });
  return (
    <Panel
      title={t('writer.try.snippets')}
      hint={t('writer.try.snippetsHint')}
      actions={<CopyButton value={code} what={t('writer.try.codeName')} />}
    >
      <Stack gap="sm">
        <SegmentedControl
          fullWidth
          aria-label={t('writer.try.language')}
          data={[...snippetLanguages]}
          value={language}
          onChange={setLanguage}
        />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
        <section className={classes.code} tabIndex={0} aria-label={t('writer.try.code', { language })}>
          {code}
        </section>
        <span className={layout.dim}>{t('writer.try.idempotency')}</span>
      </Stack>
    </Panel>
  );
}
