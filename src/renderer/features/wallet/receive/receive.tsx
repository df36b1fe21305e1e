import { Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { WalletAddress } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { useMoney } from '../../../api/money.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { icon } from '../../../components/icon.ts';
import { amountColumn, idColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { AmountInput } from '../../../components/money/amount-input.tsx';
import { Note } from '../../../components/note.tsx';
import { Panel } from '../../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../../components/query-view.tsx';
import { PayFromApp } from '../../../components/receive/pay-from-app.tsx';
import { paymentUri } from '../../../components/receive/payment-uri.ts';
import { QrCode } from '../../../components/receive/qr-code.tsx';
import layout from '../../../components/styles/layout.module.css';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { Badge, Id } from '../../../components/values/values.tsx';
import { useActiveAccount } from '../accounts/use-account.ts';
import classes from './receive.module.css';

const MOST = 2_100_000_000_000_000;
const idOf = ({ address }: WalletAddress): string => address;

/** Stores the label of an address and reads the list again. */
function useLabelling(): (address: string, label: string) => Promise<void> {
  const queries = useQueryClient();
  return async (address, label) => {
    await client.wallet.addresses.label({ address, label });
    await queries.invalidateQueries({ queryKey: api.wallet.addresses.key() });
  };
}

/** The QR code and the text of one address, with the requested amount. */
function Request({ shown, onNew, creating }: { shown: WalletAddress; onNew: () => void; creating: boolean }) {
  const { t } = useTranslation();
  const money = useMoney();
  const [amount, setAmount] = useState<number | string>('');
  const label = useLabelling();
  const asked = Number(amount) >= 1 ? Number(amount) : undefined;
  const text = paymentUri(shown.address, asked);
  const isMain = shown.index === 0;
  const account = useActiveAccount();
  const ofMain = account?.main === false ? 'wallet.receivePage.accountHint' : 'wallet.receivePage.mainHint';
  const hint = isMain ? ofMain : 'wallet.receivePage.freshHint';
  return (
    <Panel title={t('wallet.receivePage.title')} hint={t('wallet.receivePage.hint')}>
      <div className={layout.withCode}>
        <QrCode
          text={text}
          label={
            asked === undefined
              ? t('wallet.receivePage.qr', { address: shown.address })
              : t('wallet.receivePage.qrAmount', {
                  address: shown.address,
                  amount: money(asked),
                })
          }
        />
        <Stack gap="md" className={classes.fields}>
          <div>
            <div className={classes.name}>{t(isMain ? 'wallet.receivePage.main' : 'wallet.receivePage.fresh')}</div>
            <div className={classes.address}>
              <Id value={shown.address} kind="address" full />
            </div>
            <Text size="sm" c="dimmed">
              {t(hint)}
            </Text>
          </div>
          <Group align="flex-end" gap="xs" wrap="nowrap">
            <AmountInput
              flex={1}
              label={t('wallet.receivePage.amount')}
              description={t('wallet.receivePage.amountHint')}
              inputWrapperOrder={['label', 'input', 'error', 'description']}
              min={1}
              max={MOST}
              value={amount}
              onChange={setAmount}
            />
            {asked !== undefined && (
              <div className={classes.beside}>
                <CopyButton value={text} what={t('wallet.receivePage.copyRequest')} />
              </div>
            )}
          </Group>
          <PayFromApp key={shown.address} address={shown.address} satoshis={asked} />
          <div>
            <div className={classes.name}>{t('wallet.receivePage.note')}</div>
            <Note key={shown.address} text={shown.label} save={(next) => label(shown.address, next)} />
            <Text size="sm" c="dimmed">
              {t('wallet.receivePage.noteHint')}
            </Text>
          </div>
          {account?.kind !== 'key' && (
            <Button
              variant="default"
              leftSection={<IconPlus {...icon} />}
              loading={creating}
              onClick={onNew}
              className={classes.new}
            >
              {t('wallet.receivePage.new')}
            </Button>
          )}
        </Stack>
      </div>
    </Panel>
  );
}

function useColumns(onShow: (address: string) => void): readonly ListColumn<WalletAddress>[] {
  const { t } = useTranslation();
  const label = useLabelling();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what labels and shows does the same in every rendering.
  return useMemo<readonly ListColumn<WalletAddress>[]>(
    () => [
      { key: 'index', title: t('wallet.receivePage.number'), width: '52px', value: ({ index }) => index },
      idColumn({ key: 'address', title: t('wallet.receivePage.address'), width: '140px' }, 'address', idOf),
      {
        key: 'label',
        title: t('wallet.receivePage.note'),
        width: 'minmax(84px, 1fr)',
        value: (row) => row.label,
        render: (row) => <Note key={row.address} text={row.label} save={(text) => label(row.address, text)} />,
      },
      amountColumn(
        { key: 'satoshis', title: t('wallet.receivePage.held'), width: '136px' },
        ({ satoshis }) => satoshis,
      ),
      {
        key: 'used',
        title: t('wallet.receivePage.state'),
        width: '124px',
        value: ({ used }) => t(used ? 'wallet.receivePage.used' : 'wallet.receivePage.unused'),
        render: ({ used }) => (
          <Badge tone={used ? 'done' : 'neutral'}>
            {t(used ? 'wallet.receivePage.used' : 'wallet.receivePage.unused')}
          </Badge>
        ),
      },
      {
        key: 'path',
        title: t('wallet.receivePage.path'),
        width: '160px',
        extra: true,
        value: ({ path }) => path,
        render: ({ path }) => <span className="mono">{path}</span>,
      },
      {
        key: 'show',
        title: t('wallet.receivePage.show'),
        width: '96px',
        action: true,
        sortable: false,
        value: () => null,
        render: ({ address, index }) => (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('wallet.receivePage.showLabel', { n: index })}
            onClick={() => onShow(address)}
          >
            {t('wallet.receivePage.show')}
          </Button>
        ),
      },
    ],
    [t],
  );
}

/** Shows an address to whoever pays, and every address that was given out. */
export function Receive() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<string>();
  const addresses = useQuery(api.wallet.addresses.list.queryOptions());
  const columns = useColumns(setChosen);
  const next = useMutation(
    api.wallet.addresses.next.mutationOptions({
      onSuccess: async ({ address }) => {
        await queries.invalidateQueries({ queryKey: api.wallet.addresses.key() });
        setChosen(address);
      },
    }),
  );
  return (
    <QueryView query={addresses} skeleton={<SkeletonRows rows={2} height={200} />}>
      {(list) => {
        const shown = list.find(({ address }) => address === chosen) ?? list[0];
        return (
          <Stack gap="md">
            <ErrorNote error={next.error} />
            {shown !== undefined && (
              <Request shown={shown} creating={next.isPending} onNew={() => next.mutate({ label: '' })} />
            )}
            <List
              name="wallet-addresses"
              label={t('wallet.receivePage.addressesLabel')}
              title={t('wallet.receivePage.addresses')}
              hint={t('wallet.receivePage.addressesHint')}
              rows={list}
              idOf={idOf}
              columns={columns}
              onOpen={({ address }) => setChosen(address)}
              maxHeight={420}
            />
          </Stack>
        );
      }}
    </QueryView>
  );
}
