import { Button, SegmentedControl, Stack } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { GatewayConnection, GatewayStatus, NodeCommand } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { useActions } from '../../../api/use-actions.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { connectCurl, TryCall } from '../../../components/connect-call.tsx';
import { Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { ServiceDetail } from '../../../components/status/service.tsx';
import layout from '../../../components/styles/layout.module.css';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { routes } from '../../../lib/routes.ts';
import classes from '../gateway.module.css';
import '../without-node/texts.ts';

const HIDDEN = '••••••••••••';

function Password({ isSet }: { isSet: boolean }) {
  const { t } = useTranslation();
  const clipboard = useClipboard({ timeout: 1_500 });
  const [visible, setVisible] = useState<string>();
  const { mutate: attempt, error } = useActions({ mutationFn: (work: () => Promise<void>) => work() });
  const ask = (): void => {
    modals.openConfirmModal({
      title: t('gateway.rotateTitle'),
      children: t('gateway.rotateText'),
      labels: { confirm: t('gateway.rotateConfirm'), cancel: t('common.cancel') },
      onConfirm: () => attempt(async () => setVisible((await client.gateway.rotatePassword()).password)),
    });
  };
  return (
    <>
      <div className={layout.line}>
        <span className={layout.label}>{t('gateway.password')}</span>
        <span className={`mono ${layout.value}`} data-testid="password">
          {visible ?? (isSet ? HIDDEN : '–')}
        </span>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() =>
            visible === undefined
              ? attempt(async () => setVisible((await client.gateway.revealPassword()).password))
              : setVisible(undefined)
          }
        >
          {t(visible === undefined ? 'gateway.show' : 'gateway.hide')}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => attempt(async () => clipboard.copy((await client.gateway.revealPassword()).password))}
        >
          {t(clipboard.copied ? 'gateway.copied' : 'gateway.copyPassword')}
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={ask}>
          {t('gateway.rotate')}
        </Button>
      </div>
      <ErrorNote error={error} />
    </>
  );
}

/** Null if the service that a snippet calls is not listening. */
function snippetsOf({ rpc, zmq, cookieFile }: GatewayConnection): Record<string, string | null> {
  const cookie = JSON.stringify(cookieFile);
  const asking = (text: string): string | null => (rpc === null ? null : text);
  return {
    curl: connectCurl({ rpc, cookieFile }),
    JavaScript: asking(
      `import { readFileSync } from 'node:fs';\n\nconst login = readFileSync(${cookie}, 'utf8');\nconst response = await fetch('${rpc}', {\n  method: 'POST',\n  headers: {\n    'Content-Type': 'application/json',\n    Authorization: 'Basic ' + Buffer.from(login).toString('base64'),\n  },\n  body: JSON.stringify({ method: 'getblockcount', params: [] }),\n});\nconsole.log((await response.json()).result);`,
    ),
    Python: asking(
      `import base64, json, urllib.request\n\nlogin = base64.b64encode(open(${cookie}, "rb").read()).decode()\nrequest = urllib.request.Request(\n    "${rpc}",\n    data=json.dumps({"method": "getblockcount", "params": []}).encode(),\n    headers={"Content-Type": "application/json", "Authorization": "Basic " + login},\n)\nprint(json.load(urllib.request.urlopen(request))["result"])`,
    ),
    ZMQ:
      zmq === null
        ? null
        : `import zmq\n\nsocket = zmq.Context().socket(zmq.SUB)\nsocket.connect("${zmq}")\nsocket.setsockopt(zmq.SUBSCRIBE, b"hashblock")\nwhile True:\n    topic, body, sequence = socket.recv_multipart()\n    print(topic.decode(), body.hex())`,
  };
}

function Snippets({ connection }: { connection: GatewayConnection }) {
  const { t } = useTranslation();
  const snippets = snippetsOf(connection);
  const [chosen, setChosen] = useState('curl');
  const text = snippets[chosen] ?? null;
  return (
    <Panel
      flush
      title={t('gateway.snippets')}
      hint={t('gateway.snippetsHint')}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('gateway.snippets')}
          data={Object.keys(snippets)}
          value={chosen}
          onChange={setChosen}
        />
      }
    >
      <div className={classes.snippet}>
        {text === null ? (
          <div className={`${layout.pad} ${layout.dim}`}>{t('gateway.noSnippet')}</div>
        ) : (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content has to be reachable by keyboard. */}
            <pre className={`mono ${layout.text}`} tabIndex={0}>
              {text}
            </pre>
            <div className={classes.copy}>
              <CopyButton value={text} what={t('gateway.snippetName')} />
            </div>
            {chosen === 'curl' && (
              <div className={`${layout.pad} ${layout.form}`}>
                <TryCall />
              </div>
            )}
          </>
        )}
      </div>
    </Panel>
  );
}

/** What is answered without a node: the basis of each answer, and who learns of the request. */
function WithoutNode({ source }: { source: GatewayStatus['source'] }) {
  const { t } = useTranslation();
  const { data: commands = [] } = useQuery(api.gateway.commands.queryOptions({ staleTime: Number.POSITIVE_INFINITY }));
  const named = (basis: NodeCommand['withoutNode']): string =>
    commands
      .filter(({ withoutNode }) => withoutNode === basis)
      .map(({ name }) => name)
      .join(', ');
  return (
    <Panel
      flush
      title={t(`withoutNode.${source}`)}
      hint={t('withoutNode.hint')}
      actions={
        <Button variant="default" size="compact-sm" component={Link} href={routes.setting('gatewaySource')}>
          {t('withoutNode.change')}
        </Button>
      }
    >
      {(['proven', 'agreed', 'told', 'none'] as const).map((basis) => (
        <div key={basis} className={layout.line}>
          <span className={layout.label}>{t(`withoutNode.${basis}`)}</span>
          <span className={`mono ${layout.value}`} style={{ whiteSpace: 'normal' }}>
            {named(basis)}
          </span>
        </div>
      ))}
      <div className={`${layout.pad} ${layout.dim}`}>{t('withoutNode.learns')}</div>
    </Panel>
  );
}

export function Connect() {
  const { t } = useTranslation();
  const services = useLive((state) => state.services).filter(({ name }) => name === 'gateway' || name === 'zmq');
  // A restarted service may listen on another address.
  const started = services.map(({ since, status }) => `${status.state} ${since}`).join();
  const source = useQuery(api.gateway.status.queryOptions()).data?.source;
  const withoutNode = source !== undefined && <WithoutNode source={source} />;
  const { queryKey, ...options } = api.gateway.connection.queryOptions();
  const query = useQuery({ ...options, queryKey: [...queryKey, started], placeholderData: (before) => before });
  return (
    <QueryView query={query}>
      {(connection) => (
        <Stack gap="md">
          {services
            .filter(({ status }) => status.state !== 'running')
            .map((service) => (
              <Panel key={service.name} title={t(`services.${service.name}`)}>
                <ServiceDetail service={service} />
              </Panel>
            ))}
          {source !== 'node' && withoutNode}
          <Panel flush title={t('gateway.credentials')}>
            {[
              { label: t('gateway.rpc'), value: connection.rpc },
              { label: t('gateway.zmqAddress'), value: connection.zmq },
              { label: t('gateway.user'), value: connection.username },
              { label: t('gateway.cookie'), value: connection.cookieFile },
            ].map(({ label, value }) => (
              <div key={label} className={layout.line}>
                <span className={layout.label}>{label}</span>
                <span className={`mono ${layout.value}`}>{value ?? t('gateway.off')}</span>
                {value !== null && <CopyButton value={value} what={label} />}
              </div>
            ))}
            <Password isSet={connection.passwordSet} />
          </Panel>
          <Snippets connection={connection} />
          {source === 'node' && withoutNode}
        </Stack>
      )}
    </QueryView>
  );
}
