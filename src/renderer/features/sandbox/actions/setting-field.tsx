import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, client } from '../../../api/client.ts';
import { Outcome } from '../outcome.tsx';
import { useAction } from '../use-action.ts';
import classes from './actions.module.css';

interface SettingFieldProps {
  /** Key of the setting. A change takes effect at once. */
  setting: string;
  label: string;
  hint: string;
  /** Error text if `read` cannot parse the text. */
  invalid: string;
  read: (text: string) => string | number | undefined;
  onSet?: () => Promise<unknown>;
}

/** One setting of the sandbox, shown where it has its effect. */
export function SettingField({ setting, label, hint, invalid, read, onSet }: SettingFieldProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const entry = useQuery(api.settings.list.queryOptions()).data?.find(({ key }) => key === setting);
  const [draft, setDraft] = useState<string>();
  const action = useAction<unknown>();
  const text = draft ?? String(entry?.value ?? '');
  const value = read(text);
  return (
    <Stack gap="xs">
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (value === undefined) return;
          void action.run(async () => {
            await client.settings.set({ key: setting, value });
            await queries.invalidateQueries({ queryKey: api.settings.list.key() });
            setDraft(undefined);
            await onSet?.();
          });
        }}
      >
        <TextInput
          className={classes.grow}
          label={label}
          description={entry?.overridden ? t('sandbox.settingFixed') : hint}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          disabled={entry === undefined || entry.overridden}
          error={entry === undefined || value !== undefined ? undefined : invalid}
          value={text}
          onChange={(event) => setDraft(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          className={classes.fieldButton}
          aria-label={t('sandbox.settingSetNamed', { name: label })}
          loading={action.busy}
          disabled={value === undefined || draft === undefined || value === entry?.value}
        >
          {t('sandbox.settingSet')}
        </Button>
      </form>
      <Outcome action={action} />
    </Stack>
  );
}
