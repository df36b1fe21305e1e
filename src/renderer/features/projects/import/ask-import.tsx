import { Button, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { i18n } from '../../../i18n/index.ts';
import { mayDescribe } from './import-upload.ts';
import './texts.ts';

const MODAL = 'ask-import';
const SHOWN_NAMES = 3;

interface Choices {
  onImport: (files: readonly File[]) => void;
  onAdd: (files: readonly File[]) => void;
}

/** Adds files to a project; where some may describe others, the person says first what they are. */
export function addOrAsk(files: readonly File[], { onImport, onAdd }: Choices): void {
  const describing = files.filter(mayDescribe);
  if (describing.length === 0) {
    onAdd(files);
    return;
  }
  const others = files.filter((file) => !mayDescribe(file));
  const choose = (action: () => void) => () => {
    modals.close(MODAL);
    action();
  };
  const names = describing.slice(0, SHOWN_NAMES).map(({ name }) => name);
  if (describing.length > SHOWN_NAMES) names.push('…');
  modals.open({
    modalId: MODAL,
    title: i18n.t('import.ask.title', { count: describing.length }),
    children: (
      <Stack gap="sm">
        <Text>{i18n.t('import.ask.text', { names: names.join(', ') })}</Text>
        <Button data-autofocus onClick={choose(() => onImport(files))}>
          {i18n.t('import.ask.read')}
        </Button>
        {others.length > 0 && (
          <Button variant="default" onClick={choose(() => onAdd(others))}>
            {i18n.t('import.ask.rest')}
          </Button>
        )}
        <Button variant="default" onClick={choose(() => onAdd(files))}>
          {i18n.t('import.ask.mint')}
        </Button>
      </Stack>
    ),
  });
}
