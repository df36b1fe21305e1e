import { ActionIcon, Menu } from '@mantine/core';
import { IconArrowBackUp, IconDots, IconPlaneDeparture, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Project } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { icon, smallIcon } from '../../components/icon.ts';
import { changeText, undoOf } from '../../components/toasts/project-undo.ts';
import { takeBack, useUndoOf } from '../../components/toasts/undo.ts';
import { openBin } from './history/bin.tsx';
import { openMoveProject } from './move-project.tsx';

/** Actions on a whole project other than its mint. Ctrl+Z undoes its last change, whenever that was. */
export function ProjectMenu({ project }: { project: Project }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [opened, setOpened] = useState(false);
  const input = { projectUid: project.uid };
  const history = useQuery({ ...api.items.history.get.queryOptions({ input }), enabled: opened, staleTime: 0 }).data;
  const undo = useMemo(() => undoOf(queries, project.uid), [queries, project.uid]);
  useUndoOf(undo);
  const last = history?.last;
  return (
    <Menu
      position="bottom-end"
      width={280}
      withinPortal={false}
      floatingStrategy="fixed"
      opened={opened}
      onChange={setOpened}
    >
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t('projects.menu')}>
          <IconDots {...icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconArrowBackUp {...smallIcon} />}
          disabled={last === undefined || last === null}
          onClick={() => void takeBack(undo)}
        >
          {last ? t('projects.undo.open', { change: changeText(last) }) : t('projects.undo.nothing')}
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash {...smallIcon} />} onClick={() => openBin(project)}>
          {t('projects.bin.open', { count: history?.inBin ?? 0 })}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconPlaneDeparture {...smallIcon} />}
          disabled={project.itemCount === 0}
          onClick={() => openMoveProject(project)}
        >
          {t('projects.move.open')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
