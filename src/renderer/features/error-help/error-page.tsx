import { Stack, Table, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import {
  docsAnchorOf,
  type ErrorCode,
  type ErrorEntry,
  errorClasses,
  errorCodes,
  errorEntries,
} from '../../../contract/index.ts';
import { mendButton } from '../../components/callouts/failure-action.tsx';
import { icon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import layout from '../../components/styles/layout.module.css';
import { CopyButton } from '../../components/values/copy-button.tsx';
import { Fact } from '../../components/values/fact.tsx';
import { textsOfCode } from '../../i18n/errors.ts';
import { wordsOf } from '../../i18n/reason.ts';
import { routes } from '../../lib/routes.ts';

/** Messages that consist of a text from another part only. */
const PASSES_ON = /^\{\w+\}$/;

function isErrorCode(code: string): code is ErrorCode {
  return errorCodes.includes(code as ErrorCode);
}

interface MessageRow {
  readonly message: string;
  readonly hint: string;
  readonly id: string;
}

/** Each message of a code once, with its fix. */
function messagesOf(code: ErrorCode): MessageRow[] {
  const found = new Map<string, MessageRow>();
  for (const [id, entry] of Object.entries<ErrorEntry>(errorEntries)) {
    if (entry.code !== code || PASSES_ON.test(entry.message)) continue;
    const { message, hint = textsOfCode(code).hint } = wordsOf({ ...entry, id });
    found.set(`${message} ${hint}`, { message, hint: hint.replace('{suggestion}', ''), id });
  }
  return [...found.values()];
}

/** Explains an error code: its meaning, its fix, and every message with this code. */
export function ErrorPage({ code }: { code: string }) {
  const { t } = useTranslation();
  const crumbs = [{ label: t('help.title'), to: routes.help }];
  if (!isErrorCode(code)) {
    return (
      <Page title={t('errorHelp.unknown')} crumbs={crumbs}>
        <Empty icon={<IconInfoCircle {...icon} size={24} />} title={code} text={t('errorHelp.unknownText')} />
      </Page>
    );
  }
  const { meaning, hint } = textsOfCode(code);
  const { httpStatus, exitCode } = errorClasses[code];
  const messages = messagesOf(code);
  return (
    <Page title={t('errorHelp.title', { code })} purpose={meaning} crumbs={crumbs}>
      <Stack gap="md">
        <Panel title={t('errorHelp.fix')}>
          <Text>{hint}</Text>
        </Panel>
        {messages.length > 0 && (
          <Panel title={t('errorHelp.messages')} hint={t('errorHelp.messagesHint')} flush>
            <Table verticalSpacing="xs" horizontalSpacing="md" style={{ verticalAlign: 'top' }}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('errorHelp.message')}</Table.Th>
                  <Table.Th>{t('errorHelp.messageFix')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {messages.map(({ id, message, hint }) => (
                  <Table.Tr key={id}>
                    <Table.Td>{message}</Table.Td>
                    <Table.Td>
                      <Stack gap={6} align="start">
                        {hint}
                        {mendButton({ id })}
                      </Stack>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Panel>
        )}
        <Panel title={t('errorHelp.forScripts')}>
          <dl className={layout.facts}>
            <Fact name={t('errorHelp.exitCode')}>{exitCode}</Fact>
            <Fact name={t('errorHelp.httpStatus')}>{httpStatus}</Fact>
            <Fact name={t('errorHelp.inDocs')}>
              <span className="mono">{docsAnchorOf(code)}</span>
              <CopyButton value={docsAnchorOf(code)} what={t('errorHelp.inDocs')} />
            </Fact>
          </dl>
        </Panel>
      </Stack>
    </Page>
  );
}
