import { PasswordInput, Select, Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SettingEntry } from '../../../../contract/index.ts';
import { phraseInPageLanguage } from '../../../i18n/phrases.ts';
import { optionsOf, readDraft, type Value } from '../setting-form.ts';
import { useSettingWords } from '../use-setting-words.ts';

/** Elsewhere this error follows the name of its setting. Under a field it is a sentence of its own. */
const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface SettingControlProps {
  entry: SettingEntry;
  draft: Value | undefined;
  disabled: boolean;
  onDraft: (value: Value) => void;
  describedBy: string;
}

/** The field of a key by its type: a switch, a choice, a password or a text. */
export function SettingControl({ entry, draft, disabled, onDraft, describedBy }: SettingControlProps) {
  const { t } = useTranslation();
  const words = useSettingWords();
  const { name } = words(entry.key);
  const read = draft === undefined ? undefined : readDraft(entry, draft);
  const problem = read !== undefined && 'problem' in read ? read.problem : undefined;
  const error = problem && capitalised(phraseInPageLanguage(problem));
  const current = draft ?? entry.value ?? '';
  const common = { 'aria-label': name, 'aria-describedby': describedBy, disabled, error };
  const options = optionsOf(entry.key);
  if (entry.secret) {
    return (
      <PasswordInput
        {...common}
        autoComplete="new-password"
        placeholder={t(entry.isSet ? 'settings.secretPlaceholder' : 'settings.secretEmptyPlaceholder')}
        value={String(draft ?? '')}
        onChange={(event) => onDraft(event.currentTarget.value)}
      />
    );
  }
  if (typeof entry.default === 'boolean') {
    return (
      <Switch
        {...common}
        label={t(current === true ? 'settings.on' : 'settings.off')}
        aria-label={name}
        checked={current === true}
        onChange={(event) => onDraft(event.currentTarget.checked)}
      />
    );
  }
  if (options !== undefined) {
    return (
      <Select
        {...common}
        data={options.map((value) => ({ value, label: words.option(entry.key, value) }))}
        allowDeselect={false}
        value={String(current)}
        onChange={(value) => value !== null && onDraft(value)}
      />
    );
  }
  return (
    <TextInput
      {...common}
      classNames={{ input: 'mono' }}
      inputMode={typeof entry.default === 'number' ? 'numeric' : undefined}
      spellCheck={false}
      value={String(current)}
      onChange={(event) => onDraft(event.currentTarget.value)}
    />
  );
}
