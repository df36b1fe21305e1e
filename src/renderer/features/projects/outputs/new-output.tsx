import { FileInput, Group, SegmentedControl, Select, Textarea, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NewServiceOutput, Project } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { uploadFile } from '../../../api/upload/upload.ts';
import { DialogForm } from '../../../components/forms/dialog-form.tsx';
import { i18n } from '../../../i18n/index.ts';
import { nameFromFile } from '../../../lib/format.ts';

const MODAL = 'new-output';
const TEXT_TYPE = 'text/plain;charset=utf-8';

type Source = 'file' | 'text';

function isJsonObject(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

function NewOutput({ uid: projectUid, type: projectType }: Project) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const roles = projectType === 'single' ? (['single'] as const) : (['collectionItem', 'collection'] as const);
  const [source, setSource] = useState<Source>('file');
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState('');
  const [contentType, setContentType] = useState('');
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [subType, setSubType] = useState<NewServiceOutput['subType']>(roles[0]);
  const [data, setData] = useState('');
  const dataIsWrong = data.trim() !== '' && !isJsonObject(data);
  const hasContent = source === 'file' ? file !== null : text !== '';
  const save = useMutation({
    mutationFn: async () => {
      const given = contentType.trim();
      const content =
        source === 'text' || file === null
          ? new File([text], `${name.trim()}.txt`, { type: given || TEXT_TYPE })
          : new File([file], file.name, { type: given || file.type });
      const { signal } = new AbortController();
      const { sha256 } = await uploadFile(client.files, content, { signal, onProgress: () => {} });
      const subTypeData = data.trim() === '' ? {} : { subTypeData: data };
      return client.outputs.create({ projectUid, sha256, subType, name, description, ...subTypeData });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: api.outputs.key() }),
  });
  const choose = (chosen: File | null): void => {
    setFile(chosen);
    if (chosen !== null && name === '') setName(nameFromFile(chosen.name));
  };
  return (
    <DialogForm
      modalId={MODAL}
      submit={t('projects.outputs.new.create')}
      save={save}
      disabled={name.trim() === '' || !hasContent || dataIsWrong}
      onSubmit={() => save.mutate(undefined, { onSuccess: () => modals.close(MODAL) })}
    >
      <SegmentedControl
        fullWidth
        aria-label={t('projects.outputs.new.source')}
        value={source}
        onChange={(value) => setSource(value as Source)}
        data={(['file', 'text'] as const).map((value) => ({ value, label: t(`projects.outputs.new.${value}`) }))}
      />
      {source === 'file' ? (
        <FileInput
          label={t('projects.outputs.new.file')}
          placeholder={t('projects.page.choose')}
          value={file}
          onChange={choose}
        />
      ) : (
        <Textarea
          label={t('projects.outputs.new.text')}
          rows={4}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <Group grow align="flex-start">
        <TextInput
          label={t('projects.item.name')}
          maxLength={120}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          label={t('projects.item.role')}
          allowDeselect={false}
          value={subType}
          onChange={(value) => value !== null && setSubType(value)}
          data={roles.map((value) => ({ value, label: t(`common.subType.${value}`) }))}
        />
      </Group>
      <TextInput
        label={t('projects.outputs.new.contentType')}
        description={t('projects.outputs.new.contentTypeHint')}
        placeholder={source === 'text' ? TEXT_TYPE : (file?.type ?? '')}
        maxLength={255}
        value={contentType}
        onChange={(event) => setContentType(event.currentTarget.value)}
      />
      <TextInput
        label={t('projects.item.description')}
        maxLength={2_000}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <Textarea
        label={t('projects.outputs.new.data')}
        description={t('projects.outputs.new.dataHint')}
        placeholder='{"mintNumber": 7}'
        rows={3}
        classNames={{ input: 'mono' }}
        error={dataIsWrong ? t('projects.outputs.new.dataWrong') : undefined}
        value={data}
        onChange={(event) => setData(event.currentTarget.value)}
      />
    </DialogForm>
  );
}

/** Asks for an output that the token service is to hold outside of every mint. */
export function openNewOutput(project: Project): void {
  modals.open({ modalId: MODAL, title: i18n.t('projects.outputs.new.title'), children: <NewOutput {...project} /> });
}
