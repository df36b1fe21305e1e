import { Button, PasswordInput, Select, Switch, TextInput } from '@mantine/core';
import { IconRestore } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { type Failure, type SettingEntry, settingVariable } from '../../../contract/index.ts';
import { smallIcon } from '../../components/icon.ts';
import { FailureNote } from '../../components/page.tsx';
import { Badge } from '../../components/values.tsx';
import { isChanged, optionsOf, readDraft, unitOf, type Value } from './setting-form.ts';
import classes from './settings.module.css';
import { useSettingWords } from './use-setting-words.ts';

interface SettingRowProps {
  entry: SettingEntry;
  draft: Value | undefined;
  failure: Failure | undefined;
  disabled: boolean;
  onDraft: (value: Value | undefined) => void;
  onReset: () => void;
}

function Control({
  entry,
  draft,
  disabled,
  onDraft,
  id,
}: Omit<SettingRowProps, 'failure' | 'onReset'> & { id: string }) {
  const { t } = useTranslation();
  const { name } = useSettingWords()(entry.key);
  const read = draft === undefined ? undefined : readDraft(entry, draft);
  const problem = read !== undefined && 'problem' in read ? read.problem : undefined;
  const error =
    problem === undefined
      ? undefined
      : problem.kind === 'not-number'
        ? t('settings.notNumber')
        : problem.message || t('settings.invalid');
  const current = draft ?? entry.value ?? '';
  const common = { 'aria-label': name, 'aria-describedby': id, disabled, error };
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
        data={[...options]}
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

/** One key: what it means, its value, its unit and default, and when a change of it takes effect. */
export function SettingRow({ entry, draft, failure, disabled, onDraft, onReset }: SettingRowProps) {
  const { t } = useTranslation();
  const { name, help } = useSettingWords()(entry.key);
  const unit = unitOf(entry.key);
  const changed = isChanged(entry, draft);
  const id = `setting-${entry.key.replace('.', '-')}`;
  const fallback =
    typeof entry.default === 'boolean'
      ? t(entry.default ? 'settings.on' : 'settings.off')
      : entry.default === ''
        ? t('settings.defaultEmpty')
        : String(entry.default);
  const services = entry.restarts.map((service) =>
    service === 'application' ? t('settings.application') : t(`services.${service as 'gateway'}`),
  );
  // The endpoint's password is replaced, never left empty: without one everybody on the machine could call.
  const resettable = entry.secret
    ? entry.isSet && entry.key !== 'rpcPassword'
    : String(entry.value) !== String(entry.default);
  return (
    <div className={classes.row} data-key={entry.key}>
      <div className={classes.words}>
        <div className={classes.name}>
          <span>{name}</span>
          {entry.secret && (
            <Badge tone={entry.isSet ? 'done' : 'neutral'}>
              {t(entry.isSet ? 'settings.secretSet' : 'settings.secretNotSet')}
            </Badge>
          )}
          {entry.overridden && (
            <Badge tone="info">
              {t(entry.origin === 'environment' ? 'settings.fromEnvironment' : 'settings.overridden')}
            </Badge>
          )}
          {changed && <Badge tone="wait">{t('settings.changed')}</Badge>}
        </div>
        <div className={classes.help}>{help}</div>
        <div className={`mono ${classes.key}`}>{entry.key}</div>
      </div>
      <div className={classes.field}>
        <Control id={id} entry={entry} draft={draft} disabled={disabled || entry.overridden} onDraft={onDraft} />
        <div id={id} className={classes.facts}>
          {entry.overridden && (
            <span>
              {entry.origin === 'environment'
                ? t('settings.environmentHint', { variable: settingVariable(entry.key) })
                : t('settings.overriddenHint', { key: entry.key })}
            </span>
          )}
          {unit !== undefined && <span>{t(`settings.units.${unit}`)}</span>}
          {!entry.secret && <span>{t('settings.default', { value: fallback })}</span>}
          <span>
            {services.length === 0 ? t('settings.now') : t('settings.restarts', { names: services.join(', ') })}
          </span>
        </div>
        {failure !== undefined && <FailureNote failure={failure} />}
      </div>
      <div className={classes.reset}>
        {resettable && !entry.overridden && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            disabled={disabled}
            leftSection={<IconRestore {...smallIcon} />}
            aria-label={t(entry.secret ? 'settings.clear' : 'settings.reset', { key: name })}
            onClick={onReset}
          >
            {t(entry.secret ? 'settings.clearShort' : 'settings.resetShort')}
          </Button>
        )}
      </div>
    </div>
  );
}
