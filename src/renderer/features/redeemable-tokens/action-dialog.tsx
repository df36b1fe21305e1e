import { ActionIcon, Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { HeldToken, TokenAction, TokenRequest } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useMoney } from '../../api/money.ts';
import { DialogForm } from '../../components/forms/dialog-form.tsx';
import { WholeNumberInput } from '../../components/forms/whole-number-input.tsx';
import { smallIcon } from '../../components/icon.ts';
import { i18n } from '../../i18n/index.ts';
import { formatInteger, shortenId } from '../../lib/format.ts';
import { newKey } from '../../lib/new-key.ts';

const MODAL = 'token-action';
const MOST = { issue: 100, split: 4, merge: 2 } as const;

export interface ActionSubject {
  action: Extract<TokenAction, 'issue' | 'transfer' | 'split' | 'merge' | 'redeem'>;
  symbol: string;
  outpoint: string;
  satoshis: number;
  /** The wallet's address for tokens. */
  own: string;
  /** Tokens of the same kind it can be merged with. */
  others: readonly HeldToken[];
  splittable: boolean;
}

/** Satoshis; '' while the field is empty, NaN while what stands in it is no amount. */
type Amount = number | '';

interface Row {
  address: string;
  satoshis: Amount;
}

interface FormState {
  rows: Row[];
  other: string;
  part: Amount;
  splittable: boolean;
}

/** What the rows give in all; amounts that are not typed yet count nothing. */
function sumOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { satoshis }) => sum + (Number(satoshis) || 0), 0);
}

/** The request a filled-in form stands for. */
function requestOf(subject: ActionSubject, { rows, other, part, splittable }: FormState): TokenRequest {
  const { action, outpoint, own, satoshis } = subject;
  const [first] = rows as [Row];
  const to = rows.map((row) => ({ address: row.address, satoshis: Number(row.satoshis) }));
  if (action === 'issue') return { action, contract: outpoint, splittable, to };
  if (action === 'transfer') return { action, token: outpoint, to: first.address };
  if (action === 'split') return { action, token: outpoint, to };
  if (action === 'merge') {
    return rows.length === 1
      ? { action, tokens: [outpoint, other], to: first.address }
      : { action: 'mergeSplit', tokens: [outpoint, other], to };
  }
  return Number(part) >= satoshis
    ? { action, token: outpoint }
    : { action: 'redeemSplit', token: outpoint, to: [{ address: own, satoshis: satoshis - Number(part) }] };
}

function Owners({
  rows,
  total,
  most,
  fixed,
  onChange,
}: {
  rows: Row[];
  total: number;
  most: number;
  /** One owner gets all, so no amount is asked for. */
  fixed: boolean;
  onChange: (rows: Row[]) => void;
}) {
  const { t } = useTranslation();
  const left = total - sumOf(rows);
  const money = useMoney();
  return (
    <Stack gap="xs">
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name, and their fields are controlled.
        <Group key={index} align="flex-end" wrap="nowrap" gap="xs">
          <TextInput
            style={{ flex: 1 }}
            label={t('redeemableTokens.dialog.owner', { n: index + 1 })}
            description={index === 0 ? t('redeemableTokens.dialog.ownerHint') : undefined}
            value={row.address}
            onChange={(event) => onChange(rows.with(index, { ...row, address: event.currentTarget.value.trim() }))}
          />
          {!fixed && (
            <WholeNumberInput
              w={150}
              label={t('redeemableTokens.dialog.satoshis', { n: index + 1 })}
              satoshis
              min={1}
              error={row.satoshis === '' ? t('common.number.needed') : undefined}
              value={row.satoshis}
              onChange={(amount) => onChange(rows.with(index, { ...row, satoshis: amount }))}
            />
          )}
          {rows.length > 1 && (
            <ActionIcon
              variant="subtle"
              size={36}
              aria-label={t('redeemableTokens.dialog.remove', { n: index + 1 })}
              onClick={() => onChange(rows.toSpliced(index, 1))}
            >
              <IconTrash {...smallIcon} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {most > 1 && (
        <Group justify="space-between">
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus {...smallIcon} />}
            disabled={rows.length >= most}
            onClick={() => onChange([...rows, { address: rows[0]?.address ?? '', satoshis: Math.max(0, left) }])}
          >
            {t('redeemableTokens.dialog.add')}
          </Button>
          {!fixed && (
            <Text size="sm" className="num" c={left === 0 ? 'dimmed' : 'red.8'} role="status">
              {left < 0
                ? t('redeemableTokens.dialog.over', { over: money(-left) })
                : t('redeemableTokens.dialog.left', { left: money(left), total: money(total) })}
            </Text>
          )}
        </Group>
      )}
    </Stack>
  );
}

function ActionForm({ subject, onBuilt }: { subject: ActionSubject; onBuilt: (id: string) => void }) {
  const { t } = useTranslation();
  const { action, satoshis, own, others } = subject;
  const [state, setState] = useState<FormState>({
    rows: [{ address: own, satoshis }],
    other: others[0]?.outpoint ?? '',
    part: satoshis,
    splittable: true,
  });
  const prepare = useMutation(api.redeemableTokens.prepare.mutationOptions());
  // This does not run once the dialog is closed.
  const onSuccess = ({ id }: { id: string }): void => {
    modals.close(MODAL);
    onBuilt(id);
  };
  const second = others.find(({ outpoint }) => outpoint === state.other)?.satoshis ?? 0;
  const total = action === 'merge' ? satoshis + second : satoshis;
  const most = action === 'issue' || action === 'split' || action === 'merge' ? MOST[action] : 1;
  const fixed = action === 'transfer' || (action === 'merge' && state.rows.length === 1);
  const given = sumOf(state.rows);
  const ready =
    action === 'redeem'
      ? Number(state.part) >= 1 && Number(state.part) <= satoshis
      : state.rows.every((row) => row.address !== '' && (fixed || Number(row.satoshis) >= 1)) &&
        (fixed || given === total);
  return (
    <DialogForm
      modalId={MODAL}
      submit={t('redeemableTokens.dialog.review')}
      save={prepare}
      disabled={!ready}
      onSubmit={() => prepare.mutate({ request: requestOf(subject, state), idempotencyKey: newKey() }, { onSuccess })}
    >
      {action === 'merge' && (
        <Select
          label={t('redeemableTokens.dialog.other')}
          description={t('redeemableTokens.dialog.otherHint')}
          allowDeselect={false}
          data={others.map((other) => ({
            value: other.outpoint,
            label: `${formatInteger(other.satoshis, i18n.language)} · ${shortenId(other.outpoint, 6)}`,
          }))}
          value={state.other}
          onChange={(other) => setState({ ...state, other: other ?? '' })}
        />
      )}
      {action === 'redeem' ? (
        <WholeNumberInput
          label={t('redeemableTokens.dialog.part')}
          description={t('redeemableTokens.dialog.partHint')}
          satoshis
          min={1}
          max={satoshis}
          error={state.part === '' ? t('common.number.needed') : undefined}
          disabled={!subject.splittable}
          value={state.part}
          onChange={(part) => setState({ ...state, part })}
        />
      ) : (
        <Owners
          rows={state.rows}
          total={total}
          most={most}
          fixed={fixed}
          onChange={(rows) => setState({ ...state, rows })}
        />
      )}
      {action === 'issue' && (
        <Checkbox
          label={t('redeemableTokens.dialog.splittable')}
          description={t('redeemableTokens.dialog.splittableHint')}
          checked={state.splittable}
          onChange={(event) => setState({ ...state, splittable: event.currentTarget.checked })}
        />
      )}
    </DialogForm>
  );
}

/** Asks for what an action needs. @param onBuilt runs with the id of the transaction that waits for approval */
export function openAction(subject: ActionSubject, onBuilt: (id: string) => void): void {
  modals.open({
    modalId: MODAL,
    title: i18n.t(`redeemableTokens.dialog.${subject.action}`, { symbol: subject.symbol }),
    size: 620,
    children: <ActionForm subject={subject} onBuilt={onBuilt} />,
  });
}
