import { Button, Group } from '@mantine/core';
import { IconArrowBackUp, IconRestore } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type Failure,
  type PortProbe,
  type SettingEntry,
  settingRows,
  settingVariable,
} from '../../../../contract/index.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { Badge } from '../../../components/values/values.tsx';
import parts from '../parts.module.css';
import { isChanged, readDraft, type Value } from '../setting-form.ts';
import classes from '../settings.module.css';
import { useSettingWords } from '../use-setting-words.ts';
import type { SavedChange } from '../use-settings.ts';
import { Marked } from './marked.tsx';
import { SettingControl } from './setting-control.tsx';

interface SettingRowProps {
  entry: SettingEntry;
  draft: Value | undefined;
  failure: Failure | undefined;
  /** A change that was saved here and can be undone. */
  saved?: SavedChange | undefined;
  /** Another program uses its port. */
  taken?: PortProbe | undefined;
  disabled: boolean;
  /** The search text in lower case. */
  wanted?: string;
  /** Whether the address of the page refers to this row. */
  found?: boolean;
  onDraft: (value: Value | undefined) => void;
  onReset: () => void;
  onUndo?: () => void;
  /** Saves an address although its port is in use. */
  onSaveAnyway?: (value: Value) => void;
}

interface ChangeLineProps {
  text: string;
  entry: SettingEntry;
  action: { label: string; icon: typeof IconRestore; shown: string; onClick: () => void } | undefined;
}

/** The earlier value, when the change takes effect, and an undo. */
function ChangeLine({ text, entry, action }: ChangeLineProps) {
  const words = useSettingWords();
  const Icon = action?.icon;
  return (
    <div className={classes.change}>
      <span>{`${text} · ${words.applies(entry.key)}`}</span>
      {action !== undefined && Icon !== undefined && (
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<Icon {...smallIcon} />}
          aria-label={action.label}
          onClick={action.onClick}
        >
          {action.shown}
        </Button>
      )}
    </div>
  );
}

function useChangeLine({ entry, draft, saved, disabled, onDraft, onReset, onUndo }: SettingRowProps) {
  const { t } = useTranslation();
  const words = useSettingWords();
  const { name } = words(entry.key);
  const undo = { icon: IconArrowBackUp, shown: t('settings.undo') };
  if (entry.overridden) return null;
  if (isChanged(entry, draft)) {
    const text = t('settings.was', { value: words.value(entry.key, entry.value) });
    const action = { ...undo, label: t('settings.undoTyped', { key: name }), onClick: () => onDraft(undefined) };
    return <ChangeLine text={text} entry={entry} action={action} />;
  }
  if (saved !== undefined && onUndo !== undefined) {
    const text = t('settings.savedWas', { value: words.value(entry.key, saved.was) });
    const action = { ...undo, label: t('settings.undoSaved', { key: name }), onClick: onUndo };
    return <ChangeLine text={text} entry={entry} action={action} />;
  }
  // The endpoint's password can be replaced but not cleared: without one every program on the machine could call it.
  const resettable = entry.secret
    ? entry.isSet && entry.key !== 'rpcPassword'
    : String(entry.value) !== String(entry.default);
  if (!resettable) return null;
  const text = entry.secret
    ? t('settings.secretSet')
    : t('settings.default', { value: words.value(entry.key, entry.default) });
  const action = {
    label: t(entry.secret ? 'settings.clear' : 'settings.reset', { key: name }),
    icon: IconRestore,
    shown: t(entry.secret ? 'settings.clearShort' : 'settings.resetShort'),
    onClick: onReset,
  };
  return <ChangeLine text={text} entry={entry} action={disabled ? undefined : action} />;
}

/** Another program uses the port of the address: its name, and the next free port. */
function TakenPort({ entry, draft, taken, onDraft, onSaveAnyway }: SettingRowProps & { taken: PortProbe }) {
  const { t, i18n } = useTranslation();
  const { port, usedBy, proposal } = taken;
  const service = `services.${usedBy}` as 'services.gateway';
  const who = usedBy !== null && i18n.exists(service) ? t(service) : usedBy;
  return (
    <Callout
      tone="wait"
      role="alert"
      title={who === null ? t('settings.portTaken', { port }) : t('settings.portTakenBy', { port, program: who })}
    >
      <Group gap="xs" mt={6}>
        {proposal !== null && (
          <Button size="xs" variant="default" onClick={() => onDraft(proposal)}>
            {t('settings.usePort', { address: proposal })}
          </Button>
        )}
        <Button
          size="xs"
          variant="subtle"
          onClick={() => {
            const read = draft === undefined ? undefined : readDraft(entry, draft);
            if (read !== undefined && 'value' in read) onSaveAnyway?.(read.value);
          }}
        >
          {t('settings.saveAnyway')}
        </Button>
      </Group>
    </Callout>
  );
}

/** The key used in scripts and in the settings file. */
function Details({ entry }: { entry: SettingEntry }) {
  const { t } = useTranslation();
  const words = useSettingWords();
  const unit = settingRows.get(entry.key)?.unit;
  return (
    <details className={classes.details}>
      <summary>{t('common.details')}</summary>
      <dl className={parts.list}>
        {!entry.secret && (
          <>
            <dt>{t('settings.defaultName')}</dt>
            <dd className="mono">{words.value(entry.key, entry.default)}</dd>
          </>
        )}
        {unit !== undefined && (
          <>
            <dt>{t('settings.format')}</dt>
            <dd>{t(`settings.units.${unit}`)}</dd>
          </>
        )}
        <dt>{t('settings.applies.name')}</dt>
        <dd>{words.applies(entry.key)}</dd>
        <dt>{t('settings.variable')}</dt>
        <dd className="mono">{settingVariable(entry.key)}</dd>
        <dt>{t('settings.command')}</dt>
        <dd className="mono">{`planchet settings set ${entry.key} ${entry.secret ? '-' : '…'}`}</dd>
      </dl>
    </details>
  );
}

/** One key: its name, meaning and field. After a change also the earlier value and when the change takes effect. */
export function SettingRow(props: SettingRowProps) {
  const { entry, draft, failure, saved, taken, disabled, wanted = '', found = false, onDraft } = props;
  const { t } = useTranslation();
  const words = useSettingWords();
  const { name, help } = words(entry.key);
  const unit = settingRows.get(entry.key)?.unit;
  const change = useChangeLine(props);
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!found) return;
    // The shell scrolls a new view to its top first.
    const frame = requestAnimationFrame(() => {
      row.current?.scrollIntoView({ block: 'center' });
      row.current?.querySelector<HTMLElement>('input, button, a')?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [found]);
  const mark = isChanged(entry, draft) ? 'typed' : saved !== undefined ? 'saved' : change !== null ? 'set' : undefined;
  const id = `setting-${entry.key.replace('.', '-')}`;
  // Otherwise it is among the details.
  const keyHit = wanted !== '' && entry.key.toLowerCase().includes(wanted);
  const valueHit = wanted !== '' && !entry.secret && words.value(entry.key, entry.value).toLowerCase().includes(wanted);
  return (
    <div ref={row} className={classes.row} data-key={entry.key} data-mark={mark} data-found={found || undefined}>
      <div className={classes.words}>
        <div className={classes.name}>
          <span>
            <Marked text={name} wanted={wanted} />
          </span>
          {keyHit && (
            <span className={`mono ${classes.key}`}>
              <Marked text={entry.key} wanted={wanted} />
            </span>
          )}
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
          {mark === 'typed' && <Badge tone="wait">{t('settings.changed')}</Badge>}
        </div>
        <div className={classes.help}>
          <Marked text={help} wanted={wanted} />
        </div>
      </div>
      <div className={classes.field} data-hit={valueHit || undefined}>
        <SettingControl
          entry={entry}
          draft={draft}
          disabled={disabled || entry.overridden}
          onDraft={onDraft}
          describedBy={id}
        />
        <div id={id} className={classes.facts}>
          {entry.overridden && (
            <span>
              {entry.origin === 'environment'
                ? t('settings.environmentHint', { variable: settingVariable(entry.key) })
                : t('settings.overriddenHint', { key: entry.key })}
            </span>
          )}
          {unit !== undefined && <span>{t(`settings.units.${unit}`)}</span>}
        </div>
        {change}
        {taken !== undefined && <TakenPort {...props} taken={taken} />}
        {failure !== undefined && <FailureNote failure={failure} />}
        <Details entry={entry} />
      </div>
    </div>
  );
}
