import { Button, Group, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NetworkSource } from '../../../contract/index.ts';
import classes from './networks.module.css';

interface SourceFormProps {
  source: NetworkSource;
  isSaving: boolean;
  save: (change: { address?: string; key?: string }, onSaved?: () => void) => void;
}

/** The person's own address for a public service, and its key, which is never shown. */
export function SourceForm({ source, isSaving, save }: SourceFormProps) {
  const { t } = useTranslation();
  const [address, setAddress] = useState(source.address);
  const [key, setKey] = useState('');
  return (
    <form
      className={classes.sourceForm}
      onSubmit={(event) => {
        event.preventDefault();
        save({ address, ...(key !== '' && { key }) }, () => setKey(''));
      }}
    >
      <TextInput
        label={t('networks.sourceAddress')}
        description={t('networks.sourceAddressHint')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        value={address}
        placeholder={source.address === '' ? (source.host ?? '') : ''}
        onChange={(event) => setAddress(event.currentTarget.value)}
      />
      <PasswordInput
        label={t('networks.sourceKey')}
        description={t(source.hasKey ? 'networks.sourceKeySet' : 'networks.sourceKeyHint')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        autoComplete="off"
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <Group gap="xs">
        <Button type="submit" size="xs" loading={isSaving} disabled={address === source.address && key === ''}>
          {t('networks.save')}
        </Button>
        {source.hasKey && (
          <Button size="xs" variant="default" disabled={isSaving} onClick={() => save({ key: '' })}>
            {t('networks.sourceKeyRemove')}
          </Button>
        )}
      </Group>
    </form>
  );
}
