import { ActionIcon, Button, Stack } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { mendButton } from '../../components/callouts/failure-action.tsx';
import { keyChangeOf } from '../../components/callouts/merchant-key.tsx';
import { smallIcon } from '../../components/icon.ts';
import { showFailure } from '../../components/toasts/show-failure.ts';
import { LinkedText, txidsIn } from '../../components/values/linked-text.tsx';
import { wordsOf } from '../../i18n/reason.ts';
import { routes } from '../../lib/routes.ts';

const tones = { info: 'info', warning: 'wait', error: 'fail' } as const;

/** Notices of the host, until they are dismissed. */
export function Notices() {
  const { t } = useTranslation();
  const notices = useLive((state) => state.notices);
  const safeMode = useLive((state) => state.app?.safeMode === true);
  if (notices.length === 0 && !safeMode) return null;
  return (
    <Stack gap="xs" role="region" aria-label={t('app.notices')}>
      {safeMode && <Callout tone="wait" title={t('app.safeMode')} />}
      {notices.map((notice) => {
        const { failure } = notice;
        const { message, hint } = failure ? wordsOf(failure) : notice;
        const isOtherWallet = failure !== undefined && keyChangeOf(failure)?.of === 'walletKey';
        return (
          <Callout
            key={notice.id}
            tone={tones[notice.level]}
            title={<LinkedText text={message} txids={txidsIn(failure)} />}
            actions={
              <>
                {isOtherWallet && (
                  <Button size="xs" variant="default" component={Link} href={routes.wallet}>
                    {t('dashboard.otherWallet')}
                  </Button>
                )}
                {failure && mendButton(failure)}
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={24}
                  aria-label={t('app.dismissNotice')}
                  onClick={() =>
                    void client.app
                      .dismissNotice({ id: notice.id })
                      .catch((error: unknown) => showFailure('notice-dismissed', error))
                  }
                >
                  <IconX {...smallIcon} />
                </ActionIcon>
              </>
            }
          >
            {isOtherWallet ? t('common.walletKey.hint') : hint}
          </Callout>
        );
      })}
    </Stack>
  );
}
