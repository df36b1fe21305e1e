import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure, ServiceStatus, WaitingSetting } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { FailureNote } from '../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../components/icon.ts';
import type { Value } from './setting-form.ts';
import { useSettingWords } from './use-setting-words.ts';

interface WaitingRestartsProps {
  waiting: readonly WaitingSetting[];
  /** Restores the earlier values of the keys. @returns whether all were saved */
  onPutBack: (before: readonly { key: string; value: Value }[]) => Promise<boolean>;
}

/** Saved keys whose service still uses the old value, and a button that restarts it. */
export function WaitingRestarts({ waiting, onPutBack }: WaitingRestartsProps) {
  const { t } = useTranslation();
  const words = useSettingWords();
  const [busy, setBusy] = useState<string>();
  const [failed, setFailed] = useState<{ service: string; failure: Failure }>();
  const restart = async (service: string, onStart?: Promise<boolean>): Promise<void> => {
    setBusy(service);
    setFailed(undefined);
    try {
      if (onStart !== undefined && !(await onStart)) return;
      const { status } = await client.services.restart({ name: service as ServiceStatus['name'] });
      if (status.state === 'failed') setFailed({ service, failure: status.failure });
    } catch (error) {
      setFailed({ service, failure: failureOf(error) });
    } finally {
      setBusy(undefined);
    }
  };
  // A service that failed to restart has read the new values, so the host no longer lists them. They are kept here until it runs.
  const [tried, setTried] = useState<readonly WaitingSetting[]>([]);
  const services = [...new Set(waiting.map(({ service }) => service))];
  const before = tried.filter(({ service }) => service === failed?.service);
  const known = before.length > 0 && before.every(({ was }) => was !== null);
  return (
    <>
      {services.map((service) => {
        const keys = waiting.filter((one) => one.service === service);
        return (
          <Callout
            key={service}
            tone="wait"
            role="status"
            title={t(service === 'application' ? 'settings.waitingStart' : 'settings.waiting', {
              keys: keys.map(({ key }) => words(key).name).join(', '),
              count: keys.length,
            })}
            actions={
              service === 'application' ? undefined : (
                <Button
                  size="xs"
                  variant="default"
                  loading={busy === service}
                  leftSection={<IconRefresh {...smallIcon} />}
                  onClick={() => {
                    setTried(keys);
                    void restart(service);
                  }}
                >
                  {t('settings.restartService', { name: t(`services.${service}`) })}
                </Button>
              )
            }
          >
            {service === 'application' && t('settings.restartApplication')}
          </Callout>
        );
      })}
      {failed !== undefined && (
        <FailureNote
          failure={failed.failure}
          actions={
            known ? (
              <Button
                size="xs"
                variant="default"
                loading={busy === failed.service}
                onClick={() =>
                  void restart(failed.service, onPutBack(before.map(({ key, was }) => ({ key, value: was as Value }))))
                }
              >
                {t('settings.putBack')}
              </Button>
            ) : undefined
          }
        />
      )}
    </>
  );
}
