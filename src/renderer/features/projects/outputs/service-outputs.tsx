import { Button, Select, Stack, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Project, ServiceOutput } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { useActions } from '../../../api/use-actions.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { DialogForm } from '../../../components/forms/dialog-form.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { idColumn, timeColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { QueryView } from '../../../components/query-view.tsx';
import { openNewOutput } from './new-output.tsx';

const MODAL = 'output';
const idOf = (output: ServiceOutput): string => output.uid;
const isFree = ({ state, inMint }: ServiceOutput): boolean => state === 'unused' && !inMint;

function useColumns(onRename: (output: ServiceOutput) => void): readonly ListColumn<ServiceOutput>[] {
  const { t } = useTranslation();
  return useMemo<readonly ListColumn<ServiceOutput>[]>(
    () => [
      { key: 'name', title: t('projects.table.name'), width: 'minmax(120px, 1.4fr)', value: ({ name }) => name },
      {
        key: 'role',
        title: t('projects.item.role'),
        width: '168px',
        value: ({ subType }) =>
          subType === 'collection' || subType === 'collectionItem' || subType === 'single'
            ? t(`common.subType.${subType}`)
            : subType,
      },
      {
        key: 'state',
        title: t('projects.table.state'),
        width: '124px',
        value: (output) =>
          t(`projects.outputs.state.${output.inMint && output.state === 'unused' ? 'mint' : output.state}`),
      },
      { key: 'type', title: t('common.type'), width: '110px', value: ({ contentType }) => contentType, extra: true },
      timeColumn(
        { key: 'created', title: t('projects.column.created'), width: '110px' },
        ({ createdAt }) => createdAt,
        t('common.unknown'),
      ),
      idColumn(
        { key: 'uid', title: t('projects.column.uid'), width: 'minmax(90px, 1fr)', extra: true },
        { what: t('projects.column.uid') },
        idOf,
      ),
      {
        key: 'rename',
        title: t('projects.outputs.rename'),
        width: '92px',
        value: () => null,
        sortable: false,
        action: true,
        render: (output) =>
          isFree(output) && (
            <Button size="compact-xs" variant="default" onClick={() => onRename(output)}>
              {t('projects.outputs.rename')}
            </Button>
          ),
      },
    ],
    [t, onRename],
  );
}

function Rename({ projectUid, output }: { projectUid: string; output: ServiceOutput }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [name, setName] = useState(output.name);
  const save = useMutation(
    api.outputs.update.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.outputs.key() }),
    }),
  );
  return (
    <DialogForm
      modalId={MODAL}
      submit={t('projects.item.save')}
      save={save}
      disabled={name.trim() === ''}
      onSubmit={() => save.mutate({ projectUid, uid: output.uid, name }, { onSuccess: () => modals.close(MODAL) })}
    >
      <TextInput
        data-autofocus
        label={t('projects.item.name')}
        maxLength={120}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  );
}

/** What the token service holds of a project; what no mint needs can be made, renamed and deleted. */
export function ServiceOutputs({ project }: { project: Project }) {
  const projectUid = project.uid;
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [chain, setChain] = useState('all');
  const [type, setType] = useState('all');
  const filter = {
    ...(chain !== 'all' && { onChain: chain === 'on' }),
    ...(type !== 'all' && { type: type as 'collection' | 'collectionItem' }),
  };
  const query = useQuery(api.outputs.list.queryOptions({ input: { projectUid, filter }, staleTime: 0 }));
  const remove = useActions({
    mutationFn: async (uids: readonly string[]): Promise<void> => {
      const results = await Promise.allSettled(uids.map((uid) => client.outputs.remove({ projectUid, uid })));
      const refused = results.find((result) => result.status === 'rejected');
      if (refused !== undefined) throw refused.reason;
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.outputs.key() }),
  });
  const columns = useColumns(
    useCallback(
      (output: ServiceOutput): void => {
        modals.open({
          modalId: MODAL,
          title: t('projects.outputs.renameTitle', { name: output.name }),
          children: <Rename projectUid={projectUid} output={output} />,
        });
      },
      [t, projectUid],
    ),
  );
  const fixed = useMemo(() => columns.filter(({ action }) => action !== true), [columns]);
  const ask = (outputs: readonly ServiceOutput[]): void => {
    modals.openConfirmModal({
      title: t('projects.outputs.removeTitle', { count: outputs.length }),
      children: t('projects.outputs.removeText'),
      labels: { confirm: t('projects.outputs.remove'), cancel: t('common.cancel') },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate(outputs.map(({ uid }) => uid)),
    });
  };
  const tools = (
    <>
      <Select
        size="xs"
        w={190}
        aria-label={t('projects.outputs.chain')}
        allowDeselect={false}
        value={chain}
        onChange={(value) => setChain(value ?? 'all')}
        data={(['all', 'on', 'off'] as const).map((value) => ({ value, label: t(`projects.outputs.chains.${value}`) }))}
      />
      <Select
        size="xs"
        w={190}
        aria-label={t('projects.outputs.type')}
        allowDeselect={false}
        value={type}
        onChange={(value) => setType(value ?? 'all')}
        data={(['all', 'collection', 'collectionItem'] as const).map((value) => ({
          value,
          label: t(`projects.outputs.types.${value}`),
        }))}
      />
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus {...smallIcon} />}
        onClick={() => openNewOutput(project)}
      >
        {t('projects.outputs.new.open')}
      </Button>
    </>
  );
  return (
    <Stack gap="sm">
      <ErrorNote error={remove.error} />
      <QueryView query={query}>
        {(outputs) => (
          <List
            name="outputs"
            label={t('projects.outputs.title')}
            hint={t('projects.outputs.hint')}
            rows={outputs}
            idOf={idOf}
            columns={outputs.some(isFree) ? columns : fixed}
            tools={tools}
            bulk={[{ label: t('projects.outputs.remove'), run: (rows) => ask(rows.filter(isFree)), fits: isFree }]}
            empty={<p>{t('projects.outputs.none')}</p>}
          />
        )}
      </QueryView>
    </Stack>
  );
}
