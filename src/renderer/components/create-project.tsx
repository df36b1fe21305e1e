import { Button, Group, Radio, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type Project, projectTypes } from '../../contract/index.ts';
import { api } from '../api/client.ts';
import { upsert } from '../api/live/live-state.ts';
import { useLive } from '../api/live/live-store.ts';
import { i18n } from '../i18n/index.ts';
import { nameProblem } from '../lib/items/item-rules.ts';
import { ErrorNote } from './callouts/failure-note.tsx';
import classes from './styles/choice.module.css';

const MODAL = 'create-project';

function CreateProject({ name, onCreated }: { name: string; onCreated: (project: Project) => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const hasService = useLive((state) => state.app?.endpoints.baseUrl != null);
  const form = useForm<{ name: string; type: Project['type']; local: boolean }>({
    initialValues: { name, type: 'single', local: false },
    validateInputOnChange: true,
    validate: { name: (name) => nameProblem(t, name) },
  });
  const create = useMutation(
    api.projects.create.mutationOptions({
      onSuccess: (project) => {
        queries.setQueryData<Project[]>(
          api.projects.list.queryKey(),
          (list) => list && upsert(list, project, (one) => one.uid),
        );
      },
    }),
  );
  // This does not run once the dialog is closed.
  const onSuccess = (project: Project): void => {
    modals.close(MODAL);
    onCreated(project);
  };
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate({ ...values, name: values.name.trim() }, { onSuccess }))}>
      <Stack gap="md">
        <TextInput
          label={t('projects.create.name')}
          description={t('projects.create.nameHint')}
          placeholder={t('projects.create.namePlaceholder')}
          data-autofocus
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <Radio.Group label={t('projects.create.type')} {...form.getInputProps('type')}>
          <Stack gap="xs" mt={6}>
            {projectTypes.map((type) => (
              <Radio.Card key={type} value={type} className={classes.choice} radius="md">
                <Group wrap="nowrap" align="flex-start">
                  <Radio.Indicator />
                  <div>
                    <div className={classes.choiceTitle}>{t(`projects.create.${type}`)}</div>
                    <div className={classes.choiceHint}>{t(`projects.create.${type}Hint`)}</div>
                  </div>
                </Group>
              </Radio.Card>
            ))}
          </Stack>
        </Radio.Group>
        {hasService && (
          <Switch
            label={t('projects.create.local')}
            description={t('projects.create.localHint')}
            {...form.getInputProps('local', { type: 'checkbox' })}
          />
        )}
        <ErrorNote error={create.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => modals.close(MODAL)}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('projects.create.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Asks for a name and a type. @param onCreated called with the new project after the dialog has closed @param first initial values */
export function openCreateProject(onCreated: (project: Project) => void, { name = '' } = {}): void {
  modals.open({
    modalId: MODAL,
    title: i18n.t('projects.create.title'),
    size: 480,
    children: <CreateProject name={name} onCreated={onCreated} />,
  });
}
