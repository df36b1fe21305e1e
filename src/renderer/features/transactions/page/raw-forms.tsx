import { Button, Group, SegmentedControl } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client.ts';
import { smallIcon } from '../../../components/icon.ts';
import { JsonText } from '../../../components/json/json-tree.tsx';
import { Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import layout from '../../../components/styles/layout.module.css';
import { formatBytes } from '../../../lib/format.ts';
import { saveBlob } from '../../../lib/save-blob.ts';
import type { KnownTransaction } from './use-transaction.ts';

/** Text beyond this is not put into the page; the copy and the file have all of it. */
const SHOWN_CHARS = 20_000;

const names = ['raw', 'ef', 'beef', 'bump', 'header', 'json'] as const;
type FormName = (typeof names)[number];

/** The text of a form; null where what it needs is not known. */
function useForm(name: FormName, txid: string, hex: string, state: string | null) {
  // The state is part of the key, since a transaction gets its proof later.
  const options = api.transactions.forms.queryOptions({ input: { txid } });
  const forms = useQuery({ ...options, queryKey: [...options.queryKey, state], enabled: name !== 'raw' });
  if (name === 'raw') return { data: { text: hex }, error: null, isFetching: false, refetch: () => undefined };
  return { ...forms, data: forms.data && { text: forms.data[name] } };
}

function Text({ text, name }: { text: string; name: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
    <section className={layout.text} tabIndex={0} aria-label={name}>
      <span className="mono">{text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text}</span>
    </section>
  );
}

/** The transaction in the forms that other tools take, to be copied or saved. */
export function RawForms({ own, onChain }: KnownTransaction) {
  const { t, i18n } = useTranslation();
  const [name, setName] = useState<FormName>('raw');
  const clipboard = useClipboard({ timeout: 1_500 });
  const hex = own?.rawTx ?? onChain?.hex ?? '';
  const txid = own?.txid ?? onChain?.txid ?? '';
  const query = useForm(name, txid, hex, own?.state ?? onChain?.blockHash ?? null);
  if (hex === '') return null;
  const text = query.data?.text ?? null;
  const label = t(`submitted.page.raw.${name}`);
  const save = (): void => saveBlob(`${txid}.${name === 'json' ? 'json' : `${name}.hex`}`, new Blob([text ?? '']));
  return (
    <Panel
      flush
      title={t('submitted.page.raw.title')}
      hint={t(`submitted.page.raw.${name}Hint`)}
      actions={
        <Group gap="xs">
          {text !== null && name !== 'json' && (
            <span className={layout.dim}>{formatBytes(text.length / 2, i18n.language)}</span>
          )}
          <Button
            size="xs"
            variant="default"
            disabled={text === null}
            leftSection={clipboard.copied ? <IconCheck {...smallIcon} /> : <IconCopy {...smallIcon} />}
            onClick={() => clipboard.copy(text ?? '')}
          >
            {clipboard.copied ? t('common.copied') : t('common.copyThing', { what: label })}
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={text === null}
            leftSection={<IconDownload {...smallIcon} />}
            onClick={save}
          >
            {t('submitted.page.raw.save')}
          </Button>
        </Group>
      }
    >
      <div className={layout.pad}>
        <SegmentedControl
          size="xs"
          aria-label={t('submitted.page.raw.title')}
          value={name}
          onChange={(value) => {
            clipboard.reset();
            setName(value as FormName);
          }}
          data={names.map((value) => ({ value, label: t(`submitted.page.raw.${value}`) }))}
        />
      </div>
      <QueryView query={query}>
        {({ text: found }) =>
          found === null ? (
            <p className={`${layout.dim} ${layout.pad}`}>{t(`submitted.page.raw.${noneOf(name)}`)}</p>
          ) : name === 'json' ? (
            <JsonText key={found} text={found} label={label} />
          ) : (
            <Text text={found} name={label} />
          )
        }
      </QueryView>
    </Panel>
  );
}

/** Why there is no such form. */
function noneOf(name: FormName) {
  return name === 'ef' ? 'noSpent' : name === 'beef' ? 'noAncestors' : 'noProof';
}
