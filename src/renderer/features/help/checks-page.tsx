import { Button, Stack } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { DoctorFinding } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { mendButton } from '../../components/callouts/failure-action.tsx';
import { icon, smallIcon } from '../../components/icon.ts';
import { Page, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { RestartButton } from '../../components/status/restart-button.tsx';
import { routes } from '../../lib/routes.ts';
import { useCheckName, useFindingText } from './check-name.ts';
import classes from './help.module.css';

function Finding({ finding, onRestarted }: { finding: DoctorFinding; onRestarted: () => void }) {
  const { t } = useTranslation();
  const { check, ok, failure, setting, service } = finding;
  const { message, fix } = useFindingText()(finding);
  const nameOf = useCheckName();
  const Icon = ok ? IconCircleCheck : IconCircleX;
  return (
    <li className={classes.finding} data-ok={ok}>
      <Icon {...icon} role="img" aria-label={t(ok ? 'help.checks.ok' : 'help.checks.notOk')} aria-hidden={false} />
      <div className={classes.findingText}>
        <b>{nameOf(check)}</b>
        <span className={classes.message}>{message}</span>
        {fix !== '' && <span>{fix}</span>}
      </div>
      {setting !== undefined && (
        <Button size="xs" variant="default" component={Link} href={routes.setting(setting)}>
          {t('help.checks.openSetting')}
        </Button>
      )}
      {failure && setting === undefined && mendButton(failure)}
      {failure?.id === 'wallet.external-changed' && (
        <Button size="xs" variant="default" component={Link} href={routes.wallet}>
          {t('help.checks.openWallet')}
        </Button>
      )}
      {service !== undefined && <RestartButton name={service} onRestarted={onRestarted} />}
    </li>
  );
}

/** The checks of `planchet doctor`, failed ones first. */
export function ChecksPage() {
  const { t } = useTranslation();
  const query = useQuery({ ...api.doctor.run.queryOptions(), staleTime: 0, gcTime: 0 });
  return (
    <Page
      title={t('help.checks.title')}
      purpose={t('help.checks.purpose')}
      crumbs={[{ label: t('help.title'), to: routes.help }]}
      actions={
        <Button
          loading={query.isFetching}
          leftSection={<IconRefresh {...smallIcon} />}
          onClick={() => void query.refetch()}
        >
          {t('help.checks.again')}
        </Button>
      }
    >
      <QueryView query={query}>
        {(findings) => {
          const failed = findings.filter(({ ok }) => !ok);
          const passed = findings.filter(({ ok }) => ok);
          return (
            <Stack gap="md">
              <div role="status">
                {failed.length > 0
                  ? t('help.checks.failed', { count: failed.length })
                  : t('help.checks.passed', { count: passed.length })}
              </div>
              <Panel flush>
                <ul className={classes.findings}>
                  {[...failed, ...passed].map((finding) => (
                    <Finding
                      key={`${finding.check} ${finding.message}`}
                      finding={finding}
                      onRestarted={() => void query.refetch()}
                    />
                  ))}
                </ul>
              </Panel>
            </Stack>
          );
        }}
      </QueryView>
    </Page>
  );
}
