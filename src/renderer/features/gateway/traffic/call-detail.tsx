import { Button, Drawer, Group, Menu, Stack } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { IconCheck, IconCopy, IconRepeat } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { CallBodies, GatewayCall, GatewayConnection } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { JsonText } from '../../../components/json/json-tree.tsx';
import { Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import layout from '../../../components/styles/layout.module.css';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { Fact } from '../../../components/values/fact.tsx';
import { Badge } from '../../../components/values/values.tsx';
import { reasonOf } from '../../../i18n/reason.ts';
import { formatBytes, formatExact, formatMilliseconds } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { isError, toldOf, toneOf } from './call-filter.ts';
import { Words } from './reason.tsx';
import { snippetKinds, snippetOf } from './snippets.ts';

function CopyAs({ bodies, connection }: { bodies: CallBodies; connection: GatewayConnection }) {
  const { t } = useTranslation();
  const clipboard = useClipboard({ timeout: 1_500 });
  const { method, params } = bodies;
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          disabled={params === null || bodies.masked}
          leftSection={clipboard.copied ? <IconCheck {...smallIcon} /> : <IconCopy {...smallIcon} />}
        >
          {t(clipboard.copied ? 'common.copied' : 'gateway.copyAs')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {snippetKinds.map((kind) => {
          const text = params === null ? null : snippetOf(kind, { method, params }, connection);
          return (
            <Menu.Item key={kind} disabled={text === null} onClick={() => clipboard.copy(text ?? '')}>
              {kind}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}

function Body({ title, text, isCut, of }: { title: string; text: string; isCut?: boolean; of?: string }) {
  const { t } = useTranslation();
  return (
    <Panel
      flush
      title={title}
      {...(isCut === true ? { hint: t('gateway.bodyCut') } : {})}
      actions={<CopyButton value={text} what={title} />}
    >
      {/* The tree keeps its first text, so it is mounted again for another one. */}
      <JsonText key={text} text={text} {...(of === undefined ? {} : { of })} label={title} />
    </Panel>
  );
}

function Bodies({ call, bodies }: { call: GatewayCall; bodies: CallBodies }) {
  const { t } = useTranslation();
  const { method, params, answer, kept } = bodies;
  return (
    <>
      {params === null ? (
        <p className={layout.dim}>{t('gateway.requestGone')}</p>
      ) : (
        <Body title={t('gateway.request')} text={params === '' ? '[]' : params} of={method} />
      )}
      {answer !== null && answer !== '' ? (
        <Body title={t('gateway.result')} text={answer} isCut={bodies.answerCut} of={method} />
      ) : (
        <p className={layout.dim}>
          {kept === 'off' ? (
            <>
              {t('gateway.bodiesOff')}{' '}
              <Link href={routes.setting('gatewayKeepBodies')}>{t('gateway.bodiesSetting')}</Link>
            </>
          ) : (
            t(call.source === 'refused' || answer === '' ? 'gateway.noBody' : 'gateway.bodyGone')
          )}
        </p>
      )}
      {bodies.masked && <p className={layout.dim}>{t('gateway.masked')}</p>}
    </>
  );
}

function Detail({ call, connection }: { call: GatewayCall; connection: GatewayConnection | undefined }) {
  const { t, i18n } = useTranslation();
  const { number } = call;
  const query = useQuery(api.gateway.bodies.queryOptions({ input: { number }, staleTime: 0, retry: false }));
  const again = useMutation({ mutationFn: () => client.gateway.replay({ number }) });
  const bodies = query.data;
  const reason = reasonOf(call);
  const told = toldOf(call);
  const send = (): void => {
    if (bodies?.isRead === true) {
      again.mutate();
      return;
    }
    modals.openConfirmModal({
      title: t('gateway.replayTitle', { method: call.method }),
      children: t('gateway.replayText'),
      labels: { confirm: t('gateway.replay'), cancel: t('common.cancel') },
      onConfirm: () => again.mutate(),
    });
  };
  const facts = [
    [t('gateway.time'), formatExact(call.at, i18n.language)],
    [
      t('gateway.caller'),
      <span key="caller" data-untranslated>
        {call.caller}
      </span>,
    ],
    [t('gateway.source'), t(`gateway.sources.${call.source}`)],
    [
      t('gateway.status'),
      <Badge key="status" tone={isError(call) ? 'fail' : toneOf(call)}>
        {call.status}
      </Badge>,
    ],
    [t('gateway.ms'), formatMilliseconds(call.milliseconds, i18n.language)],
    [t('gateway.size'), formatBytes(call.bytes, i18n.language)],
  ] as const;
  return (
    <Stack gap="md">
      <dl className={layout.facts}>
        {facts.map(([name, value]) => (
          <Fact key={name} name={name} num>
            {value}
          </Fact>
        ))}
      </dl>
      {told !== undefined && <p className={layout.dim}>{t(told)}</p>}
      {reason !== null && <Callout tone="fail" title={<Words failure={call.failure} text={reason} />} />}
      {call.method !== '' && (
        <Group gap="xs">
          <Button
            size="xs"
            leftSection={<IconRepeat {...smallIcon} />}
            loading={again.isPending}
            disabled={bodies === undefined || bodies.masked || bodies.params === null}
            onClick={send}
          >
            {t('gateway.replay')}
          </Button>
          {bodies !== undefined && connection !== undefined && <CopyAs bodies={bodies} connection={connection} />}
        </Group>
      )}
      <ErrorNote error={again.error} onRetry={send} />
      {again.data !== undefined && (
        <div role="status">
          <Body
            title={t('gateway.replayed', {
              status: again.data.status,
              ms: formatMilliseconds(again.data.milliseconds, i18n.language),
            })}
            text={again.data.answer}
            isCut={again.data.answerCut}
            of={call.method}
          />
        </div>
      )}
      {call.method !== '' && <QueryView query={query}>{(found) => <Bodies call={call} bodies={found} />}</QueryView>}
    </Stack>
  );
}

interface CallDetailProps {
  call: GatewayCall | undefined;
  connection: GatewayConnection | undefined;
  onClose: () => void;
}

/** One call with its request and reply. It can be sent again or copied as a program. */
export function CallDetail({ call, connection, onClose }: CallDetailProps) {
  const { t } = useTranslation();
  return (
    <Drawer
      opened={call !== undefined}
      onClose={onClose}
      position="right"
      size={560}
      title={call === undefined ? '' : call.method || t('gateway.refusedCall')}
    >
      {call !== undefined && <Detail key={call.number} call={call} connection={connection} />}
    </Drawer>
  );
}
