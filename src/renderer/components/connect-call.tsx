import { Button } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { GatewayConnection } from '../../contract/index.ts';
import { client } from '../api/client.ts';
import { shellQuote } from '../lib/shell-quote.ts';
import { ErrorNote } from './callouts/failure-note.tsx';
import { icon } from './icon.ts';
import layout from './styles/layout.module.css';

/** The first call of a program. Its reply is easy to read. */
const METHOD = 'getblockcount';

/**
 * That call as a command for a shell of this machine.
 * @returns null while the gateway is not listening
 */
export function connectCurl({ rpc, cookieFile }: Pick<GatewayConnection, 'rpc' | 'cookieFile'>): string | null {
  if (rpc === null) return null;
  return `curl --user "$(cat ${shellQuote(cookieFile)})" \\\n  -H 'Content-Type: application/json' \\\n  --data '{"method":"${METHOD}","params":[]}' ${rpc}`;
}

/** Runs the same call from here and shows its reply. */
export function TryCall({ primary = false }: { primary?: boolean }) {
  const { t } = useTranslation();
  const call = useMutation({ mutationFn: () => client.node.call({ method: METHOD, params: [] }) });
  return (
    <>
      <Button
        variant={primary ? 'filled' : 'default'}
        leftSection={<IconPlayerPlay {...icon} />}
        loading={call.isPending}
        onClick={() => call.mutate()}
      >
        {t('common.tryCall.run')}
      </Button>
      <ErrorNote error={call.error} />
      {call.data !== undefined && (
        <div role="status" style={{ flexBasis: '100%' }}>
          <div className={layout.dim}>{t('common.tryCall.answer')}</div>
          <pre className={`mono ${layout.text}`} data-testid="answer">
            {JSON.stringify({ ...call.data, id: null })}
          </pre>
        </div>
      )}
    </>
  );
}
