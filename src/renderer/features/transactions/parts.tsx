import { Collapse, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TransactionView } from '../../../contract/index.ts';
import { routes } from '../../app/routes.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { smallIcon } from '../../components/icon.ts';
import { Panel } from '../../components/page.tsx';
import { Amount, Badge, Id } from '../../components/values.tsx';
import classes from './transactions.module.css';

const NO_TXID = '0'.repeat(64);

interface PartProps {
  index: number;
  what: string;
  satoshis: number | null;
  script: string;
  children: ReactNode;
}

/** One input or output on a line; its script opens below. */
function Part({ index, what, satoshis, script, children }: PartProps) {
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
        <span className={`${classes.dim} num`}>{index}</span>
        <span className={classes.partMain}>{children}</span>
        <span>{satoshis === null ? '–' : <Amount satoshis={satoshis} />}</span>
      </div>
      <Collapse expanded={open} keepMounted={false}>
        <div className={classes.script}>
          <pre>{script}</pre>
          <CopyButton value={script} what={t('transactions.script')} />
        </div>
      </Collapse>
    </li>
  );
}

export function Inputs({ tx }: { tx: TransactionView }) {
  const { t } = useTranslation();
  return (
    <Panel flush title={t('transactions.inputs', { count: tx.inputs.length })}>
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
                <Id
                  value={`${input.txid}_${input.vout}`}
                  what={t('common.outpointName')}
                  to={routes.transaction(input.txid)}
                  keep={8}
                />
                {input.address !== null && <Id value={input.address} what={t('common.addressName')} keep={6} />}
              </>
            )}
          </Part>
        ))}
      </ul>
    </Panel>
  );
}

export function Outputs({ tx, names }: { tx: TransactionView; names: ReadonlyMap<string, string> }) {
  const { t } = useTranslation();
  return (
    <Panel flush title={t('transactions.outputs', { count: tx.outputs.length })}>
      <ul className={classes.parts}>
        {tx.outputs.map((output) => (
          <Part
            key={output.index}
            index={output.index}
            what={t('review.output', { n: output.index })}
            satoshis={output.satoshis}
            script={output.scriptAsm}
          >
            {output.address === null ? (
              <span className={classes.dim}>{t('transactions.noAddress')}</span>
            ) : (
              <Id value={output.address} what={t('common.addressName')} keep={8} />
            )}
            {output.inscription !== null && <Badge tone="wait">{names.get(String(output.index))}</Badge>}
          </Part>
        ))}
      </ul>
    </Panel>
  );
}
