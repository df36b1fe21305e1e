import { ActionIcon, Button, Stack, TextInput } from '@mantine/core';
import { IconAddressBook, IconArrowUpRight, IconTrash, IconUserPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Contact } from '../../../../contract/index.ts';
import { isAboutAddress, useAddressCheck } from '../../../api/address-check.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { forgetNames } from '../../../api/known-names.ts';
import { AddressField } from '../../../components/address/address-field.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../../components/forms/form-submit.ts';
import { icon, smallIcon } from '../../../components/icon.ts';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Note } from '../../../components/note.tsx';
import { Empty, Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { showFailure } from '../../../components/toasts/show-failure.ts';
import { offerUndo } from '../../../components/toasts/undo.ts';
import { Id } from '../../../components/values/values.tsx';
import { routes } from '../../../lib/routes.ts';
import { receiver, useSendDraft } from '../send/send-draft.ts';
import classes from './contacts.module.css';

const LONGEST_NAME = 64;
const idOf = ({ address }: Contact): string => address;

/** Reads everything that shows names again. */
function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    forgetNames();
    await queries.invalidateQueries({ queryKey: api.wallet.key() });
  };
}

function NewContact() {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const [name, setName] = useState('');
  const [address, setAddress] = useState('');
  const [tried, setTried] = useState(false);
  const { valid } = useAddressCheck(address, { paymail: true });
  const save = useMutation(
    api.wallet.contacts.save.mutationOptions({
      onSuccess: async () => {
        setName('');
        setAddress('');
        setTried(false);
        await refresh();
      },
    }),
  );
  const submit = (): void => {
    setTried(true);
    if (name.trim() === '' || address === '' || valid === false || save.isPending) return;
    save.mutate({ name: name.trim(), address: address.trim() });
  };
  return (
    <Panel title={t('wallet.contacts.add')} hint={t('wallet.contacts.addHint')}>
      <form onSubmit={formSubmit(submit)} noValidate>
        <Stack gap="sm">
          <div className={classes.form}>
            <TextInput
              label={t('wallet.contacts.name')}
              maxLength={LONGEST_NAME}
              error={tried && name.trim() === '' ? t('wallet.contacts.nameMissing') : undefined}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <AddressField
              label={t('wallet.contacts.address')}
              paymail
              offers={false}
              ownHint={t('wallet.contacts.own')}
              missing={tried && address === '' ? t('wallet.contacts.addressMissing') : undefined}
              value={address}
              onChange={setAddress}
            />
            <Button
              type="submit"
              variant="default"
              className={classes.besideLabel}
              leftSection={<IconUserPlus {...icon} />}
              loading={save.isPending}
            >
              {t('wallet.contacts.save')}
            </Button>
          </div>
          {save.isError && !isAboutAddress(save.error) && <FailureNote failure={failureOf(save.error)} />}
        </Stack>
      </form>
    </Panel>
  );
}

function useColumns(): readonly ListColumn<Contact>[] {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const [, navigate] = useLocation();
  const { mutate: remove } = useMutation({
    mutationFn: ({ address }: Contact) => client.wallet.contacts.remove({ address }),
    onSuccess: async (_, { address, name }) => {
      await refresh();
      offerUndo({
        id: 'contact-removed',
        title: t('wallet.contacts.removed', { name }),
        undo: async () => {
          await client.wallet.contacts.save({ address, name });
          await refresh();
        },
      });
    },
    onError: (error) => showFailure('contact-removed', error),
  });
  return useMemo(
    () => [
      {
        key: 'name',
        title: t('wallet.contacts.name'),
        width: 'minmax(140px, 1fr)',
        value: ({ name }) => name,
        render: ({ address, name }) => (
          <Note
            key={address}
            text={name}
            required
            save={async (next) => {
              await client.wallet.contacts.save({ address, name: next });
              await refresh();
            }}
          />
        ),
      },
      {
        key: 'address',
        title: t('wallet.contacts.address'),
        width: 'minmax(180px, 2fr)',
        value: idOf,
        render: ({ address }) =>
          address.includes('@') ? address : <Id value={address} kind="address" keep={8} copyAlways />,
      },
      {
        key: 'actions',
        title: '',
        width: '84px',
        value: () => null,
        action: true,
        sortable: false,
        render: ({ address, name }) => (
          <>
            <ActionIcon
              variant="subtle"
              aria-label={t('wallet.contacts.send', { name })}
              title={t('wallet.contacts.send', { name })}
              onClick={() => {
                useSendDraft.getState().clear();
                useSendDraft.getState().change({ receivers: [receiver(address)] });
                navigate(routes.walletSend);
              }}
            >
              <IconArrowUpRight {...smallIcon} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('wallet.contacts.remove', { name })}
              title={t('wallet.contacts.remove', { name })}
              onClick={() => remove({ address, name })}
            >
              <IconTrash {...smallIcon} />
            </ActionIcon>
          </>
        ),
      },
    ],
    [t, refresh, remove, navigate],
  );
}

/** Names for addresses of others. */
export function Contacts() {
  const { t } = useTranslation();
  const query = useQuery(api.wallet.contacts.list.queryOptions());
  const columns = useColumns();
  return (
    <Stack gap="md">
      <NewContact />
      <QueryView
        query={query}
        isEmpty={({ length }) => length === 0}
        empty={
          <Panel>
            <Empty
              icon={<IconAddressBook size={28} stroke={1.25} />}
              title={t('wallet.contacts.emptyTitle')}
              text={t('wallet.contacts.emptyText')}
            />
          </Panel>
        }
      >
        {(contacts) => (
          <List
            name="contacts"
            label={t('wallet.contacts.title')}
            title={t('wallet.contacts.title')}
            filter={t('wallet.contacts.filter')}
            rows={contacts}
            idOf={idOf}
            columns={columns}
            copies={{ label: t('wallet.contacts.copy'), of: idOf }}
          />
        )}
      </QueryView>
    </Stack>
  );
}
