import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { editionNames, type Item, MAX_EDITION } from '../../../../../contract/index.ts';
import { api, client } from '../../../../api/client.ts';
import { DialogForm } from '../../../../components/forms/dialog-form.tsx';
import { WholeNumberInput } from '../../../../components/forms/whole-number-input.tsx';
import { offerProjectUndo } from '../../../../components/toasts/project-undo.ts';
import { i18n } from '../../../../i18n/index.ts';

const MODAL = 'edition';
const USUAL = 10;

function MakeEdition({ item }: { item: Item }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [count, setCount] = useState<number | ''>(USUAL);
  const make = useMutation({
    mutationFn: (wanted: number) => client.items.makeEdition({ id: item.id, count: wanted }),
    onSuccess: async (_, wanted) => {
      await queries.invalidateQueries({ queryKey: api.items.key() });
      offerProjectUndo(queries, item.projectUid, t('projects.undo.change.copied', { count: wanted }));
    },
  });
  const isValid = Number(count) >= 2;
  const listed = queries.getQueryData<Item[]>(api.items.list.queryKey({ input: { projectUid: item.projectUid } }));
  const others = listed?.filter(({ id }) => id !== item.id).map(({ metadata }) => metadata.name);
  const names = isValid ? editionNames(item.metadata.name, Math.min(Number(count), MAX_EDITION), new Set(others)) : [];
  return (
    <DialogForm
      modalId={MODAL}
      submit={isValid ? t('projects.edition.submit', { count: Number(count) }) : t('projects.edition.submitPlain')}
      save={make}
      disabled={!isValid}
      onSubmit={() => make.mutate(Number(count), { onSuccess: () => modals.close(MODAL) })}
    >
      <WholeNumberInput
        data-autofocus
        label={t('projects.edition.count')}
        description={t('projects.edition.countHint')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        min={2}
        max={MAX_EDITION}
        value={count}
        onChange={setCount}
      />
      <Text size="sm" c="dimmed">
        {isValid && t('projects.edition.names', { first: names[0], last: names.at(-1) })}{' '}
        {item.subType === 'collectionItem' && t('projects.edition.numbers')}
      </Text>
    </DialogForm>
  );
}

/** Makes several numbered drafts of the file of one. */
export function openMakeEdition(item: Item): void {
  modals.open({
    modalId: MODAL,
    title: i18n.t('projects.edition.title', { name: item.metadata.name }),
    size: 480,
    children: <MakeEdition item={item} />,
  });
}
