import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Notice } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import layout from '../../components/styles/layout.module.css';
import { usePastToasts } from '../../components/toasts/toast-store.ts';
import { Ago, Badge } from '../../components/values/values.tsx';
import { wordsOf } from '../../i18n/reason.ts';
import { routes } from '../../lib/routes.ts';

const tones = { info: 'info', warning: 'wait', error: 'fail' } as const;

interface Told {
  readonly key: string;
  readonly at: number;
  readonly tone: 'done' | 'wait' | 'fail' | 'info';
  readonly title: string;
  readonly text: string | undefined;
}

function toldOf(notice: Notice): Told {
  const { message, hint } = notice.failure ? wordsOf(notice.failure) : notice;
  return { key: `${notice.id} ${notice.at}`, at: notice.at, tone: tones[notice.level], title: message, text: hint };
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
            ...messages.map((toast) => ({ ...toast, key: `${toast.id} ${toast.at}`, text: toast.text })),
          ].sort((a, b) => b.at - a.at);
          if (all.length === 0) return <Empty icon={<IconBell {...icon} />} title={t('help.notices.none')} />;
          return (
            <Panel flush title={t('help.notices.title')}>
              {all.map(({ key, at, tone, title, text }) => (
                <div key={key} className={layout.line}>
                  <Badge tone={tone}>{t(`help.notices.tone.${tone}`)}</Badge>
                  <span className={layout.value}>
                    {title}
                    {text !== undefined && <div className={layout.dim}>{text}</div>}
                  </span>
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
