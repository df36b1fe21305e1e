import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { handOver } from '../../lib/dropped-files.ts';
import { nameFromFile } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { openCreateProject } from '../create-project.tsx';
import { DropAnywhere } from './drop-anywhere.tsx';

/** Files dropped in a view without a project create one: a person names it, then the files are added. */
export function NewProjectDrop() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return (
    <DropAnywhere
      text={t('drop.newProject')}
      onFiles={(files) => {
        const [only, ...further] = files;
        if (only === undefined) return;
        const begin = { name: further.length === 0 ? nameFromFile(only.name) : '' };
        openCreateProject(({ uid }) => {
          handOver(uid, files);
          navigate(routes.project(uid));
        }, begin);
      }}
    />
  );
}
