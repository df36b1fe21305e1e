import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Notice } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { mendButton } from '../../components/callouts/failure-action.tsx';
import { icon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import layout from '../../components/styles/layout.module.css';
import { usePastToasts } from '../../components/toasts/toast-store.ts';
import { LinkedText, txidsIn } from '../../components/values/linked-text.tsx';
import { Ago, Badge } from '../../components/values/values.tsx';
import { wordsOf } from '../../i18n/reason.ts';
import { routes } from '../../lib/routes.ts';
import classes from './help.module.css';

const tones = { info: 'info', warning: 'wait', error: 'fail' } as const;

interface Told {
  readonly key: string;
  readonly at: number;
  readonly tone: 'done' | 'wait' | 'fail' | 'info';
  readonly title: string;
  /** Those that the title names. */
  readonly txids: readonly string[];
  readonly text: string | undefined;
  /** The button that fixes it. Messages of this page are stored without theirs. */
  readonly mend: ReactNode;
}

function toldOf(notice: Notice): Told {
  const { id, at, level, failure } = notice;
  const { message, hint } = failure ? wordsOf(failure) : notice;
  const mend = failure && mendButton(failure);
  return { key: `${id} ${at}`, at, tone: tones[level], title: message, txids: txidsIn(failure), text: hint, mend };
}

/** Past notices of the host, and messages of this page, which are stored in this browser. */
export function NoticesPage() {
  const { t } = useTranslation();
  const current = useLive((state) => state.notices);
  const messages = usePastToasts((state) => state.past);
  const options = api.app.pastNotices.queryOptions();
  const query = useQuery({ ...options, queryKey: [...options.queryKey, current], staleTime: 0 });
  return (
    <Page
      title={t('help.notices.title')}
      purpose={t('help.notices.purpose')}
      crumbs={[{ label: t('help.title'), to: routes.help }]}
    >
      <QueryView query={query}>
        {(past) => {
          const all = [
            ...[...current, ...past].map(toldOf),
            ...messages.map((toast) => ({
              ...toast,
              key: `${toast.id} ${toast.at}`,
              txids: [],
              text: toast.text,
              mend: null,
            })),
          ].sort((a, b) => b.at - a.at);
          if (all.length === 0) return <Empty icon={<IconBell {...icon} />} title={t('help.notices.none')} />;
          return (
            <Panel flush title={t('help.notices.title')}>
              {all.map(({ key, at, tone, title, txids, text, mend }) => (
                <div key={key} className={layout.line}>
                  <span className={classes.tone}>
                    <Badge tone={tone}>{t(`help.notices.tone.${tone}`)}</Badge>
                  </span>
                  <span className={layout.value}>
                    <LinkedText text={title} txids={txids} />
                    {text !== undefined && <div className={layout.dim}>{text}</div>}
                  </span>
                  {mend}
                  <span className={layout.dim}>
                    <Ago at={at} />
                  </span>
                </div>
              ))}
            </Panel>
          );
        }}
      </QueryView>
    </Page>
  );
}
