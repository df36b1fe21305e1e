import { Collapse, Skeleton, Stack, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TransactionView } from '../../../contract/index.ts';
import { formatBytes, formatInteger } from '../../lib/format.ts';
import { smallIcon } from '../icon.ts';
import { Panel } from '../page.tsx';
import layout from '../styles/layout.module.css';
import { CopyButton } from '../values/copy-button.tsx';
import { Amount, Badge, Id } from '../values/values.tsx';
import classes from './parts.module.css';

type OutputData = TransactionView['outputs'][number]['data'];

const NO_TXID = '0'.repeat(64);

interface PartProps {
  index: number;
  what: string;
  satoshis: number | null;
  script: string;
  data?: OutputData;
  children: ReactNode;
}

/** The txid below the title of a page. */
export function TxidLine({ txid }: { txid: string }) {
  const { t } = useTranslation();
  return (
    <div className={classes.txid}>
      <span className="mono">{txid}</span>
      <CopyButton value={txid} what={t('common.txidName')} />
    </div>
  );
}

/** Placeholder of a transaction's page while it loads. */
export function TransactionSkeleton() {
  return (
    <Stack>
      <Skeleton height={72} />
      <Skeleton height={280} />
      <Skeleton height={160} />
    </Stack>
  );
}

/** The data of an output after OP_RETURN: as text if it is text, and in hex. */
export function DataPushes({ data }: { data: NonNullable<OutputData> }) {
  const { t, i18n } = useTranslation();
  return (
    <dl className={classes.pushes}>
      {data.pushes.map((push, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a push is identified by its index.
        <div key={index}>
          <dt className="num">
            {t('transactions.push', { n: index + 1, size: formatBytes(push.bytes, i18n.language) })}
          </dt>
          <dd>
            {push.text !== null && <pre>{push.text}</pre>}
            <span className={push.text === null ? 'mono' : `mono ${layout.dim}`}>
              {push.hex}
              {push.hex.length < push.bytes * 2 && '…'}
            </span>
            <CopyButton value={push.text ?? push.hex} what={t('transactions.data')} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** One input or output on a line. Its script and data unfold below. */
function Part({ index, what, satoshis, script, data = null, children }: PartProps) {
  const { t } = useTranslation();
  const [open, { toggle }] = useDisclosure(false);
  const Chevron = open ? IconChevronDown : IconChevronRight;
  return (
    <li className={classes.part}>
      <div className={classes.partLine}>
        <UnstyledButton
          className={classes.chevron}
          aria-expanded={open}
          aria-label={t(open ? 'transactions.hideScript' : 'transactions.showScript', { what })}
          onClick={toggle}
        >
          <Chevron {...smallIcon} />
        </UnstyledButton>
        <span className={`${layout.dim} num`}>{index}</span>
        <span className={classes.partMain}>{children}</span>
        <span>{satoshis === null ? '–' : <Amount satoshis={satoshis} />}</span>
      </div>
      <Collapse expanded={open} keepMounted={false}>
        <div className={classes.script}>
          <pre>{script}</pre>
          <CopyButton value={script} what={t('transactions.script')} />
        </div>
        {data !== null && <DataPushes data={data} />}
      </Collapse>
    </li>
  );
}

/** States that a list contains only the first parts. */
function Unlisted({ visible, total }: { visible: number; total: number }) {
  const { t, i18n } = useTranslation();
  if (visible >= total) return null;
  const [first, all] = [visible, total].map((count) => formatInteger(count, i18n.language));
  return <p className={classes.unlisted}>{t('transactions.unlisted', { first, all })}</p>;
}

export function Inputs({ tx }: { tx: Pick<TransactionView, 'inputs' | 'inputCount'> }) {
  const { t } = useTranslation();
  return (
    <Panel flush title={t('transactions.inputs', { count: tx.inputCount })}>
      <ul className={classes.parts}>
        {tx.inputs.map((input, index) => (
          <Part
            key={`${input.txid}_${input.vout}`}
            index={index}
            what={t('review.input', { n: index })}
            satoshis={input.satoshis}
            script={input.scriptAsm}
          >
            {input.txid === NO_TXID || input.txid === '' ? (
              <span>{t('transactions.coinbase')}</span>
            ) : (
              <>
                <Id value={`${input.txid}_${input.vout}`} kind="output" keep={8} />
                {input.address !== null && <Id value={input.address} kind="address" keep={6} />}
              </>
            )}
          </Part>
        ))}
      </ul>
      <Unlisted visible={tx.inputs.length} total={tx.inputCount} />
    </Panel>
  );
}

interface OutputsProps {
  tx: Pick<TransactionView, 'outputs' | 'outputCount'>;
  names: ReadonlyMap<string, string>;
  /** More about an output, at the end of its line. */
  more?: (output: TransactionView['outputs'][number]) => ReactNode;
}

export function Outputs({ tx, names, more }: OutputsProps) {
  const { t, i18n } = useTranslation();
  return (
    <Panel flush title={t('transactions.outputs', { count: tx.outputCount })}>
      <ul className={classes.parts}>
        {tx.outputs.map((output) => (
          <Part
            key={output.index}
            index={output.index}
            what={t('review.output', { n: output.index })}
            satoshis={output.satoshis}
            script={output.scriptAsm}
            data={output.data}
          >
            {output.address === null ? (
              <span className={layout.dim}>{t('transactions.noAddress')}</span>
            ) : (
              <Id value={output.address} kind="address" full />
            )}
            {output.data !== null && output.inscription === null && (
              <>
                <Badge tone="neutral">
                  {t('transactions.dataBytes', { size: formatBytes(output.data.bytes, i18n.language) })}
                </Badge>
                <span className={`${layout.dim} ${classes.firstWords}`}>
                  {output.data.pushes.findLast(({ text }) => text !== null)?.text ?? ''}
                </span>
              </>
            )}
            {output.inscription !== null && <Badge tone="wait">{names.get(String(output.index))}</Badge>}
            {more !== undefined && <span className={classes.more}>{more(output)}</span>}
          </Part>
        ))}
      </ul>
      <Unlisted visible={tx.outputs.length} total={tx.outputCount} />
    </Panel>
  );
}
