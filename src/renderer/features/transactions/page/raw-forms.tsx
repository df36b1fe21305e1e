import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { TrackedDetail } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { Panel } from '../../../components/page.tsx';
import layout from '../../../components/styles/layout.module.css';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { formatBytes } from '../../../lib/format.ts';
import classes from './page.module.css';

/** Hex beyond this is not put into the page; the copy has all of it. */
const SHOWN_DIGITS = 96;

/** A proven transaction with its own proof and nothing else: one BUMP, one transaction that names it (BRC-62). */
export function beefOf(rawTx: string, bump: string): string {
  return `0100beef01${bump}01${rawTx}0100`;
}

/** The signed transaction in the forms that other tools take. */
export function RawForms({ transaction: { txid, rawTx, proof } }: { transaction: TrackedDetail }) {
  const { t, i18n } = useTranslation();
  // What it spends never changes.
  const extended = useQuery(
    api.tx.extended.queryOptions({
      input: { txid },
      enabled: rawTx !== null,
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    }),
  );
  const forms = [
    { name: 'raw' as const, hex: rawTx },
    { name: 'ef' as const, hex: extended.data?.hex ?? null },
    { name: 'beef' as const, hex: rawTx === null || proof === null ? null : beefOf(rawTx, proof.bump) },
    { name: 'bump' as const, hex: proof?.bump ?? null },
    { name: 'header' as const, hex: proof?.header ?? null },
  ].filter((form): form is typeof form & { hex: string } => form.hex !== null);
  return (
    <Panel flush title={t('submitted.page.raw.title')} hint={t('submitted.page.raw.hint')}>
      {forms.length === 0 && <p className={classes.none}>{t('submitted.page.raw.none')}</p>}
      {forms.map(({ name, hex }) => (
        <div key={name} className={layout.line}>
          <span className={layout.label}>{t(`submitted.page.raw.${name}`)}</span>
          <span className={layout.value}>
            <span className={`mono ${classes.hex}`}>
              {hex.slice(0, SHOWN_DIGITS)}
              {hex.length > SHOWN_DIGITS && '…'}
            </span>
            <span className={layout.dim}>
              {t(`submitted.page.raw.${name}Hint`)} {formatBytes(hex.length / 2, i18n.language)}
            </span>
          </span>
          <CopyButton value={hex} what={t('submitted.page.raw.copyName', { form: t(`submitted.page.raw.${name}`) })} />
        </div>
      ))}
    </Panel>
  );
}
