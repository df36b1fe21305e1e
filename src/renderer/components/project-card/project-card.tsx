import { Progress } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Project } from '../../../contract/index.ts';
import { routes } from '../../lib/routes.ts';
import { Thumbnail } from '../preview/thumbnail.tsx';
import { Ago, Badge } from '../values/values.tsx';
import classes from './project-card.module.css';

/** The cover and smaller further pictures. Hidden from screen readers, since the name is below. */
function ProjectArt({ art }: { art: Project['art'] }) {
  if (art.length === 0) {
    return (
      <div className={classes.art} data-empty aria-hidden>
        <IconPhoto size={28} stroke={1.25} />
      </div>
    );
  }
  return (
    <div className={classes.art} data-one={art.length === 1 || undefined} aria-hidden>
      {art.map(({ file }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two items may have the same file, and the order never changes.
        <div key={`${file.sha256}${index}`}>
          <Thumbnail file={file} small={index > 0} />
        </div>
      ))}
    </div>
  );
}

/** A project with its pictures and its progress. */
export function ProjectCard({ project }: { project: Project }) {
  const { t } = useTranslation();
  const percent = project.itemCount === 0 ? 0 : (project.mintedCount / project.itemCount) * 100;
  return (
    <Link href={routes.project(project.uid)} className={classes.card}>
      <ProjectArt art={project.art} />
      <div className={classes.head}>
        <span className={classes.name}>{project.name}</span>
        <Badge tone="neutral">{t(`common.projectType.${project.type}`)}</Badge>
      </div>
      <div>
        <div className={`${classes.row} num`}>
          <span>
            {project.itemCount === 0
              ? t('common.project.empty')
              : t('common.project.minted', { minted: project.mintedCount, total: project.itemCount })}
          </span>
          {project.createdAt !== null && <Ago at={project.createdAt} />}
        </div>
        <Progress value={percent} size={4} mt={8} color="var(--pl-done)" aria-label={t('common.project.progress')} />
      </div>
    </Link>
  );
}
