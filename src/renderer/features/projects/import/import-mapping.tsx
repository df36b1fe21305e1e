import { Button, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import {
  type ImportMapping,
  type ImportStatus,
  type ImportTarget,
  importTargets,
  problemPhrase,
} from '../../../../contract/index.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { Panel } from '../../../components/page.tsx';
import { phraseInPageLanguage } from '../../../i18n/phrases.ts';
import { formatInteger } from '../../../lib/format.ts';
import classes from './import.module.css';

export type MappingChange = {
  fields?: { field: string; target: ImportTarget; trait?: string }[];
  options?: Partial<ImportMapping['options']>;
};

interface FoundProps {
  status: ImportStatus;
  mapping: ImportMapping;
  disabled: boolean;
  onChange: (change: MappingChange) => void;
}

/** Problems of rows and files that can be paired only by their order. */
const pairingProblems: ReadonlySet<string> = new Set(['pairing-open', 'matched-by-order']);

/** Asks whether rows and files are in the same order, above the rows that wait for the answer. */
export function Pairing({ status, mapping, disabled, onChange }: FoundProps) {
  const { t } = useTranslation();
  const { pairByOrder } = mapping.options;
  const problem = status.problems.find(({ code }) => pairingProblems.has(code));
  if (problem === undefined) return null;
  return (
    <Callout
      tone={problem.severity === 'error' ? 'fail' : 'wait'}
      title={phraseInPageLanguage(problemPhrase(problem))}
      actions={
        <Button
          size="xs"
          variant="default"
          disabled={disabled}
          onClick={() => onChange({ options: { pairByOrder: !pairByOrder } })}
        >
          {t(pairByOrder ? 'import.unpair' : 'import.pair')}
        </Button>
      }
    />
  );
}

/** The files of the import, and the choices that apply to all of them. */
export function Found({ status, mapping, disabled, onChange }: FoundProps) {
  const { t, i18n } = useTranslation();
  const { options, tables, folders } = mapping;
  const count = folders.reduce((sum, { files }) => sum + files, 0);
  const facts = [
    t('import.files', { count }),
    t('import.tables', { count: tables.length }),
    ...(status.filesWithoutRow > 0 ? [t('import.unmatched', { count: status.filesWithoutRow })] : []),
  ];
  const notes = status.problems.filter(({ code }) => code !== 'file-unused' && !pairingProblems.has(code)).slice(0, 5);
  const unused = status.problems.filter(({ code }) => code === 'file-unused');
  return (
    <Panel title={t('import.found')} hint={facts.join(' · ')}>
      <Stack gap="sm">
        <TextInput
          key={options.projectName}
          size="xs"
          label={t('import.projectName')}
          description={t('import.projectNameHint')}
          defaultValue={options.projectName}
          disabled={disabled || options.projectUid !== null}
          onBlur={({ currentTarget: { value } }) => {
            const projectName = value.trim();
            if (projectName !== '' && projectName !== options.projectName) onChange({ options: { projectName } });
          }}
        />
        <Select
          size="xs"
          label={t('import.table')}
          disabled={disabled}
          allowDeselect={false}
          data={[
            ...tables.map(({ name }) => ({ value: name, label: name })),
            { value: '', label: t('import.noTable') },
          ]}
          value={options.table}
          onChange={(table) => onChange({ options: { table: table ?? '' } })}
        />
        {folders.length > 1 && (
          <Select
            size="xs"
            label={t('import.folder')}
            disabled={disabled}
            clearable
            data={folders.map(({ path, files }) => ({
              value: path,
              label: `${path || '/'} (${formatInteger(files, i18n.language)})`,
            }))}
            value={options.folder}
            onChange={(folder) => onChange({ options: { folder } })}
          />
        )}
        <TextInput
          key={`names ${options.nameTemplate}`}
          size="xs"
          label={t('import.template')}
          description={t('import.templateHint')}
          placeholder="{name} #{n}"
          defaultValue={options.nameTemplate ?? ''}
          disabled={disabled}
          onBlur={({ currentTarget: { value } }) => {
            const nameTemplate = value.trim() === '' ? null : value.trim();
            if (nameTemplate !== options.nameTemplate) onChange({ options: { nameTemplate } });
          }}
        />
        <Switch
          size="xs"
          label={t('import.duplicates')}
          disabled={disabled}
          checked={options.allowDuplicates}
          onChange={(event) => onChange({ options: { allowDuplicates: event.currentTarget.checked } })}
        />
        <Switch
          size="xs"
          label={t('import.rarity')}
          disabled={disabled}
          checked={options.rarity}
          onChange={(event) => onChange({ options: { rarity: event.currentTarget.checked } })}
        />
        {notes.map((problem) => (
          <Callout
            key={problem.code + problem.message}
            tone={problem.severity === 'error' ? 'fail' : 'wait'}
            title={phraseInPageLanguage(problemPhrase(problem))}
          />
        ))}
        {unused.length > 0 && (
          <details className={classes.unused}>
            <summary>{t('import.unmatched', { count: status.filesWithoutRow })}</summary>
            <ul>
              {unused.map(({ file }) => (
                <li key={file}>{file}</li>
              ))}
            </ul>
            <p>{t('import.unmatchedHint')}</p>
          </details>
        )}
      </Stack>
    </Panel>
  );
}

/** What each column becomes, with its first value. */
export function Mapping({ mapping, disabled, onChange }: Omit<FoundProps, 'status'>) {
  const { t } = useTranslation();
  if (mapping.fields.length === 0) return null;
  const data = importTargets.map((target) => ({ value: target, label: t(`import.target.${target}`) }));
  return (
    <Panel title={t('import.mapping')} flush>
      <div className={classes.fields}>
        {mapping.fields.map(({ field, target, example }) => (
          <div key={field} className={classes.field}>
            <div className={classes.fieldName}>
              <b title={field}>{field}</b>
              <span title={example}>{t('import.example', { example: example || t('import.empty') })}</span>
            </div>
            <Select
              size="xs"
              aria-label={t('import.mappingLabel', { field })}
              disabled={disabled}
              allowDeselect={false}
              data={data}
              value={target}
              onChange={(chosen) =>
                onChange({
                  fields: [
                    {
                      field,
                      target: chosen as ImportTarget,
                      ...(chosen === 'trait' || chosen === 'key' ? { trait: field.slice(0, 64) } : {}),
                    },
                  ],
                })
              }
            />
          </div>
        ))}
      </div>
    </Panel>
  );
}
